//! What a shard's lock protects: values, the set and policy that rank them, and the fetches under
//! way.
//!
//! The set and the policies are those of `forebay-cache`, which identify a key by its hash: two
//! keys with one hash are two objects to the set, and only share what a policy remembers of evicted
//! ones. O(1) plus what the policy takes. Memory: about 60 bytes per object besides key and value,
//! and the policy's own.

use std::borrow::Borrow;
use std::hash::Hash;
use std::mem;
use std::sync::Arc;

use forebay_cache::order::Slot;
use forebay_cache::policies::{Access, BoxedPolicy, LastRequest, ObjectArrival};
use forebay_cache::{ArrivalOutcome, Future, ObjectId, Set};
use forebay_units::{Bytes, Duration};
use hashbrown::HashTable;

use crate::clock::Nanos;
use crate::expiry::{Expiry, Lifetime};
use crate::flight::{Flight, Ticket, Waits};
use crate::removal::{RemovalCause, Removals};
use crate::stats::Stats;

/// How many entries are checked for expiry with every insertion.
const SWEPT: usize = 2;

/// A cached value.
pub(crate) struct Entry<K, V> {
    pub(crate) key: K,
    pub(crate) value: V,
    hash: u64,
    pub(crate) life: Lifetime,
}

/// A value on its way into the cache.
pub(crate) struct Incoming<K, V> {
    pub(crate) key: K,
    pub(crate) value: V,
    pub(crate) hash: u64,
    pub(crate) space: u64,
    /// When it becomes available.
    pub(crate) at: Nanos,
}

/// What a call that found no value does next.
pub(crate) enum Turn<K, V> {
    /// It fetches.
    Lead(Arc<Flight<K, V>>),
    /// It waits.
    Wait(Arc<Flight<K, V>>, Ticket),
}

/// The content of a shard.
pub(crate) struct Store<K, V> {
    set: Set<BoxedPolicy>,
    index: HashTable<u32>,
    /// By slot.
    entries: Vec<Option<Entry<K, V>>>,
    flights: HashTable<Arc<Flight<K, V>>>,
    pub(crate) stats: Stats,
    /// The latest instant given to the policy, whose clock never goes back.
    now: Nanos,
    /// How long a fetch takes on average; each fetch moves it by an eighth.
    usual_fetch: Nanos,
    /// Where the search for expired entries continues.
    hand: usize,
}

impl<K: Hash + Eq, V> Store<K, V> {
    pub(crate) fn new(capacity: u64, policy: BoxedPolicy) -> Self {
        Store {
            set: Set::new(capacity, policy),
            index: HashTable::new(),
            entries: Vec::new(),
            flights: HashTable::new(),
            stats: Stats::default(),
            now: Nanos(0),
            usual_fetch: Nanos(0),
            hand: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.set.len()
    }

    pub(crate) fn used(&self) -> u64 {
        self.set.used()
    }

    pub(crate) fn flights(&self) -> usize {
        self.flights.len()
    }

    #[inline]
    fn is_at<Q>(&self, slot: u32, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.entries[slot as usize].as_ref().is_some_and(|entry| entry.key.borrow() == key)
    }

    /// The slot and entry of `key`, expired or not.
    #[inline]
    pub(crate) fn find<Q>(&self, hash: u64, key: &Q) -> Option<(u32, &Entry<K, V>)>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let slot = *self.index.find(hash, |slot| self.is_at(*slot, key))?;
        Some((slot, self.entries[slot as usize].as_ref()?))
    }

    /// Passes a hit to the policy.
    pub(crate) fn hit(&mut self, slot: u32, at: Nanos) {
        self.now = self.now.max(at);
        if let Some(Some(entry)) = self.entries.get(slot as usize) {
            let access = access(entry.hash, self.now);
            self.set.hit(Slot(slot), &access);
        }
    }

    /// Joins the fetch of `key`, or begins one.
    pub(crate) fn join_or_lead(&mut self, hash: u64, key: &K, now: Nanos) -> Turn<K, V>
    where
        K: Clone,
    {
        self.now = self.now.max(now);
        let access = access(hash, self.now);
        let number = self.set.absent(&access);
        if let Some(flight) = self.flights.find(hash, |flight| flight.key == *key) {
            self.stats.delayed_hits += 1;
            return Turn::Wait(flight.clone(), flight.join(now, number));
        }
        self.stats.misses += 1;
        let last = LastRequest::miss(self.now.policy_time(), number);
        let flight = Arc::new(Flight::led(key.clone(), hash, last));
        self.flights.insert_unique(hash, flight.clone(), |flight| flight.hash);
        Turn::Lead(flight)
    }

    /// Removes `flight` from the table; returns whether it was still there. Only then may its value
    /// be cached.
    pub(crate) fn detach(&mut self, flight: &Arc<Flight<K, V>>) -> bool {
        self.flights
            .find_entry(flight.hash, |other| Arc::ptr_eq(other, flight))
            .map(|f| f.remove())
            .is_ok()
    }

