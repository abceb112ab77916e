//! One cache that could be instead: what would be in it, and which fetches would be under way.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

use forebay_cache::order::{OrderConfig, Slot};
use forebay_cache::policies::{
    Access, BoxedPolicy, LastRequest, ObjectArrival, PolicyConfig, SetConfig, policies,
};
use forebay_cache::{ArrivalOutcome, Foresight, Future, ObjectId, Set};
use forebay_units::{Bytes, Duration as Span, Time};

use super::Known;
use crate::config::ConfigError;

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
pub(super) enum Why {
    Missing,
    /// What is cached is stale, and a request waits for what is new.
    Stale,
    /// What is cached is stale, and served meanwhile.
    Background,
}

pub(super) struct Flight {
    pub(super) why: Why,
    pub(super) began: u64,
    /// When it ends, once that is known.
    pub(super) ends: Option<u64>,
    /// Delayed hits, and the sum of the instants when they came.
    pub(super) waiters: u32,
    pub(super) since: u128,
    pub(super) last: LastRequest,
    pub(super) known: Known,
    /// Whether the real cache has been told meanwhile not to keep it.
    pub(super) removed: bool,
}

/// What is cached, and until when it is fresh.
pub(super) struct Cached {
    pub(super) slot: Slot,
    pub(super) fresh_until: u64,
    /// Until when it may be served while it is renewed.
    pub(super) served_until: u64,
}

pub(super) struct Cache {
    pub(super) set: Set<BoxedPolicy>,
    /// The largest answer that it takes.
    pub(super) largest: u64,
    pub(super) slots: HashMap<u64, Cached>,
    pub(super) flights: HashMap<u64, Flight>,
    /// Ends of fetches that are known, the next first.
    pub(super) due: BinaryHeap<Reverse<(u64, u64)>>,
    pub(super) open: usize,
    pub(super) done: Shadow,
}

fn at(nanos: u64) -> Time {
    // As in the real cache, one of a policy's picoseconds is a nanosecond.
    Time::from_ps(nanos)
}

impl Cache {
    /// One that `key` of a configuration asks for.
    pub(super) fn new(
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

    pub(super) fn request(&mut self, object: u64, known: Option<Known>, now: u64) {
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
    pub(super) fn learn(&mut self, object: u64, known: Known) {
        let Some(flight) = self.flights.get_mut(&object) else { return };
        if flight.ends.is_none() {
            self.open -= 1;
            self.due.push(Reverse((flight.learn(known), object)));
        }
    }

    pub(super) fn remove(&mut self, object: u64) {
        if let Some(cached) = self.slots.remove(&object) {
            self.set.remove(cached.slot);
        }
        if let Some(flight) = self.flights.get_mut(&object) {
            flight.removed = true;
        }
    }

    pub(super) fn clear(&mut self) {
        let objects: Vec<u64> = self.slots.keys().chain(self.flights.keys()).copied().collect();
        objects.into_iter().for_each(|object| self.remove(object));
    }

    /// What was asked for as `object` cannot be cached: a fetch of unknown length is none.
    pub(super) fn forget(&mut self, object: u64) {
        if self.flights.get(&object).is_some_and(|flight| flight.ends.is_none()) {
            self.flights.remove(&object);
            self.open -= 1;
        }
    }

    /// A request that came at `at` waits for no fetch of unknown length any more. Which of those
    /// who wait it is, is not known: its part is taken to be the mean.
    pub(super) fn leave(&mut self, object: u64, at: u64) {
        let flight = self.flights.get_mut(&object);
        let open = flight.filter(|flight| flight.ends.is_none() && flight.began <= at);
        match open {
            Some(flight) if flight.waiters > 0 => {
                flight.since -= flight.since / u128::from(flight.waiters);
                flight.waiters -= 1;
            }
            Some(_) => self.forget(object),
            None => {}
        }
    }

    /// Lets end what has ended by `now`.
    pub(super) fn advance(&mut self, now: u64) {
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
