//! Cache schedules and their rules: Eq. 2.4 to 2.12 (thesis §2.3.2), followed to the letter.
//!
//! This is the slow, obvious reading of the model, for checking what a simulator, a solver or a
//! rounding did. Open in the paper, chosen here: the rules are stated for one request a step; this
//! reading allows any number, in real time too. O(log n) per request and decision, n the objects in
//! play.

use std::collections::{BTreeMap, BTreeSet};

use forebay_units::{Duration, Time};
use thiserror::Error;

use super::{ObjectId, Request, RequestOutcome};

/// What is done to an object: a(T) of Eq. 2.4, which is +1 or −1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It enters the cache.
    Admit,
    /// It leaves the cache.
    Evict,
}

/// One action at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When.
    pub at: Time,
    /// To what.
    pub object: ObjectId,
    /// What.
    pub action: Action,
}

/// The decisions of a whole run, in the order of time.
///
/// ```
/// use forebay_cache::{Action, Decision, ObjectId, Request, Schedule, at_step, steps};
///
/// // Requests at 0, 1 and 3 with Z = 3: a miss, a delayed hit, and a hit since the data is admitted.
/// let x = ObjectId(1);
/// let requests: Vec<Request> = [0, 1, 3].map(|step| Request::new(at_step(step), x)).to_vec();
/// let admit = Decision { at: at_step(3), object: x, action: Action::Admit };
/// let schedule = Schedule { decisions: vec![admit] };
/// assert_eq!(schedule.latency(&requests, steps(3), 1), Ok(steps(3 + 2)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// In the order of time.
    pub decisions: Vec<Decision>,
}

/// Which rule a schedule breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// Eq. 2.5.
    #[error("object {object} is admitted at {at} but its data does not arrive then (Eq. 2.5): \
             admit it at the end of a fetch", object = .object.0)]
    AdmittedWithoutData {
        /// Which object.
        object: ObjectId,
        /// When.
        at: Time,
    },
    /// Eq. 2.6.
    #[error("object {object} is evicted at {at} but is not cached (Eq. 2.6): evict what is in the \
             cache", object = .object.0)]
    EvictedWhileAbsent {
        /// Which object.
        object: ObjectId,
        /// When.
        at: Time,
    },
    /// Eq. 2.7.
    #[error(
        "{cached} objects are cached at {at}, more than {capacity} (Eq. 2.7): evict before \
         admitting"
    )]
    OverCapacity {
        /// How many.
        cached: u64,
        /// How many may be.
        capacity: u64,
        /// When.
        at: Time,
    },
    /// Requests or decisions are not in the order of time.
    #[error("a request or decision at {at} comes after a later one: sort them by time")]
    OutOfOrder {
        /// The time that is out of order.
        at: Time,
    },
}

impl Schedule {
    /// The total latency of `requests` under this schedule, with a cache of `capacity` objects and
    /// every fetch taking `latency`, above 0 (Eq. 2.12).
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn latency(
        &self,
        requests: &[Request],
        latency: Duration,
        capacity: u64,
    ) -> Result<Duration, ScheduleError> {
        let mut total = Duration::ZERO;
        self.replay(requests, latency, capacity, |_, outcome| total += outcome.latency())?;
        Ok(total)
    }

    /// Serves `requests` under this schedule, as [`latency`](Schedule::latency) does, and hands
    /// every request over with its outcome.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn replay(
        &self,
        requests: &[Request],
        latency: Duration,
        capacity: u64,
        mut served: impl FnMut(&Request, RequestOutcome),
    ) -> Result<(), ScheduleError> {
        in_order(self.decisions.iter().map(|decision| decision.at))?;
        in_order(requests.iter().map(|request| request.at))?;
        let mut state = State::default();
        let mut decisions = self.decisions.as_slice();
        let mut requests = requests;
        while let Some(now) = next_instant(&state, decisions, requests) {
            let arriving = state.arriving(now);
            let (current, later) = split_at_time(decisions, now, |decision| decision.at);
            state.act(current, &arriving, capacity, now)?;
            let (asked, rest) = split_at_time(requests, now, |request| request.at);
            for request in asked {
                served(request, state.request(request, latency));
            }
            (decisions, requests) = (later, rest);
        }
        Ok(())
    }
}

fn in_order(times: impl Iterator<Item = Time>) -> Result<(), ScheduleError> {
    let mut last = Time::ZERO;
    for at in times {
        if at < last {
            return Err(ScheduleError::OutOfOrder { at });
        }
        last = at;
    }
    Ok(())
}

