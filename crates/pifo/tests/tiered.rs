//! The tiered queues against the naive one, after every operation of random sequences.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use forebay_pifo::{
    MAX_ID, PushError, Tier, TieredBuckets, TieredEntry, TieredExact, TieredQueue, TieredReference,
};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Op {
    Push(Tier, u64, u32),
    PopMin,
    PopMinIn(Tier),
    PopMaxIn(Tier),
    Remove(u32),
    Relocate(u32, Tier),
    /// Relocates the smallest element in HBM: one step of swap-in.
    SwapIn,
    /// Relocates the largest element in SRAM: one step of swap-out.
    SwapOut,
}

const IDS: u32 = 40;

fn tier() -> impl Strategy<Value = Tier> {
    prop_oneof![Just(Tier::Sram), Just(Tier::Hbm)]
}

/// Few ranks, so that ties are common, and the extremes.
fn rank(max: u64) -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0u64..4, 2 => 60u64..70, 1 => Just(max), 1 => Just(max.saturating_add(1))]
        .prop_map(move |rank| rank.min(max.saturating_add(1)))
}

fn ops(max_rank: u64) -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (tier(), rank(max_rank), 0..IDS).prop_map(|(tier, rank, id)| Op::Push(tier, rank, id)),
        1 => Just(Op::PopMin),
        1 => tier().prop_map(Op::PopMinIn),
        1 => tier().prop_map(Op::PopMaxIn),
        1 => (0..IDS).prop_map(Op::Remove),
        2 => (0..IDS, tier()).prop_map(|(id, tier)| Op::Relocate(id, tier)),
        1 => Just(Op::SwapIn),
        1 => Just(Op::SwapOut),
    ];
    prop::collection::vec(op, 1..250)
}

/// What an operation told its caller.
#[derive(Debug, PartialEq)]
enum Told {
    Pushed(Result<(), PushError>),
    Taken(Option<TieredEntry>),
    Moved(bool),
}

fn play(queue: &mut dyn TieredQueue, op: Op) -> Told {
    match op {
        Op::Push(tier, rank, id) => Told::Pushed(queue.push(tier, rank, id)),
        Op::PopMin => Told::Taken(queue.pop_min()),
        Op::PopMinIn(tier) => Told::Taken(queue.pop_min_in(tier)),
        Op::PopMaxIn(tier) => Told::Taken(queue.pop_max_in(tier)),
        Op::Remove(id) => Told::Taken(queue.remove(id)),
        Op::Relocate(id, tier) => Told::Moved(queue.relocate(id, tier)),
        Op::SwapIn => {
            let id = queue.peek_min_in(Tier::Hbm).map(|entry| entry.id);
            Told::Moved(id.is_some_and(|id| queue.relocate(id, Tier::Sram)))
        }
        Op::SwapOut => {
            let id = queue.peek_max_in(Tier::Sram).map(|entry| entry.id);
            Told::Moved(id.is_some_and(|id| queue.relocate(id, Tier::Hbm)))
        }
    }
}

fn assert_same(queue: &dyn TieredQueue, reference: &dyn TieredQueue) {
    assert_eq!(queue.len(), reference.len());
    assert_eq!(queue.is_empty(), reference.is_empty());
    assert_eq!(queue.max_rank(), reference.max_rank());
    assert_eq!(queue.peek_min(), reference.peek_min());
    for tier in Tier::ALL {
        assert_eq!(queue.len_in(tier), reference.len_in(tier));
        assert_eq!(queue.peek_min_in(tier), reference.peek_min_in(tier));
        assert_eq!(queue.peek_max_in(tier), reference.peek_max_in(tier));
    }
    for id in 0..IDS + 1 {
        assert_eq!(queue.get(id), reference.get(id));
    }
}

fn assert_agrees(queue: &mut dyn TieredQueue, ops: &[Op]) {
    let mut reference = TieredReference::new(queue.max_rank());
    for &op in ops {
        assert_eq!(play(queue, op), play(&mut reference, op), "{op:?}");
        assert_same(queue, &reference);
    }
    while !reference.is_empty() {
        assert_eq!(queue.pop_min(), reference.pop_min());
    }
    assert_eq!(queue.pop_min(), None);
}

proptest! {
    #[test]
    fn buckets_agree(ops in ops(69)) {
        assert_agrees(&mut TieredBuckets::new(70).unwrap(), &ops);
    }

    #[test]
    fn buckets_of_one_rank_agree(ops in ops(0)) {
        assert_agrees(&mut TieredBuckets::with_capacity(1, IDS).unwrap(), &ops);
    }

    #[test]
    fn the_largest_buckets_agree(ops in ops((1 << 20) - 1)) {
        assert_agrees(&mut TieredBuckets::new(1 << 20).unwrap(), &ops);
    }

    #[test]
    fn exact_agrees(ops in ops(u64::MAX)) {
        assert_agrees(&mut TieredExact::new(), &ops);
    }
}

fn both() -> [Box<dyn TieredQueue>; 2] {
    [Box::new(TieredBuckets::new(16).unwrap()), Box::new(TieredExact::with_capacity(4))]
}

#[test]
fn ids_beyond_the_bound_are_refused_without_growing() {
    for mut queue in both() {
        for id in [MAX_ID + 1, u32::MAX] {
            assert_eq!(queue.push(Tier::Sram, 0, id), Err(PushError::IdTooLarge { id }));
            assert_eq!(queue.get(id), None);
            assert_eq!(queue.remove(id), None);
            assert!(!queue.relocate(id, Tier::Hbm));
        }
        assert!(queue.is_empty());
    }
}

#[test]
fn impossible_ranks_are_refused_with_the_fix() {
    assert!(TieredBuckets::new(0).is_err());
    assert!(TieredBuckets::new((1 << 20) + 1).is_err());
    assert!(TieredBuckets::new(u64::MAX).is_err());
    let error = TieredBuckets::new(8).unwrap().push(Tier::Hbm, 8, 0).unwrap_err();
    assert!(error.to_string().contains("above 7"), "{error}");
}

#[test]
fn a_rank_swapped_out_and_back_keeps_its_order() {
    for mut queue in both() {
        for id in 0..100 {
            queue.push(Tier::Sram, 5, id).unwrap();
        }
        // Everything out, newest first; then an arrival into the HBM tier; then half of it back.
        while let Some(entry) = queue.peek_max_in(Tier::Sram) {
            assert!(queue.relocate(entry.id, Tier::Hbm));
        }
        queue.push(Tier::Sram, 5, 100).unwrap();
        for _ in 0..50 {
            let entry = queue.peek_min_in(Tier::Hbm).unwrap();
            assert!(queue.relocate(entry.id, Tier::Sram));
        }
        let served: Vec<u32> =
            std::iter::from_fn(|| queue.pop_min()).map(|entry| entry.id).collect();
        assert_eq!(served, (0..=100).collect::<Vec<_>>());
    }
}
