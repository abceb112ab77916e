//! Static partition: the pool divided among its queues for good. Source: the classical opposite of
//! complete sharing (Kamoun and Kleinrock 1980, cited in occamy §7). Perfectly fair, and every
//! queue's unused part is wasted. O(1). Memory: 4 bytes a queue.

use alloc::vec::Vec;

use forebay_parameters::Choice;

use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Every queue has an N-th of the pool (rounded down to cells), or its own limit.
#[derive(Clone, Debug)]
pub struct StaticPartition {
    limits: Vec<u32>,
}

impl StaticPartition {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(shape: &PoolShape) -> Self {
        StaticPartition { limits: shape.limits(shape.capacity / shape.members()) }
    }

    /// Every queue limited to `default` cells, or its own limit.
    pub(super) fn limited_to(default: u32, shape: &PoolShape) -> Self {
        StaticPartition { limits: shape.limits(default) }
    }
}

/// The choice `static-partition`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "static-partition",
        "Static partition",
        "every queue has an equal part of the pool for itself",
        |(): &(), shape| StaticPartition::new(shape),
    )
}

impl OnChipPolicy for StaticPartition {
    #[inline]
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let queue = arriving.queue;
        if pool.length(queue).saturating_add(cells) <= self.limits[queue as usize] {
            Admission::Accept
        } else {
            Admission::Drop
        }
    }

    fn threshold(&self, _pool: PoolView<'_>, queue: u32) -> Option<u32> {
        Some(self.limits[queue as usize])
    }
}
