//! The cache itself, and what can be asked of it besides what Pingora asks.

use std::collections::HashSet;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forebay_cache::policies::{BoxedPolicy, LastRequest};
use pingora_cache::key::CacheHashKey;

use crate::builder::Builder;
use crate::clock::{Clock, Nanos};
use crate::disk::{Disk, Meta, Name, Put, Record};
use crate::flight::Waits;
use crate::ready::{Found, Kept, Ready};
use crate::share::Arriving;
use crate::state::{Entry, State, Stored};
use crate::stats::Stats;

#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) capacity: u64,
    pub(crate) largest: u64,
    pub(crate) bytes_arriving: u64,
    pub(crate) leader_timeout: Duration,
    pub(crate) most_waiting: u64,
    pub(crate) most_variants: u32,
    pub(crate) folder: Option<PathBuf>,
}

/// A fetch that has ended with a whole body.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Landed {
    /// The key of what was fetched, with its variant: [`CacheHashKey::combined_bin`].
    pub key: u128,
    /// The key without the variant: [`CacheHashKey::primary_bin`].
    pub primary: u128,
    /// Its size: body and headers.
    pub bytes: u64,
    /// What it takes of the capacity if it is cached.
    pub space: u64,
    /// Until when it is fresh.
    pub fresh_until: SystemTime,
    /// How long after that it may be served while it is renewed (RFC 5861).
    pub stale_while_revalidate: Duration,
    /// How long the fetch took: the measured Z.
    pub z: Duration,
    /// How many waited for it, the one who fetched included.
    pub waiters: u32,
    /// How long they waited in all (thesis Eq. 2.13).
    pub waited: Duration,
}

type Listener = Arc<dyn Fn(&Landed) + Send + Sync>;

pub(crate) struct Inner {
    state: Mutex<State>,
    pub(crate) settings: Settings,
    pub(crate) arriving: Arc<Arriving>,
    pub(crate) disk: Option<Disk>,
    clock: Clock,
    listener: Mutex<Option<Listener>>,
}

/// A cache for Pingora: its storage, eviction manager and cache lock as one object.
///
/// Clones are the same cache. See the [crate's page](crate) for its use in a service.
#[derive(Clone)]
pub struct Cache {
    pub(crate) inner: Arc<Inner>,
}

/// The key by which everything is found.
pub(crate) fn id(key: &impl CacheHashKey) -> u128 {
    u128::from_be_bytes(key.combined_bin())
}

pub(crate) fn primary(key: &impl CacheHashKey) -> u128 {
    u128::from_be_bytes(key.primary_bin())
}

impl Cache {
    /// Settings of a cache of `capacity` bytes: bodies, headers, and what each entry takes besides.
    ///
    /// ```
    /// use forebay_pingora::Cache;
    ///
    /// let cache = Cache::builder(100 << 20).policy("lru-mad").build()?;
    /// assert_eq!(cache.stats().objects, 0);
    /// let wrong = Cache::builder(100 << 20).policy("lru-nad").build().err().unwrap();
    /// assert!(wrong.to_string().contains("there is no cache policy `lru-nad`"));
    /// # Ok::<(), forebay_pingora::BuildError>(())
    /// ```
    pub fn builder(capacity: u64) -> Builder {
        Builder::new(capacity)
    }

    pub(crate) fn open(settings: Settings, policy: BoxedPolicy) -> io::Result<Self> {
        let (disk, found) = match settings.folder.as_deref().map(Disk::open).transpose()? {
            Some((disk, found)) => (Some(disk), Some(found)),
            None => (None, None),
        };
        let inner = Inner {
            state: Mutex::new(State::new(settings.capacity, policy)),
            arriving: Arc::new(Arriving::new(settings.bytes_arriving)),
            settings,
            disk,
            clock: Clock::new(),
            listener: Mutex::new(None),
        };
        let cache = Cache { inner: Arc::new(inner) };
        if let Some(found) = found {
            if found.damaged {
                log::warn!("the index of the cache was damaged: what came after is fetched again");
            }
            cache.restore(found.entries);
        }
        Ok(cache)
    }

    /// Puts in what a restart found, the oldest first, and sweeps away what nothing names.
    fn restore(&self, entries: Vec<Put>) {
        let inner = &self.inner;
        let mut known: HashSet<_> = entries.iter().map(|put| (put.key, put.generation)).collect();
        let mut forget = |gone: Vec<Entry>| {
            for entry in gone {
                if let Stored::Disk { generation } = entry.stored {
                    known.remove(&(entry.key, generation));
                }
                inner.forget(entry);
            }
        };
        for put in entries {
            let mut state = inner.state();
            let last = LastRequest::miss(Nanos(0).policy_time(), state.requests());
            let gone = state.admit(Entry::from(put), last, inner.now());
            drop(state);
            forget(gone);
        }
        // Variants of what is not there any more are none that a request could find.
        let orphans = inner.state().take_orphans();
        forget(orphans);
        let cache = self.clone();
        std::thread::spawn(move || {
            let Some(disk) = &cache.inner.disk else { return };
            match disk.sweep(&known) {
                Ok(0) => {}
                Ok(swept) => log::info!("{swept} files of an earlier process were swept away"),
                Err(error) => log::warn!("the cache's folder could not be swept: {error}"),
            }
        });
    }

