//! The time: nanoseconds since the cache was built.
//!
//! This is the only place in the crate that reads a clock. A [`ManualClock`] replaces it, in tests
//! and wherever time comes from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use forebay_units::Time;

/// Nanoseconds since the cache was built; 64 bits of them last 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nanos(pub(crate) u64);

impl Nanos {
    /// Never.
    pub(crate) const MAX: Nanos = Nanos(u64::MAX);

    pub(crate) fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }

    pub(crate) fn plus(self, span: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(span.0))
    }

    /// The instant that a policy is given. Policies only compare spans with spans, so their clock
    /// may tick in any unit: here one of their picoseconds is a nanosecond, since otherwise 64 bits
    /// would last 213 days.
    pub(crate) fn policy_time(self) -> Time {
        Time::from_ps(self.0)
    }
}

impl From<Duration> for Nanos {
    fn from(span: Duration) -> Self {
        Nanos(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX))
    }
}

/// A clock that stands still until it is advanced; clones share one time.
///
/// ```
/// use std::time::Duration;
/// use forebay_fetch_cache::{Cache, ManualClock};
///
/// let clock = ManualClock::default();
/// let cache = Cache::builder(10).time_to_live(Duration::from_secs(60)).clock(&clock).build()?;
/// cache.insert("a", 1);
/// clock.advance(Duration::from_secs(59));
/// assert_eq!(cache.get(&"a"), Some(1));
/// clock.advance(Duration::from_secs(1));
/// assert_eq!(cache.get(&"a"), None);
/// # Ok::<(), forebay_fetch_cache::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock {
    nanos: Arc<AtomicU64>,
}

impl ManualClock {
    /// Advances the clock by `span`.
    pub fn advance(&self, span: Duration) {
        self.nanos.fetch_add(Nanos::from(span).0, Ordering::SeqCst);
    }
}

/// Where a cache takes its time from.
#[derive(Clone, Debug)]
pub(crate) enum Clock {
    System(Instant),
    Manual(ManualClock),
}

impl Clock {
    pub(crate) fn system() -> Self {
        Clock::System(Instant::now())
    }

    #[inline]
    pub(crate) fn now(&self) -> Nanos {
        match self {
            Clock::System(start) => start.elapsed().into(),
            Clock::Manual(clock) => Nanos(clock.nanos.load(Ordering::SeqCst)),
        }
    }
}
