//! What policies order by, and how it becomes the rank of a queue, exact or quantized.
//!
//! Source: thesis §3.4 (keys), §3.5.4 (a bounded number of priorities on bucket queues). The paper
//! does not say how ratios become its integer priorities; we quantize log-linearly, 512 buckets an
//! octave, so that two keys that share a bucket differ by less than 1/512 whatever their magnitude,
//! and any 64-bit number fits 2^15 buckets.
//!
//! Exact ranks are 128-bit integers. A ratio is kept with 64 fractional bits: two different ratios
//! of sizes below 4 GiB never tie. Bucket ranks keep 16 (of picoseconds per byte). O(1).

use forebay_sched::{Quantizer, Rank};
use forebay_units::{Bytes, Duration};

use crate::ratio::{RatioQuantizer, whole};

/// The number of buckets of quantized ranks.
pub(crate) const BUCKETS: usize = 1 << 15;

/// Bits kept after the leading one: with 9, the largest 64-bit number falls into bucket 28671.
const BITS: u32 = 9;

/// How numbers and ratios become buckets; a ratio has 16 fractional bits.
const NUMBERS: Quantizer = Quantizer::log_linear(BITS);
const RATIOS: RatioQuantizer = RatioQuantizer::new(BITS, 16);

/// What a policy orders by; the smallest is served first. All keys of one policy are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A number that is used as it is: an arrival order, a virtual time.
    Tag(u64),
    /// A job size.
    Work(Duration),
    /// A job size per packet size.
    Ratio(Duration, Bytes),
}

/// How a queue's rank is made from a key: 128 bits are exact, 64 bits are buckets.
pub(crate) trait FromKey: Copy + Ord + Send {
    /// The rank of `key`; never decreases with it.
    fn from_key(key: Key) -> Self;
}

impl FromKey for u128 {
    #[inline]
    fn from_key(key: Key) -> u128 {
        match key {
            Key::Tag(tag) => u128::from(tag),
            Key::Work(work) => u128::from(work.as_ps()),
            Key::Ratio(work, size) => {
                (u128::from(work.as_ps()) << 64) / u128::from(whole(size.get()))
            }
        }
    }
}

impl FromKey for u64 {
    #[inline]
    fn from_key(key: Key) -> u64 {
        match key {
            Key::Tag(tag) => tag,
            Key::Work(work) => NUMBERS.bucket(Rank::new(work.as_ps())),
            // A processor has a divider; hardware makes the same bucket digit by digit.
            Key::Ratio(work, size) => RATIOS.bucket(work.as_ps(), size.get()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exact_ratios_compare_as_fractions(
            a in any::<u64>(), p in 0u64..=u64::from(u32::MAX), b in any::<u64>(), q in 0u64..=u64::from(u32::MAX),
        ) {
            let rank = |j, p| u128::from_key(Key::Ratio(Duration::from_ps(j), Bytes::new(p)));
            let (p1, q1) = (p.max(1), q.max(1));
            let fractions = (u128::from(a) * u128::from(q1)).cmp(&(u128::from(b) * u128::from(p1)));
            prop_assert_eq!(rank(a, p).cmp(&rank(b, q)), fractions);
        }

        #[test]
        fn buckets_never_invert_and_fit(
            a in any::<u64>(), p in any::<u64>(), b in any::<u64>(), q in any::<u64>(),
        ) {
            let key = |j, p| Key::Ratio(Duration::from_ps(j), Bytes::new(p));
            let (x, y) = (u64::from_key(key(a, p)), u64::from_key(key(b, q)));
            prop_assert!(x < BUCKETS as u64 && y < BUCKETS as u64);
            if u128::from_key(key(a, p)) <= u128::from_key(key(b, q)) {
                prop_assert!(x <= y);
            }
        }

        #[test]
        fn a_bucket_is_narrow(work in 1u64 << 20..1 << 40, size in 1u64..9000) {
            let rank = |work| u64::from_key(Key::Ratio(Duration::from_ps(work), Bytes::new(size)));
            prop_assert!(rank(work) < rank(work + work / 256));
        }
    }

    #[test]
    fn the_largest_work_fits() {
        assert!(u64::from_key(Key::Work(Duration::MAX)) < BUCKETS as u64);
        assert_eq!(u64::from_key(Key::Ratio(Duration::ZERO, Bytes::ZERO)), 0);
    }
}
