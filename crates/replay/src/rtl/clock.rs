//! What a cycle of a core is in the capture's time, and what a port's rate is in its beats.

use forebay_units::{Rate, Time};

/// A core's clock, and the bits that a port takes in a cycle of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) mhz: u32,
    pub(super) data_bits: u32,
}

impl Clock {
    /// Beats that a port of this rate takes in 2^32 cycles, at most one in each.
    pub(super) fn share(self, rate: Rate) -> u64 {
        let core = u128::from(self.data_bits) * u128::from(self.mhz) * 1_000_000;
        ((u128::from(rate.as_bps()) << 32) / core).clamp(1, 1 << 32) as u64
    }

    /// The cycle in which an instant lies.
    pub(super) fn cycle_of(self, at: Time) -> u64 {
        (u128::from(at.as_ps()) * u128::from(self.mhz) / 1_000_000) as u64
    }

    /// When a cycle begins.
    pub(super) fn time_of(self, cycle: u64) -> Time {
        Time::from_ps((u128::from(cycle) * 1_000_000 / u128::from(self.mhz)) as u64)
    }
}
