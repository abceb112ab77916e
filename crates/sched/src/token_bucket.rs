//! The token bucket: a rate and a burst, kept as one instant.
//!
//! Source: the textbook leaky bucket as a meter. Instead of a count of tokens it keeps the instant
//! at which the bucket would be full again, so that nothing has to be refilled. A packet conforms
//! when that instant is no further away than the burst less the packet, both as times at the rate.
//!
//! Over any span t, what is sent as soon as it conforms is at most rate · t + burst: times of
//! packets are rounded up and that of the burst down to a picosecond. The rounding costs less than
//! a picosecond a packet of rate. A packet larger than the burst can only conform to a bucket that
//! owes: it waits for the bucket to be full and for the difference, and exceeds the bound by that
//! difference.
//!
//! Complexity: O(1). Memory: 24 bytes.

use forebay_units::{Bytes, Duration, Rate, Time};

/// Says when a packet conforms to a rate and a burst.
///
/// ```
/// use forebay_sched::TokenBucket;
/// use forebay_units::{Bytes, Rate, Time};
///
/// let mut bucket = TokenBucket::new(Rate::from_gbps(1), Bytes::new(3000));
/// for _ in 0..2 {
///     assert_eq!(bucket.conforms_at(Bytes::new(1500)), Time::ZERO);
///     bucket.spend(Time::ZERO, Bytes::new(1500));
/// }
/// assert_eq!(bucket.conforms_at(Bytes::new(1500)).as_ps(), 12_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    rate: Rate,
    /// The burst as a time at the rate.
    depth: Duration,
    /// When the bucket is full again if nothing more is sent.
    full_at: Time,
}

impl TokenBucket {
    /// A full bucket. At rate zero nothing ever conforms once the burst is spent.
    #[must_use]
    pub fn new(rate: Rate, burst: Bytes) -> Self {
        let picobits = burst.bits() * 1_000_000_000_000; // below 2^107
        let ps = picobits.checked_div(u128::from(rate.as_bps())).unwrap_or(u128::MAX);
        let depth = Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX));
        TokenBucket { rate, depth, full_at: Time::ZERO }
    }

    /// The earliest instant at which `size` may be sent; [`Time::ZERO`] if at once.
    #[inline]
    #[must_use]
    pub fn conforms_at(&self, size: Bytes) -> Time {
        let needed = self.rate.time_for(size);
        // Past `full_at` only if the packet exceeds the burst.
        let waits = self.full_at + (needed - self.depth);
        Time::from_ps(waits.as_ps().saturating_sub((self.depth - needed).as_ps()))
    }

    /// `size` is sent at `now`.
    #[inline]
    pub fn spend(&mut self, now: Time, size: Bytes) {
        self.full_at = self.full_at.max(now) + self.rate.time_for(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refills_at_the_rate_and_not_beyond_the_burst() {
        let mut bucket = TokenBucket::new(Rate::from_gbps(8), Bytes::new(100)); // 1 B/ns
        bucket.spend(Time::ZERO, Bytes::new(100));
        assert_eq!(bucket.conforms_at(Bytes::new(40)).as_ps(), 40_000);
        // A long pause fills it, and no more.
        let later = Time::from_ps(1_000_000);
        bucket.spend(later, Bytes::new(100));
        assert_eq!(bucket.conforms_at(Bytes::new(1)).as_ps(), 1_001_000);
    }

    #[test]
    fn extremes_neither_panic_nor_pass() {
        let mut closed = TokenBucket::new(Rate::from_bps(0), Bytes::ZERO);
        closed.spend(Time::ZERO, Bytes::new(1));
        assert_eq!(closed.conforms_at(Bytes::new(1)), Time::MAX);
        let mut bucket = TokenBucket::new(Rate::from_gbps(8), Bytes::new(10));
        assert_eq!(bucket.conforms_at(Bytes::new(15)).as_ps(), 5_000, "it owes five bytes");
        bucket.spend(Time::MAX, Bytes::new(u64::MAX));
        assert!(TokenBucket::new(Rate::from_bps(1), Bytes::new(u64::MAX)).depth == Duration::MAX);
    }
}
