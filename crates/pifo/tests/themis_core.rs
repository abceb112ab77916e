//! The model of Themis's hardware against the tiered reference, where the two must agree.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use forebay_pifo::{GeometryError, PushError, ThemisCore, Tier, TieredQueue, TieredReference};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Op {
    /// The rank, and whether the root decides the tier; else it is decided by the whole rank.
    Enqueue(u64, bool),
    Dequeue,
    DropLargest,
    SwapOut,
    SwapIn,
}

fn ops(ranks: u64) -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (0..ranks, any::<bool>()).prop_map(|(rank, open)| Op::Enqueue(rank, open)),
        3 => Just(Op::Dequeue),
        1 => Just(Op::DropLargest),
        2 => Just(Op::SwapOut),
        2 => Just(Op::SwapIn),
    ];
    prop::collection::vec(op, 1..300)
}

/// The core and the reference side by side.
struct Pair {
    core: ThemisCore<u32>,
    reference: TieredReference,
    in_digit: u64,
    next: u32,
}

impl Pair {
    fn new(levels: u32, width: u64) -> Self {
        let core = ThemisCore::new(levels, width).unwrap();
        let reference = TieredReference::new(width.pow(levels) - 1);
        Pair { core, reference, in_digit: width.pow(levels - 1), next: 0 }
    }

    fn enqueue(&mut self, rank: u64, open: bool) {
        let (asked, tier) = if open {
            let first = self.reference.peek_min_in(Tier::Hbm).map(|entry| entry.rank);
            let far = first.is_some_and(|first| first / self.in_digit <= rank / self.in_digit);
            (None, if far { Tier::Hbm } else { Tier::Sram })
        } else {
            let tier = match self.reference.peek_min_in(Tier::Hbm) {
                Some(entry) if entry.rank <= rank => Tier::Hbm,
                _ => Tier::Sram,
            };
            (Some(tier), tier)
        };
        let waits = self.core.enqueue(rank, self.next, asked).unwrap();
        // By the whole rank or by its first digit: nothing overtakes its equals.
        assert_eq!((waits.tier, waits.ahead), (tier, false));
        self.reference.push(tier, rank, self.next).unwrap();
        self.next += 1;
    }

    /// The tier that the next dequeue is to serve, by first digits.
    fn serving(&self) -> Tier {
        let digit = |tier| self.reference.peek_min_in(tier).map(|e| e.rank / self.in_digit);
        match (digit(Tier::Sram), digit(Tier::Hbm)) {
            (Some(near), Some(far)) if far < near => Tier::Hbm,
            (None, _) => Tier::Hbm,
            (Some(_), _) => Tier::Sram,
        }
    }

    fn dequeue(&mut self) {
        let expected = self.reference.pop_min_in(self.serving());
        let left = self.core.dequeue();
        assert_eq!(
            left.map(|left| (left.rank, left.item, left.tier)),
            expected.map(|entry| (entry.rank, entry.id, entry.tier))
        );
    }

    fn play(&mut self, op: Op) {
        match op {
            Op::Enqueue(rank, open) => self.enqueue(rank, open),
            Op::Dequeue => self.dequeue(),
            Op::DropLargest => {
                let expected = self.reference.pop_max_in(Tier::Sram);
                let left = self.core.drop_largest();
                assert_eq!(left.map(|l| (l.rank, l.item)), expected.map(|e| (e.rank, e.id)));
            }
            Op::SwapOut => {
                let moved = self.reference.peek_max_in(Tier::Sram).map(|e| (e.rank, e.id));
                assert_eq!(self.core.swap_out().map(|(rank, &id)| (rank, id)), moved);
                if let Some((_, id)) = moved {
                    self.reference.relocate(id, Tier::Hbm);
                }
            }
            Op::SwapIn => {
                let moved = self.reference.peek_min_in(Tier::Hbm).map(|e| (e.rank, e.id));
                assert_eq!(self.core.swap_in().map(|(rank, &id)| (rank, id)), moved);
                if let Some((_, id)) = moved {
                    self.reference.relocate(id, Tier::Sram);
                }
            }
        }
        for tier in Tier::ALL {
            assert_eq!(self.core.len_in(tier), self.reference.len_in(tier));
            let smallest = self.reference.peek_min_in(tier).map(|entry| entry.rank);
            assert_eq!(self.core.smallest(tier), smallest);
        }
    }

    fn drain(&mut self) {
        while !self.reference.is_empty() {
            self.dequeue();
        }
        assert!(self.core.is_empty() && self.core.dequeue().is_none());
    }
}

proptest! {
    /// Linked at the ends of lists alone, elements stand where their arrival puts them.
    #[test]
    fn equal_ranks_leave_as_they_came(ops in ops(16)) {
        let mut pair = Pair::new(2, 4);
        for op in ops {
            pair.play(op);
        }
        pair.drain();
    }

    /// With one digit the root knows the whole rank: the smallest of both tiers is served.
    #[test]
    fn one_digit_is_exact(ops in ops(8)) {
        let mut pair = Pair::new(1, 8);
        for op in ops {
            let smallest = pair.reference.peek_min();
            if matches!(op, Op::Dequeue) {
                prop_assert_eq!(smallest.map(|entry| entry.tier), smallest.map(|_| pair.serving()));
            }
            pair.play(op);
        }
        pair.drain();
    }

    /// With every arrival placed by its whole rank, no near rank is above a far one, so the
    /// smallest of both tiers is served however many digits a rank has.
    #[test]
    fn whole_ranks_are_exact(ops in ops(64)) {
        let mut pair = Pair::new(3, 4);
        for op in ops {
            let op = if let Op::Enqueue(rank, _) = op { Op::Enqueue(rank, false) } else { op };
            let smallest = pair.reference.peek_min();
            if matches!(op, Op::Dequeue) {
                prop_assert_eq!(smallest.map(|entry| entry.tier), smallest.map(|_| pair.serving()));
            }
            pair.play(op);
        }
        pair.drain();
    }
}

#[test]
fn what_arrives_near_beside_older_equals_is_told() {
    let mut core = ThemisCore::new(2, 4).unwrap();
    core.enqueue(5, 'a', Some(Tier::Hbm)).unwrap();
    assert!(core.enqueue(5, 'b', Some(Tier::Sram)).unwrap().ahead);
    assert!(!core.enqueue(6, 'c', Some(Tier::Sram)).unwrap().ahead);
    assert_eq!(core.dequeue().map(|left| left.item), Some('b'));
}

#[test]
fn shapes_and_ranks_beyond_are_refused() {
    let shape = |levels, width| ThemisCore::<()>::new(levels, width).map(|_| ());
    assert_eq!(shape(0, 8), Err(GeometryError::Buckets { asked: 0 }));
    assert_eq!(shape(2, 0), Err(GeometryError::Buckets { asked: 0 }));
    assert_eq!(shape(1, 1), Ok(()));
    assert_eq!(shape(20, 2), Ok(()));
    assert!(shape(21, 2).is_err() && shape(u32::MAX, u64::MAX).is_err());
    let mut core = ThemisCore::new(2, 4).unwrap();
    let refused = PushError::RankTooLarge { rank: 16, max_rank: 15 };
    assert_eq!(core.enqueue(16, (), None), Err(refused));
}