/// Those of `items` that are at `now`, and the rest.
fn split_at_time<T>(items: &[T], now: Time, at: impl Fn(&T) -> Time) -> (&[T], &[T]) {
    items.split_at(items.partition_point(|item| at(item) <= now))
}

fn next_instant(state: &State, decisions: &[Decision], requests: &[Request]) -> Option<Time> {
    let arrival = state.arrivals.first().map(|(at, _)| *at);
    let decision = decisions.first().map(|decision| decision.at);
    let request = requests.first().map(|request| request.at);
    [arrival, decision, request].into_iter().flatten().min()
}

/// The x of Eq. 2.2 and 2.3. A queue is when its data arrives: requests that wait are in no other
/// way told apart.
#[derive(Default)]
struct State {
    cached: BTreeSet<ObjectId>,
    fetches: BTreeMap<ObjectId, Time>,
    /// The fetches by when their data arrives.
    arrivals: BTreeSet<(Time, ObjectId)>,
}

impl State {
    /// Those whose x₁ is 1: their fetches end.
    fn arriving(&mut self, now: Time) -> BTreeSet<ObjectId> {
        let mut arriving = BTreeSet::new();
        while let Some(&(at, object)) = self.arrivals.first().filter(|(at, _)| *at <= now) {
            self.arrivals.remove(&(at, object));
            self.fetches.remove(&object);
            arriving.insert(object);
        }
        arriving
    }

    fn act(
        &mut self,
        decisions: &[Decision],
        arriving: &BTreeSet<ObjectId>,
        capacity: u64,
        at: Time,
    ) -> Result<(), ScheduleError> {
        for &Decision { object, action, .. } in decisions {
            match action {
                Action::Admit if !arriving.contains(&object) => {
                    return Err(ScheduleError::AdmittedWithoutData { object, at });
                }
                Action::Admit => {
                    self.cached.insert(object);
                }
                Action::Evict => {
                    if !self.cached.remove(&object) {
                        return Err(ScheduleError::EvictedWhileAbsent { object, at });
                    }
                }
            }
        }
        let cached = self.cached.len() as u64;
        if cached > capacity {
            return Err(ScheduleError::OverCapacity { cached, capacity, at });
        }
        Ok(())
    }

    /// Serves a request; its outcome.
    fn request(&mut self, request: &Request, latency: Duration) -> RequestOutcome {
        if self.cached.contains(&request.object) {
            return RequestOutcome::Hit;
        }
        if let Some(at) = self.fetches.get(&request.object) {
            return RequestOutcome::DelayedHit { latency: *at - request.at };
        }
        let at = request.at + latency;
        self.fetches.insert(request.object, at);
        self.arrivals.insert((at, request.object));
        RequestOutcome::Miss { latency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{at_step, steps};

    const X: ObjectId = ObjectId(1);

    fn latency(decisions: &[(u64, Action)]) -> Result<Duration, ScheduleError> {
        let decisions = decisions
            .iter()
            .map(|&(step, action)| Decision { at: at_step(step), object: X, action })
            .collect();
        let requests: Vec<Request> =
            [3, 5, 11, 13].map(|step| Request::new(at_step(step), X)).to_vec();
        Schedule { decisions }.latency(&requests, steps(10), 1)
    }

    #[test]
    fn the_example_of_section_2_1() {
        // Z = 10: requests at 3, 5 and 11 complete at 13 with latencies of 10, 8 and 2.
        assert_eq!(latency(&[(13, Action::Admit)]), Ok(steps(20)));
        // Bypassed data serves no request of the instant it arrives at.
        assert_eq!(latency(&[]), Ok(steps(30)));
    }

    #[test]
    fn broken_rules_are_named() {
        let at = at_step(12);
        let early = latency(&[(12, Action::Admit)]);
        assert_eq!(early, Err(ScheduleError::AdmittedWithoutData { object: X, at }));
        let absent = latency(&[(12, Action::Evict)]);
        assert_eq!(absent, Err(ScheduleError::EvictedWhileAbsent { object: X, at }));
        let unsorted = latency(&[(13, Action::Admit), (12, Action::Evict)]);
        assert_eq!(unsorted, Err(ScheduleError::OutOfOrder { at }));
        let requests = [Request::new(at_step(0), X)];
        let admit = Decision { at: at_step(1), object: X, action: Action::Admit };
        let schedule = Schedule { decisions: vec![admit] };
        let full = schedule.latency(&requests, steps(1), 0);
        assert_eq!(
            full,
            Err(ScheduleError::OverCapacity { cached: 1, capacity: 0, at: at_step(1) })
        );
    }
}
