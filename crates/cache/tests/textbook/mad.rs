//! LRU-MAD, with aggregate delays from the log of all requests by Algorithm 1 of thesis §2.5.2.

use forebay_cache::{ObjectId, Request, RequestOutcome};
use forebay_units::{Duration, Time};

struct Cached {
    object: ObjectId,
    /// When its fetch began, and when it was used last.
    fetched: Time,
    used: Time,
}

/// What comes of each request with counters of all objects, or of those that are cached.
pub(crate) fn lru_mad(
    trace: &[Request],
    z: Duration,
    capacity: usize,
    all: bool,
) -> Vec<RequestOutcome> {
    // In the order in which they came or were hit; fetches in the order of their misses.
    let (mut cached, mut fetches): (Vec<Cached>, Vec<Request>) = (Vec::new(), Vec::new());
    let mut outcomes = Vec::new();
    for (index, request) in trace.iter().enumerate() {
        while let Some(miss) = fetches.first().copied().filter(|miss| miss.at + z <= request.at) {
            fetches.remove(0);
            let now = miss.at + z;
            if cached.len() == capacity {
                let rank = |entry: &Cached| {
                    let log = trace[..index].iter().filter(|r| r.object == entry.object);
                    let log = log.filter(|r| all || r.at >= entry.fetched).map(|r| r.at);
                    (now - entry.used).as_ps() as f64 * (1.0 / aggregate_delay(log, z))
                };
                // The first of the largest: among equals the one that came or was hit first.
                let ranks: Vec<f64> = cached.iter().map(rank).collect();
                let victim = (0..capacity).reduce(|a, b| if ranks[b] > ranks[a] { b } else { a });
                cached.remove(victim.unwrap());
            }
            // TTNA is the time since the last access (§2.2.2), and a delayed hit is one.
            let asked = trace[..index].iter().filter(|r| r.object == miss.object);
            let used = asked.map(|r| r.at).max().unwrap();
            cached.push(Cached { object: miss.object, fetched: miss.at, used });
        }
        let place = cached.iter().position(|entry| entry.object == request.object);
        outcomes.push(match place {
            Some(place) => {
                let entry = cached.remove(place);
                cached.push(Cached { used: request.at, ..entry });
                RequestOutcome::Hit
            }
            None => match fetches.iter().find(|miss| miss.object == request.object) {
                Some(miss) => RequestOutcome::DelayedHit { latency: miss.at + z - request.at },
                None => {
                    fetches.push(*request);
                    RequestOutcome::Miss { latency: z }
                }
            },
        });
    }
    outcomes
}

/// Algorithm 1 over the times of an object's requests.
fn aggregate_delay(log: impl Iterator<Item = Time>, z: Duration) -> f64 {
    let (mut windows, mut delay, mut start) = (0_u64, 0_u64, None);
    for at in log {
        match start.map(|start| at - start).filter(|since| *since < z) {
            None => {
                windows += 1;
                delay += z.as_ps();
                start = Some(at);
            }
            Some(since) => delay += (z - since).as_ps(),
        }
    }
    delay as f64 / windows as f64
}
