//! Tells each request of a trace its future: when its object is requested next, and the aggregate
//! delay if that is a miss (thesis Eq. 2.13).
//!
//! Two pointers walk the requests of each object. O(n log n) for n requests; 24 bytes each for a
//! while.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_units::{Duration, Time};

use crate::model::{BackingStore, Future, ObjectId, Request};

/// Gives every request of a whole trace its full future, with the fetch latencies of `store`, or
/// their means where they are sampled. The trace must be in the order of time.
///
/// ```
/// use forebay_cache::{BackingStore, Future, ObjectId, Request, at_step, offline::annotate, steps};
///
/// let mut trace = [0, 10, 11, 13].map(|step| Request::new(at_step(step), ObjectId(1)));
/// annotate(&mut trace, &BackingStore::Constant(steps(3)));
/// // A miss at 10 would cost itself 3 and the request at 11 two more; at 13 its data is there.
/// let next = Future::Full { index: 1, at: at_step(10), delay: steps(5) };
/// assert_eq!(trace[0].next, next);
/// ```
pub fn annotate(trace: &mut [Request], store: &BackingStore) {
    annotate_until(trace, store, &AtomicBool::new(false));
}

/// The same until `stop` is raised; at the latest it ends when the requests are sorted by object.
/// The trace is then annotated in part, and of no use.
pub fn annotate_until(trace: &mut [Request], store: &BackingStore, stop: &AtomicBool) {
    let mut order: Vec<(ObjectId, usize)> =
        trace.iter().enumerate().map(|(index, request)| (request.object, index)).collect();
    order.sort_unstable();
    for object in order.chunk_by(|a, b| a.0 == b.0) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let delays = aggregate_delays(trace, object, store);
        let mut next = Future::Full { index: Future::NEVER, at: Time::MAX, delay: Duration::ZERO };
        for (&(_, index), &delay) in object.iter().zip(&delays).rev() {
            let later = Future::Full { index: index as u64, at: trace[index].at, delay };
            trace[index].next = std::mem::replace(&mut next, later);
        }
    }
}

/// What each of the requests `object` costs if it is a miss, with those that would wait for its
/// data.
fn aggregate_delays(
    trace: &[Request],
    object: &[(ObjectId, usize)],
    store: &BackingStore,
) -> Vec<Duration> {
    let mut delays = Vec::with_capacity(object.len());
    // The window [first, end) holds `end - first` requests, at times that add up to `sum`.
    let (mut end, mut sum) = (0, 0_u128);
    for (first, &(_, index)) in object.iter().enumerate() {
        let request = &trace[index];
        let arrives = request.at + store.mean_latency(request);
        while let Some(&(_, later)) = object.get(end)
            && (trace[later].at < arrives || end <= first)
        {
            sum += u128::from(trace[later].at.as_ps());
            end += 1;
        }
        let all = u128::from(arrives.as_ps()) * (end - first) as u128;
        let delay = all.saturating_sub(sum);
        delays.push(Duration::from_ps(u64::try_from(delay).unwrap_or(u64::MAX)));
        sum -= u128::from(request.at.as_ps());
    }
    delays
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{at_step, steps};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn futures_are_those_of_a_search(
            trace in prop::collection::vec((0u64..4, 0u64..6), 0..60),
            z in 0u64..12,
        ) {
            let mut at = 0;
            let mut trace: Vec<Request> = trace
                .into_iter()
                .map(|(gap, object)| {
                    at += gap;
                    Request::new(at_step(at), ObjectId(object))
                })
                .collect();
            annotate(&mut trace, &BackingStore::Constant(steps(z)));
            for (i, request) in trace.iter().enumerate() {
                let same = |j: &usize| trace[*j].object == request.object;
                let next = (i + 1..trace.len()).find(same);
                let expected = next.map_or((Future::NEVER, Time::MAX, Duration::ZERO), |n| {
                    let arrives = trace[n].at + steps(z);
                    let delay = (n..trace.len()).filter(same).map(|j| arrives - trace[j].at).sum();
                    (n as u64, trace[n].at, delay)
                });
                let (index, at, delay) = expected;
                prop_assert_eq!(request.next, Future::Full { index, at, delay });
            }
        }
    }
}
