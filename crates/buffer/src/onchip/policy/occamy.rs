//! Occamy, a preemptive scheme that leaves admission alone (occamy §4).
//!
//! *Admission* is Dynamic Threshold with a large α (8, §4.4), which keeps little buffer free.
//! *Expulsion*: a queue longer than its threshold is over-allocated; the head packets of such
//! queues are dropped, one of each queue in turn, with the memory bandwidth that departures leave.
//! That bandwidth is the memory's, not the policy's: see
//! [`MemoryConfig`](crate::onchip::MemoryConfig).
//!
//! Each queue may have its own α (§6.2: 8 for the high priority, 1 for the low).
//!
//! O(log queues) per packet. Memory: 12 to 20 bytes a queue.

use forebay_parameters::Choice;

use super::over_allocated::{OccamyConfig, OverAllocated};
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal, Victim};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Dynamic Threshold, and head drop from over-allocated queues in turn.
#[derive(Clone, Debug)]
pub struct Occamy {
    over: OverAllocated,
}

impl Occamy {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &OccamyConfig, shape: &PoolShape) -> Self {
        Occamy { over: OverAllocated::new(config, shape) }
    }
}

/// The choice `occamy`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "occamy",
        "Occamy",
        "Dynamic Threshold, and head drop from over-allocated queues in turn",
        Occamy::new,
    )
}

impl OnChipPolicy for Occamy {
    fn expels(&self) -> bool {
        true
    }

    fn reads_alpha(&self) -> bool {
        true
    }

    #[inline]
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        self.over.admit(pool, arriving, cells)
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        self.over.threshold(pool, queue)
    }

    #[inline]
    fn next_expulsion(&mut self, pool: PoolView<'_>) -> Option<Victim> {
        self.over.in_turn(pool).map(Victim::Head)
    }

    #[inline]
    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.over.update(pool, packet.queue);
    }

    #[inline]
    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, how: Removal) {
        self.over.update(pool, packet.queue);
        if how == Removal::Expelled {
            self.over.expelled(packet.queue);
        }
    }
}
