//! The cache itself, without fetching, which is in [`fetch`](crate::fetch).

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

use crate::builder::{Builder, OnError, Weigher};
use crate::clock::{Clock, Nanos};
use crate::expiry::Expiry;
use crate::removal::{Listener, RemovalCause, Removals};
use crate::shard::{Found, Shard};
use crate::stats::Stats;
use crate::store::Incoming;

/// A concurrent cache; clones are the same cache.
///
/// Values are handed out as clones: where cloning costs, let `V` be an [`Arc`]. All calls take
/// `&self`.
///
/// ```
/// use forebay_fetch_cache::Cache;
///
/// let cache: Cache<String, u32> = Cache::builder(1_000).build()?;
/// cache.insert("one".to_string(), 1);
/// assert_eq!((cache.get("one"), cache.get("two")), (Some(1), None));
/// assert_eq!((cache.remove("one"), cache.contains("one")), (Some(1), false));
/// # Ok::<(), forebay_fetch_cache::BuildError>(())
/// ```
pub struct Cache<K, V, S = RandomState> {
    parts: Arc<Parts<K, V, S>>,
}

impl<K, V, S> Clone for Cache<K, V, S> {
    fn clone(&self) -> Self {
        Cache { parts: self.parts.clone() }
    }
}

/// What all clones share.
pub(crate) struct Parts<K, V, S> {
    pub(crate) shards: Box<[Shard<K, V>]>,
    pub(crate) hasher: S,
    pub(crate) clock: Clock,
    pub(crate) expiry: Expiry,
    pub(crate) on_error: OnError,
    pub(crate) weigher: Option<Weigher<K, V>>,
    pub(crate) listener: Option<Listener<K, V>>,
}

impl<K: Hash + Eq, V> Cache<K, V> {
    /// Settings for a cache with room for `capacity` values, or for values of this total weight.
    #[must_use]
    pub fn builder(capacity: u64) -> Builder<K, V> {
        Builder::new(capacity)
    }
}

impl<K, V, S> Cache<K, V, S> {
    pub(crate) fn from_parts(parts: Parts<K, V, S>) -> Self {
        Cache { parts: Arc::new(parts) }
    }

    pub(crate) fn parts(&self) -> &Parts<K, V, S> {
        &self.parts
    }
}

impl<K, V, S> Parts<K, V, S>
where
    K: Hash + Eq,
    S: BuildHasher,
{
    /// The hash of `key`, mixed: a hasher that answers the key itself must not put all keys in one
    /// shard or one place. Multiplying (by 2^64 over the golden ratio: Knuth, TAOCP 3, §6.4)
    /// carries lower bits up; the shifts before and after it carry upper bits down. One to one.
    #[inline]
    pub(crate) fn hash<Q: Hash + ?Sized>(&self, key: &Q) -> u64 {
        let hash = self.hasher.hash_one(key);
        let product = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 32)
    }

    /// The hash of `key` and its shard. A hash table uses the lowest bits of a hash for places and
    /// the highest for marks, so the shard is chosen by other bits.
    #[inline]
    pub(crate) fn locate<Q: Hash + ?Sized>(&self, key: &Q) -> (u64, &Shard<K, V>) {
        let hash = self.hash(key);
        (hash, self.shard(hash))
    }

    #[inline]
    pub(crate) fn shard(&self, hash: u64) -> &Shard<K, V> {
        &self.shards[(hash >> 32) as usize & (self.shards.len() - 1)]
    }

    /// How much of the capacity `value` takes. Calls the caller's code: not under a lock.
    pub(crate) fn space(&self, key: &K, value: &V) -> u64 {
        self.weigher.as_ref().map_or(1, |weigher| weigher(key, value).max(1))
    }

    pub(crate) fn tell(&self, removals: Removals<K, V>) {
        removals.tell(self.listener.as_ref());
    }

    /// Removes `key` if it is still there and expired.
    fn expire<Q>(&self, hash: u64, key: &Q)
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let mut removals = Removals::default();
        let now = self.clock.now();
        let mut store = self.shard(hash).write(&self.clock);
        let over = store.find(hash, key).filter(|(_, entry)| self.expiry.is_over(&entry.life, now));
        if let Some(slot) = over.map(|(slot, _)| slot) {
            store.take(slot, RemovalCause::Expired, &mut removals);
        }
        drop(store);
        self.tell(removals);
    }

    /// Looks up and uses `key`.
    #[inline]
    pub(crate) fn look<Q>(&self, hash: u64, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
        V: Clone,
    {
        match self.shard(hash).look(hash, key, &self.clock, &self.expiry) {
            Found::Value(value) => Some(value),
            Found::Nothing => None,
            Found::Expired => {
                self.expire(hash, key);
                None
            }
        }
    }
}

