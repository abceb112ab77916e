//! `keyed_priority_queue`: a heap whose elements can be found by key, through a hash map.

use std::cmp::Reverse;

use keyed_priority_queue::KeyedPriorityQueue;

use crate::queues::contender::Contender;

/// Items are the keys; every case numbers them, so they are distinct.
#[derive(Default)]
pub(super) struct Keyed(KeyedPriorityQueue<u32, Reverse<u32>>);

impl Contender for Keyed {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(item, Reverse(rank));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|(item, Reverse(rank))| (rank, item)).unwrap_or_default()
    }
}
