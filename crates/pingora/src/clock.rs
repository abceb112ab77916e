//! The time: nanoseconds since the cache was built. The only place in the crate that reads it.

use std::time::Instant;

use forebay_units::Time;

/// Nanoseconds since the cache was built; 64 bits of them last 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nanos(pub(crate) u64);

impl Nanos {
    pub(crate) fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }

    /// The instant that a policy is given. Policies only compare spans with spans, so one of their
    /// picoseconds may be a nanosecond here; otherwise 64 bits would last 213 days.
    pub(crate) fn policy_time(self) -> Time {
        Time::from_ps(self.0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn new() -> Self {
        Clock(Instant::now())
    }

    pub(crate) fn now(self) -> Nanos {
        Nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}
