//! Caches that could be instead: other policies, other sizes, fed by the real stream of requests.
//!
//! Each follows the same part of all objects, chosen by their hashes (SHARDS: Waldspurger et al.,
//! FAST '15), and has that part of its size. It holds no bodies, only which objects would be cached
//! and which fetches under way; how long a fetch takes and how large its answer is it learns from
//! the real ones. The first of them is the real cache's own policy and size, so that all that is
//! compared is measured alike.
//!
//! What is cached is fresh for as long as the real cache's is. What is stale is renewed, which
//! takes as long as the last real renewal did; until then requests wait, or are served what is
//! stale where the answer allows it (RFC 5861), which counts as hits.
//!
//! Not modelled: variants of a URL (they are one object), what clients ask of caches, and that an
//! origin's failure lets what is stale be served. Requests for what cannot be cached are not
//! counted. O(1) a request and cache, for one request in `1 / sample`.

mod shadow;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_pingora::largest_by_default;

use crate::config::{CacheConfig, ConfigError, WhatIfConfig};

use shadow::Cache;
pub(crate) use shadow::Shadow;

/// How many objects' sizes and fetch times are remembered, at least.
const REMEMBERED: usize = 200_000;

/// What the real cache has told of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// What it takes of the capacity.
    space: u64,
    /// How long its last fetch took, and its last renewal, in nanoseconds.
    z: u64,
    renewal: u64,
    /// How long it is fresh then, and how long after that it is served while it is renewed.
    ttl: u64,
    served: u64,
}

impl Known {
    /// What was fetched in `z`: it takes `space`.
    pub(crate) fn fetched(space: u64, z: Duration, fresh: Fresh) -> Self {
        let z = nanos(z);
        Known { space, z, renewal: z, ttl: nanos(fresh.left), served: nanos(fresh.served) }
    }
}

/// How long an answer is fresh from now on, and served after that while it is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fresh {
    left: Duration,
    served: Duration,
}

impl Fresh {
    pub(crate) fn until(until: SystemTime, served: Duration) -> Self {
        Fresh { left: until.duration_since(SystemTime::now()).unwrap_or_default(), served }
    }
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

struct State {
    caches: Vec<Cache>,
    known: [HashMap<u64, Known>; 2],
    now: u64,
}

/// Caches that could be instead.
pub(crate) struct WhatIf {
    state: Mutex<State>,
    start: Instant,
    /// Objects with smaller hashes are followed.
    below: u64,
    /// How long all this took, in nanoseconds.
    spent: AtomicU64,
}

/// A request that the caches follow, until it is answered. Where it ends without an answer that
/// tells them how long a fetch takes, as when it is aborted, they count it no longer.
pub(crate) struct Asks {
    what_if: Arc<WhatIf>,
    key: u128,
    /// When it came, until it is answered.
    at: Option<u64>,
}

impl Asks {
    /// Its answer has told them, or will.
    pub(crate) fn answered(mut self) {
        self.at = None;
    }
}

impl Drop for Asks {
    fn drop(&mut self) {
        if let Some(at) = self.at {
            self.what_if.follow(self.key, |state, object| state.left(object, at));
        }
    }
}

/// What an object is known by: the upper half of its key decides whether it is followed.
fn object(key: u128) -> u64 {
    key as u64
}

impl WhatIf {
    pub(crate) fn new(what: &WhatIfConfig, real: &CacheConfig) -> Result<Self, ConfigError> {
        let others = what.policies.iter().map(|policy| ("what_if.policies", policy, real.size));
        let sizes = what.sizes.iter().map(|size| ("what_if.sizes", &real.policy, *size));
        let mut caches: Vec<Cache> = Vec::new();
        for (key, policy, size) in
            [("cache.policy", &real.policy, real.size)].into_iter().chain(others).chain(sizes)
        {
            let is_there = |other: &Cache| (&other.done.policy, other.done.size) == (policy, size);
            if !caches.iter().any(is_there) {
                let largest = real.largest.unwrap_or_else(|| largest_by_default(size));
                caches.push(Cache::new(key, policy.clone(), size, what.sample, largest)?);
            }
        }
        let state = State { caches, known: [HashMap::new(), HashMap::new()], now: 0 };
        let below =
            if what.sample >= 1.0 { u64::MAX } else { (what.sample * u64::MAX as f64) as u64 };
        let (state, spent) = (Mutex::new(state), AtomicU64::new(0));
        Ok(WhatIf { state, start: Instant::now(), below, spent })
    }

