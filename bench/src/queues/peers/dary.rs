//! `dary_heap`: the standard library's heap with four children to a node.

use std::cmp::Reverse;

use dary_heap::QuaternaryHeap;

use crate::queues::contender::Contender;

#[derive(Default)]
pub(super) struct Quaternary(QuaternaryHeap<Reverse<(u32, u32)>>);

impl Contender for Quaternary {
    #[inline]
    fn put(&mut self, rank: u32, item: u32) {
        self.0.push(Reverse((rank, item)));
    }

    #[inline]
    fn take(&mut self) -> (u32, u32) {
        self.0.pop().map(|Reverse(element)| element).unwrap_or_default()
    }
}
