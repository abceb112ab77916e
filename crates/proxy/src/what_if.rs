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

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_cache::order::{OrderConfig, Slot};
use forebay_cache::policies::{
    Access, BoxedPolicy, LastRequest, ObjectArrival, PolicyConfig, SetConfig, policies,
};
use forebay_cache::{ArrivalOutcome, Foresight, Future, ObjectId, Set};
use forebay_pingora::largest_by_default;
use forebay_units::{Bytes, Duration as Span, Time};

use crate::config::{CacheConfig, ConfigError, WhatIfConfig};

/// How many objects' sizes and fetch times are remembered, at least.
const REMEMBERED: usize = 200_000;
/// How many fetches of unknown length a cache follows at most.
const MOST_OPEN: usize = 100_000;

/// What one of them has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shadow {
    /// The policy.
    pub(crate) policy: String,
    /// The size that it stands for, in bytes.
    pub(crate) size: u64,
    /// Requests that it has seen: those for the objects that it follows.
    pub(crate) requests: u64,
    /// Requests that found what they asked for.
    pub(crate) hits: u64,
    /// Requests that waited for a fetch under way.
    pub(crate) delayed_hits: u64,
    /// Requests that waited for what was stale to be renewed, each the first to do so.
    pub(crate) renewals: u64,
    /// How long requests waited, in all.
    pub(crate) waited: Duration,
}

