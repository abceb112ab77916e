//! Ranks that change with time (thesis Eq. 2.45, the other way up).
//!
//! The paper evicts the smallest Rank = AggregateDelay / TTNA. Here the largest TTNA /
//! AggregateDelay goes, which is the same and, for the recency estimate TTNA = now − last request,
//! a straight line in time. Values are compared as 64-bit floats, ties by age. 24 bytes.

use forebay_units::Time;

/// The latest instant at which keys are compared: 106 days of picoseconds. Up to here the
/// difference of two instants fits a signed number, so that ages are computed in one step.
pub const LATEST: Time = Time::from_ps(i64::MAX as u64);

/// A value that is constant, rises or falls evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// When a line is 0; the bits of a constant's value.
    origin: u64,
    /// Per unit of the clock; 0 for a constant.
    slope: f64,
    /// Among equal values, the smallest goes first.
    tie: u64,
}

impl Key {
    /// Below every other key.
    pub(crate) const LEAST: Key =
        Key { origin: f64::NEG_INFINITY.to_bits(), slope: 0.0, tie: u64::MAX };

    /// `(now − since) · rate`, for a positive rate: what was not touched for longest goes first.
    #[inline]
    #[must_use]
    pub fn rising(since: u64, rate: f64, tie: u64) -> Key {
        Key { origin: since, slope: rate.clamp(f64::MIN_POSITIVE, f64::MAX), tie }
    }

    /// `(at − now) · rate`, for a positive rate: what is wanted last goes first.
    #[inline]
    #[must_use]
    pub fn falling(at: u64, rate: f64, tie: u64) -> Key {
        Key { origin: at, slope: -rate.clamp(f64::MIN_POSITIVE, f64::MAX), tie }
    }

    /// `value`, whatever the time; what is not a number counts as the least.
    #[inline]
    #[must_use]
    pub fn constant(value: f64, tie: u64) -> Key {
        Key { origin: value.max(f64::MIN).to_bits(), slope: 0.0, tie }
    }

    /// Its value at `now`, right for instants up to [`LATEST`].
    #[inline]
    #[must_use]
    pub fn value(&self, now: u64) -> f64 {
        if self.slope == 0.0 {
            f64::from_bits(self.origin)
        } else {
            now.wrapping_sub(self.origin) as i64 as f64 * self.slope
        }
    }

    /// Whether it goes before `other` at `now`.
    #[inline]
    #[must_use]
    pub fn before(&self, other: &Key, now: u64) -> bool {
        self.before_at(self.value(now), other, other.value(now))
    }

    /// The same, where both values are known.
    #[inline]
    pub(crate) fn before_at(&self, ours: f64, other: &Key, theirs: f64) -> bool {
        // Both sides of each, so that there is nothing to predict.
        (ours > theirs) | ((ours == theirs) & (self.tie < other.tie))
    }

    /// The first instant after `now` at which `other`, which does not go before this key at `now`,
    /// may: [`u64::MAX`] if that never happens. Early rather than late where rounding matters.
    #[inline]
    #[must_use]
    pub(crate) fn overtaken_by(&self, other: &Key, now: u64) -> u64 {
        self.certain_until((self.value(now), other.value(now)), other, now, u64::MAX)
    }

    /// The same or `bound`, whichever is earlier, where both values are known. A product tells
    /// whether it is `bound`; only if not, the instant is divided out.
    #[inline]
    pub(crate) fn certain_until(
        &self,
        (ours, theirs): (f64, f64),
        other: &Key,
        now: u64,
        bound: u64,
    ) -> u64 {
        const ALMOST: f64 = 1.0 - 4.0 * f64::EPSILON;
        let closing = other.slope - self.slope;
        let rounding = 4.0 * f64::EPSILON * (ours.abs() + theirs.abs());
        let gap = (ours - theirs - rounding) * ALMOST;
        // Half of it, rounded up, is in the range of what converts in one step.
        let span = 2.0 * ((bound.saturating_sub(now) >> 1) + 1) as i64 as f64;
        if closing <= 0.0 || closing * span <= gap * ALMOST {
            return bound;
        }
        // A float converts to the nearest integer in range, and to 0 if it is not a number.
        bound.min(now.saturating_add(((gap / closing) as u64).max(1)))
    }
}
