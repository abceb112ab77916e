//! When cached values expire.

use std::time::Duration;

use crate::clock::Nanos;
use crate::sync::{AtomicU64, Ordering};

/// The two limits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expiry {
    live: Option<Nanos>,
    idle: Option<Nanos>,
}

/// What one value's age is computed from.
pub(crate) struct Lifetime {
    born: Nanos,
    used: AtomicU64,
}

impl Expiry {
    pub(crate) fn new(live: Option<Duration>, idle: Option<Duration>) -> Self {
        Expiry { live: live.map(Nanos::from), idle: idle.map(Nanos::from) }
    }

    /// Whether anything ever expires.
    #[inline]
    pub(crate) fn happens(&self) -> bool {
        self.live.is_some() || self.idle.is_some()
    }

    /// The life of a value inserted at `now`.
    pub(crate) fn begin(&self, now: Nanos) -> Lifetime {
        Lifetime { born: now, used: AtomicU64::new(now.0) }
    }

    /// Whether it has expired at `now`, its limit included.
    pub(crate) fn is_over(&self, life: &Lifetime, now: Nanos) -> bool {
        let used = Nanos(life.used.load(Ordering::Relaxed));
        let over = |since: Nanos, limit: Option<Nanos>| {
            limit.is_some_and(|limit| now >= since.plus(limit) && limit < Nanos::MAX)
        };
        over(life.born, self.live) || over(used, self.idle)
    }

    /// The value was used at `now`.
    pub(crate) fn touch(&self, life: &Lifetime, now: Nanos) {
        if self.idle.is_some() {
            life.used.fetch_max(now.0, Ordering::Relaxed);
        }
    }
}
