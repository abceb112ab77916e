//! Dynamic Threshold: a queue may hold α times the free buffer, T(t) = α · (B − Σ q_i(t))
//! (Choudhury and Hahne; occamy §2.2, Eq. 1). Buffers on chip and hybrid buffers use the one
//! definition here.
//!
//! Choudhury and Hahne switch packets of one cell, and admit one while its queue is shorter than T.
//! No source says how a packet of several cells meets the threshold, so there are two readings:
//! [`Comparison`].
//!
//! The paper: α "is usually a power of two, so that the threshold can be simply calculated by
//! shifting". Here α is a whole number of 65536ths: a power of two from 2^-16 to 2^15 is exact and
//! costs a shift in hardware; any other value is rounded to the nearest 65536th and costs one
//! multiplication. All comparisons are exact in integers.

use alloc::format;
use alloc::string::String;
use core::fmt;

use forebay_parameters::{Kind, Setting, Value};

const FRACTION_BITS: u32 = 16;

/// How a packet of several cells is compared with the threshold, as that stands before it.
///
/// For packets of one cell both are the definition of Choudhury and Hahne.
///
/// ```
/// use forebay_buffer::{Alpha, Comparison};
///
/// let alpha = Alpha::power_of_two(0);
/// // A queue of 8 cells, a packet of 6, a threshold of 10.
/// assert!(alpha.admits(Comparison::Before, 8, 6, 10));
/// assert!(!alpha.admits(Comparison::With, 8, 6, 10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The packet is admitted if its queue without it is below the threshold: q < T. Of hybrid
    /// buffers: a packet is spilled once "the length of a queue in SRAM exceeds a threshold"
    /// (themis §3.1). A queue may overshoot by less than a packet.
    Before,
    /// The packet is admitted if its queue with it stays within the threshold: q + c ≤ T. Of
    /// buffers on chip, where no queue then is over-allocated by its own arrivals: Occamy expels
    /// what is above T (occamy §4.3), and would expel again what had only just been admitted.
    With,
}

/// What α may be.
pub(crate) const ALPHA: Kind = Kind::Float { min: 1.0 / 65536.0, max: 65535.0 };

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

    /// Whether a packet of `cells` cells may enter a queue of `length` cells while `free` cells are
    /// free.
    #[must_use]
    #[inline]
    pub const fn admits(self, comparison: Comparison, length: u32, cells: u32, free: u32) -> bool {
        match comparison {
            Comparison::Before => length < self.threshold(free),
            Comparison::With => length + cells <= self.threshold(free),
        }
    }

    /// The fewest free cells at which a queue of `length` cells is within its threshold: length /
    /// α, rounded up. A queue is over-allocated if and only if fewer cells than this are free, so
    /// one number per queue decides for every position of the threshold.
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

impl Setting for Alpha {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let given = if let Value::Float(number) = value { Alpha::new(*number) } else { None };
        *self = given.ok_or_else(|| format!("{value} is not {}", ALPHA.describe()))?;
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Float(self.get())
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
    fn the_comparisons_differ_by_less_than_a_packet() {
        let alpha = Alpha::new(1.5).unwrap();
        for (length, free) in (0..60).flat_map(|length| (0..40).map(move |free| (length, free))) {
            let admits = |comparison, cells| alpha.admits(comparison, length, cells, free);
            assert_eq!(admits(Comparison::Before, 1), admits(Comparison::With, 1));
            let room = alpha.threshold(free).saturating_sub(length);
            assert_eq!(admits(Comparison::Before, 6), room > 0);
            assert_eq!(admits(Comparison::With, 6), room >= 6);
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
