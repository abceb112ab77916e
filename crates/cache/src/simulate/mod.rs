//! The simulator: requests go in one by one, outcomes come out (thesis §2.1, §2.3.2).
//!
//! It is driven by its requests, keeps nothing of the past, and reads no clock: memory is that of
//! the cached objects and of the fetches on their way, however long the trace. The order of events
//! within an instant is that of the [model](crate::model). O(1) expected a request besides the
//! policy, O(log f) where fetches complete in another order than they began, f being on their way.
//! Memory: 17 to 34 bytes an object for the index, 16 in its set, and what the policy keeps; about
//! 150 bytes a fetch.

mod fetches;
mod report;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use forebay_units::Time;
use thiserror::Error;

use crate::hash::MixHash;
use crate::model::{
    Action, BackingStore, CacheGeometry, Decision, Foresight, GeometryError, ObjectId, Request,
    RequestOutcome, Schedule, set_of,
};
use crate::order::{LATEST, OrderConfig, Slot};
use crate::policies::{Access, CachePolicy, SetConfig};
use crate::set::{ArrivalOutcome, Set};
use fetches::{Fetch, Fetches};
pub use report::CacheReport;

/// Where an object is: in a slot of its set, or on its way.
#[derive(Clone, Copy, Debug)]
enum Residency {
    Cached(Slot),
    Fetching(u32),
}

/// Why a request cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OfferError {
    /// Time goes back.
    #[error("request {index} is at {at}, before the one at {now}: sort the trace by time")]
    OutOfOrder {
        /// Its place, from 0.
        index: u64,
        /// The request's time.
        at: Time,
        /// The time of the request before it.
        now: Time,
    },
    /// Time runs out: ranks compare instants of 106 days at most.
    #[error(
        "request {index} at {at} is served after {LATEST}, the latest that ranks can compare: \
         shift the trace to begin at 0, or cut it"
    )]
    TooLate {
        /// Its place, from 0.
        index: u64,
        /// The request's time.
        at: Time,
    },
    /// The policy must be told of the future.
    #[error(
        "request {index} tells {has}, but the policy needs {needs}: load the trace and annotate \
         it, or choose a policy that needs no future"
    )]
    NeedsFuture {
        /// Its place, from 0.
        index: u64,
        /// What it tells.
        has: Foresight,
        /// What it should.
        needs: Foresight,
    },
}

/// A cache in front of a backing store, under a policy.
///
/// ```
/// use forebay_cache::policies::{PolicyConfig, policies};
/// use forebay_cache::{BackingStore, CacheGeometry, ObjectId, RequestOutcome, Request, Simulation, at_step, steps};
///
/// let lru = policies().named("lru")?.build(&PolicyConfig::default())?;
/// let mut cache = Simulation::new(CacheGeometry::objects(1), BackingStore::Constant(steps(10)), lru)?;
/// // The example of §2.1: a miss at 3, delayed hits at 5 and 11, and a hit once the data is there.
/// let latencies: Vec<u64> = [3, 5, 11, 13]
///     .map(|step| cache.offer(&Request::new(at_step(step), ObjectId(1))))
///     .into_iter()
///     .map(|outcome| Ok(outcome?.latency().as_ps() / steps(1).as_ps()))
///     .collect::<Result<_, forebay_cache::OfferError>>()?;
/// assert_eq!(latencies, [10, 8, 2, 0]);
/// assert_eq!((cache.report().misses, cache.report().delayed_hits, cache.report().hits), (1, 2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation<P> {
    geometry: CacheGeometry,
    store: BackingStore,
    sets: Vec<Set<P>>,
    index: HashMap<ObjectId, Residency, MixHash>,
    fetches: Fetches,
    now: Time,
    needs: Foresight,
    report: CacheReport,
    decisions: Option<Vec<Decision>>,
}

impl<P: CachePolicy> Simulation<P> {
    /// An empty cache whose sets each have a policy made by `build`.
    ///
    /// # Errors
    /// A [`GeometryError`] if the geometry is impossible.
    pub fn new(
        geometry: CacheGeometry,
        store: BackingStore,
        build: impl Fn(&SetConfig) -> P,
    ) -> Result<Self, GeometryError> {
        let count = geometry.sets()?;
        let order = OrderConfig::default();
        let sets: Vec<Set<P>> = (0..count)
            .map(|index| SetConfig { index, capacity: geometry.share(index, count), order })
            .map(|set| Set::new(set.capacity, build(&set)))
            .collect();
        let needs = sets.first().map_or(Foresight::None, |set| set.policy.needs());
        Ok(Simulation {
            geometry,
            store,
            sets,
            index: HashMap::default(),
            fetches: Fetches::default(),
            now: Time::ZERO,
            needs,
            report: CacheReport::default(),
            decisions: None,
        })
    }

