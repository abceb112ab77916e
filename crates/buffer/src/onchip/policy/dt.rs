//! Dynamic Threshold, the scheme of commodity switches (Choudhury and Hahne; occamy §2.2, Eq. 1).
//!
//! A queue may hold α times the free buffer, with an arriving packet included
//! ([`Comparison::With`]). In steady state N congested queues leave B / (1 + α N) free (Eq. 2).
//!
//! O(1) per packet. Memory: 4 bytes a queue, for α per queue.

use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure};

use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;
use crate::threshold::{ALPHA, Alpha, Comparison};

/// Parameters of [`DynamicThreshold`].
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct DtConfig {
    /// Threshold factor of queues that do not have their own.
    #[parameter(paper = "occamy §6.2", kind = ALPHA, default = Alpha::power_of_two(0))]
    pub alpha: Alpha,
}

/// A queue may hold α times the free buffer.
#[derive(Clone, Debug)]
pub struct DynamicThreshold {
    alphas: Vec<Alpha>,
}

impl DynamicThreshold {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &DtConfig, shape: &PoolShape) -> Self {
        DynamicThreshold { alphas: shape.alphas(config.alpha) }
    }

    /// α of `queue`.
    #[inline]
    pub(super) fn alpha(&self, queue: u32) -> Alpha {
        self.alphas[queue as usize]
    }
}

/// The choice `dt`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "dt",
        "DT",
        "Dynamic Threshold: a queue may hold alpha times the free buffer",
        DynamicThreshold::new,
    )
}

impl OnChipPolicy for DynamicThreshold {
    fn reads_alpha(&self) -> bool {
        true
    }

    #[inline]
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let queue = arriving.queue;
        let (alpha, length) = (self.alpha(queue), pool.length(queue));
        if alpha.admits(Comparison::With, length, cells, pool.free()) {
            Admission::Accept
        } else {
            Admission::Drop
        }
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        Some(self.alpha(queue).threshold(pool.free()))
    }
}
