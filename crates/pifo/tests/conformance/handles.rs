//! Queues with handles, through the suite and against a naive model of removal.

use std::rc::Rc;

use forebay_pifo::{
    DoubleEnded, ElementHandle, HandleQueue, IndexedBuckets, IndexedExact, IndexedQueue, MAX_ID,
    PushError,
};
use proptest::prelude::*;

use crate::conformance::narrow::{Narrow, RANKS};
use forebay_pifo::testing::{Both, conform, drops_once, endure};

fn exact<R: Copy + Ord, T>(capacity: usize) -> HandleQueue<IndexedExact<R>, T> {
    HandleQueue::new(IndexedExact::new(), capacity)
}

fn buckets<T>(capacity: usize) -> HandleQueue<IndexedBuckets, T> {
    HandleQueue::new(IndexedBuckets::new(RANKS as u64).unwrap(), capacity)
}

#[test]
fn handle_queues_conform() {
    conform(128, |capacity| Both(exact::<u16, u32>(capacity)));
    conform(128, |capacity| Both(exact::<(u64, u32), u32>(capacity)));
    conform(32, |capacity| Both(Narrow(buckets(capacity))));
    endure(Both(exact::<u32, u32>(3_000)));
    endure(Both(Narrow(buckets(3_000))));
    drops_once(exact::<u64, Rc<usize>>);
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Insert(u16),
    /// Which of all handles ever given, modulo their number.
    Remove(usize),
    Change(usize, u16),
    PopMin,
    PopMax,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let rank = || 0u16..6;
    let op = prop_oneof![
        4 => rank().prop_map(Op::Insert),
        2 => any::<usize>().prop_map(Op::Remove),
        2 => (any::<usize>(), rank()).prop_map(|(which, rank)| Op::Change(which, rank)),
        1 => Just(Op::PopMin),
        1 => Just(Op::PopMax),
    ];
    prop::collection::vec(op, 1..200)
}

/// In order of service; `given` are all handles ever given, with their items.
struct Model {
    sorted: Vec<(u16, u32)>,
}

impl Model {
    fn insert(&mut self, rank: u16, item: u32) {
        let behind = self.sorted.partition_point(|&(other, _)| other <= rank);
        self.sorted.insert(behind, (rank, item));
    }

    fn remove(&mut self, item: u32) -> Option<(u16, u32)> {
        let at = self.sorted.iter().position(|&(_, other)| other == item)?;
        Some(self.sorted.remove(at))
    }
}

fn assert_handles<Q>(mut queue: Q, ops: &[Op])
where
    Q: DoubleEnded<Rank = u16, Item = u32> + Handles,
{
    let mut model = Model { sorted: Vec::new() };
    let mut given: Vec<ElementHandle> = Vec::new();
    for &op in ops {
        match op {
            Op::Insert(rank) => {
                let item = given.len() as u32;
                let Ok(handle) = queue.insert_one(rank, item) else {
                    assert_eq!(model.sorted.len(), queue.capacity());
                    continue;
                };
                given.push(handle);
                model.insert(rank, item);
            }
            Op::Remove(which) if !given.is_empty() => {
                let which = which % given.len();
                assert_eq!(queue.remove_one(given[which]), model.remove(which as u32));
            }
            Op::Change(which, rank) if !given.is_empty() => {
                let which = which % given.len();
                let known = model.remove(which as u32).is_some();
                assert_eq!(queue.change_one(given[which], rank), known);
                if known {
                    model.insert(rank, which as u32);
                }
            }
            Op::PopMin if !model.sorted.is_empty() => {
                assert_eq!(queue.pop_min(), Some(model.sorted.remove(0)));
            }
            _ => assert_eq!(queue.pop_max(), model.sorted.pop()),
        }
        assert_eq!(queue.len(), model.sorted.len());
        assert_eq!(
            queue.peek_min().map(|(rank, &item)| (rank, item)),
            model.sorted.first().copied()
        );
        assert_eq!(
            queue.peek_max().map(|(rank, &item)| (rank, item)),
            model.sorted.last().copied()
        );
    }
}

/// The handle operations, the same for both queues.
trait Handles {
    fn insert_one(&mut self, rank: u16, item: u32) -> Result<ElementHandle, ()>;
    fn remove_one(&mut self, handle: ElementHandle) -> Option<(u16, u32)>;
    fn change_one(&mut self, handle: ElementHandle, rank: u16) -> bool;
}

impl Handles for HandleQueue<IndexedExact<u16>, u32> {
    fn insert_one(&mut self, rank: u16, item: u32) -> Result<ElementHandle, ()> {
        self.insert(rank, item).map_err(drop)
    }

    fn remove_one(&mut self, handle: ElementHandle) -> Option<(u16, u32)> {
        self.remove(handle)
    }

    fn change_one(&mut self, handle: ElementHandle, rank: u16) -> bool {
        self.change_rank(handle, rank)
    }
}

impl Handles for Narrow<HandleQueue<IndexedBuckets, u32>> {
    fn insert_one(&mut self, rank: u16, item: u32) -> Result<ElementHandle, ()> {
        self.0.insert(rank.into(), item).map_err(drop)
    }

    fn remove_one(&mut self, handle: ElementHandle) -> Option<(u16, u32)> {
        self.0.remove(handle).map(|(rank, item)| (rank as u16, item))
    }

    fn change_one(&mut self, handle: ElementHandle, rank: u16) -> bool {
        self.0.change_rank(handle, rank.into())
    }
}

proptest! {
    #[test]
    fn handles_find_their_elements_and_no_others(ops in ops(), capacity in 1usize..40) {
        assert_handles(exact::<u16, u32>(capacity), &ops);
        assert_handles(Narrow(buckets(capacity)), &ops);
    }
}

#[test]
fn ids_are_checked() {
    let mut queue = IndexedExact::new();
    assert_eq!(queue.push(1_u32, 3), Ok(()));
    assert_eq!(queue.push(2, 3), Err(PushError::AlreadyQueued { id: 3 }));
    assert_eq!(queue.push(2, MAX_ID + 1), Err(PushError::IdTooLarge { id: MAX_ID + 1 }));
    assert_eq!((queue.remove(9), queue.rank_of(2)), (None, None));
    let mut queue = IndexedBuckets::new(4).unwrap();
    assert_eq!(queue.push(4, 0), Err(PushError::RankTooLarge { rank: 4, max_rank: 3 }));
    assert_eq!(queue.push(3, 0), Ok(()));
    assert!(!queue.change_rank(0, 4));
    assert_eq!(queue.rank_of(0), Some(3)); // a refused change leaves it as it was
}
