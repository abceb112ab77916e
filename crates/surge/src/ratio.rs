//! Ratios as buckets, by a division or digit by digit.
//!
//! Source: thesis §3.5.4 asks for a bounded number of priorities and leaves open how a ratio
//! becomes one. A ratio is cut to so many fractional bits, and that number quantized log-linearly.
//!
//! Hardware has no divider to spare, and needs none: of the quotient only the leading one and the
//! bits after it count. [`RatioQuantizer::bucket_by_digits`] makes those, one by one, as
//! `rtl/surge` does; the bucket is the same. A difference of logarithms would be cheaper still, but
//! inverts ratios that are up to an eighth apart, and with them the order that the theorems are
//! about.

use forebay_sched::{Quantizer, Rank};

/// Log-linear buckets of ratios of two whole numbers.
///
/// ```
/// use forebay_surge::RatioQuantizer;
///
/// // 2^4 buckets an octave, ratios to 14 binary places.
/// let quantizer = RatioQuantizer::new(4, 14);
/// assert!(quantizer.bucket(2_000, 1500) < quantizer.bucket(30_000, 64));
/// assert_eq!(quantizer.bucket(2_000, 1500), quantizer.bucket_by_digits(2_000, 1500));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatioQuantizer {
    bits: u32,
    fraction: u32,
}

impl RatioQuantizer {
    /// The most bits after the leading one.
    pub const MOST_BITS: u32 = 14;
    /// The most fractional bits.
    pub const MOST_FRACTION: u32 = 32;

    /// 2^`bits` buckets an octave, of ratios to `fraction` binary places; more than
    /// [`MOST_BITS`](Self::MOST_BITS) or [`MOST_FRACTION`](Self::MOST_FRACTION) is taken as that.
    #[must_use]
    pub const fn new(bits: u32, fraction: u32) -> Self {
        let bits = if bits > Self::MOST_BITS { Self::MOST_BITS } else { bits };
        let fraction = if fraction > Self::MOST_FRACTION { Self::MOST_FRACTION } else { fraction };
        RatioQuantizer { bits, fraction }
    }

    /// The bucket of `work` / `size`, by its definition: a division and a log-linear quantizer. No
    /// size counts as one; a number above 2^64 - 1 as that. O(1).
    #[inline]
    #[must_use]
    pub const fn bucket(self, work: u64, size: u64) -> u64 {
        let size = whole(size);
        let number = if work.leading_zeros() >= self.fraction {
            (work << self.fraction) / size
        } else {
            let wide = ((work as u128) << self.fraction) / size as u128;
            if wide > u64::MAX as u128 { u64::MAX } else { wide as u64 }
        };
        self.log_linear().bucket(Rank::new(number))
    }

    /// The same bucket without a division: both numbers are shifted until they begin with a one,
    /// and `bits` + 2 comparisons give the digits that count. O(bits).
    #[must_use]
    pub const fn bucket_by_digits(self, work: u64, size: u64) -> u64 {
        if work == 0 {
            return 0;
        }
        let (work_by, size) = (work.leading_zeros(), whole(size));
        let size_by = size.leading_zeros();
        // A quotient between 1/2 and 2: its first digit is before the point.
        let divisor = (size << size_by) as u128;
        let mut rest = (work << work_by) as u128;
        let starts_with_one = rest >= divisor;
        let octave = (self.fraction + size_by) as i32 - work_by as i32 - !starts_with_one as i32;
        if octave > 63 {
            return self.buckets() - 1;
        }
        let mut left = self.bits + 1 + !starts_with_one as u32;
        let mut digits = 0;
        while left > 0 {
            let one = rest >= divisor;
            digits = (digits << 1) | one as u64;
            rest = (if one { rest - divisor } else { rest }) << 1;
            left -= 1;
        }
        let shift = octave - self.bits as i32;
        if octave < 0 {
            0
        } else if shift < 0 {
            digits >> -shift
        } else {
            ((shift as u64) << self.bits) + digits
        }
    }

    /// The number of buckets that all ratios need.
    #[must_use]
    pub const fn buckets(self) -> u64 {
        self.log_linear().buckets(Rank::new(u64::MAX))
    }

    const fn log_linear(self) -> Quantizer {
        Quantizer::log_linear(self.bits)
    }
}

/// Nothing counts as one byte, so that a ratio exists.
#[inline]
pub(crate) const fn whole(size: u64) -> u64 {
    if size == 0 { 1 } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every small job size and packet size, whatever is kept of their ratio.
    #[test]
    fn digits_are_those_of_the_quotient() {
        for (bits, fraction) in [(1, 0), (1, 3), (2, 4), (3, 1), (3, 9), (5, 7), (9, 16)] {
            let quantizer = RatioQuantizer::new(bits, fraction);
            for work in 0..300 {
                for size in 0..70 {
                    let bucket = quantizer.bucket(work, size);
                    let by_digits = quantizer.bucket_by_digits(work, size);
                    assert_eq!(by_digits, bucket, "{quantizer:?}: {work} / {size}");
                }
            }
        }
    }

    /// Numbers of every length, so that octaves from below nothing to beyond the last are met.
    fn of_any_length() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0u32..64).prop_map(|(number, by)| number >> by)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn digits_are_those_of_the_quotient_at_any_size(
            work in of_any_length(), size in of_any_length(), bits in 0u32..=16, fraction in 0u32..=40,
        ) {
            let quantizer = RatioQuantizer::new(bits, fraction);
            let bucket = quantizer.bucket(work, size);
            prop_assert_eq!(quantizer.bucket_by_digits(work, size), bucket);
            prop_assert!(bucket < quantizer.buckets());
        }
    }

    #[test]
    fn the_ends_fit() {
        let quantizer = RatioQuantizer::new(9, 16);
        for (work, size) in [(0, 0), (0, 1), (1, u64::MAX), (u64::MAX, 0), (u64::MAX, u64::MAX)] {
            assert_eq!(quantizer.bucket_by_digits(work, size), quantizer.bucket(work, size));
        }
        assert_eq!(quantizer.buckets(), 28_672);
    }
}
