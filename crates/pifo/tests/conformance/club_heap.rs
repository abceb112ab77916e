//! ClubHeap and its relatives, with the definition, both corollaries, the difference fields, the
//! pointers and the free lists checked after every operation.

use std::cell::Cell;
use std::fmt::Debug;
use std::rc::Rc;

use forebay_pifo::{
    ClubError, ClubFault, ClubHeap, DoubleEnded, Elements, IntervalClubHeap, PartitionedClubHeap,
    PartitionedQueue, RankedQueue, Reason, Rejected, Replaced, Stable, Ties,
};
use proptest::prelude::*;

use forebay_pifo::testing::{
    Both, Random, Smallest, TestRank, conform, conform_partitions, drops_once, endure,
    endure_partitions,
};

/// What can check itself.
trait Check {
    fn check(&self) -> Result<(), ClubFault>;
}

macro_rules! check {
    ($($heap:ident),*) => {$(
        impl<R: Copy + Ord, T, const WAYS: usize> Check for $heap<R, T, WAYS> {
            fn check(&self) -> Result<(), ClubFault> {
                $heap::check(self)
            }
        }
    )*};
}

check!(ClubHeap, PartitionedClubHeap, IntervalClubHeap);

/// A queue that is checked after every `every`-th operation.
struct Checked<Q> {
    queue: Q,
    every: u32,
    operations: Cell<u32>,
}

impl<Q: Check> Checked<Q> {
    fn each(queue: Q) -> Self {
        Checked { queue, every: 1, operations: Cell::new(0) }
    }

    fn now_and_then(queue: Q) -> Self {
        Checked { every: 10_007, ..Checked::each(queue) }
    }

    fn checked<X>(&self, answer: X) -> X {
        self.operations.set(self.operations.get() + 1);
        if self.operations.get().is_multiple_of(self.every) {
            assert_eq!(self.queue.check(), Ok(()));
        }
        answer
    }
}

impl<Q: RankedQueue + Check> RankedQueue for Checked<Q> {
    type Rank = Q::Rank;
    type Item = Q::Item;

    fn push(&mut self, rank: Q::Rank, item: Q::Item) -> Result<(), Rejected<Q::Rank, Q::Item>> {
        let answer = self.queue.push(rank, item);
        self.checked(answer)
    }

    fn pop_min(&mut self) -> Option<(Q::Rank, Q::Item)> {
        let answer = self.queue.pop_min();
        self.checked(answer)
    }

    fn peek_min(&self) -> Option<(Q::Rank, &Q::Item)> {
        self.queue.peek_min()
    }

    fn replace(&mut self, rank: Q::Rank, item: Q::Item) -> Replaced<Q::Rank, Q::Item> {
        let answer = self.queue.replace(rank, item);
        self.checked(answer)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn iter(&self) -> Elements<'_, Q::Rank, Q::Item> {
        Box::new(self.queue.iter())
    }

    fn ties(&self) -> Ties {
        self.queue.ties()
    }
}

impl<Q: DoubleEnded + Check> DoubleEnded for Checked<Q> {
    fn pop_max(&mut self) -> Option<(Q::Rank, Q::Item)> {
        let answer = self.queue.pop_max();
        self.checked(answer)
    }

    fn peek_max(&self) -> Option<(Q::Rank, &Q::Item)> {
        self.queue.peek_max()
    }
}

impl<Q: PartitionedQueue + Check> PartitionedQueue for Checked<Q> {
    type Rank = Q::Rank;
    type Item = Q::Item;

    fn partitions(&self) -> usize {
        self.queue.partitions()
    }

    fn push_in(
        &mut self,
        partition: usize,
        rank: Q::Rank,
        item: Q::Item,
    ) -> Result<(), Rejected<Q::Rank, Q::Item>> {
        let answer = self.queue.push_in(partition, rank, item);
        self.checked(answer)
    }

    fn pop_min_in(&mut self, partition: usize) -> Option<(Q::Rank, Q::Item)> {
        let answer = self.queue.pop_min_in(partition);
        self.checked(answer)
    }

    fn peek_min_in(&self, partition: usize) -> Option<(Q::Rank, &Q::Item)> {
        self.queue.peek_min_in(partition)
    }

