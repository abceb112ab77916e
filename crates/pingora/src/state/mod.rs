//! What the cache's lock protects: entries, the set and policy that rank them, and fetches under
//! way. Nothing here reads files; O(1) besides the policy.
//!
//! There is one lock and one policy over all, so that eviction is exactly the policy's. A request
//! takes it twice, for about a microsecond each; one for what is ready, once.

mod entries;
mod flights;
mod writes;

use std::collections::VecDeque;
use std::time::SystemTime;

use forebay_cache::order::Slot;
use forebay_cache::policies::{Access, BoxedPolicy};
use forebay_cache::{Future, ObjectId, Set};
use hashbrown::HashMap;

use crate::clock::Nanos;
use crate::fetches::Fetches;
use crate::flight::{Flight, FlightId};
use crate::ready::{Found, Headers, LONGEST, Ready};
use crate::stats::Stats;

pub(crate) use entries::{Entry, Landing, Stored, space};
pub(crate) use flights::Turn;
pub(crate) use writes::{Begun, Write};

/// How long a fetch that failed is remembered for those who waited for it.
const REMEMBERED: Nanos = Nanos(10_000_000_000);

pub(crate) struct State {
    set: Set<BoxedPolicy>,
    slots: HashMap<u128, Slot>,
    entries: Vec<Option<Entry>>,
    /// The cached variants of each key, besides what is cached for the key itself.
    variants: HashMap<u128, Vec<u128>>,
    /// Whoever may still bring an answer.
    fetches: Fetches,
    flights: HashMap<u128, Flight>,
    /// Flights whose leader failed, oldest first, until their waiters must have come back.
    left: VecDeque<(Nanos, u128, FlightId)>,
    /// When flights were last looked through for leaders that are gone.
    swept: Nanos,
    writes: HashMap<u128, Vec<Write>>,
    pub(crate) headers: Headers,
    pub(crate) stats: Stats,
    /// The latest instant given to the policy, whose clock never goes back.
    now: Nanos,
    next: u64,
}

fn object(key: u128) -> ObjectId {
    ObjectId(key as u64)
}

impl State {
    pub(crate) fn new(capacity: u64, policy: BoxedPolicy) -> Self {
        State {
            set: Set::new(capacity, policy),
            slots: HashMap::new(),
            entries: Vec::new(),
            variants: HashMap::new(),
            fetches: Fetches::default(),
            flights: HashMap::new(),
            left: VecDeque::new(),
            swept: Nanos(0),
            writes: HashMap::new(),
            headers: Headers::default(),
            stats: Stats::default(),
            now: Nanos(0),
            next: 0,
        }
    }

    pub(crate) fn used(&self) -> u64 {
        self.set.used()
    }

    pub(crate) fn len(&self) -> usize {
        self.set.len()
    }

    pub(crate) fn flights(&self) -> usize {
        self.flights.len()
    }

    pub(crate) fn next_id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn get(&self, key: u128) -> Option<&Entry> {
        self.entries.get(self.slots.get(&key)?.0 as usize)?.as_ref()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().flatten()
    }

    fn access(&mut self, key: u128, now: Nanos) -> Access {
        self.now = self.now.max(now);
        let at = self.now.policy_time();
        Access { at, object: object(key), next: Future::Unknown, delay: None }
    }

    /// A request found `key` whole, fresh or not; whether it is still there. One that waited for it
    /// is counted as a delayed hit already.
    pub(crate) fn found(&mut self, key: u128, fresh: bool, now: Nanos) -> bool {
        let Some(slot) = self.slots.get(&key).copied() else { return false };
        if let Some(entry) = self.entries.get_mut(slot.0 as usize).and_then(Option::as_mut)
            && entry.owed.0 > 0
            && now.since(entry.owed.1) < REMEMBERED
        {
            entry.owed.0 -= 1;
            return true;
        }
        let access = self.access(key, now);
        self.set.hit(slot, &access);
        match fresh {
            true => self.stats.hits += 1,
            false => self.stats.stale += 1,
        }
        true
    }

    /// What is cached for `key`, if it can be sent as it is at `at`; then it is a hit.
    pub(crate) fn ready(&mut self, key: u128, at: SystemTime, now: Nanos) -> Found {
        // What is on its way is newer than what is cached.
        if self.latest_write(key).is_some() {
            return Found::Nothing;
        }
        let Some(entry) = self.get(key) else { return Found::Nothing };
        let Stored::Memory(body) = &entry.stored else { return Found::Nothing };
        if entry.meta.len() > LONGEST {
            return Found::Nothing;
        }
        let Some(kept) = self.headers.get(key, &entry.meta) else {
            return Found::Unread(entry.meta.clone(), entry.length);
        };
        let Some(header) = kept.header.clone() else { return Found::Nothing };
        if at > header.fresh_until {
            return Found::Nothing;
        }
        let ready = Ready { header, body: body.clone(), length: entry.length };
        match self.found(key, true, now) {
            true => Found::Ready(ready),
            false => Found::Nothing,
        }
    }

    /// Removes `key`, and its variants if `key` is `primary`, without one. What was asked for
    /// before will not be cached. Whether there was something, and what has left.
    pub(crate) fn purge(&mut self, key: u128, primary: u128) -> (bool, Vec<Entry>) {
        self.fetches.remove(key, primary);
        let under_way = self.flights.contains_key(&key) || self.writes.contains_key(&key);
        let gone = self.remove(key);
        (under_way || !gone.is_empty(), gone)
    }

    /// Removes everything. What was asked for before will not be cached.
    pub(crate) fn clear(&mut self) -> Vec<Entry> {
        self.fetches.clear();
        let keys: Vec<u128> = self.entries().map(|entry| entry.key).collect();
        keys.into_iter().flat_map(|key| self.remove(key)).collect()
    }
}

#[cfg(test)]
mod tests;
