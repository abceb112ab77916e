//! Structures that take any rank, through the conformance suite. (The bucket queues and windows
//! take a limited range; they have the same comparisons in `ranked.rs` and `windows.rs`.)

use std::rc::Rc;

use forebay_pifo::testing::{Both, Smallest, conform, drops_once, endure};
use forebay_pifo::{ClubHeap, DoubleEnded, ExactQueue, RankedQueue, ReferenceQueue};

#[test]
fn exact_queue() {
    conform(256, |capacity| Both(ExactQueue::<u16, u32>::new(capacity)));
    conform(256, |capacity| Both(ExactQueue::<u64, u32>::new(capacity)));
    conform(256, |capacity| Both(ExactQueue::<(u64, u32), u32>::new(capacity)));
    endure(Both(ExactQueue::<u32, u32>::new(3_000)));
    drops_once(ExactQueue::<u64, Rc<usize>>::new);
}

#[test]
fn reference_queue() {
    conform(256, |capacity| Both(ReferenceQueue::<u64, u32>::new(capacity)));
    endure(Both(ReferenceQueue::<u32, u32>::new(200)));
    endure(Smallest(ReferenceQueue::<u32, u32>::new(200)));
    drops_once(ReferenceQueue::<u64, Rc<usize>>::new);
}

/// A structure chosen at run time, one of both ends and one of the small end alone.
#[test]
fn boxed() {
    type AnyBoth = Box<dyn DoubleEnded<Rank = u64, Item = u32>>;
    type AnyRanked = Box<dyn RankedQueue<Rank = u64, Item = u32>>;
    conform(64, |capacity| Both(Box::new(ExactQueue::new(capacity)) as AnyBoth));
    conform(64, |capacity| {
        Smallest(Box::new(ClubHeap::<_, _>::new(2, capacity).unwrap()) as AnyRanked)
    });
}