    /// Removes any flight for `key` from the table: its value will be out of date.
    pub(crate) fn detach_key<Q>(&mut self, hash: u64, key: &Q)
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        if let Ok(found) = self.flights.find_entry(hash, |flight| flight.key.borrow() == key) {
            found.remove();
        }
    }

    /// Caches the value of a fetch that began at `began`, with what others waited for it.
    pub(crate) fn admit_fetched(
        &mut self,
        incoming: Incoming<K, V>,
        began: Nanos,
        waits: Waits,
        expiry: &Expiry,
        removals: &mut Removals<K, V>,
    ) {
        let z = incoming.at.since(began);
        self.usual_fetch = match self.usual_fetch {
            Nanos(0) => z,
            Nanos(usual) => Nanos(usual - usual / 8 + z.0 / 8),
        };
        let waits =
            Waits { waiters: waits.waiters.saturating_add(1), delay: waits.delay.plus(z), ..waits };
        self.admit(incoming, z, waits, expiry, removals);
    }

    /// Caches an inserted value. The cost of missing it is not known, and is assumed to be that of
    /// an average fetch.
    pub(crate) fn admit_given(
        &mut self,
        incoming: Incoming<K, V>,
        expiry: &Expiry,
        removals: &mut Removals<K, V>,
    ) {
        let z = self.usual_fetch;
        let last = LastRequest::miss(incoming.at.policy_time(), self.set.requests());
        self.admit(incoming, z, Waits { waiters: 1, delay: z, last }, expiry, removals);
    }

    /// Tells the policy about a value that is available now.
    fn arrival(&self, hash: u64, space: u64, z: Nanos, waits: Waits) -> ObjectArrival {
        ObjectArrival {
            at: self.now.policy_time(),
            object: ObjectId(hash),
            size: Bytes::new(space),
            space,
            requested: Nanos(self.now.0.saturating_sub(z.0)).policy_time(),
            last: waits.last,
            waiters: waits.waiters,
            aggregate_delay: Duration::from_ps(waits.delay.0),
            next: Future::Unknown,
            delay: None,
        }
    }

    fn admit(
        &mut self,
        incoming: Incoming<K, V>,
        z: Nanos,
        waits: Waits,
        expiry: &Expiry,
        removals: &mut Removals<K, V>,
    ) {
        let Incoming { key, value, hash, space, at } = incoming;
        if let Some((slot, _)) = self.find(hash, &key) {
            self.take(slot, RemovalCause::Replaced, removals);
        }
        self.sweep(SWEPT, at, expiry, removals);
        self.now = self.now.max(at);
        let arrival = self.arrival(hash, space, z, waits);
        let (index, entries, before) = (&mut self.index, &mut self.entries, removals.len());
        let admission = self.set.admit(&arrival, |slot, _| {
            if let Some(entry) = vacate(index, entries, slot.0) {
                removals.push(entry.key, entry.value, RemovalCause::Evicted);
            }
        });
        self.stats.evictions += (removals.len() - before) as u64;
        let ArrivalOutcome::Admitted(Slot(slot)) = admission else {
            self.stats.bypasses += 1;
            removals.push(key, value, RemovalCause::Evicted);
            return;
        };
        self.stats.insertions += 1;
        let entry = Entry { key, value, hash, life: expiry.begin(at) };
        if self.entries.len() <= slot as usize {
            self.entries.resize_with(slot as usize + 1, || None);
        }
        self.entries[slot as usize] = Some(entry);
        let entries = &self.entries;
        self.index.insert_unique(hash, slot, |slot| hash_at(entries, *slot));
    }

    /// Removes the entry in `slot`.
    pub(crate) fn take(&mut self, slot: u32, cause: RemovalCause, removals: &mut Removals<K, V>) {
        if let Some(entry) = vacate(&mut self.index, &mut self.entries, slot) {
            self.set.remove(Slot(slot));
            self.stats.expirations += u64::from(cause == RemovalCause::Expired);
            removals.push(entry.key, entry.value, cause);
        }
    }

    /// Checks `most` entries, in turn, and removes those that have expired.
    pub(crate) fn sweep(
        &mut self,
        most: usize,
        now: Nanos,
        expiry: &Expiry,
        removals: &mut Removals<K, V>,
    ) {
        if !expiry.happens() {
            return;
        }
        for _ in 0..most.min(self.entries.len()) {
            self.hand = if self.hand + 1 < self.entries.len() { self.hand + 1 } else { 0 };
            let entry = self.entries[self.hand].as_ref();
            if entry.is_some_and(|entry| expiry.is_over(&entry.life, now)) {
                self.take(self.hand as u32, RemovalCause::Expired, removals);
            }
        }
    }

    /// Checks all entries.
    pub(crate) fn sweep_all(&mut self, now: Nanos, expiry: &Expiry, removals: &mut Removals<K, V>) {
        self.sweep(self.entries.len(), now, expiry, removals);
    }

    /// Removes everything; fetches under way will not be cached.
    pub(crate) fn clear(&mut self, removals: &mut Removals<K, V>) {
        for slot in 0..self.entries.len() {
            self.take(slot as u32, RemovalCause::Removed, removals);
        }
        drop(mem::take(&mut self.flights));
    }
}

fn access(hash: u64, at: Nanos) -> Access {
    Access { at: at.policy_time(), object: ObjectId(hash), next: Future::Unknown, delay: None }
}

fn hash_at<K, V>(entries: &[Option<Entry<K, V>>], slot: u32) -> u64 {
    entries.get(slot as usize).and_then(Option::as_ref).map_or(0, |entry| entry.hash)
}

/// Removes the entry of `slot` from the index and the table.
fn vacate<K, V>(
    index: &mut HashTable<u32>,
    entries: &mut [Option<Entry<K, V>>],
    slot: u32,
) -> Option<Entry<K, V>> {
    let entry = entries.get_mut(slot as usize)?.take()?;
    if let Ok(found) = index.find_entry(entry.hash, |other| *other == slot) {
        found.remove();
    }
    Some(entry)
}
