//! What the cache's lock protects: entries, the set and policy that rank them, and fetches under
//! way. Nothing here reads files; O(1) besides the policy.
//!
//! There is one lock and one policy over all, so that eviction is exactly the policy's. A request
//! takes it twice, for about a microsecond each.

use std::collections::VecDeque;
use std::sync::Arc;

use forebay_cache::order::Slot;
use forebay_cache::policies::{Access, BoxedPolicy, LastRequest, ObjectArrival};
use forebay_cache::{ArrivalOutcome, Future, ObjectId, Set};
use forebay_units::{Bytes, Duration};
use hashbrown::HashMap;
use pingora_cache::lock::LockCore;

use crate::body::Body;
use crate::clock::Nanos;
use crate::disk::Meta;
use crate::flight::{Flight, FlightId, Waits};
use crate::stats::Stats;

/// What an entry takes besides its body and headers: its places in the tables, and the policy's.
const ENTRY: u64 = 320;
/// How long a fetch that failed is remembered for those who waited for it.
const REMEMBERED: Nanos = Nanos(10_000_000_000);

/// Where a body is.
#[derive(Clone)]
pub(crate) enum Stored {
    Memory(Arc<[bytes::Bytes]>),
    Disk { generation: u64 },
}

/// A cached response.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key: u128,
    pub(crate) primary: u128,
    pub(crate) meta: Arc<Meta>,
    pub(crate) stored: Stored,
    pub(crate) length: u64,
    /// What it costs to be without it, when it was last fetched.
    pub(crate) z: Nanos,
    pub(crate) waits: Waits,
    /// How many of those who waited for it have not come back yet, and since when.
    pub(crate) owed: (u32, Nanos),
}

impl Entry {
    pub(crate) fn space(&self) -> u64 {
        space(self.length, &self.meta, matches!(self.stored, Stored::Disk { .. }))
    }
}

/// What an entry with a body of `length` takes of the capacity.
pub(crate) fn space(length: u64, meta: &Meta, on_disk: bool) -> u64 {
    let body = if on_disk { crate::disk::size_on_disk(length) } else { length };
    body + meta.len() + ENTRY
}

/// A body that is being written and can be read.
pub(crate) struct Write {
    pub(crate) id: u64,
    pub(crate) meta: Arc<Meta>,
    pub(crate) body: Arc<Body>,
    pub(crate) flight: Option<FlightId>,
    pub(crate) at: Nanos,
}

/// What a request that found nothing does.
pub(crate) enum Turn {
    Lead(FlightId),
    Wait(Arc<LockCore>),
    Refused,
}

pub(crate) struct State {
    set: Set<BoxedPolicy>,
    slots: HashMap<u128, Slot>,
    entries: Vec<Option<Entry>>,
    variants: HashMap<u128, u32>,
    flights: HashMap<u128, Flight>,
    /// Flights whose leader failed, oldest first, until their waiters must have come back.
    left: VecDeque<(Nanos, u128, FlightId)>,
    writes: HashMap<u128, Vec<Write>>,
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
            flights: HashMap::new(),
            left: VecDeque::new(),
            writes: HashMap::new(),
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

