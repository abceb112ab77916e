//! `min-max-heap`: both ends.

use min_max_heap::MinMaxHeap;

use crate::queues::contender::{Contender, TwoEnded};

#[derive(Default)]
pub(in crate::queues) struct MinMax(MinMaxHeap<(u32, u32)>);

impl Contender for MinMax {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push((rank, item));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop_min().unwrap_or_default()
    }
}

impl TwoEnded for MinMax {
    #[inline]
    fn take_max(&mut self) -> (u32, u32) {
        self.0.pop_max().unwrap_or_default()
    }
}
