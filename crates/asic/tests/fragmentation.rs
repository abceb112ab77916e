//! What the cost model says of partitions, against real queues filled until they refuse.
#![allow(clippy::unwrap_used)] // a failed test is a panic

use forebay_asic::{Fragmentation, Shape, structure};
use forebay_pifo::{
    ExactQueue, PartitionedBuckets, PartitionedClubHeap, PartitionedQueue, RankedQueue,
};

const PARTITIONS: usize = 8;
const ELEMENTS: usize = 240;

/// What the model of `name` loses.
fn loss(name: &str) -> Fragmentation {
    let shape =
        Shape { elements: ELEMENTS as u64, partitions: PARTITIONS as u64, ..Shape::default() };
    let cost = structure(name).unwrap().cost(&shape.check().unwrap());
    cost.sharing.loss(ELEMENTS as u128, PARTITIONS as u128)
}

/// The elements that fit when each partition gets one and the last one all the rest; and when one
/// has all.
fn filled<Q: PartitionedQueue<Item = usize>>(
    mut queue: Q,
    rank: impl Fn(usize) -> Q::Rank,
) -> u128 {
    assert_eq!(queue.partitions(), PARTITIONS);
    let spread =
        (0..PARTITIONS).filter(|part| queue.push_in(*part, rank(*part), 0).is_ok()).count();
    let rest = (0..).take_while(|item| queue.push_in(PARTITIONS - 1, rank(*item), *item).is_ok());
    let held = spread + rest.count();
    while (0..PARTITIONS).any(|part| queue.pop_min_in(part).is_some()) {}
    let alone = (0..).take_while(|item| queue.push_in(0, rank(*item), *item).is_ok()).count();
    held.min(alone) as u128
}

#[test]
fn buckets_share_every_element() {
    let queue = PartitionedBuckets::<usize>::new(PARTITIONS, 1 << 10, ELEMENTS).unwrap();
    assert_eq!(filled(queue, |item| (item * 37 % 128) as u64), loss("bbq").guaranteed);
    assert_eq!(loss("bbq").lost(), 0);
}

#[test]
fn club_heaps_share_every_element() {
    let rank = |item: usize| (item * 7919 % 1000) as u32;
    let binary = PartitionedClubHeap::<u32, usize>::new(2, ELEMENTS, PARTITIONS).unwrap();
    let four_way = PartitionedClubHeap::<u32, usize, 4>::new(16, ELEMENTS, PARTITIONS).unwrap();
    assert_eq!(filled(binary, rank), loss("clubheap").guaranteed);
    assert_eq!(filled(four_way, rank), loss("clustered-4-way").guaranteed);
}

#[test]
fn a_queue_split_in_advance_is_full_at_its_share() {
    // A heap whose partitions are fixed subtrees is as many heaps of a share each (thesis Fig.
    // 4.8).
    let mut part: ExactQueue<u32, usize> = ExactQueue::new(ELEMENTS / PARTITIONS);
    let fitted = (0..).take_while(|item| part.push(9, *item).is_ok()).count();
    for name in ["p-heap", "r-bmw", "rpu-bmw", "pipelined-heap"] {
        assert_eq!(fitted as u128, loss(name).guaranteed, "{name}");
        assert_eq!(loss(name).lost() * 1000, loss(name).elements * 875, "87.5 % of {name}");
    }
}
