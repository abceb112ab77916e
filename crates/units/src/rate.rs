use core::fmt;
use core::str::FromStr;

use crate::parse::{ParseUnitError, display_scaled, parse_scaled};
use crate::{Bytes, Duration};

pub(crate) const UNITS: &[(&str, u128)] = &[
    ("Tb/s", 1_000_000_000_000),
    ("Gb/s", 1_000_000_000),
    ("Mb/s", 1_000_000),
    ("kb/s", 1_000),
    ("b/s", 1),
    ("T", 1_000_000_000_000),
    ("G", 1_000_000_000),
    ("M", 1_000_000),
    ("K", 1_000),
    ("k", 1_000),
];
/// The first of them are printed; the rest is short for them.
const PRINTED: usize = 5;

const PS_PER_S: u128 = 1_000_000_000_000;

/// A rate in bits per second. It reads `50 Gb/s` and, for short, `50G`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// `bits` bits per second.
    #[must_use]
    pub const fn from_bps(bits: u64) -> Self {
        Rate(bits)
    }

    /// `gigabits` · 10⁹ bits per second.
    #[must_use]
    pub const fn from_gbps(gigabits: u64) -> Self {
        Rate(gigabits * 1_000_000_000)
    }

    /// Bits per second.
    #[must_use]
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// How long `size` takes at this rate, rounded up to a picosecond; [`Duration::MAX`] at rate
    /// zero.
    #[must_use]
    pub const fn time_for(self, size: Bytes) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        // Packets and batches stay far below 2^64 bit-picoseconds: keep the hot case in 64 bits.
        if size.get() < 2_000_000 {
            return Duration::from_ps((size.get() * 8 * PS_PER_S as u64).div_ceil(self.0));
        }
        let ps = (size.bits() * PS_PER_S).div_ceil(self.0 as u128);
        if ps > u64::MAX as u128 { Duration::MAX } else { Duration::from_ps(ps as u64) }
    }

    /// The mean rate of `size` over `span`; zero over an empty span.
    #[must_use]
    pub const fn mean(size: Bytes, span: Duration) -> Rate {
        if span.as_ps() == 0 {
            return Rate(0);
        }
        Rate((size.bits() * PS_PER_S / span.as_ps() as u128) as u64)
    }

    /// This rate times a non-negative factor, rounded to a bit per second.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Rate {
        Rate((self.0 as f64 * factor) as u64)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display_scaled(f, u128::from(self.0), &UNITS[..PRINTED])
    }
}

impl FromStr for Rate {
    type Err = ParseUnitError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_scaled(text, UNITS, "a rate such as \"50 Gb/s\"").map(Rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn serialization_times() {
        assert_eq!(Rate::from_gbps(100).time_for(Bytes::new(1500)), Duration::from_ns(120));
        assert_eq!(Rate::from_bps(3).time_for(Bytes::new(1)).as_ps(), 2_666_666_666_667);
        assert_eq!(Rate::from_bps(0).time_for(Bytes::new(1)), Duration::MAX);
        assert_eq!(
            Rate::from_gbps(100).time_for(Bytes::new(1 << 30)).as_ps(),
            (8u128 << 30) as u64 * 10
        );
        assert_eq!(Rate::mean(Bytes::new(1250), Duration::from_us(1)), Rate::from_gbps(10));
    }

    #[test]
    fn rates_read_and_print() {
        assert_eq!("3.2 Tb/s".parse::<Rate>().unwrap(), Rate::from_gbps(3200));
        assert_eq!(Rate::from_gbps(50).to_string(), "50 Gb/s");
        assert_eq!(Rate::from_gbps(1600).to_string(), "1.6 Tb/s");
        assert!("50 GB/s".parse::<Rate>().is_err());
        for (short, full) in
            [("2.5G", "2.5 Gb/s"), ("10k", "10 kb/s"), ("10 K", "10 kb/s"), ("1T", "1 Tb/s")]
        {
            assert_eq!(short.parse::<Rate>().unwrap().to_string(), full);
        }
        assert_eq!(Rate::from_bps(0).to_string(), "0 b/s");
    }
}
