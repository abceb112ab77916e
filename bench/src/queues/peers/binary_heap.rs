//! The standard library's heap, plain and with arrival numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::queues::contender::Contender;

#[derive(Default)]
pub(super) struct Plain(BinaryHeap<Reverse<(u32, u32)>>);

impl Contender for Plain {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse((rank, item)));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|Reverse(element)| element).unwrap_or_default()
    }
}

#[derive(Default)]
pub(super) struct Stable(BinaryHeap<Reverse<(u32, u32, u32)>>, u32);

impl Contender for Stable {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse((rank, self.1, item)));
        self.1 = self.1.wrapping_add(1);
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|Reverse((rank, _, item))| (rank, item)).unwrap_or_default()
    }
}
