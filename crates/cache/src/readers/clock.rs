//! When a recorded request comes: what its time stamp means.

use forebay_units::{Duration, Time};

use super::Problem;
use crate::order::LATEST;

/// How a trace counts time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceClock {
    /// Its stamps count this unit. They may have decimals.
    Recorded(Duration),
    /// Its stamps are ignored: requests come evenly, so far apart. For stamps too coarse to tell
    /// requests apart, and for the time steps of the paper.
    Even(Duration),
}

impl TraceClock {
    /// Whether time stamps are read.
    pub(super) fn reads_stamps(self) -> bool {
        matches!(self, TraceClock::Recorded(_))
    }

    /// Picoseconds of request number `index` with `stamp`, from an origin of the trace's own.
    pub(super) fn picoseconds(self, index: u64, stamp: Stamp) -> u128 {
        match self {
            TraceClock::Recorded(unit) => {
                let unit = u128::from(unit.as_ps());
                let fraction = unit * u128::from(stamp.billionths) / 1_000_000_000;
                u128::from(stamp.whole) * unit + fraction
            }
            TraceClock::Even(apart) => u128::from(apart.as_ps()) * u128::from(index),
        }
    }
}

/// A time stamp: exact to the ninth decimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) whole: u64,
    pub(super) billionths: u32,
}

impl Stamp {
    /// Reads a decimal number that is not negative.
    pub(super) fn parse(text: &str) -> Option<Stamp> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let whole = whole.parse().ok()?;
        let digits = fraction.bytes().map(|byte| byte.is_ascii_digit().then(|| byte - b'0'));
        let mut billionths = 0;
        for (place, digit) in digits.enumerate() {
            if place < 9 {
                billionths += u32::from(digit?) * 10_u32.pow(8 - place as u32);
            } else {
                digit?;
            }
        }
        Some(Stamp { whole, billionths })
    }
}

/// Times relative to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    clock: TraceClock,
    first: Option<u128>,
    requests: u64,
}

impl Relative {
    pub(super) fn new(clock: TraceClock) -> Self {
        Relative { clock, first: None, requests: 0 }
    }

    /// The time of the next request, whose stamp is `stamp`.
    pub(super) fn next(&mut self, stamp: Stamp) -> Result<Time, Problem> {
        let at = self.clock.picoseconds(self.requests, stamp);
        self.requests += 1;
        let first = *self.first.get_or_insert(at);
        let since = at.checked_sub(first).ok_or(Problem::BeforeFirst)?;
        let ps = u64::try_from(since).ok().filter(|ps| *ps <= LATEST.as_ps());
        ps.map(Time::from_ps).ok_or(Problem::TooLate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_exact() {
        let stamp = |text| Stamp::parse(text).map(|stamp| (stamp.whole, stamp.billionths));
        assert_eq!(stamp("5633898"), Some((5_633_898, 0)));
        assert_eq!(stamp("1.5"), Some((1, 500_000_000)));
        assert_eq!(stamp("0.0000000019"), Some((0, 1)));
        assert!(
            ["", "-1", "x", "1.x", "1.0000000000x", "1e3", "1. 3", "1./"]
                .iter()
                .all(|text| stamp(text).is_none())
        );
    }

    #[test]
    fn times_count_from_the_first() {
        let mut clock = Relative::new(TraceClock::Recorded(Duration::from_ms(1)));
        let mut at = |whole| clock.next(Stamp { whole, billionths: 0 });
        assert_eq!(at(100), Ok(Time::ZERO));
        assert_eq!(at(103), Ok(Time::from_ps(3_000_000_000)));
        assert_eq!(at(99), Err(Problem::BeforeFirst));
        let latest = LATEST.as_ps() / 1_000_000_000;
        assert!(at(100 + latest).is_ok());
        assert_eq!(at(101 + latest), Err(Problem::TooLate));
        assert_eq!(at(u64::MAX), Err(Problem::TooLate));
    }
}