impl Shadow {
    /// How long a request waits on average.
    #[must_use]
    pub(crate) fn mean_wait(&self) -> Duration {
        let nanos = self.waited.as_nanos() / u128::from(self.requests.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// Why there is a fetch under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Missing,
    /// What is cached is stale, and a request waits for what is new.
    Stale,
    /// What is cached is stale, and served meanwhile.
    Background,
}

struct Flight {
    why: Why,
    began: u64,
    /// When it ends, once that is known.
    ends: Option<u64>,
    /// Delayed hits, and the sum of the instants when they came.
    waiters: u32,
    since: u128,
    last: LastRequest,
    known: Known,
    /// Whether the real cache has been told meanwhile not to keep it.
    removed: bool,
}

/// What is cached, and until when it is fresh.
struct Cached {
    slot: Slot,
    fresh_until: u64,
    /// Until when it may be served while it is renewed.
    served_until: u64,
}

struct Cache {
    set: Set<BoxedPolicy>,
    /// The largest answer that it takes.
    largest: u64,
    slots: HashMap<u64, Cached>,
    flights: HashMap<u64, Flight>,
    /// Ends of fetches that are known, the next first.
    due: BinaryHeap<Reverse<(u64, u64)>>,
    open: usize,
    done: Shadow,
}

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

    /// A request for `key` has come.
    pub(crate) fn request(&self, key: u128) {
        self.follow(key, State::request);
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

    fn removed(&mut self, object: u64) {
        for cache in &mut self.caches {
            cache.advance(self.now);
            cache.remove(object);
        }
    }

    fn cleared(&mut self) {
        for cache in &mut self.caches {
            let objects: Vec<u64> = cache.slots.keys().copied().collect();
            objects.into_iter().for_each(|object| cache.remove(object));
        }
    }

    fn forget(&mut self, object: u64) {
        for cache in &mut self.caches {
            if cache.flights.get(&object).is_some_and(|flight| flight.ends.is_none()) {
                cache.flights.remove(&object);
                cache.open -= 1;
            }
        }
    }
}

fn at(nanos: u64) -> Time {
    // As in the real cache, one of a policy's picoseconds is a nanosecond.
    Time::from_ps(nanos)
}

impl Cache {
    /// One that `key` of a configuration asks for.
    fn new(
        key: &str,
        policy: String,
        size: u64,
        sample: f64,
        largest: u64,
    ) -> Result<Self, ConfigError> {
        let wrong = |problem: String| ConfigError::of(key, &policy, problem);
        let choice =
            policies().named(&policy).cloned().map_err(|error| wrong(error.to_string()))?;
        let build =
            choice.build(&PolicyConfig::default()).map_err(|error| wrong(error.to_string()))?;
        let capacity = ((size as f64 * sample) as u64).max(1);
        let built = build(&SetConfig { index: 0, capacity, order: OrderConfig::default() });
        if built.needs() != Foresight::None {
            return Err(wrong("it needs the future, which no proxy knows: choose another".into()));
        }
        if built.remembers_all() {
            return Err(wrong("it remembers all it has ever seen: choose another".into()));
        }
        Ok(Cache {
            set: Set::new(capacity, built),
            largest,
            slots: HashMap::new(),
            flights: HashMap::new(),
            due: BinaryHeap::new(),
            open: 0,
            done: Shadow { policy, size, ..Shadow::default() },
        })
    }

    fn request(&mut self, object: u64, known: Option<Known>, now: u64) {
        let id = ObjectId(object);
        let access = Access { at: at(now), object: id, next: Future::Unknown, delay: None };
        let mut why = Why::Missing;
        if let Some(Cached { slot, fresh_until, served_until }) = self.slots.get(&object) {
            if now < *fresh_until.max(served_until) {
                self.set.hit(*slot, &access);
                self.done.requests += 1;
                self.done.hits += 1;
                if now < *fresh_until || self.flights.contains_key(&object) {
                    return;
                }
                why = Why::Background;
            } else {
                why = Why::Stale;
            }
        }
        if let Some(flight) = self.flights.get_mut(&object) {
            let number = self.set.absent(&access);
            flight.last = flight.last.then(at(now), number);
            flight.waiters += 1;
            flight.since += u128::from(now);
            return;
        }
        if known.is_none() {
            if self.open >= MOST_OPEN {
                return;
            }
            self.open += 1;
        }
        let number = self.set.absent(&access);
        let mut flight = Flight {
            why,
            began: now,
            ends: None,
            waiters: 0,
            since: 0,
            last: LastRequest::miss(at(now), number),
            known: Known::default(),
            removed: false,
        };
        if let Some(known) = known {
            self.due.push(Reverse((flight.learn(known), object)));
        }
        self.flights.insert(object, flight);
    }

    /// The real fetch tells how long one of unknown length takes.
    fn learn(&mut self, object: u64, known: Known) {
        let Some(flight) = self.flights.get_mut(&object) else { return };
        if flight.ends.is_none() {
            self.open -= 1;
            self.due.push(Reverse((flight.learn(known), object)));
        }
    }

    fn remove(&mut self, object: u64) {
        if let Some(cached) = self.slots.remove(&object) {
            self.set.remove(cached.slot);
        }
        if let Some(flight) = self.flights.get_mut(&object) {
            flight.removed = true;
        }
    }

    /// Lets end what has ended by `now`.
    fn advance(&mut self, now: u64) {
        while let Some(Reverse((ends, object))) = self.due.peek().copied()
            && ends <= now
        {
            self.due.pop();
            let Some(flight) = self.flights.remove(&object) else { continue };
            self.end(object, flight, ends);
        }
    }

    fn end(&mut self, object: u64, flight: Flight, ends: u64) {
        let waited = (u128::from(flight.waiters) * u128::from(ends)).saturating_sub(flight.since);
        // In the background nobody waits for the fetch from its beginning.
        let first = flight.why != Why::Background;
        let own = if first { ends - flight.began } else { 0 };
        let delay = u64::try_from(waited + u128::from(own)).unwrap_or(u64::MAX);
        self.done.requests += u64::from(flight.waiters) + u64::from(first);
        self.done.delayed_hits += u64::from(flight.waiters);
        self.done.renewals += u64::from(flight.why == Why::Stale);
        self.done.waited += Duration::from_nanos(delay);
        let fresh_until = ends.saturating_add(flight.known.ttl);
        let served_until = fresh_until.saturating_add(flight.known.served);
        if flight.why != Why::Missing {
            // If it was evicted meanwhile, there is nothing to renew any more.
            if let Some(cached) = self.slots.get_mut(&object) {
                (cached.fresh_until, cached.served_until) = (fresh_until, served_until);
            }
            return;
        }
        let space = flight.known.space.max(1);
        if flight.removed || space > self.largest {
            return;
        }
        let arrival = ObjectArrival {
            at: at(ends),
            object: ObjectId(object),
            size: Bytes::new(space),
            space,
            requested: at(flight.began),
            last: flight.last,
            waiters: flight.waiters + 1,
            aggregate_delay: Span::from_ps(delay),
            next: Future::Unknown,
            delay: None,
        };
        let slots = &mut self.slots;
        let outcome = self.set.admit(&arrival, |_, gone| {
            slots.remove(&gone.0);
        });
        if let ArrivalOutcome::Admitted(slot) = outcome {
            self.slots.insert(object, Cached { slot, fresh_until, served_until });
        }
    }
}

impl Flight {
    /// It takes as long as the real one; returns when it ends.
    fn learn(&mut self, known: Known) -> u64 {
        let span = if self.why == Why::Missing { known.z } else { known.renewal };
        let ends = self.began.saturating_add(span);
        (self.ends, self.known) = (Some(ends), known);
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn what_if(policies: &[&str], sizes: &[u64], size: u64, sample: f64) -> WhatIf {
        let mut config = Config::of_origin("http://127.0.0.1:1").unwrap();
        config.cache.size = size;
        config.what_if.policies = policies.iter().map(|&name| name.to_owned()).collect();
        config.what_if.sizes = sizes.to_vec();
        config.what_if.sample = sample;
        WhatIf::new(&config.what_if, &config.cache).unwrap()
    }

    /// Takes `space` and `z`, and is fresh for long.
    fn known(space: u64, z: u64) -> Known {
        Known { space, z, renewal: z, ttl: 1 << 40, served: 0 }
    }

    fn run(what_if: &WhatIf, at: u64, step: impl FnOnce(&mut State)) {
        let mut state = what_if.state.lock().unwrap();
        state.now = at;
        step(&mut state);
    }

    #[test]
    fn hits_delayed_hits_and_misses_are_those_of_the_model() {
        let what_if = what_if(&["lru"], &[1], 1000, 1.0);
        run(&what_if, 0, |state| state.request(7));
        run(&what_if, 4, |state| state.request(7));
        run(&what_if, 10, |state| state.landed(7, known(100, 10)));
        run(&what_if, 12, |state| state.request(7));
        let shadows = what_if.state.lock().unwrap();
        let done: Vec<_> = shadows.caches.iter().map(|cache| &cache.done).collect();
        // Waited 10 and 6; then a hit, except where there is room for a byte alone.
        assert_eq!((done[0].requests, done[0].hits, done[0].delayed_hits), (3, 1, 1));
        assert_eq!(done[0].waited, Duration::from_nanos(16));
        assert_eq!((done[2].requests, done[2].hits, done[2].size), (2, 0, 1));
        drop(shadows);
        // The fetch that the small one has under way ends when the last real one took so long.
        run(&what_if, 30, |state| state.request(8));
        assert_eq!(what_if.state.lock().unwrap().caches[2].done.waited, Duration::from_nanos(26));
    }

    #[test]
    fn what_is_stale_is_renewed_and_may_be_served_meanwhile() {
        let what_if = what_if(&[], &[], 1000, 1.0);
        let done = || what_if.state.lock().unwrap().caches[0].done.clone();
        let fresh = |left: u64, served: u64| {
            let [left, served] = [left, served].map(Duration::from_nanos);
            Fresh { left, served }
        };
        // Fetched by 10, fresh until 30.
        run(&what_if, 0, |state| state.request(7));
        run(&what_if, 10, |state| state.landed(7, Known { ttl: 20, ..known(100, 10) }));
        run(&what_if, 29, |state| state.request(7));
        assert_eq!((done().requests, done().hits), (2, 1));
        // One renews it, which takes as long as the fetch did, and one waits: 10 and 6.
        run(&what_if, 30, |state| state.request(7));
        run(&what_if, 34, |state| state.request(7));
        run(&what_if, 40, |state| state.request(7));
        let now = done();
        assert_eq!((now.requests, now.hits, now.delayed_hits, now.renewals), (5, 2, 1, 1));
        assert_eq!(now.waited, Duration::from_nanos(10 + 10 + 6));
        // The real one took 3, and may be served for 100 more after its time.
        run(&what_if, 41, |state| state.renewed(7, 3, fresh(20, 100)));
        // Stale since 60: renewed once, by 73, and those who come meanwhile wait.
        for at in [70, 72, 73, 94, 95, 96] {
            run(&what_if, at, |state| state.request(7));
        }
        let now = done();
        // Fresh until 93: from then on it is served at once, and renewed in the background.
        assert_eq!((now.requests, now.hits, now.delayed_hits, now.renewals), (11, 6, 2, 2));
        assert_eq!(now.waited, Duration::from_nanos(26 + 3 + 1));
        // What was removed is fetched again.
        run(&what_if, 98, |state| state.removed(7));
        run(&what_if, 99, |state| state.request(7));
        run(&what_if, 120, |state| state.request(7));
        assert_eq!((done().requests, done().hits, done().renewals), (13, 7, 2));
    }

    #[test]
    fn what_cannot_be_cached_counts_for_nothing() {
        let what_if = what_if(&[], &[], 1000, 1.0);
        for at in 0..10 {
            run(&what_if, at, |state| state.request(at % 2));
            run(&what_if, at, |state| state.forget(at % 2));
        }
        let state = what_if.state.lock().unwrap();
        assert_eq!((state.caches[0].done.requests, state.caches[0].open), (0, 0));
        assert!(state.caches[0].flights.is_empty());
    }

    #[test]
    fn a_sample_follows_its_part_of_the_objects() {
        let what_if = what_if(&[], &[], 1000, 0.05);
        let mix = |number: u128| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let followed = (0..100_000).filter(|number| what_if.follows(mix(*number))).count();
        assert!((4000..6000).contains(&followed), "{followed}");
    }

    #[test]
    fn a_policy_that_cannot_be_is_refused_by_its_name() {
        let refused = |set: fn(&mut Config, String), name: &str| {
            let mut config = Config::of_origin("http://127.0.0.1:1").unwrap();
            set(&mut config, name.to_owned());
            WhatIf::new(&config.what_if, &config.cache).err().unwrap().to_string()
        };
        for (name, said) in [
            ("lru-nad", "no cache policy"),
            ("belady", "needs the future"),
            ("lru-ad", "needs the future"),
            ("lru-mad-all", "remembers all"),
        ] {
            let error = refused(|config, name| config.what_if.policies = vec![name], name);
            assert!(error.contains(said) && error.contains("what_if.policies"), "{error}");
            let error = refused(|config, name| config.cache.policy = name, name);
            assert!(error.contains(said) && error.contains("cache.policy"), "{error}");
        }
    }

    #[test]
    fn no_cache_is_followed_twice() {
        let real = Config::of_origin("http://127.0.0.1:1").unwrap().cache.policy;
        let what_if = what_if(&["lru", &real, "lru"], &[7, 1000, 7], 1000, 1.0);
        let of = |shadow: Shadow| (shadow.policy, shadow.size);
        let lru = "lru".to_owned();
        let expected = [(real.clone(), 1000), (lru, 1000), (real, 7)];
        assert_eq!(what_if.shadows().into_iter().map(of).collect::<Vec<_>>(), expected);
    }
}
