//! How long a fetch takes: Z (thesis §2.1).
//!
//! The paper's model has one Z; its prototype has three origins with a third of the object ids each
//! (§2.6.2, footnote 15). Open there, chosen here: what a fetch that varies in time is drawn from
//! (a fixed part plus an exponential one, as a queue on the way would add). O(1) a fetch.

use std::fmt::Debug;

use forebay_units::Duration;
use forebay_workload::random::{ChaCha8Rng, exponential, stream};

use super::{ObjectId, Request};
use crate::hash::mix;

/// Where objects come from when they are not cached.
///
/// ```
/// use forebay_cache::{BackingStore, ObjectId, Request, at_step, steps};
///
/// let mut origins = BackingStore::hashed_origins(vec![steps(68), steps(103), steps(226)], 1);
/// let request = Request::new(at_step(0), ObjectId(7));
/// assert_eq!(origins.fetch_latency(&request), origins.fetch_latency(&request));
/// ```
#[derive(Clone, Debug)]
pub enum BackingStore {
    /// Every fetch takes as long.
    Constant(Duration),
    /// As long as the request's origin takes; an origin without an entry takes as long as the last.
    PerOrigin(Vec<Duration>),
    /// Every object is at an origin that its id and a seed choose, evenly.
    HashedOrigin {
        /// How long each origin takes.
        latencies: Vec<Duration>,
        /// Another seed places objects elsewhere.
        seed: u64,
    },
    /// Every object has a latency of its own, spread evenly over a range by its id and a seed.
    PerObject {
        /// The shortest latency that an object may have.
        least: Duration,
        /// The longest latency that an object may have.
        most: Duration,
        /// Another seed spreads them otherwise.
        seed: u64,
    },
    /// Every fetch draws anew: a fixed part plus an exponential one.
    Sampled {
        /// What every fetch takes at least.
        least: Duration,
        /// The mean of the exponential part.
        mean_extra: Duration,
        /// Where the draws come from.
        draws: Box<ChaCha8Rng>,
    },
    /// A model of the store says how long each fetch takes.
    Modelled(Box<dyn FetchModel>),
}

/// A backing store with a state of its own, as a memory whose banks may be busy.
pub trait FetchModel: Debug + Send + Sync {
    /// How long the fetch that `request` starts now takes. Called in the order of time.
    fn fetch_latency(&mut self, request: &Request) -> Duration;

    /// How long it takes while nothing else is asked of the store.
    fn idle_latency(&self, request: &Request) -> Duration;

    /// A copy in the same state.
    fn boxed(&self) -> Box<dyn FetchModel>;
}

impl Clone for Box<dyn FetchModel> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl BackingStore {
    /// A [`BackingStore::HashedOrigin`].
    #[must_use]
    pub fn hashed_origins(latencies: Vec<Duration>, seed: u64) -> Self {
        BackingStore::HashedOrigin { latencies, seed }
    }

    /// A [`BackingStore::Sampled`] with the substream "fetch latency" of `seed`.
    #[must_use]
    pub fn sampled(least: Duration, mean_extra: Duration, seed: u64) -> Self {
        let draws = Box::new(stream(seed, "fetch latency", 0));
        BackingStore::Sampled { least, mean_extra, draws }
    }

    /// How long the fetch that `request` starts takes. Draws, where it is sampled.
    pub fn fetch_latency(&mut self, request: &Request) -> Duration {
        match self {
            BackingStore::Sampled { least, mean_extra, draws } => {
                let extra = mean_extra.as_ps() as f64 * exponential(draws.as_mut());
                *least + Duration::from_ps(extra as u64)
            }
            BackingStore::Modelled(model) => model.fetch_latency(request),
            BackingStore::Constant(_)
            | BackingStore::PerOrigin(_)
            | BackingStore::HashedOrigin { .. }
            | BackingStore::PerObject { .. } => self.mean_latency(request),
        }
    }

    /// How long a fetch that `request` starts takes on average: exactly, but where it is sampled,
    /// or (then of an idle store) modelled.
    #[must_use]
    pub fn mean_latency(&self, request: &Request) -> Duration {
        match self {
            BackingStore::Constant(latency) => *latency,
            BackingStore::PerOrigin(latencies) => {
                let last = latencies.last().copied().unwrap_or(Duration::ZERO);
                latencies.get(request.origin as usize).copied().unwrap_or(last)
            }
            BackingStore::HashedOrigin { latencies, seed } => {
                let origin = below(request.object, *seed, latencies.len() as u64) as usize;
                latencies.get(origin).copied().unwrap_or(Duration::ZERO)
            }
            BackingStore::PerObject { least, most, seed } => {
                let width = (*most - *least).as_ps().saturating_add(1);
                *least + Duration::from_ps(below(request.object, *seed, width))
            }
            BackingStore::Sampled { least, mean_extra, .. } => *least + *mean_extra,
            BackingStore::Modelled(model) => model.idle_latency(request),
        }
    }
}

/// A number below `bound` that `object` and `seed` choose, evenly.
fn below(object: ObjectId, seed: u64, bound: u64) -> u64 {
    ((u128::from(mix(object.0 ^ mix(seed))) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{at_step, steps};

    fn request(object: u64) -> Request {
        Request::new(at_step(0), ObjectId(object))
    }

    #[test]
    fn hashed_origins_are_even() {
        let mut store = BackingStore::hashed_origins(vec![steps(1), steps(2), steps(3)], 9);
        let mut counts = [0; 4];
        for object in 0..30_000 {
            counts[(store.fetch_latency(&request(object)).as_ps() / 1000) as usize] += 1;
        }
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
    }

    #[test]
    fn latencies_stay_in_their_range() {
        let mut store = BackingStore::PerObject { least: steps(5), most: steps(9), seed: 1 };
        assert!(
            (0..1000)
                .map(|o| store.fetch_latency(&request(o)))
                .all(|z| { (steps(5)..=steps(9)).contains(&z) })
        );
        let mut store = BackingStore::sampled(steps(5), steps(10), 3);
        let draws: Vec<Duration> = (0..10_000).map(|o| store.fetch_latency(&request(o))).collect();
        let mean = draws.iter().copied().sum::<Duration>() / 10_000;
        assert!(draws.iter().all(|z| *z >= steps(5)));
        assert!(mean > steps(14) && mean < steps(16), "{mean}");
    }

    #[test]
    fn nothing_is_out_of_range() {
        assert_eq!(BackingStore::PerOrigin(vec![]).mean_latency(&request(1)), Duration::ZERO);
        let store = BackingStore::PerOrigin(vec![steps(1), steps(2)]);
        let far = Request { origin: 9, ..request(1) };
        assert_eq!(store.mean_latency(&far), steps(2));
        let all = BackingStore::PerObject { least: Duration::ZERO, most: Duration::MAX, seed: 0 };
        assert!(all.mean_latency(&request(1)) <= Duration::MAX);
    }
}
