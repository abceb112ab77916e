//! What every form of Occamy is made of: admission by Dynamic Threshold, and the set of queues
//! above it.
//!
//! The hardware compares every queue with the threshold in every cycle and keeps a bitmap (occamy
//! §4.3, Fig. 8). The threshold moves with every cell, and with it the whole set, so a program must
//! not keep the bitmap. It keeps, for each queue, the free buffer below which the queue would be
//! over its threshold (length / α, see [`Alpha::free_needed`](crate::onchip::Alpha::free_needed)),
//! which changes only with that queue, in a tournament tree. Then "is any queue over-allocated" is
//! one comparison with the root, and the round-robin arbiter's answer is O(log queues), whatever α
//! each queue has.

use forebay_parameters::Configure;

use super::dt::{DtConfig, DynamicThreshold};
use super::{Admission, OnChipPolicy, PoolShape};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;
use crate::threshold::{ALPHA, Alpha};
use crate::tournament::Tournament;

/// Parameters of [`Occamy`](super::Occamy) and its other forms.
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct OccamyConfig {
    /// Threshold factor of queues that do not have their own.
    #[parameter(paper = "occamy §4.4", kind = ALPHA, default = Alpha::power_of_two(3))]
    pub alpha: Alpha,
}

/// Dynamic Threshold, and the queues that are over it.
#[derive(Clone, Debug)]
pub(super) struct OverAllocated {
    admission: DynamicThreshold,
    /// Per queue, the free cells that it needs to be within its threshold.
    free_needed: Tournament,
    /// Where the round-robin arbiter goes on.
    next: u32,
}

impl OverAllocated {
    pub(super) fn new(config: &OccamyConfig, shape: &PoolShape) -> Self {
        OverAllocated {
            admission: DynamicThreshold::new(&DtConfig { alpha: config.alpha }, shape),
            free_needed: Tournament::new(shape.queues.len() as u32),
            next: 0,
        }
    }

    #[inline]
    pub(super) fn admit(
        &mut self,
        pool: PoolView<'_>,
        arriving: &Descriptor,
        cells: u32,
    ) -> Admission {
        self.admission.admit(pool, arriving, cells)
    }

    pub(super) fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        self.admission.threshold(pool, queue)
    }

    /// The length of `queue` has changed.
    #[inline]
    pub(super) fn update(&mut self, pool: PoolView<'_>, queue: u32) {
        let needed = self.admission.alpha(queue).free_needed(pool.length(queue));
        self.free_needed.set(queue, needed);
    }

    /// The next over-allocated queue in turn.
    #[inline]
    pub(super) fn in_turn(&self, pool: PoolView<'_>) -> Option<u32> {
        self.free_needed.next_above(pool.free(), self.next)
    }

    /// The queue that is most over-allocated: the largest length / α.
    pub(super) fn furthest(&self, pool: PoolView<'_>) -> Option<u32> {
        (self.free_needed.max() > pool.free()).then(|| self.free_needed.longest())
    }

    /// `queue` has had its turn.
    #[inline]
    pub(super) fn expelled(&mut self, queue: u32) {
        self.next = queue + 1;
    }
}
