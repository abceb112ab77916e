//! Bodies on their way.

use std::sync::Arc;

use forebay_cache::policies::LastRequest;

use super::State;
use crate::body::Body;
use crate::clock::Nanos;
use crate::disk::Meta;
use crate::fetches::{Answer, Fetch};
use crate::flight::{FlightId, Waits};

/// A body that is being written and can be read.
pub(crate) struct Write {
    pub(crate) id: u64,
    pub(crate) meta: Arc<Meta>,
    pub(crate) body: Arc<Body>,
    /// The question that it answers.
    pub(crate) fetch: Arc<Fetch>,
    pub(crate) flight: Option<FlightId>,
    pub(crate) at: Nanos,
}

/// A body that begins.
pub(crate) struct Begun {
    pub(crate) key: u128,
    pub(crate) primary: u128,
    pub(crate) meta: Arc<Meta>,
    pub(crate) body: Arc<Body>,
    /// The question that it answers, if that is known.
    pub(crate) fetch: Option<Arc<Fetch>>,
}

impl State {
    /// A body is being written; it belongs to the fetch that is led for its key, if one is. Its
    /// number, and the question that it answers.
    pub(crate) fn begin_write(&mut self, begun: Begun, now: Nanos) -> (u64, Arc<Fetch>) {
        let id = self.next_id();
        let Begun { key, primary, meta, body, fetch } = begun;
        let fetch = fetch.unwrap_or_else(|| self.question(key, primary));
        let led = self.flights.get_mut(&key).filter(|flight| !flight.writing);
        let flight = led.filter(|_| !fetch.is_removed()).map(|flight| {
            flight.writing = true;
            flight.id
        });
        fetch.brings(Answer { write: id, meta: meta.clone(), body: body.clone() });
        let question = fetch.clone();
        self.writes.entry(key).or_default().push(Write { id, meta, body, fetch, flight, at: now });
        (id, question)
    }

    /// The question that an answer for `key` is taken to be of that does not say so.
    fn question(&mut self, key: u128, primary: u128) -> Arc<Fetch> {
        let led = self.flights.get(&key).filter(|flight| !flight.writing);
        let led = led.map(|flight| flight.fetch.clone());
        if !self.fetches.any_removed(key, primary) {
            return led.unwrap_or_else(|| self.fetches.begin(key, primary));
        }
        // It could be one from before a removal.
        self.fetches.begin_removed(key, primary)
    }

    /// The latest body of `key` on its way that was not removed.
    pub(crate) fn latest_write(&self, key: u128) -> Option<&Write> {
        self.writes.get(&key)?.iter().rev().find(|write| !write.fetch.is_removed())
    }

    /// Whether a look-up finds `key`, whole or on its way.
    pub(crate) fn has(&self, key: u128) -> bool {
        let arrives = self.latest_write(key).is_some_and(|write| write.body.reader().is_some());
        arrives || self.get(key).is_some()
    }

    pub(crate) fn write(&self, key: u128, id: u64) -> Option<&Write> {
        self.writes.get(&key)?.iter().find(|write| write.id == id)
    }

    /// A request begins to read a body that is still arriving: a delayed hit, since `since`.
    pub(crate) fn joined(&mut self, key: u128, write: u64, since: Nanos) {
        let Some(id) = self.write(key, write).and_then(|write| write.flight) else { return };
        let access = self.access(key, since);
        let now = self.now.policy_time();
        let Some(flight) = self.flights.get_mut(&key).filter(|flight| flight.id == id) else {
            return;
        };
        if flight.join(since) {
            let number = self.set.absent(&access);
            flight.last = flight.last.then(now, number);
            self.stats.delayed_hits += 1;
            // Where an earlier leader writes, another still has waiters, and this one among them.
            self.stats.waiting += u64::from(flight.core.is_some());
        }
    }

    /// The last byte of a body has arrived: how long the fetch took and what was waited for it. The
    /// body stays readable until [`end_write`](Self::end_write).
    pub(crate) fn landed(
        &mut self,
        key: u128,
        write: u64,
        now: Nanos,
    ) -> (Nanos, Waits, LastRequest) {
        let found = self.write(key, write).map(|write| (write.flight, write.at));
        let (flight, at) = found.unwrap_or((None, now));
        let own = now.since(at);
        let alone = Waits { waiters: 1, delay: own };
        let last = LastRequest::miss(now.policy_time(), self.set.requests());
        let landed = match flight.and_then(|id| self.flight(key, id)) {
            Some(flight) => (now.since(flight.began), flight.land(now), flight.last),
            None => (own, alone, last),
        };
        self.stats.landed(landed.0, landed.1.delay);
        landed
    }

    /// A body is no longer on its way: it is cached, or has failed, and with it its fetch.
    pub(crate) fn end_write(&mut self, key: u128, write: u64, now: Nanos) {
        let Some(writes) = self.writes.get_mut(&key) else { return };
        let Some(at) = writes.iter().position(|other| other.id == write) else { return };
        let flight = writes.remove(at).flight;
        if writes.is_empty() {
            self.writes.remove(&key);
        }
        let Some(id) = flight else { return };
        if self.flight(key, id).is_some_and(|flight| flight.core.is_some()) {
            self.wake(key, id);
        }
        let Some(owed) = self.flight(key, id).map(|flight| flight.owed()) else { return };
        self.flights.remove(&key);
        if let Some(slot) = self.slots.get(&key)
            && let Some(Some(entry)) = self.entries.get_mut(slot.0 as usize)
        {
            entry.owed = (owed, now);
        }
    }
}
