//! SMXQ: sharing with a maximum queue length (Irland 1978, cited in occamy §7). A static limit that
//! the queues together may exceed, so that the pool is shared, but not by one alone.
//!
//! Open in our sources: the limit. By default Irland's square-root rule, B / √N. O(1). Memory:
//! 4 bytes a queue.

use forebay_parameters::{Choice, Configure};
use forebay_units::Bytes;

use super::partition::StaticPartition;
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Parameters of [`Smxq`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Configure)]
pub struct SmxqConfig {
    /// Maximum of queues that do not have their own; 0 B for the pool over the root of its queues.
    #[parameter(assumed = "0 B: B / √N, between complete sharing and an even partition")]
    pub limit: Option<Bytes>,
}

/// A queue may hold a fixed maximum, as long as the pool has room.
#[derive(Clone, Debug)]
pub struct Smxq {
    maxima: StaticPartition,
}

impl Smxq {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &SmxqConfig, shape: &PoolShape) -> Self {
        let square = u64::from(shape.capacity).pow(2) / u64::from(shape.members());
        let limit = config.limit.map_or(square.isqrt() as u32, |limit| shape.cells(limit));
        Smxq { maxima: StaticPartition::limited_to(limit, shape) }
    }
}

/// The choice `smxq`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of("smxq", "SMXQ", "a queue may hold a fixed maximum", Smxq::new)
}

impl OnChipPolicy for Smxq {
    #[inline]
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        self.maxima.admit(pool, arriving, cells)
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        self.maxima.threshold(pool, queue)
    }
}
