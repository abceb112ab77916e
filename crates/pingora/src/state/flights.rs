//! Fetches under way: who leads, who waits, and what becomes of both.

use std::sync::Arc;

use forebay_cache::policies::LastRequest;
use pingora_cache::lock::LockCore;

use super::{REMEMBERED, State};
use crate::clock::Nanos;
use crate::fetches::{Awaited, Fetch};
use crate::flight::{Flight, FlightId};

/// How often flights are looked through for leaders that are gone.
const SWEEP: Nanos = Nanos(1_000_000_000);

/// What a request that found nothing does.
pub(crate) enum Turn {
    Lead(FlightId, Arc<Fetch>),
    Wait(Arc<LockCore>, Awaited),
    Refused,
    /// It came since the look-up: another fetch of it would be one too many.
    LookAgain,
}

impl State {
    /// A request for `key` found nothing that it can use: it leads a fetch, whose waiters wait at
    /// `core`, or waits for the one under way.
    pub(crate) fn lead_or_wait(
        &mut self,
        (key, primary): (u128, u128),
        core: Arc<LockCore>,
        now: Nanos,
        most_waiting: u64,
    ) -> Turn {
        if now.since(self.swept) > SWEEP {
            self.sweep(now);
        }
        let id = FlightId(self.next_id());
        let access = self.access(key, now);
        let (policy_now, waiting) = (self.now.policy_time(), self.stats.waiting);
        if let Some(flight) = self.flights.get_mut(&key) {
            if flight.is_led() {
                if waiting >= most_waiting {
                    self.stats.refused += 1;
                    return Turn::Refused;
                }
                let Some(at) = flight.core.clone() else { return Turn::Refused };
                // Of a renewal nobody can tell who waits and who is served what is stale.
                if !flight.stale && flight.join(now) {
                    let number = self.set.absent(&access);
                    flight.last = flight.last.then(policy_now, number);
                    self.stats.delayed_hits += 1;
                    self.stats.waiting += 1;
                }
                return Turn::Wait(at.clone(), flight.fetch.awaited(at));
            }
            if !flight.writing || flight.fetch.is_removed() {
                let fetch = self.fetches.begin(key, primary);
                if flight.core.is_some() {
                    // Too slow, or left without a word.
                    flight.fetch.fail();
                    self.stats.failures += 1;
                }
                let before = waiters_at(flight);
                let is_new = flight.lead_again(id, fetch.clone(), core, now);
                if is_new {
                    flight.last = LastRequest::miss(policy_now, self.set.absent(&access));
                    self.stats.misses += 1;
                }
                let after = waiters_at(flight);
                self.stats.waiting = self.stats.waiting.saturating_sub(before) + after;
                return Turn::Lead(id, fetch);
            }
            // A body that nobody can join any more: the fetch of this request is another.
        }
        let number = self.set.absent(&access);
        match core.stale_writer() {
            true => self.stats.renewals += 1,
            false => self.stats.misses += 1,
        }
        let last = LastRequest::miss(policy_now, number);
        let fetch = self.fetches.begin(key, primary);
        self.flights.insert(key, Flight::led(id, fetch.clone(), core, last, now));
        Turn::Lead(id, fetch)
    }

    pub(super) fn flight(&mut self, key: u128, id: FlightId) -> Option<&mut Flight> {
        self.flights.get_mut(&key).filter(|flight| flight.id == id)
    }

    pub(super) fn wake(&mut self, key: u128, id: FlightId) -> Option<u32> {
        let flight = self.flight(key, id)?;
        let waiting = waiters_at(flight);
        flight.wake();
        let owed = flight.waiters();
        self.stats.waiting = self.stats.waiting.saturating_sub(waiting);
        Some(owed)
    }

    /// The leader can be followed: its body is being written, or what was stale is renewed. If
    /// that was removed meanwhile, the next of those who waited leads.
    pub(crate) fn answered(&mut self, key: u128, id: FlightId, now: Nanos) {
        let Some(owed) = self.wake(key, id) else { return };
        let Some(flight) = self.flights.get(&key).filter(|flight| !flight.writing) else { return };
        if flight.fetch.is_removed() && owed > 0 {
            self.left.push_back((now, key, id));
        } else {
            self.flights.remove(&key);
        }
    }

    /// The leader has failed, and the next of those who waited leads.
    pub(crate) fn failed(&mut self, key: u128, id: FlightId, now: Nanos) {
        let Some(owed) = self.wake(key, id) else { return };
        if let Some(flight) = self.flight(key, id) {
            flight.fetch.fail();
        }
        self.stats.failures += 1;
        if owed == 0 {
            self.flights.remove(&key);
        } else {
            self.left.push_back((now, key, id));
        }
    }

    /// The answer must not be shared: everyone who waited fetches for himself.
    pub(crate) fn given_up(&mut self, key: u128, id: FlightId) {
        if self.wake(key, id).is_some() {
            self.stats.given_up += 1;
            self.flights.remove(&key);
        }
    }

    /// Forgets fetches whose leaders are gone without a word, as those of requests that were
    /// aborted, and failed ones that nobody has come back for.
    pub(crate) fn sweep(&mut self, now: Nanos) {
        self.swept = now;
        let gone = self.flights.iter().filter(|(_, flight)| flight.is_left());
        let gone: Vec<_> = gone.map(|(key, flight)| (*key, flight.id)).collect();
        for (key, id) in gone {
            let is_forgotten = self.flight(key, id).is_some_and(|flight| flight.is_forgotten());
            self.failed(key, id, now);
            if is_forgotten {
                self.flights.remove(&key);
            }
        }
        while let Some((at, key, id)) = self.left.front().copied()
            && now.since(at) > REMEMBERED
        {
            self.left.pop_front();
            if self.flight(key, id).is_some_and(|flight| flight.core.is_none() && !flight.writing) {
                self.flights.remove(&key);
            }
        }
    }
}

/// How many wait at the flight's lock now.
pub(super) fn waiters_at(flight: &Flight) -> u64 {
    if flight.core.is_some() { u64::from(flight.waiters()) } else { 0 }
}
