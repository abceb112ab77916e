//! SIEVE: first in first out, with a hand that spares what was used since it last came by (Zhang et
//! al., NSDI '24).
//!
//! Here the one queue and its hand are two queues: what the hand has yet to pass, and what it has
//! passed. When nothing is ahead, the two change places, before a newcomer is added as after the
//! hand has passed all; newcomers go to the end of what is ahead, which is the queue's head. Inside
//! [`Mad`](super::Mad), time since the hand passed (or since admission) estimates TTNA. A hit is
//! O(1); an eviction passes each object at most twice, so O(1) amortized. 25 bytes.

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig};
use super::registry::{Base, base, over, recent};
use super::segments::Segments;
use crate::order::{Order, Slot};

/// SIEVE.
pub struct Sieve<O> {
    queues: Segments<O, 2>,
    /// Which queue is ahead of the hand: 0 or 1.
    ahead: usize,
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    visited: bool,
    delay: Option<f64>,
}

impl<O: Order> Sieve<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Sieve { queues: Segments::new(&set.order), ahead: 0, marks: Vec::new() }
    }
}

over!(OverOrder, Order: Sieve);

pub(super) const BASE: Base = base(
    "sieve",
    "SIEVE",
    "evicts the first unused object that a moving hand finds",
    recent::<Sieve<()>>,
);

impl<O: Order> CachePolicy for Sieve<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.marks[slot.index()] = Mark { visited: true, delay: access.delay };
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        loop {
            let Some(slot) = self.queues.first(self.ahead, arrival.at) else {
                self.ahead = 1 - self.ahead;
                self.queues.first(self.ahead, arrival.at)?;
                continue;
            };
            let mark = &mut self.marks[slot.index()];
            if !std::mem::take(&mut mark.visited) {
                self.queues.remove(slot);
                return Some(slot);
            }
            self.queues.shift(slot, 1 - self.ahead, arrival.at, mark.delay);
        }
    }

    fn forget(&mut self, slot: Slot) {
        self.queues.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.marks.len() <= slot.index() {
            self.marks.resize(slot.index() + 1, Mark::default());
        }
        self.marks[slot.index()] = Mark { visited: false, delay: arrival.delay };
        // The hand has fallen off the queue's head: it goes on from the tail, not from the
        // newcomer.
        if self.queues.first(self.ahead, arrival.at).is_none() {
            self.ahead = 1 - self.ahead;
        }
        self.queues.admit(self.ahead, slot, arrival, arrival.at);
    }
}
