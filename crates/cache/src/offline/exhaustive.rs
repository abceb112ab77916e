//! The best of all schedules, by trying each: for traces of a dozen requests, to check others
//! against.
//!
//! Whenever data arrives, it is bypassed, or admitted in the place of any cached object (or of
//! none, if there is room). Whenever an object is hit, for the last time of an instant, it is kept
//! or dropped: a place that is kept costs nothing, but an early miss may be faster than a hit and a
//! later miss, as its data serves a burst sooner (the paper's note on antimonotonicity, §2.3.1).
//! O((C + 1)^m 2^h) for m misses and h hits: [`MAX_REQUESTS`] at most.

use std::collections::BTreeMap;

use forebay_units::{Duration, Time};
use thiserror::Error;

use crate::model::{ObjectId, Request};

/// The most requests that are searched.
pub const MAX_REQUESTS: usize = 14;

/// What the best schedules reach; one of them need not reach both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// The least total latency (Eq. 2.12).
    pub latency: Duration,
    /// The most true hits.
    pub hits: u64,
}

/// The trace is too long to be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the trace has {requests} requests; an exhaustive search takes at most {MAX_REQUESTS}")]
pub struct TooManyRequests {
    /// How many it has.
    pub requests: usize,
}

/// The least latency and the most hits of `trace`, in the order of time, with a cache of `capacity`
/// objects and every fetch taking `latency`.
///
/// ```
/// use forebay_cache::{ObjectId, Request, at_step, offline::exhaustive, steps};
///
/// let trace = [(0, 1), (1, 2), (2, 1), (3, 2)]
///     .map(|(step, object)| Request::new(at_step(step), ObjectId(object)));
/// let best = exhaustive(&trace, steps(1), 1)?;
/// assert_eq!((best.latency, best.hits), (steps(3), 1));
/// # Ok::<(), forebay_cache::offline::TooManyRequests>(())
/// ```
///
/// # Errors
/// [`TooManyRequests`] if there are more than [`MAX_REQUESTS`].
pub fn exhaustive(
    trace: &[Request],
    latency: Duration,
    capacity: usize,
) -> Result<Optimum, TooManyRequests> {
    if trace.len() > MAX_REQUESTS {
        return Err(TooManyRequests { requests: trace.len() });
    }
    Ok(Search { latency, capacity }.best(trace, &Vec::new(), &BTreeMap::new()))
}

struct Search {
    latency: Duration,
    capacity: usize,
}

impl Search {
    /// The best for what is left of the trace, given what is cached and what is on its way.
    fn best(
        &self,
        trace: &[Request],
        cached: &[ObjectId],
        fetches: &BTreeMap<ObjectId, Time>,
    ) -> Optimum {
        let Some((request, rest)) = trace.split_first() else {
            return Optimum { latency: Duration::ZERO, hits: 0 };
        };
        let arrived = fetches.iter().min_by_key(|(_, at)| **at);
        if let Some((&object, _)) = arrived.filter(|(_, at)| **at <= request.at) {
            return self.best_admission(trace, cached, fetches, object);
        }
        if cached.contains(&request.object) {
            let kept = self.best(rest, cached, fetches);
            // Decisions come before the requests of an instant, so none comes between two of them.
            let again = |other: &&Request| other.object == request.object;
            let at_once = rest.iter().take_while(|other| other.at == request.at);
            if at_once.filter(again).count() > 0 {
                return Optimum { hits: kept.hits + 1, ..kept };
            }
            let others: Vec<ObjectId> =
                cached.iter().copied().filter(|other| *other != request.object).collect();
            let dropped = self.best(rest, &others, fetches);
            let latency = kept.latency.min(dropped.latency);
            return Optimum { latency, hits: kept.hits.max(dropped.hits) + 1 };
        }
        let mut fetches = fetches.clone();
        let completes = *fetches.entry(request.object).or_insert(request.at + self.latency);
        let best = self.best(rest, cached, &fetches);
        Optimum { latency: best.latency + (completes - request.at), ..best }
    }

    /// The best of all that can be done with the data of `object`.
    fn best_admission(
        &self,
        trace: &[Request],
        cached: &[ObjectId],
        fetches: &BTreeMap<ObjectId, Time>,
        object: ObjectId,
    ) -> Optimum {
        let mut fetches = fetches.clone();
        fetches.remove(&object);
        let mut best = self.best(trace, cached, &fetches);
        let mut consider = |cached: &[ObjectId]| {
            let other = self.best(trace, cached, &fetches);
            best.latency = best.latency.min(other.latency);
            best.hits = best.hits.max(other.hits);
        };
        if cached.len() < self.capacity {
            consider(&[cached, &[object]].concat());
        } else {
            for place in 0..cached.len() {
                let mut cached = cached.to_vec();
                cached[place] = object;
                consider(&cached);
            }
        }
        best
    }
}
