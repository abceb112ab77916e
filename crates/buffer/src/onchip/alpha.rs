//! The factor α of a dynamic threshold T = α · (free buffer) (occamy Eq. 1).
//!
//! The paper: α "is usually a power of two, so that the threshold can be simply calculated by shifting".
//! Here α is a whole number of 65536ths: a power of two from 2^-16 to 2^15 is exact and costs a shift in
//! hardware; any other value is rounded to the nearest 65536th and costs one multiplication. All
//! comparisons are exact in integers.

use core::fmt;

const FRACTION_BITS: u32 = 16;

/// The factor α of a dynamic threshold, between 1/65536 and 65535.
///
/// ```
/// use forebay_buffer::onchip::Alpha;
///
/// let alpha = Alpha::new(8.0).expect("a positive number");
/// assert_eq!(alpha, Alpha::power_of_two(3));
/// assert_eq!(alpha.threshold(100), 800);
/// // A queue of 801 cells is over its threshold until 101 cells are free.
/// assert_eq!(alpha.free_needed(801), 101);
/// assert_eq!(Alpha::new(0.0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alpha(u32);

impl Alpha {
    /// α = `value`, to the nearest 65536th. `None` unless it is between 1/65536 and 65535.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // The cast truncates after the half was added: rounding, without a float library.
        let scaled = (value * f64::from(1 << FRACTION_BITS) + 0.5) as u64;
        let valid = value <= 65535.0 && scaled >= 1;
        valid.then_some(Alpha(scaled as u32))
    }

    /// α = 2^`exponent`, the exponent brought into -16..=15.
    #[must_use]
    pub const fn power_of_two(exponent: i32) -> Self {
        let exponent = if exponent < -16 { -16 } else { exponent };
        let exponent = if exponent > 15 { 15 } else { exponent };
        Alpha(1 << (exponent + FRACTION_BITS as i32))
    }

    /// The threshold in cells at `free` free cells: α · free, rounded down.
    #[must_use]
    #[inline]
    pub const fn threshold(self, free: u32) -> u32 {
        let cells = (free as u64 * self.0 as u64) >> FRACTION_BITS;
        if cells > u32::MAX as u64 { u32::MAX } else { cells as u32 }
    }

    /// The fewest free cells at which a queue of `length` cells is within its threshold: length / α,
    /// rounded up. A queue is over-allocated if and only if fewer cells than this are free, so one number
    /// per queue decides for every position of the threshold.
    #[must_use]
    #[inline]
    pub const fn free_needed(self, length: u32) -> u32 {
        let scaled = (length as u64) << FRACTION_BITS;
        let cells = if self.0.is_power_of_two() {
            (scaled + self.0 as u64 - 1) >> self.0.trailing_zeros()
        } else {
            scaled.div_ceil(self.0 as u64)
        };
        if cells > u32::MAX as u64 { u32::MAX } else { cells as u32 }
    }

    /// α as a number.
    #[must_use]
    pub fn get(self) -> f64 {
        f64::from(self.0) / f64::from(1 << FRACTION_BITS)
    }
}

impl fmt::Display for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_allocated_is_the_same_seen_from_both_sides() {
        for value in [1.0 / 65536.0, 0.1, 0.5, 1.0, 1.5, 2.0, 8.0, 1000.0] {
            let alpha = Alpha::new(value).unwrap();
            for length in (0..200).chain([4095, 1 << 20]) {
                for free in 0..300 {
                    let over = length > alpha.threshold(free);
                    assert_eq!(over, alpha.free_needed(length) > free, "{value} {length} {free}");
                }
            }
        }
    }

    #[test]
    fn powers_of_two_are_exact_and_nonsense_is_refused() {
        for exponent in -16..=15 {
            let alpha = Alpha::new(2f64.powi(exponent)).unwrap();
            assert_eq!(alpha, Alpha::power_of_two(exponent));
        }
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9, 1e-9] {
            assert_eq!(Alpha::new(value), None);
        }
        assert_eq!(Alpha::power_of_two(15).threshold(u32::MAX), u32::MAX);
        assert_eq!(Alpha::power_of_two(-16).free_needed(u32::MAX), u32::MAX);
        assert_eq!(Alpha::power_of_two(99), Alpha::power_of_two(15));
    }
}
