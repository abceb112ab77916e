//! Every item is dropped exactly once: served, refused, or left behind in a queue.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use std::rc::Rc;

use forebay_pifo::{
    BucketQueue, CircularWindow, DoubleEnded, ExactQueue, PartitionedBuckets, PartitionedQueue,
    ReferenceQueue, RollingWindow, WindowPolicy,
};
use proptest::prelude::*;

/// Plays pushes (some refused: the queue holds 20) and pops, keeping one count per item; then drops
/// the queue with what is left in it.
fn assert_drops_once<Q: DoubleEnded<Rank = u64, Item = Rc<usize>>>(
    mut queue: Q,
    ops: &[(u8, u64)],
) {
    let items: Vec<Rc<usize>> = (0..ops.len()).map(Rc::new).collect();
    for (&(op, rank), item) in ops.iter().zip(&items) {
        match op {
            0 => drop(queue.pop_min()),
            1 => drop(queue.pop_max()),
            _ => drop(queue.push(rank, Rc::clone(item))),
        }
        let held: usize = items.iter().map(|item| Rc::strong_count(item) - 1).sum();
        assert_eq!(held, queue.len());
        assert!(items.iter().all(|item| Rc::strong_count(item) <= 2));
    }
    drop(queue);
    assert!(items.iter().all(|item| Rc::strong_count(item) == 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn items_are_dropped_once(ops in prop::collection::vec((0u8..6, 0u64..70), 1..150)) {
        assert_drops_once(BucketQueue::<_>::new(64, 20).unwrap(), &ops);
        assert_drops_once(RollingWindow::<_>::new(16, 20, WindowPolicy::default()).unwrap(), &ops);
        assert_drops_once(CircularWindow::<_>::new(16, 20, WindowPolicy::default()).unwrap(), &ops);
        assert_drops_once(ExactQueue::new(20), &ops);
        assert_drops_once(ReferenceQueue::new(20), &ops);
    }
}

#[test]
fn partitions_drop_what_is_left() {
    let item = Rc::new(0);
    let mut queue: PartitionedBuckets<_> = PartitionedBuckets::new(4, 64, 5).unwrap();
    for rank in 0..8 {
        drop(queue.push_in(rank as usize % 4, rank % 2, Rc::clone(&item)));
    }
    assert_eq!(Rc::strong_count(&item), 6);
    drop(queue);
    assert_eq!(Rc::strong_count(&item), 1);
}