    /// How many variants of `primary` are cached.
    pub(crate) fn variants(&self, primary: u128) -> u32 {
        self.variants.get(&primary).copied().unwrap_or(0)
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

    // Fetches.

    /// A request for `key` found nothing that it can use: it leads a fetch, whose waiters wait at
    /// `core`, or waits for the one under way.
    pub(crate) fn lead_or_wait(
        &mut self,
        key: u128,
        core: Arc<LockCore>,
        now: Nanos,
        most_waiting: u64,
    ) -> Turn {
        self.forget_left(now);
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
                return Turn::Wait(at);
            }
            if !flight.writing {
                self.stats.failures += u64::from(flight.core.is_some());
                let before = waiters_at(flight);
                flight.lead_again(id, core, now);
                let after = waiters_at(flight);
                self.stats.waiting = self.stats.waiting.saturating_sub(before) + after;
                return Turn::Lead(id);
            }
            // A body that nobody can join any more: the fetch of this request is another.
        }
        let number = self.set.absent(&access);
        match core.stale_writer() {
            true => self.stats.renewals += 1,
            false => self.stats.misses += 1,
        }
        let last = LastRequest::miss(policy_now, number);
        self.flights.insert(key, Flight::led(id, core, last, now));
        Turn::Lead(id)
    }

    fn flight(&mut self, key: u128, id: FlightId) -> Option<&mut Flight> {
        self.flights.get_mut(&key).filter(|flight| flight.id == id)
    }

    fn wake(&mut self, key: u128, id: FlightId) -> Option<u32> {
        let flight = self.flight(key, id)?;
        let waiting = waiters_at(flight);
        flight.wake();
        let owed = flight.waiters();
        self.stats.waiting = self.stats.waiting.saturating_sub(waiting);
        Some(owed)
    }

    /// The leader can be followed: its body is being written, or what was stale is renewed.
    pub(crate) fn answered(&mut self, key: u128, id: FlightId) {
        if self.wake(key, id).is_some() && !self.flight(key, id).is_some_and(|f| f.writing) {
            self.flights.remove(&key);
        }
    }

    /// The leader has failed, and the next of those who waited leads.
    pub(crate) fn failed(&mut self, key: u128, id: FlightId, now: Nanos) {
        let Some(owed) = self.wake(key, id) else { return };
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

    /// Forgets failed fetches that nobody has come back for.
    fn forget_left(&mut self, now: Nanos) {
        while let Some((at, key, id)) = self.left.front().copied()
            && now.since(at) > REMEMBERED
        {
            self.left.pop_front();
            if self.flight(key, id).is_some_and(|flight| flight.core.is_none() && !flight.writing) {
                self.flights.remove(&key);
            }
        }
    }

    // Bodies on their way.

    /// A body of `key` is being written; it belongs to the fetch that is led for it, if one is.
    pub(crate) fn begin_write(
        &mut self,
        key: u128,
        meta: Arc<Meta>,
        body: Arc<Body>,
        now: Nanos,
    ) -> u64 {
        let id = self.next_id();
        let flight = self.flights.get_mut(&key).filter(|flight| !flight.writing).map(|flight| {
            flight.writing = true;
            flight.id
        });
        self.writes.entry(key).or_default().push(Write { id, meta, body, flight, at: now });
        id
    }

    /// The latest body of `key` on its way.
    pub(crate) fn latest_write(&self, key: u128) -> Option<&Write> {
        self.writes.get(&key)?.last()
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

    // What is cached.

    /// Caches `entry`; returns what has left for it, itself among them if it was not admitted.
    pub(crate) fn admit(&mut self, entry: Entry, last: LastRequest, now: Nanos) -> Vec<Entry> {
        let mut gone: Vec<Entry> = self.remove(entry.key).into_iter().collect();
        self.now = self.now.max(now);
        let space = entry.space();
        let arrival = ObjectArrival {
            at: self.now.policy_time(),
            object: object(entry.key),
            size: Bytes::new(space),
            space,
            requested: Nanos(self.now.0.saturating_sub(entry.z.0)).policy_time(),
            last,
            waiters: entry.waits.waiters,
            aggregate_delay: Duration::from_ps(entry.waits.delay.0),
            next: Future::Unknown,
            delay: None,
        };
        let before = gone.len();
        let (slots, entries, variants) = (&mut self.slots, &mut self.entries, &mut self.variants);
        let outcome = self.set.admit(&arrival, |slot, _| {
            if let Some(entry) = entries.get_mut(slot.0 as usize).and_then(Option::take) {
                slots.remove(&entry.key);
                uncount(variants, entry.primary);
                gone.push(entry);
            }
        });
        self.stats.evictions += (gone.len() - before) as u64;
        let ArrivalOutcome::Admitted(slot) = outcome else {
            self.stats.bypasses += 1;
            gone.push(entry);
            return gone;
        };
        self.stats.insertions += 1;
        *self.variants.entry(entry.primary).or_default() += 1;
        self.slots.insert(entry.key, slot);
        if self.entries.len() <= (slot.0 as usize) {
            self.entries.resize_with((slot.0 as usize) + 1, || None);
        }
        self.entries[slot.0 as usize] = Some(entry);
        gone
    }

    /// Takes `key` out.
    pub(crate) fn remove(&mut self, key: u128) -> Option<Entry> {
        let slot = self.slots.remove(&key)?;
        let entry = self.entries.get_mut(slot.0 as usize)?.take()?;
        self.set.remove(slot);
        uncount(&mut self.variants, entry.primary);
        Some(entry)
    }

    /// Gives `key` other headers, if it still has `old`. Where they are longer, it is put in anew,
    /// since they need room.
    pub(crate) fn change(
        &mut self,
        key: u128,
        old: &Arc<Meta>,
        meta: Arc<Meta>,
        now: Nanos,
    ) -> Option<(Entry, Vec<Entry>)> {
        let slot = *self.slots.get(&key)?;
        let entry = self.entries.get_mut(slot.0 as usize)?.as_mut()?;
        if !Arc::ptr_eq(&entry.meta, old) {
            return None;
        }
        if meta.len() <= entry.meta.len() {
            entry.meta = meta;
            return Some((entry.clone(), Vec::new()));
        }
        let entry = Entry { meta, ..entry.clone() };
        let last = LastRequest::miss(now.policy_time(), self.set.requests());
        let mut gone = self.admit(entry.clone(), last, now);
        // The old form of the same entry has not left, only its headers.
        gone.retain(|other| other.key != key || self.get(key).is_none());
        Some((entry, gone))
    }

    /// How many requests the policy has seen.
    pub(crate) fn requests(&self) -> u64 {
        self.set.requests()
    }
}

fn uncount(variants: &mut HashMap<u128, u32>, primary: u128) {
    if let hashbrown::hash_map::Entry::Occupied(mut count) = variants.entry(primary) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

/// How many wait at the flight's lock now.
fn waiters_at(flight: &Flight) -> u64 {
    if flight.core.is_some() { u64::from(flight.waiters()) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Arriving;
    use forebay_cache::order::OrderConfig;
    use forebay_cache::policies::{PolicyConfig, SetConfig, policies};
    use proptest::prelude::*;
    use std::time::Duration as Span;

    const CAPACITY: u64 = 10_000;

    #[derive(Clone, Debug)]
    enum Step {
        Ask(u128),
        /// The oldest leader begins to write, fails, or gives up.
        Write,
        Fail,
        GiveUp,
        /// The oldest body ends: whole with this length, or broken.
        Land(u64),
        Break,
        Remove(u128),
        Change(u128, usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (0..8_u128).prop_map(Step::Ask),
            4 => Just(Step::Write),
            1 => Just(Step::Fail),
            1 => Just(Step::GiveUp),
            4 => (0..9_000_u64).prop_map(Step::Land),
            1 => Just(Step::Break),
            1 => (0..8_u128).prop_map(Step::Remove),
            1 => (0..8_u128, 0..2_000_usize).prop_map(|(key, length)| Step::Change(key, length)),
        ]
    }

    fn meta(length: usize) -> Arc<Meta> {
        Arc::new(Meta { internal: Vec::new(), header: vec![0; length] })
    }

    fn check(state: &State) -> Result<(), TestCaseError> {
        prop_assert!(state.used() <= CAPACITY);
        let entries: Vec<&Entry> = state.entries().collect();
        prop_assert_eq!(entries.len(), state.len());
        prop_assert_eq!(entries.len(), state.slots.len());
        for entry in &entries {
            prop_assert!(state.get(entry.key).is_some_and(|found| found.key == entry.key));
            let same = entries.iter().filter(|other| other.primary == entry.primary).count();
            prop_assert_eq!(state.variants(entry.primary) as usize, same);
        }
        let waiting: u64 = state.flights.values().map(waiters_at).sum();
        prop_assert_eq!(state.stats.waiting, waiting);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn whatever_happens_the_tables_agree_and_nothing_stays_behind(
            steps in prop::collection::vec(step(), 0..120),
            policy in prop::sample::select(vec!["lru-mad", "lru", "lhd", "s3-fifo", "gdsf-mad"]),
        ) {
            let policy = policies().named(policy).map_err(|e| TestCaseError::fail(e.to_string()))?.clone();
            let build = policy.build(&PolicyConfig::default()).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let config = SetConfig { index: 0, capacity: CAPACITY, order: OrderConfig::default() };
            let mut state = State::new(CAPACITY, build(&config));
            let arriving = Arc::new(Arriving::new(u64::MAX));
            let (mut leaders, mut bodies) = (VecDeque::new(), VecDeque::new());
            let mut now = Nanos(0);
            for step in steps {
                now = Nanos(now.0 + 1000);
                match step {
                    Step::Ask(key) if state.get(key).is_some() => {
                        prop_assert!(state.found(key, now.0.is_multiple_of(2000), now));
                    }
                    Step::Ask(key) if state.latest_write(key).is_some() => {
                        let write = state.latest_write(key).map_or(0, |write| write.id);
                        state.joined(key, write, now);
                    }
                    Step::Ask(key) => {
                        let core = LockCore::new_arc(Span::from_secs(60), false, http::Extensions::new());
                        if let Turn::Lead(id) = state.lead_or_wait(key, core, now, 50) {
                            leaders.push_back((key, id));
                        }
                    }
                    Step::Write => if let Some((key, id)) = leaders.pop_front() {
                        let body = Body::new(&arriving);
                        bodies.push_back((key, state.begin_write(key, meta(10), body, now)));
                        state.answered(key, id);
                    },
                    Step::Fail => if let Some((key, id)) = leaders.pop_front() {
                        state.failed(key, id, now);
                    },
                    Step::GiveUp => if let Some((key, id)) = leaders.pop_front() {
                        state.given_up(key, id);
                    },
                    Step::Land(length) => if let Some((key, write)) = bodies.pop_front() {
                        let (z, waits, last) = state.landed(key, write, now);
                        prop_assert!(waits.delay >= z && waits.waiters >= 1);
                        let stored = Stored::Disk { generation: write };
                        let meta = meta(10);
                        let owed = (0, now);
                        let entry = Entry { key, primary: key / 2, meta, stored, length, z, waits, owed };
                        state.admit(entry, last, now);
                        state.end_write(key, write, now);
                    },
                    Step::Break => if let Some((key, write)) = bodies.pop_front() {
                        state.end_write(key, write, now);
                    },
                    Step::Remove(key) => drop(state.remove(key)),
                    Step::Change(key, length) => {
                        let old = state.get(key).map(|entry| entry.meta.clone());
                        prop_assert!(state.change(key, &meta(1), meta(length), now).is_none());
                        let old = old.unwrap_or_else(|| meta(1));
                        drop(state.change(key, &old, meta(length), now));
                    }
                }
                check(&state)?;
            }
            for (key, id) in leaders {
                state.given_up(key, id);
            }
            for (key, write) in bodies {
                state.end_write(key, write, now);
            }
            // Those who waited for a leader that failed never came back.
            state.forget_left(Nanos(now.0 + 2 * REMEMBERED.0));
            prop_assert_eq!(state.flights(), 0);
            prop_assert_eq!(state.stats.waiting, 0);
            prop_assert!(state.writes.is_empty());
        }
    }
}
