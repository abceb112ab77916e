//! `radix-heap`: monotone, so it accepts no rank below the last one served.

use std::cmp::Reverse;

use radix_heap::RadixHeapMap;

use crate::queues::contender::Contender;

#[derive(Default)]
pub(super) struct Monotone(RadixHeapMap<Reverse<u32>, u32>);

impl Contender for Monotone {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse(rank), item);
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|(Reverse(rank), item)| (rank, item)).unwrap_or_default()
    }
}
