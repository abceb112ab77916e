//! Complete sharing: no limit but the memory. Source: the classical baseline of shared-memory
//! switches (Kamoun and Kleinrock 1980, cited in occamy §7). One queue can take everything. O(1),
//! no state.

use forebay_parameters::Choice;

use super::scheme::choice_of;
use super::{Admission, OnChipPolicy};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Any packet enters while there is room.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompleteSharing;

/// The choice `complete-sharing`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "complete-sharing",
        "Complete sharing",
        "any packet enters while there is room",
        |(): &(), _| CompleteSharing,
    )
}

impl OnChipPolicy for CompleteSharing {
    fn admit(&mut self, _pool: PoolView<'_>, _arriving: &Descriptor, _cells: u32) -> Admission {
        Admission::Accept
    }

    fn threshold(&self, pool: PoolView<'_>, _queue: u32) -> Option<u32> {
        Some(pool.capacity())
    }
}