    fn replace_in(
        &mut self,
        partition: usize,
        rank: Q::Rank,
        item: Q::Item,
    ) -> Replaced<Q::Rank, Q::Item> {
        let answer = self.queue.replace_in(partition, rank, item);
        self.checked(answer)
    }

    fn len_in(&self, partition: usize) -> usize {
        self.queue.len_in(partition)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn ties(&self) -> Ties {
        self.queue.ties()
    }
}

const CLUSTERS: [usize; 4] = [2, 3, 4, 16];

fn one_end<R: TestRank + Debug, const WAYS: usize>() {
    for cluster in CLUSTERS {
        conform(16, |capacity| {
            Smallest(Checked::each(ClubHeap::<R, u32, WAYS>::new(cluster, capacity).unwrap()))
        });
    }
}

fn both_ends<R: TestRank + Debug, const WAYS: usize>() {
    for cluster in [4, 5, 6, 16] {
        conform(16, |capacity| {
            let heap = IntervalClubHeap::<R, u32, WAYS>::new(cluster, capacity).unwrap();
            Both(Checked::each(heap))
        });
    }
}

fn partitions<R: TestRank + Debug, const WAYS: usize>() {
    for cluster in CLUSTERS {
        conform_partitions(16, |partitions, capacity| {
            let heap = PartitionedClubHeap::<R, u32, WAYS>::new(cluster, capacity, partitions);
            Checked::each(heap.unwrap())
        });
    }
}

macro_rules! every_rank_and_way {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            super::$name::<u16, 2>();
            super::$name::<u32, 2>();
            super::$name::<u64, 3>();
            super::$name::<(u64, u32), 2>();
            super::$name::<u16, 4>();
            super::$name::<(u64, u32), 3>();
            super::$name::<u32, 4>();
        }
    )*};
}

mod conforms {
    every_rank_and_way!(one_end, both_ends, partitions);
}

fn million<const WAYS: usize>(cluster: usize) {
    let heap = ClubHeap::<u32, u32, WAYS>::new(cluster, 3_000).unwrap();
    endure(Smallest(Checked::now_and_then(heap)));
}

#[test]
fn a_million_operations() {
    million::<2>(2);
    million::<3>(4);
    million::<4>(3);
}

#[test]
fn a_million_operations_at_both_ends() {
    let heap = IntervalClubHeap::<u32, u32>::new(4, 3_000).unwrap();
    endure(Both(Checked::now_and_then(heap)));
    let heap = IntervalClubHeap::<u32, u32, 3>::new(7, 3_000).unwrap();
    endure(Both(Checked::now_and_then(heap)));
}

#[test]
fn a_million_operations_over_partitions() {
    let heap = PartitionedClubHeap::<u32, u32>::new(2, 3_000, 8).unwrap();
    endure_partitions(Checked::now_and_then(heap));
    let heap = PartitionedClubHeap::<u32, u32, 4>::new(3, 3_000, 300).unwrap();
    endure_partitions(Checked::now_and_then(heap));
}

#[test]
fn stable_is_first_in_first_out() {
    conform(64, |capacity| {
        Smallest(Stable::new(ClubHeap::<(u16, u64), u32>::new(3, capacity).unwrap()))
    });
    conform(64, |capacity| {
        Both(Stable::new(IntervalClubHeap::<(u64, u64), u32>::new(4, capacity).unwrap()))
    });
}

#[test]
fn stable_partitions_are_first_in_first_out() {
    conform_partitions(64, |partitions, capacity| {
        let heap = PartitionedClubHeap::<(u16, u64), u32>::new(3, capacity, partitions);
        Stable::new(heap.unwrap())
    });
    let heap = PartitionedClubHeap::<(u16, u64), u32>::new(4, 3_000, 8).unwrap();
    endure_partitions(Stable::new(heap));
}

/// Why ClubHeap says that the order of ties is unspecified.
#[test]
fn equal_ranks_leave_out_of_order_without_stable() {
    let mut heap = ClubHeap::<u32, u32>::new(2, 30).unwrap();
    let mut stable = Stable::new(ClubHeap::<(u32, u64), u32>::new(2, 30).unwrap());
    for item in 0..30 {
        heap.push(7, item).unwrap();
        stable.push(7, item).unwrap();
    }
    let left: Vec<u32> = std::iter::from_fn(|| heap.pop_min()).map(|(_, item)| item).collect();
    assert!(left.len() == 30 && !left.is_sorted());
    assert!(std::iter::from_fn(|| stable.pop_min()).map(|(_, item)| item).is_sorted());
}

