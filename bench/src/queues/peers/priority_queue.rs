//! `priority-queue`: a heap whose elements can be found by item, through a hash map.

use std::cmp::Reverse;

use priority_queue::PriorityQueue;

use crate::queues::contender::Contender;

/// Items are the keys; every case numbers them, so they are distinct.
#[derive(Default)]
pub(super) struct Found(PriorityQueue<u32, Reverse<u32>>);

impl Contender for Found {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(item, Reverse(rank));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|(item, Reverse(rank))| (rank, item)).unwrap_or_default()
    }
}
