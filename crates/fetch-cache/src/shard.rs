//! One shard: a store behind a read-write lock, and the hits not yet passed to its policy.
//!
//! A hit takes the read lock only. Everything else takes the write lock, and first passes the hits
//! to the policy, so that a slot among them still holds what was hit. Each shard has cache lines of
//! its own.

use std::borrow::Borrow;
use std::hash::Hash;

use crate::clock::{Clock, Nanos};
use crate::expiry::Expiry;
use crate::hits::Hits;
use crate::store::{Entry, Store};
use crate::sync::{RwLock, RwLockWriteGuard, read, try_write, write};

/// What a look-up under the read lock found.
pub(crate) enum Found<V> {
    Value(V),
    /// An expired value.
    Expired,
    Nothing,
}

#[repr(align(128))]
pub(crate) struct Shard<K, V> {
    hits: Hits,
    store: RwLock<Store<K, V>>,
}

impl<K: Hash + Eq, V> Shard<K, V> {
    pub(crate) fn new(store: Store<K, V>) -> Self {
        Shard { hits: Hits::new(), store: RwLock::new(store) }
    }

    /// Looks `key` up and uses what it finds.
    #[inline]
    pub(crate) fn look<Q>(&self, hash: u64, key: &Q, clock: &Clock, expiry: &Expiry) -> Found<V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
        V: Clone,
    {
        let now = if expiry.happens() { clock.now() } else { Nanos(0) };
        let store = read(&self.store);
        let Some((slot, entry)) = store.find(hash, key) else { return Found::Nothing };
        if expiry.happens() && expiry.is_over(&entry.life, now) {
            return Found::Expired;
        }
        expiry.touch(&entry.life, now);
        let value = entry.value.clone();
        let full = self.hits.push(slot, || clock.now());
        drop(store);
        if full && let Some(mut store) = try_write(&self.store) {
            self.tell(&mut store, clock);
        }
        Found::Value(value)
    }

    /// Whether `test` holds for the entry of `key`; does not count as a use.
    pub(crate) fn peek<Q>(
        &self,
        hash: u64,
        key: &Q,
        test: impl FnOnce(&Entry<K, V>) -> bool,
    ) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        read(&self.store).find(hash, key).is_some_and(|(_, entry)| test(entry))
    }

    /// Reads what does not concern the policy.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&Store<K, V>) -> T) -> T {
        look(&read(&self.store))
    }

    /// The store for changes, after its policy has been given all hits.
    pub(crate) fn write(&self, clock: &Clock) -> RwLockWriteGuard<'_, Store<K, V>> {
        let mut store = write(&self.store);
        self.tell(&mut store, clock);
        store
    }

    fn tell(&self, store: &mut Store<K, V>, clock: &Clock) {
        let hits = self.hits.empty(|| clock.now(), |slot, at| store.hit(slot, at));
        store.stats.hits += hits;
    }
}