#[test]
fn items_are_dropped_once() {
    drops_once(|capacity| ClubHeap::<u64, Rc<usize>>::new(2, capacity).unwrap());
    drops_once(|capacity| ClubHeap::<u64, Rc<usize>, 4>::new(3, capacity).unwrap());
    drops_once(|capacity| IntervalClubHeap::<u64, Rc<usize>>::new(4, capacity).unwrap());
    drops_once(|capacity| {
        Stable::new(ClubHeap::<(u64, u64), Rc<usize>>::new(2, capacity).unwrap())
    });
}

#[test]
fn impossible_shapes_are_refused() {
    let one = ClubHeap::<u32, u32>::new(1, 100).map(drop);
    assert_eq!(one, Err(ClubError::Cluster { asked: 1, least: 2 }));
    let three = IntervalClubHeap::<u32, u32>::new(3, 100).map(drop);
    assert_eq!(three, Err(ClubError::Cluster { asked: 3, least: 4 }));
    let vast = PartitionedClubHeap::<u32, u32>::new(2, usize::MAX, 1).map(drop);
    assert_eq!(vast, Err(ClubError::Capacity { asked: usize::MAX }));
    let many = PartitionedClubHeap::<u32, u32>::new(2, 100, usize::MAX).map(drop);
    assert_eq!(many, Err(ClubError::Partitions { asked: usize::MAX }));
    let lonely = ClubHeap::<u32, u32, 1>::new(2, 100).map(drop);
    assert_eq!(lonely, Err(ClubError::Ways { asked: 1 }));
    let mut nothing = ClubHeap::<u32, u32>::new(2, 0).unwrap();
    assert_eq!(nothing.push(1, 1).unwrap_err().reason, Reason::Full { capacity: 0 });
    assert_eq!(nothing.replace(1, 1).popped, None);
    // The largest there is costs nothing until it is used.
    assert!(PartitionedClubHeap::<u32, u32>::new(1 << 10, 1 << 26, 1 << 16).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever the mixture, as many elements fit as were asked for, and every level stays within
    /// its size: each PIFO in turn is filled to an arbitrary mark, some are drained, until the heap
    /// is full.
    #[test]
    fn capacity_is_never_short(
        cluster in 2usize..9,
        capacity in 1usize..400,
        marks in prop::collection::vec((0usize..60, 0usize..50, any::<bool>()), 1..200),
        seed in any::<u64>(),
    ) {
        fills::<2>(cluster, capacity, &marks, seed)?;
        fills::<3>(cluster, capacity, &marks, seed)?;
    }
}

fn fills<const WAYS: usize>(
    cluster: usize,
    capacity: usize,
    marks: &[(usize, usize, bool)],
    seed: u64,
) -> Result<(), TestCaseError> {
    let mut random = Random::new(seed);
    let mut heap = PartitionedClubHeap::<u32, (), WAYS>::new(cluster, capacity, 60).unwrap();
    for &(partition, mark, drain) in marks {
        while heap.len_in(partition) < mark && heap.len() < capacity {
            prop_assert!(heap.push_in(partition, random.below(1000) as u32, ()).is_ok());
        }
        while drain && heap.len_in(partition) > mark {
            prop_assert!(heap.pop_min_in(partition).is_some());
        }
        prop_assert_eq!(heap.check(), Ok(()));
    }
    while heap.len() < capacity {
        let partition = random.below(60) as usize;
        prop_assert!(heap.push_in(partition, random.below(1000) as u32, ()).is_ok());
    }
    prop_assert_eq!(heap.check(), Ok(()));
    Ok(())
}

/// The mixture for which the published bound B1 on nodes is too small for pairs: see `geometry`.
#[test]
fn the_worst_mixture_for_pairs_fits() {
    let mut heap = PartitionedClubHeap::<u32, ()>::new(2, 60, 21).unwrap();
    let level = heap.geometry().level_sizes()[1];
    assert!(level.dynamic);
    for element in 0..60 {
        heap.push_in(element % 20, element as u32, ()).unwrap();
        assert_eq!(heap.check(), Ok(()));
    }
    // Each of the 20 has its third element in a pair of its own, where B1 / 2 has room for 15.
    assert_eq!((level.b1 / 2, level.groups), (15, 20));
}
