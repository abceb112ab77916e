//! What a cache has done.

use std::time::Duration;

use crate::clock::Nanos;

/// What a cache has done since it was built. Counts only grow; sizes are of now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Requests that found a whole body, fresh.
    pub hits: u64,
    /// Requests that found a whole body that was stale: they are served while it is renewed, or
    /// renew it, or wait for that.
    pub stale: u64,
    /// Requests that waited for someone else's fetch, or read its body while it arrived.
    pub delayed_hits: u64,
    /// Fetches of what was not cached.
    pub misses: u64,
    /// Fetches to renew what was cached but stale.
    pub renewals: u64,
    /// Fetches that ended with a whole body.
    pub fetched: u64,
    /// How long these took, in all.
    pub fetch_time: Duration,
    /// How long requests waited for them, in all: each miss its fetch, each delayed hit what was
    /// left of it (thesis Eq. 2.13).
    pub waited: Duration,
    /// Bodies cached.
    pub insertions: u64,
    /// Bodies that made room for others.
    pub evictions: u64,
    /// Bodies not cached: the policy said no, they were too large, or removed while they arrived.
    pub bypasses: u64,
    /// Fetches that ended without an answer that can be shared, so that another leads.
    pub failures: u64,
    /// Fetches whose answer must not be cached: everyone who waited fetches for himself.
    pub given_up: u64,
    /// Requests that were not allowed to wait, because too many did.
    pub refused: u64,
    /// Answers that were passed on uncached, because too many bodies were on their way.
    pub no_room: u64,
    /// Bodies lost to files that could not be written.
    pub write_errors: u64,
    /// Bodies lost to files that were damaged or gone.
    pub damaged: u64,
    /// What is cached now.
    pub objects: u64,
    /// What it takes of the capacity.
    pub bytes: u64,
    /// Bytes of bodies on their way now, and room that is kept for their rest.
    pub bytes_arriving: u64,
    /// How many wait now for a fetch to begin to answer.
    pub waiting: u64,
}

impl Stats {
    pub(crate) fn landed(&mut self, z: Nanos, delay: Nanos) {
        self.fetched += 1;
        self.fetch_time += Duration::from_nanos(z.0);
        self.waited += Duration::from_nanos(delay.0);
    }
}
