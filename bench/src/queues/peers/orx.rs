//! `orx-priority-queue`: d-ary heaps, here without decrease-key.

use orx_priority_queue::{PriorityQueue, QuaternaryHeap};

use crate::queues::contender::Contender;

#[derive(Default)]
pub(super) struct Quaternary(QuaternaryHeap<u32, u32>);

impl Contender for Quaternary {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(item, rank);
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|(item, rank)| (rank, item)).unwrap_or_default()
    }
}
