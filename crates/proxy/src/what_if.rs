//! Caches that could be instead: other policies, other sizes, fed by the real stream of requests.
//!
//! Each follows the same part of all objects, chosen by their hashes (SHARDS: Waldspurger et al.,
//! FAST '15), and has that part of its size. It holds no bodies, only which objects would be cached
//! and which fetches under way; how long a fetch takes and how large its answer is it learns from
//! the real ones. The first of them is the real cache's own policy and size, so that all that is
//! compared is measured alike.
//!
//! Not modelled: that answers become stale, and requests for what cannot be cached (they are not
//! counted). O(1) a request and cache, for one request in `1 / sample`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forebay_cache::order::{OrderConfig, Slot};
use forebay_cache::policies::{
    Access, BoxedPolicy, LastRequest, ObjectArrival, PolicyConfig, SetConfig, policies,
};
use forebay_cache::{ArrivalOutcome, Foresight, Future, ObjectId, Set};
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

struct Flight {
    began: u64,
    /// When it ends, once that is known.
    ends: Option<u64>,
    /// Delayed hits, and the sum of the instants when they came.
    waiters: u32,
    since: u128,
    last: LastRequest,
    space: u64,
}

struct Cache {
    set: Set<BoxedPolicy>,
    slots: HashMap<u64, Slot>,
    flights: HashMap<u64, Flight>,
    /// Ends of fetches that are known, the next first.
    due: BinaryHeap<Reverse<(u64, u64)>>,
    open: usize,
    done: Shadow,
}

/// What is known of an object: its bytes, and how long its last fetch took.
#[derive(Clone, Copy)]
struct Known {
    space: u64,
    z: u64,
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
                caches.push(Cache::new(key, policy.clone(), size, what.sample)?);
            }
        }
        let state = State { caches, known: [HashMap::new(), HashMap::new()], now: 0 };
        let below =
            if what.sample >= 1.0 { u64::MAX } else { (what.sample * u64::MAX as f64) as u64 };
        Ok(WhatIf { state: Mutex::new(state), start: Instant::now(), below })
    }

    fn follows(&self, key: u128) -> bool {
        (key >> 64) as u64 <= self.below
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        state.now = state.now.max(now);
        state
    }

    /// A request for `key` has come.
    pub(crate) fn request(&self, key: u128) {
        if self.follows(key) {
            self.state().request(object(key));
        }
    }

    /// A fetch of `key` has ended.
    pub(crate) fn landed(&self, key: u128, bytes: u64, z: Duration) {
        if self.follows(key) {
            let z = u64::try_from(z.as_nanos()).unwrap_or(u64::MAX);
            self.state().landed(object(key), Known { space: bytes, z });
        }
    }

    /// What was asked for as `key` cannot be cached.
    pub(crate) fn forget(&self, key: u128) {
        if self.follows(key) {
            self.state().forget(object(key));
        }
    }

    /// What they have done; the first is like the real cache.
    pub(crate) fn shadows(&self) -> Vec<Shadow> {
        self.state().caches.iter().map(|cache| cache.done.clone()).collect()
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
    fn new(key: &str, policy: String, size: u64, sample: f64) -> Result<Self, ConfigError> {
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
        if let Some(slot) = self.slots.get(&object) {
            self.set.hit(*slot, &access);
            self.done.requests += 1;
            self.done.hits += 1;
            return;
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
        let ends = known.map(|known| now.saturating_add(known.z));
        if let Some(ends) = ends {
            self.due.push(Reverse((ends, object)));
        }
        let flight = Flight {
            began: now,
            ends,
            waiters: 0,
            since: 0,
            last: LastRequest::miss(at(now), number),
            space: known.map_or(0, |known| known.space),
        };
        self.flights.insert(object, flight);
    }

    /// The real fetch tells how long one of unknown length takes.
    fn learn(&mut self, object: u64, known: Known) {
        let Some(flight) = self.flights.get_mut(&object) else { return };
        if flight.ends.is_none() {
            let ends = flight.began.saturating_add(known.z);
            flight.ends = Some(ends);
            flight.space = known.space;
            self.open -= 1;
            self.due.push(Reverse((ends, object)));
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
        let delay = u64::try_from(waited + u128::from(ends - flight.began)).unwrap_or(u64::MAX);
        self.done.requests += u64::from(flight.waiters) + 1;
        self.done.delayed_hits += u64::from(flight.waiters);
        self.done.waited += Duration::from_nanos(delay);
        let arrival = ObjectArrival {
            at: at(ends),
            object: ObjectId(object),
            size: Bytes::new(flight.space),
            space: flight.space.max(1),
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
            self.slots.insert(object, slot);
        }
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
        run(&what_if, 10, |state| state.landed(7, Known { space: 100, z: 10 }));
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
