//! Occamy that expels from the most over-allocated queue first, rather than in turn: what the paper
//! avoids because hardware cannot cheaply track the longest queue (occamy §4.1, idea 3). It shows
//! what the round robin costs. That is the largest length / α, rounded up to cells, and the first
//! of several equal ones.
//!
//! O(log queues) per packet. Memory: 12 to 20 bytes a queue.

use forebay_parameters::Choice;

use super::over_allocated::{OccamyConfig, OverAllocated};
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal, Victim};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Dynamic Threshold, and head drop from the most over-allocated queue.
#[derive(Clone, Debug)]
pub struct OccamyLongest {
    over: OverAllocated,
}

impl OccamyLongest {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &OccamyConfig, shape: &PoolShape) -> Self {
        OccamyLongest { over: OverAllocated::new(config, shape) }
    }
}

/// The choice `occamy-longest`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "occamy-longest",
        "Occamy, longest first",
        "Occamy that drops from the most over-allocated queue",
        OccamyLongest::new,
    )
    .prefixed("occamy")
}

impl OnChipPolicy for OccamyLongest {
    fn expels(&self) -> bool {
        true
    }

    fn reads_alpha(&self) -> bool {
        true
    }

    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        self.over.admit(pool, arriving, cells)
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        self.over.threshold(pool, queue)
    }

    fn next_expulsion(&mut self, pool: PoolView<'_>) -> Option<Victim> {
        self.over.furthest(pool).map(Victim::Head)
    }

    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.over.update(pool, packet.queue);
    }

    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, _how: Removal) {
        self.over.update(pool, packet.queue);
    }
}
