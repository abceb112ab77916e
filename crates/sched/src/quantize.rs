use crate::Rank;

/// How exact 64-bit ranks become the buckets of an integer priority queue.
///
/// A bucket queue gives constant-time operations in exchange for a bounded priority range (thesis
/// §4.2.1). Packets whose ranks fall into one bucket leave in arrival order, so the order between
/// them is given up. Every quantizer is monotone: it never inverts two packets, it only ties them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantizer {
    /// Ranks are buckets already (FIFO, strict priority).
    Identity,
    /// `rank / step`, for ranks with a natural unit.
    Linear {
        /// Ranks per bucket; zero counts as one.
        step: u64,
    },
    /// Exact below 2^bits, then 2^bits buckets for each octave, so the relative error stays below
    /// 2^-bits whatever the magnitude. Suits heavy-tailed ranks such as flow sizes.
    LogLinear {
        /// Bits kept after the leading one, at most 31.
        bits: u32,
    },
}

impl Quantizer {
    /// A [`Quantizer::LogLinear`] that keeps `bits` bits after the leading one (at most 31).
    #[must_use]
    pub const fn log_linear(bits: u32) -> Self {
        Quantizer::LogLinear { bits: if bits > 31 { 31 } else { bits } }
    }

    /// The bucket of `rank`. O(1), monotone in the rank.
    #[must_use]
    pub const fn bucket(self, rank: Rank) -> u64 {
        let rank = rank.get();
        match self {
            Quantizer::Identity => rank,
            Quantizer::Linear { step } => rank / if step == 0 { 1 } else { step },
            Quantizer::LogLinear { bits } => {
                if rank >> bits == 0 {
                    return rank;
                }
                let shift = 63 - rank.leading_zeros() - bits;
                ((shift as u64) << bits) + (rank >> shift)
            }
        }
    }

    /// The number of buckets that ranks up to and including `largest` need.
    #[must_use]
    pub const fn buckets(self, largest: Rank) -> u64 {
        self.bucket(largest).saturating_add(1)
    }

    /// The largest relative distance of two ranks that share a bucket.
    #[must_use]
    pub fn relative_error(self) -> f64 {
        match self {
            Quantizer::Identity => 0.0,
            Quantizer::Linear { step } => {
                if step > 1 {
                    1.0
                } else {
                    0.0
                }
            }
            Quantizer::LogLinear { bits } => 1.0 / (1u64 << bits) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_linear_is_exact_then_bounded() {
        let q = Quantizer::log_linear(4);
        let mut previous = 0;
        for rank in 0..100_000u64 {
            let bucket = q.bucket(Rank::new(rank));
            assert!(
                bucket == previous || bucket == previous + 1,
                "a hole or an inversion at {rank}"
            );
            if rank < 32 {
                assert_eq!(bucket, rank);
            }
            previous = bucket;
        }
        // Two ranks in one bucket differ by less than 1/16 of the smaller.
        let mut first = 1u64;
        for rank in 1..100_000u64 {
            if q.bucket(Rank::new(rank)) != q.bucket(Rank::new(first)) {
                first = rank;
            }
            assert!((rank - first) * 16 <= first);
        }
    }

    #[test]
    fn the_largest_flow_size_fits_fifteen_bits() {
        assert!(Quantizer::log_linear(10).buckets(Rank::new(30_000_000)) <= 1 << 15);
        assert_eq!(Quantizer::Identity.bucket(Rank::new(u64::MAX)), u64::MAX);
        assert!(Quantizer::log_linear(31).bucket(Rank::new(u64::MAX)) > 0);
        assert_eq!(Quantizer::Linear { step: 0 }.bucket(Rank::new(7)), 7);
    }
}
