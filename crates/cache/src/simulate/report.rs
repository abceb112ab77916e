//! What a simulation counts. Latencies are exact sums in picoseconds.

use forebay_units::{Bytes, Duration};

use crate::model::{RequestOutcome, STEP};

/// Counts and latencies since the beginning.
///
/// Every request is exactly one of hit, delayed hit and miss; every miss starts one fetch, which
/// ends in one admission or bypass; every request that is not a hit waits, and is answered when its
/// fetch ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    /// Requests.
    pub requests: u64,
    /// True hits.
    pub hits: u64,
    /// Delayed hits.
    pub delayed_hits: u64,
    /// Misses, each of which starts a fetch.
    pub misses: u64,
    /// Requests that waited and were answered.
    pub answered: u64,
    /// Fetches whose data was admitted.
    pub admissions: u64,
    /// Fetches whose data was bypassed.
    pub bypasses: u64,
    /// Objects that made room.
    pub evictions: u64,
    /// Picoseconds that misses waited.
    pub miss_latency_ps: u128,
    /// Picoseconds that delayed hits waited.
    pub delayed_latency_ps: u128,
    /// Bytes asked for.
    pub requested_bytes: u128,
    /// Bytes fetched: what the backing store's link carries.
    pub fetched_bytes: u128,
}

impl CacheReport {
    #[inline]
    pub(super) fn count(&mut self, outcome: RequestOutcome, size: Bytes) {
        let bytes = u128::from(size.get());
        self.requests += 1;
        self.requested_bytes += bytes;
        match outcome {
            RequestOutcome::Hit => self.hits += 1,
            RequestOutcome::DelayedHit { latency } => {
                self.delayed_hits += 1;
                self.delayed_latency_ps += u128::from(latency.as_ps());
            }
            RequestOutcome::Miss { latency } => {
                self.misses += 1;
                self.miss_latency_ps += u128::from(latency.as_ps());
                self.fetched_bytes += bytes;
            }
        }
    }

    /// The total latency in picoseconds (Eq. 2.12).
    #[must_use]
    pub fn total_latency_ps(&self) -> u128 {
        self.miss_latency_ps + self.delayed_latency_ps
    }

    /// The mean latency of a request; zero if there is none.
    #[must_use]
    pub fn mean_latency(&self) -> Duration {
        let mean = self.total_latency_ps() / u128::from(self.requests.max(1));
        Duration::from_ps(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The mean latency of a request in time steps.
    #[must_use]
    pub fn mean_steps(&self) -> f64 {
        self.total_latency_ps() as f64 / self.requests.max(1) as f64 / STEP.as_ps() as f64
    }

    /// True hits per request.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        self.share(self.hits)
    }

    /// Misses per request: what the backing store sees.
    #[must_use]
    pub fn miss_rate(&self) -> f64 {
        self.share(self.misses)
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.requests.max(1) as f64
    }
}