impl<K, V, S> Cache<K, V, S>
where
    K: Hash + Eq,
    S: BuildHasher,
{
    /// The value of `key`, if it is cached. Does not wait for fetches under way.
    #[inline]
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        V: Clone,
    {
        let hash = self.parts.hash(key);
        self.parts.look(hash, key)
    }

    /// Whether `key` is cached; does not count as a use.
    pub fn contains<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (hash, shard) = self.parts.locate(key);
        let now = self.parts.clock.now();
        shard.peek(hash, key, |entry| !self.parts.expiry.is_over(&entry.life, now))
    }

    /// Inserts `value`. A fetch of `key` under way still answers its waiters, but its value is not
    /// cached.
    pub fn insert(&self, key: K, value: V) {
        let (hash, shard) = self.parts.locate(&key);
        let space = self.parts.space(&key, &value);
        let at = self.parts.clock.now();
        let mut removals = Removals::default();
        let mut store = shard.write(&self.parts.clock);
        store.detach_key(hash, &key);
        let incoming = Incoming { key, value, hash, space, at };
        store.admit_given(incoming, &self.parts.expiry, &mut removals);
        drop(store);
        self.parts.tell(removals);
    }

    /// Removes `key`, and returns its value. A fetch of it under way still answers its waiters, but
    /// its value is not cached.
    pub fn remove<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        V: Clone,
    {
        let (hash, shard) = self.parts.locate(key);
        let now = self.parts.clock.now();
        let mut removals = Removals::default();
        let mut store = shard.write(&self.parts.clock);
        store.detach_key(hash, key);
        let (slot, entry) = store.find(hash, key)?;
        let over = self.parts.expiry.is_over(&entry.life, now);
        let value = if over { None } else { Some(entry.value.clone()) };
        let cause = if over { RemovalCause::Expired } else { RemovalCause::Removed };
        store.take(slot, cause, &mut removals);
        drop(store);
        self.parts.tell(removals);
        value
    }

    /// Removes `key`, as [`remove`](Self::remove) does.
    pub fn invalidate<Q>(&self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (hash, shard) = self.parts.locate(key);
        let mut removals = Removals::default();
        let mut store = shard.write(&self.parts.clock);
        store.detach_key(hash, key);
        if let Some(slot) = store.find(hash, key).map(|(slot, _)| slot) {
            store.take(slot, RemovalCause::Removed, &mut removals);
        }
        drop(store);
        self.parts.tell(removals);
    }

    /// Removes everything, shard by shard. Fetches under way answer their waiters, but are not
    /// cached. O(n).
    pub fn invalidate_all(&self) {
        self.each_store(|store, _, removals| store.clear(removals));
    }

    /// Removes expired values, and passes all hits to the policy. Never needed: expired values are
    /// not returned, and every insertion checks two other values for expiry. O(n).
    pub fn run_pending(&self) {
        let expiry = self.parts.expiry;
        self.each_store(|store, now, removals| store.sweep_all(now, &expiry, removals));
    }

    /// How many values it holds, including expired ones that have not been removed yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sum(|store| store.len() as u64) as usize
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The total weight of its values.
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.sum(crate::store::Store::used)
    }

    /// How many fetches are under way whose values will be cached.
    #[must_use]
    pub fn fetching(&self) -> usize {
        self.sum(|store| store.flights() as u64) as usize
    }

    /// What it has done so far, over all shards; each shard is exact, but they are read one after
    /// another.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        for shard in &self.parts.shards {
            stats.merge(&shard.write(&self.parts.clock).stats);
        }
        stats
    }

    fn sum(&self, of: impl Fn(&crate::store::Store<K, V>) -> u64) -> u64 {
        self.parts.shards.iter().map(|shard| shard.read(&of)).sum()
    }

    fn each_store(
        &self,
        mut change: impl FnMut(&mut crate::store::Store<K, V>, Nanos, &mut Removals<K, V>),
    ) {
        for shard in &self.parts.shards {
            let mut removals = Removals::default();
            let now = self.parts.clock.now();
            let mut store = shard.write(&self.parts.clock);
            change(&mut store, now, &mut removals);
            drop(store);
            self.parts.tell(removals);
        }
    }
}
