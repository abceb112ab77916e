use core::fmt;
use core::str::FromStr;

use crate::amount::amount;
use crate::parse::{ParseUnitError, display_scaled, parse_scaled};

pub(crate) const UNITS: &[(&str, u128)] = &[
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("KB", 1_000),
    ("kB", 1_000),
    ("B", 1),
];

/// A size in bytes. `KB`, `MB`, `GB` are decimal; `KiB`, `MiB`, `GiB` are binary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Bytes = Bytes(0);

    /// `bytes` bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of bits.
    #[must_use]
    pub const fn bits(self) -> u128 {
        self.0 as u128 * 8
    }

    /// How many units of `unit` bytes hold this size (rounded up; zero if `unit` is zero).
    #[must_use]
    pub const fn div_ceil(self, unit: Bytes) -> u64 {
        if unit.0 == 0 { 0 } else { self.0.div_ceil(unit.0) }
    }
}

amount!(Bytes);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display_scaled(f, u128::from(self.0), UNITS)
    }
}

impl FromStr for Bytes {
    type Err = ParseUnitError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_scaled(text, UNITS, "a size such as \"16 KiB\" or \"5 MB\"").map(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn sizes_read_and_print() {
        for (text, bytes) in [("16 KiB", 16384), ("5 MB", 5_000_000), ("1500 B", 1500)] {
            let size: Bytes = text.parse().unwrap();
            assert_eq!(size.get(), bytes);
        }
        assert_eq!(Bytes::new(16384).to_string(), "16 KiB");
        assert_eq!(Bytes::new(1536).to_string(), "1.5 KiB");
        for (bytes, text) in [(400_000, "400 KB"), (800_000, "800 KB"), (1_572_864, "1.5 MiB")] {
            assert_eq!(Bytes::new(bytes).to_string(), text);
            assert_eq!(text.parse(), Ok(Bytes::new(bytes)));
        }
        assert_eq!(Bytes::new(1500).to_string(), "1.5 KB");
        assert_eq!(Bytes::new(1501).to_string(), "1.501 KB");
    }

    #[test]
    fn cells_round_up() {
        assert_eq!(Bytes::new(1500).div_ceil(Bytes::new(256)), 6);
        assert_eq!(Bytes::new(0).div_ceil(Bytes::new(256)), 0);
        assert_eq!(Bytes::new(9).div_ceil(Bytes::ZERO), 0);
    }
}