    fn follows(&self, key: u128) -> bool {
        (key >> 64) as u64 <= self.below
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now = state.now.max(nanos(self.start.elapsed()));
        state
    }

    /// Does `step` if `key` is followed, and counts the time that it takes.
    fn follow(&self, key: u128, step: impl FnOnce(&mut State, u64)) {
        if self.follows(key) {
            let began = Instant::now();
            step(&mut self.state(), object(key));
            self.spent.fetch_add(nanos(began.elapsed()), Ordering::Relaxed);
        }
    }

    /// A request for `key` has come; `None` if that is not followed.
    pub(crate) fn ask(this: &Arc<Self>, key: u128) -> Option<Asks> {
        let mut at = None;
        this.follow(key, |state, object| {
            state.request(object);
            at = Some(state.now);
        });
        at.is_some().then(|| Asks { what_if: this.clone(), key, at })
    }

    /// A fetch of `key` has ended.
    pub(crate) fn landed(&self, key: u128, known: Known) {
        self.follow(key, |state, object| state.landed(object, known));
    }

    /// The origin has said, after `took`, that what is cached for `key` still holds.
    pub(crate) fn renewed(&self, key: u128, took: Duration, fresh: Fresh) {
        self.follow(key, |state, object| state.renewed(object, nanos(took), fresh));
    }

    /// What was asked for as `key` cannot be cached.
    pub(crate) fn forget(&self, key: u128) {
        self.follow(key, State::forget);
    }

    /// What is cached for `key` was removed.
    pub(crate) fn removed(&self, key: u128) {
        self.follow(key, State::removed);
    }

    /// Everything was removed.
    pub(crate) fn cleared(&self) {
        self.state().cleared();
    }

    /// What they have done; the first is like the real cache.
    pub(crate) fn shadows(&self) -> Vec<Shadow> {
        let mut state = self.state();
        let now = state.now;
        state.caches.iter_mut().for_each(|cache| cache.advance(now));
        state.caches.iter().map(|cache| cache.done.clone()).collect()
    }

    /// How long following took in all.
    pub(crate) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Ordering::Relaxed))
    }
}

impl State {
    fn request(&mut self, object: u64) {
        let [new, old] = &self.known;
        let known = new.get(&object).or_else(|| old.get(&object)).copied();
        for cache in &mut self.caches {
            cache.advance(self.now);
            cache.request(object, known, self.now);
        }
    }

    fn landed(&mut self, object: u64, known: Known) {
        if self.known[0].len() >= REMEMBERED {
            self.known.swap(0, 1);
            self.known[0].clear();
        }
        self.known[0].insert(object, known);
        for cache in &mut self.caches {
            cache.learn(object, known);
            cache.advance(self.now);
        }
    }

    fn renewed(&mut self, object: u64, took: u64, fresh: Fresh) {
        let [new, old] = &self.known;
        let before = new.get(&object).or_else(|| old.get(&object)).copied();
        // Whoever does not know how long a fetch takes has nothing better than this.
        let before = before.unwrap_or(Known { z: took, ..Known::default() });
        let (ttl, served) = (nanos(fresh.left), nanos(fresh.served));
        self.landed(object, Known { renewal: took, ttl, served, ..before });
    }

    fn left(&mut self, object: u64, at: u64) {
        for cache in &mut self.caches {
            cache.leave(object, at);
        }
    }

    fn removed(&mut self, object: u64) {
        for cache in &mut self.caches {
            cache.advance(self.now);
            cache.remove(object);
        }
    }

    fn cleared(&mut self) {
        for cache in &mut self.caches {
            cache.advance(self.now);
            cache.clear();
        }
    }

    fn forget(&mut self, object: u64) {
        for cache in &mut self.caches {
            cache.forget(object);
        }
    }
}

#[cfg(test)]
mod tests;
