use core::fmt;
use core::ops::{Add, AddAssign, Div, Sub};
use core::str::FromStr;

use crate::amount::amount;
use crate::parse::{ParseUnitError, display_scaled, parse_scaled};

pub(crate) const UNITS: &[(&str, u128)] = &[
    ("s", 1_000_000_000_000),
    ("ms", 1_000_000_000),
    ("us", 1_000_000),
    ("µs", 1_000_000),
    ("ns", 1_000),
    ("ps", 1),
];

/// An instant: picoseconds since the start of the simulation (or of the caller's clock).
///
/// 64 bits of picoseconds last 213 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the clock.
    pub const ZERO: Time = Time(0);
    /// An instant that is never reached; useful as "no event".
    pub const MAX: Time = Time(u64::MAX);

    /// The instant `ps` picoseconds after the start.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Time(ps)
    }

    /// Picoseconds since the start.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// The span since `earlier`, zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest representable span.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `ps` picoseconds.
    #[must_use]
    pub const fn from_ps(ps: u64) -> Self {
        Duration(ps)
    }

    /// A span of `ns` nanoseconds.
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Duration(ns * 1_000)
    }

    /// A span of `us` microseconds.
    #[must_use]
    pub const fn from_us(us: u64) -> Self {
        Duration(us * 1_000_000)
    }

    /// A span of `ms` milliseconds.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Duration(ms * 1_000_000_000)
    }

    /// Picoseconds in the span.
    #[must_use]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds in the span, for reports.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub<Time> for Time {
    type Output = Duration;
    fn sub(self, earlier: Time) -> Duration {
        self.since(earlier)
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    /// Whole picoseconds; dividing by zero gives [`Duration::MAX`].
    fn div(self, parts: u64) -> Duration {
        Duration(self.0.checked_div(parts).unwrap_or(u64::MAX))
    }
}

amount!(Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display_scaled(f, u128::from(self.0), UNITS)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display_scaled(f, u128::from(self.0), UNITS)
    }
}

impl FromStr for Duration {
    type Err = ParseUnitError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_scaled(text, UNITS, "a span of time such as \"10 ms\"").map(Duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn spans_read_and_print() {
        for (text, ps, printed) in [
            ("10 ms", 10_000_000_000, "10 ms"),
            ("0.625 ns", 625, "625 ps"),
            ("1 s", 1_000_000_000_000, "1 s"),
            ("2.64 us", 2_640_000, "2.64 us"),
        ] {
            let span: Duration = text.parse().unwrap();
            assert_eq!(span.as_ps(), ps);
            assert_eq!(span.to_string(), printed);
        }
        assert!("10".parse::<Duration>().is_err());
        assert!("-1 ms".parse::<Duration>().is_err());
        assert!("0.0001 ps".parse::<Duration>().is_err());
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Time::MAX + Duration::from_ps(1), Time::MAX);
        assert_eq!(Time::ZERO - Time::from_ps(5), Duration::ZERO);
        assert_eq!(Duration::from_ns(3) / 0, Duration::MAX);
    }
}