    /// Keeps all decisions from now on, for [`schedule`](Self::schedule). 24 bytes each, without
    /// bound.
    pub fn keep_schedule(&mut self) {
        self.decisions.get_or_insert_default();
    }

    /// The decisions kept so far.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        Schedule { decisions: self.decisions.clone().unwrap_or_default() }
    }

    /// Serves the next request, after all data that arrives by then.
    ///
    /// # Errors
    /// An [`OfferError`], with nothing changed, if the request is earlier than one before it or
    /// tells too little of the future.
    #[inline]
    pub fn offer(&mut self, request: &Request) -> Result<RequestOutcome, OfferError> {
        self.check(request)?;
        self.advance(request.at);
        let access =
            Access { at: request.at, object: request.object, next: request.next, delay: None };
        let set = self.set_of(request.object);
        let set = &mut self.sets[set];
        let outcome = match self.index.entry(request.object) {
            Entry::Occupied(known) => match *known.get() {
                Residency::Cached(slot) => {
                    set.hit(slot, &access);
                    RequestOutcome::Hit
                }
                Residency::Fetching(fetch) => {
                    let number = set.absent(&access);
                    RequestOutcome::DelayedHit {
                        latency: self.fetches.join(fetch, request, number),
                    }
                }
            },
            Entry::Vacant(unknown) => {
                let number = set.absent(&access);
                let latency = self.store.fetch_latency(request);
                if latency > LATEST - request.at {
                    let index = self.report.requests;
                    return Err(OfferError::TooLate { index, at: request.at });
                }
                unknown.insert(Residency::Fetching(self.fetches.start(request, number, latency)));
                RequestOutcome::Miss { latency }
            }
        };
        self.report.count(outcome, request.size);
        Ok(outcome)
    }

    /// Lets time pass: delivers all data that arrives by `now`, which is not before the last
    /// request.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while let Some(fetch) = self.fetches.pop_until(now) {
            self.deliver(&fetch);
        }
        self.now = self.now.max(now);
    }

    /// Delivers all data that is on its way, and reports.
    pub fn finish(&mut self) -> CacheReport {
        while let Some(fetch) = self.fetches.pop_until(Time::MAX) {
            self.now = self.now.max(fetch.completes);
            self.deliver(&fetch);
        }
        self.report
    }

    /// What happened so far.
    #[must_use]
    pub fn report(&self) -> CacheReport {
        self.report
    }

    /// How much of the future each request must tell.
    #[must_use]
    pub fn needs(&self) -> Foresight {
        self.needs
    }

    /// How many objects are cached.
    #[must_use]
    pub fn cached(&self) -> usize {
        self.index.len() - self.fetches.len()
    }

    /// How many sets it has.
    #[must_use]
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Of how many objects it keeps something: they are cached, on their way or remembered by its
    /// policies. O(sets).
    #[must_use]
    pub fn kept(&self) -> usize {
        let remembered: usize = self.sets.iter().map(|set| set.policy.remembered()).sum();
        self.index.len() + remembered
    }

    /// How much of the capacity the cached ones take, in objects or bytes.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.sets.iter().map(|set| set.used).sum()
    }

    /// How many requests wait for data.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.fetches.waiting()
    }

    #[inline]
    fn check(&self, request: &Request) -> Result<(), OfferError> {
        let index = self.report.requests;
        if request.at < self.now {
            return Err(OfferError::OutOfOrder { index, at: request.at, now: self.now });
        }
        if request.at > LATEST {
            return Err(OfferError::TooLate { index, at: request.at });
        }
        let (has, needs) = (request.next.foresight(), self.needs);
        if has < needs {
            return Err(OfferError::NeedsFuture { index, has, needs });
        }
        Ok(())
    }

    #[inline]
    fn set_of(&self, object: ObjectId) -> usize {
        if self.sets.len() == 1 { 0 } else { set_of(object, self.sets.len() as u64) }
    }

    /// Answers those who wait for `fetch`, and admits its object or lets it pass.
    fn deliver(&mut self, fetch: &Fetch) {
        let object = fetch.object;
        let arrival = fetch.arrival(self.geometry.space(fetch.size));
        self.report.answered += u64::from(fetch.waiters);
        let set = self.set_of(object);
        let (index, report, kept) = (&mut self.index, &mut self.report, &mut self.decisions);
        let mut keep = |object, action| {
            if let Some(decisions) = kept {
                decisions.push(Decision { at: fetch.completes, object, action });
            }
        };
        let admission = self.sets[set].admit(&arrival, |_, evicted| {
            index.remove(&evicted);
            report.evictions += 1;
            keep(evicted, Action::Evict);
        });
        match admission {
            ArrivalOutcome::Admitted(slot) => {
                index.insert(object, Residency::Cached(slot));
                report.admissions += 1;
                keep(object, Action::Admit);
            }
            ArrivalOutcome::Bypassed => {
                index.remove(&object);
                report.bypasses += 1;
            }
        }
    }
}
