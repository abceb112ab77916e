//! Queues of packets as linked lists of descriptors (occamy §2.1: "a queue is organized as a linked
//! list of PDs"), doubly linked so that a packet can leave from the middle.
//!
//! Every operation is O(1). Memory: 8 bytes a queue; the links are in the descriptors.

use alloc::vec;
use alloc::vec::Vec;

use crate::descriptor::{Descriptors, NONE};

#[derive(Clone, Copy, Debug)]
struct Ends {
    head: u32,
    tail: u32,
}

/// The ends of each queue's list of descriptors.
#[derive(Clone, Debug)]
pub(crate) struct PacketLists {
    ends: Vec<Ends>,
}

impl PacketLists {
    /// `queues` empty lists (at least one).
    pub(crate) fn new(queues: u32) -> Self {
        PacketLists { ends: vec![Ends { head: NONE, tail: NONE }; queues.max(1) as usize] }
    }

    /// How many queues there are.
    pub(crate) fn count(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The oldest packet of `queue`.
    #[inline]
    pub(crate) fn head(&self, queue: u32) -> Option<u32> {
        let head = self.ends[queue as usize].head;
        (head != NONE).then_some(head)
    }

    /// The youngest packet of `queue`.
    #[inline]
    pub(crate) fn tail(&self, queue: u32) -> Option<u32> {
        let tail = self.ends[queue as usize].tail;
        (tail != NONE).then_some(tail)
    }

    /// Appends packet `id` to the queue that its descriptor names.
    #[inline]
    pub(crate) fn push_back(&mut self, descriptors: &mut Descriptors, id: u32) {
        let ends = &mut self.ends[descriptors[id].queue as usize];
        let tail = ends.tail;
        descriptors[id].prev = tail;
        descriptors[id].next = NONE;
        if tail == NONE {
            ends.head = id;
        } else {
            descriptors[tail].next = id;
        }
        ends.tail = id;
    }

    /// Takes packet `id` out of its queue, wherever it stands.
    #[inline]
    pub(crate) fn remove(&mut self, descriptors: &mut Descriptors, id: u32) {
        let ends = &mut self.ends[descriptors[id].queue as usize];
        let (prev, next) = (descriptors[id].prev, descriptors[id].next);
        match prev {
            NONE => ends.head = next,
            _ => descriptors[prev].next = next,
        }
        match next {
            NONE => ends.tail = prev,
            _ => descriptors[next].prev = prev,
        }
        descriptors[id].prev = NONE;
        descriptors[id].next = NONE;
    }
}
