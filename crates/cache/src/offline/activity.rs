//! What a trace is like: how many objects are in use at once, and how bursty each is.

use std::collections::HashMap;

use crate::hash::MixHash;
use crate::model::{ObjectId, Request};

/// The most objects that are active at once, from its first request to its last each: what cache
/// sizes are shares of (thesis §2.6.4, footnote 17). O(n); 24 bytes an object.
///
/// ```
/// use forebay_cache::{ObjectId, Request, at_step, offline::most_active};
///
/// let trace = [1, 2, 1, 3, 2].map(|id| Request::new(at_step(0), ObjectId(id)));
/// assert_eq!(most_active(&trace), 2);
/// ```
#[must_use]
pub fn most_active(trace: &[Request]) -> u64 {
    let mut last: HashMap<ObjectId, usize, MixHash> = HashMap::default();
    for (index, request) in trace.iter().enumerate() {
        last.insert(request.object, index);
    }
    let mut begun: HashMap<ObjectId, (), MixHash> = HashMap::default();
    let (mut most, mut ended) = (0, 0);
    for (index, request) in trace.iter().enumerate() {
        begun.insert(request.object, ());
        most = most.max(begun.len() as u64 - ended);
        ended += u64::from(last.get(&request.object) == Some(&index));
    }
    most
}

/// The Goh-Barabási score of an object requested at `times`, ascending: (σ − µ) / (σ + µ) of the
/// times between requests, from −1 (evenly paced) through 0 (as a Poisson process) towards 1
/// (bursts). `None` with fewer than two times between requests, or if all requests come at once.
///
/// ```
/// use forebay_cache::offline::burstiness;
///
/// assert_eq!(burstiness(&[0.0, 5.0, 10.0]), Some(-1.0));
/// assert!(burstiness(&[0.0, 1.0, 2.0, 3.0, 100.0]) > Some(0.2));
/// assert_eq!(burstiness(&[0.0, 1.0]), None);
/// ```
#[must_use]
pub fn burstiness(times: &[f64]) -> Option<f64> {
    let gaps = times.len().checked_sub(1).filter(|gaps| *gaps >= 2)? as f64;
    let gap = |pair: &[f64]| pair[1] - pair[0];
    let mean = times.windows(2).map(gap).sum::<f64>() / gaps;
    let squares: f64 = times.windows(2).map(|pair| (gap(pair) - mean).powi(2)).sum();
    let deviation = (squares / gaps).sqrt();
    (mean > 0.0).then(|| (deviation - mean) / (deviation + mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::at_step;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn activity_is_that_of_a_scan(ids in prop::collection::vec(0u64..12, 0..80)) {
            let trace: Vec<Request> =
                ids.iter().map(|id| Request::new(at_step(0), ObjectId(*id))).collect();
            let active = |at: usize| {
                (0..12).filter(|id| ids[..=at].contains(id) && ids[at..].contains(id)).count()
            };
            let most = (0..ids.len()).map(active).max().unwrap_or(0);
            prop_assert_eq!(most_active(&trace), most as u64);
        }
    }
}
