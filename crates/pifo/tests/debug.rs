//! `{:?}` of a queue says what it is and how full, on one line, however large its arrays are.
#![allow(clippy::unwrap_used)] // a failed test is a panic

use std::fmt::Debug;

use forebay_pifo::approximate::{
    Advance, Aifo, AifoConfig, ApproximateConfig, ApproximateQueue, CalendarQueue, DropTailQueue,
    ProgrammableCalendar, PushOut, RefuseWhenFull, SpPifo, approximate_queues,
};
use forebay_pifo::{
    BmwTree, BucketQueue, CircularWindow, ClubHeap, ExactQueue, HandleQueue, IndexedBuckets,
    IndexedExact, IndexedQueue, IntervalClubHeap, LatencyFree, PHeap, PartitionedBuckets,
    PartitionedClubHeap, PartitionedPipelinedHeap, PartitionedQueue, PartitionedShiftRegister,
    Pieo, PieoElement, PieoQueue, Pipelined, PipelinedHeap, RankedQueue, ReferenceQueue,
    RollingWindow, SampleQueue, ShiftRegister, Stable, Tier, TieredBuckets, TieredExact,
    TieredQueue, TieredReference, WindowPolicy,
};

const RANKS: usize = 1 << 16;
const CAPACITY: usize = 10_000;

/// What waits; it has no `Debug`, since a queue does not show it.
struct Item;

fn short(queue: &impl Debug) {
    let text = format!("{queue:?}");
    assert!(text.len() < 200, "{} bytes: {text}", text.len());
    assert!(!text.contains('\n'), "{text}");
    assert!(text.contains('1'), "how many wait: {text}");
}

fn ranked<Q: RankedQueue<Rank = u64, Item = Item> + Debug>(mut queue: Q) {
    assert!(queue.push(7, Item).is_ok());
    short(&queue);
}

fn partitioned<Q: PartitionedQueue<Rank = u64, Item = Item> + Debug>(mut queue: Q) {
    assert!(queue.push_in(0, 7, Item).is_ok());
    short(&queue);
}

fn tiered(mut queue: impl TieredQueue + Debug) {
    queue.push(Tier::Hbm, 7, 5_000).unwrap();
    short(&queue);
}

fn indexed(mut queue: impl IndexedQueue<Rank = u64> + Debug) {
    queue.push(7, 5_000).unwrap();
    short(&queue);
}

fn approximate(mut queue: impl ApproximateQueue<Item = Item> + Debug) {
    assert!(queue.push(7, Item).is_ok());
    short(&queue);
}

#[test]
fn ranked_queues() {
    ranked(BucketQueue::<Item>::new(RANKS, CAPACITY).unwrap());
    ranked(CircularWindow::<Item>::new(RANKS, CAPACITY, WindowPolicy::default()).unwrap());
    ranked(RollingWindow::<Item>::new(RANKS, CAPACITY, WindowPolicy::default()).unwrap());
    ranked(ExactQueue::new(CAPACITY));
    ranked(SampleQueue::<u64, Item>::new(CAPACITY));
    ranked(ReferenceQueue::new(CAPACITY));
    ranked(ClubHeap::<u64, Item>::new(2, CAPACITY).unwrap());
    ranked(IntervalClubHeap::<u64, Item>::new(4, CAPACITY).unwrap());
    ranked(ShiftRegister::new(CAPACITY).unwrap());
    ranked(PieoQueue::new(CAPACITY).unwrap());
    ranked(PHeap::new(CAPACITY).unwrap());
    ranked(PipelinedHeap::new(CAPACITY).unwrap());
    ranked(BmwTree::new(4, CAPACITY).unwrap());
    ranked(HandleQueue::new(IndexedExact::new(), CAPACITY));
    ranked(Stable::new(ExactQueue::new(CAPACITY)));
}

#[test]
fn partitioned_queues() {
    partitioned(PartitionedBuckets::<Item>::new(8, RANKS, CAPACITY).unwrap());
    partitioned(PartitionedClubHeap::<u64, Item>::new(2, CAPACITY, 8).unwrap());
    partitioned(PartitionedShiftRegister::new(8, CAPACITY).unwrap());
    partitioned(PartitionedPipelinedHeap::new(8, CAPACITY).unwrap());
}

#[test]
fn queues_of_ids() {
    tiered(TieredBuckets::new(1 << 16).unwrap());
    tiered(TieredExact::new());
    tiered(TieredReference::new(RANKS as u64));
    indexed(IndexedBuckets::new(1 << 16).unwrap());
    indexed(IndexedExact::new());
}

#[test]
fn approximations() {
    approximate(DropTailQueue::new(CAPACITY).unwrap());
    approximate(SpPifo::new(32, CAPACITY / 32).unwrap());
    approximate(Aifo::new(CAPACITY, AifoConfig::default()).unwrap());
    approximate(CalendarQueue::new(RANKS, 10, CAPACITY).unwrap());
    approximate(ProgrammableCalendar::new(RANKS, 10, CAPACITY, Advance::WhenEmpty).unwrap());
    approximate(PushOut::new(ExactQueue::new(CAPACITY), CAPACITY));
    for info in approximate_queues::<Item>() {
        let mut queue = (info.build)(&ApproximateConfig::default()).unwrap();
        assert!(queue.push(7, Item).is_ok(), "{}", info.name);
        short(&queue);
    }
    approximate(RefuseWhenFull::new(ExactQueue::new(CAPACITY)));
}

#[test]
fn lists_and_pipelines() {
    let mut list = Pieo::new(CAPACITY, CAPACITY).unwrap();
    let element = PieoElement { flow: 3, rank: 7_u64, send_time: 0, item: Item };
    assert!(list.enqueue(element).is_ok());
    short(&list);

    let back = Pipelined::new(BucketQueue::<Item>::new(RANKS, CAPACITY).unwrap(), 11);
    let mut free = LatencyFree::new(ShiftRegister::new(12).unwrap(), back).unwrap();
    free.step(false, Some((7, Item)));
    let text = format!("{free:?}");
    assert!(text.len() < 300, "two queues on a line: {text}");
}