    /// What it has done and what it holds.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut state = self.inner.state();
        state.sweep(self.inner.now());
        Stats {
            objects: state.len() as u64,
            bytes: state.used(),
            bytes_arriving: self.inner.arriving.bytes(),
            ..state.stats.clone()
        }
    }

    /// The largest body that it keeps, in bytes.
    #[must_use]
    pub fn largest(&self) -> u64 {
        self.inner.settings.largest
    }

    /// How many fetches are under way.
    #[must_use]
    pub fn flights(&self) -> usize {
        let mut state = self.inner.state();
        state.sweep(self.inner.now());
        state.flights()
    }

    /// Removes what is cached for `key`, and all its variants unless `key` is that of one; whether
    /// there was something, cached or on its way. What was asked for before is not cached after
    /// it, however late it comes, and nobody who asks after it waits for it.
    pub fn remove(&self, key: &impl CacheHashKey) -> bool {
        let (found, gone) = self.inner.state().purge(id(key), primary(key));
        gone.into_iter().for_each(|entry| self.inner.forget(entry));
        found
    }

    /// Removes everything, as [`remove`](Self::remove) does; returns how many responses were
    /// cached.
    pub fn clear(&self) -> usize {
        let gone = self.inner.state().clear();
        let count = gone.len();
        gone.into_iter().for_each(|entry| self.inner.forget(entry));
        count
    }

    /// What is cached for `key`, if it can be sent at `at` as it is: with status 200, fresh, whole,
    /// in memory, and for every request alike (no `Vary`). It counts as a hit.
    ///
    /// For servers that answer plain hits before a request's life in Pingora begins. Whether the
    /// request is a plain one is theirs to see: a GET without ranges, conditions or wishes.
    ///
    /// Takes the cache's lock once, or twice where the header of what is found is not among the
    /// last that were read.
    #[must_use]
    pub fn ready(&self, key: &impl CacheHashKey, at: SystemTime) -> Option<Ready> {
        let (key, now) = (id(key), self.inner.now());
        let first = self.inner.state().ready(key, at, now);
        let found = match first {
            Found::Unread(of, length) => {
                let kept = Kept::read(of, length);
                let mut state = self.inner.state();
                state.headers.keep(key, kept);
                state.ready(key, at, now)
            }
            found @ (Found::Ready(_) | Found::Nothing) => found,
        };
        match found {
            Found::Ready(ready) => Some(ready),
            Found::Nothing | Found::Unread(..) => None,
        }
    }

    /// `listener` is told of every fetch that ends with a whole body, without locks held.
    pub fn on_landed(&self, listener: impl Fn(&Landed) + Send + Sync + 'static) {
        *lock(&self.inner.listener) = Some(Arc::new(listener));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(crate) fn now(&self) -> Nanos {
        self.clock.now()
    }

    pub(crate) fn tell(&self, landed: &Landed) {
        let listener = lock(&self.listener).clone();
        if let Some(listener) = listener {
            listener(landed);
        }
    }

    /// Appends to the index, if there is one.
    pub(crate) fn note(&self, record: &Record) -> io::Result<()> {
        let Some(disk) = &self.disk else { return Ok(()) };
        let live = self.state().len() as u64;
        disk.note(record, live, || self.state().entries().filter_map(as_record).collect())
    }

    pub(crate) fn note_or_warn(&self, record: &Record) {
        if let Err(error) = self.note(record) {
            log::warn!("the index of the cache cannot be written: {error}");
            self.state().stats.write_errors += 1;
        }
    }

    /// An entry has left the cache: its body goes, then its name.
    pub(crate) fn forget(&self, entry: Entry) {
        let (Stored::Disk { generation }, Some(disk)) = (&entry.stored, &self.disk) else { return };
        let (key, generation) = (entry.key, *generation);
        disk.remove_body(Name { key, generation });
        if let Err(error) = self.note(&Record::Removed { key, generation }) {
            log::warn!("the index of the cache cannot be written: {error}");
        }
    }

    /// A body turned out to be damaged or gone.
    pub(crate) fn lose(&self, entry: &Entry, error: &dyn Display) {
        log::warn!("a cached body is given up: {error}");
        let mut state = self.state();
        state.stats.damaged += 1;
        let same = |other: &Entry| {
            matches!((&other.stored, &entry.stored),
            (Stored::Disk { generation: a }, Stored::Disk { generation: b }) if a == b)
        };
        let there = state.get(entry.key).is_some_and(same);
        let gone = if there { state.remove(entry.key) } else { Vec::new() };
        drop(state);
        gone.into_iter().for_each(|entry| self.forget(entry));
    }
}

impl From<Put> for Entry {
    fn from(put: Put) -> Self {
        Entry {
            key: put.key,
            primary: put.primary,
            meta: Arc::new(put.meta),
            created: UNIX_EPOCH,
            stored: Stored::Disk { generation: put.generation },
            length: put.length,
            z: Nanos(put.z),
            waits: Waits { waiters: put.waiters, delay: Nanos(put.delay) },
            owed: (0, Nanos(0)),
        }
    }
}

/// How an entry stands in the index.
pub(crate) fn as_record(entry: &Entry) -> Option<Record> {
    let Stored::Disk { generation } = entry.stored else { return None };
    Some(Record::Put(Put {
        key: entry.key,
        primary: entry.primary,
        generation,
        length: entry.length,
        z: entry.z.0,
        waiters: entry.waits.waiters,
        delay: entry.waits.delay.0,
        meta: Meta::clone(&entry.meta),
    }))
}
