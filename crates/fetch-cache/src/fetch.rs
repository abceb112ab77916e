//! Fetches what is missing, once for all callers.
//!
//! A call finds the value, or leads the fetch, or waits for it. Leading and waiting are guards that
//! stay consistent when a call is dropped or panics: [`Lead`] hands the flight to those who wait,
//! [`Waiting`] removes its entry from the list. Runtime-agnostic: only `std`'s futures and wakers.

use std::convert::Infallible;
use std::future::Future;
use std::hash::{BuildHasher, Hash};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::builder::OnError;
use crate::cache::{Cache, Parts};
use crate::clock::Nanos;
use crate::flight::{Flight, Look, Outcome, SharedError, Ticket};
use crate::removal::Removals;
use crate::store::{Incoming, Turn};
use crate::sync::{Thread, current, park};

/// The turn to fetch. If dropped before the end, it passes to a waiter.
struct Lead<'a, K: Hash + Eq, V, S: BuildHasher> {
    parts: &'a Parts<K, V, S>,
    flight: Arc<Flight<K, V>>,
    began: Nanos,
    ended: bool,
}

/// A call that waits for another's fetch.
struct Waiting<'a, K: Hash + Eq, V, S: BuildHasher> {
    parts: &'a Parts<K, V, S>,
    flight: Arc<Flight<K, V>>,
    /// Its ticket, until it is answered.
    ticket: Option<Ticket>,
}

/// The result of waiting.
enum Answer<'a, K: Hash + Eq, V, S: BuildHasher> {
    Landed(Outcome<V>),
    Lead(Lead<'a, K, V, S>),
}

/// How a call begins.
enum Start<'a, K: Hash + Eq, V, S: BuildHasher> {
    Hit(V),
    Lead(Lead<'a, K, V, S>),
    Wait(Waiting<'a, K, V, S>),
}

impl<K, V, S> Parts<K, V, S>
where
    K: Hash + Eq + Clone,
    V: Clone,
    S: BuildHasher,
{
    #[inline]
    fn start(&self, hash: u64, key: &K) -> Start<'_, K, V, S> {
        match self.look(hash, key) {
            Some(value) => Start::Hit(value),
            None => self.start_missing(hash, key),
        }
    }

    /// Under the write lock, where the value may have been inserted meanwhile.
    fn start_missing(&self, hash: u64, key: &K) -> Start<'_, K, V, S> {
        let now = self.clock.now();
        let mut store = self.shard(hash).write(&self.clock);
        if let Some((slot, entry)) = store.find(hash, key)
            && !self.expiry.is_over(&entry.life, now)
        {
            self.expiry.touch(&entry.life, now);
            let value = entry.value.clone();
            store.hit(slot, now);
            store.stats.hits += 1;
            return Start::Hit(value);
        }
        match store.join_or_lead(hash, key, now) {
            Turn::Lead(flight) => {
                Start::Lead(Lead { parts: self, flight, began: now, ended: false })
            }
            Turn::Wait(flight, ticket) => {
                Start::Wait(Waiting { parts: self, flight, ticket: Some(ticket) })
            }
        }
    }
}

impl<K, V, S> Lead<'_, K, V, S>
where
    K: Hash + Eq + Clone,
    V: Clone,
    S: BuildHasher,
{
    /// Caches `value`, and answers the waiters.
    fn land(mut self, value: &V) {
        let Lead { parts, flight, began, .. } = &self;
        let space = parts.space(&flight.key, value);
        let (hash, at) = (flight.hash, parts.clock.now());
        let incoming = Incoming { key: flight.key.clone(), value: value.clone(), hash, space, at };
        let mut removals = Removals::default();
        let mut store = parts.shard(hash).write(&parts.clock);
        store.stats.fetches.record(at.since(*began));
        let waits = flight.waits(at, |wait| store.stats.waits.record(wait));
        if store.detach(flight) {
            store.admit_fetched(incoming, *began, waits, &parts.expiry, &mut removals);
        }
        drop(store);
        if waits.waiters > 0 {
            flight.land(Outcome::Value(value.clone())).wake();
        }
        self.ended = true;
        self.parts.tell(removals);
    }

    /// Answers the waiters with `error`, or lets one of them try.
    fn fail(mut self, error: SharedError) {
        self.parts.shard(self.flight.hash).write(&self.parts.clock).stats.failures += 1;
        if self.parts.on_error == OnError::Share {
            self.parts.shard(self.flight.hash).write(&self.parts.clock).detach(&self.flight);
            self.flight.land(Outcome::Error(error)).wake();
        } else {
            self.hand_over();
        }
        self.ended = true;
    }
}

impl<K: Hash + Eq, V, S: BuildHasher> Lead<'_, K, V, S> {
    /// Lets a waiter lead, or removes the flight from the table.
    fn hand_over(&self) {
        // Nobody can join while the shard is locked: if nobody waits now, nobody will.
        let mut store = self.parts.shard(self.flight.hash).write(&self.parts.clock);
        let woken = self.flight.abandon();
        if woken.deserted {
            store.detach(&self.flight);
        }
        drop(store);
        woken.wake();
    }
}

impl<K: Hash + Eq, V, S: BuildHasher> Drop for Lead<'_, K, V, S> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.parts.shard(self.flight.hash).write(&self.parts.clock).stats.abandoned += 1;
        self.hand_over();
    }
}

impl<'a, K, V, S> Future for Waiting<'a, K, V, S>
where
    K: Hash + Eq,
    V: Clone,
    S: BuildHasher,
{
    type Output = Answer<'a, K, V, S>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(ticket) = self.ticket else { return Poll::Pending };
        let answer = match self.flight.look(ticket, context.waker()) {
            Look::Wait => return Poll::Pending,
            Look::Landed(outcome) => Answer::Landed(outcome),
            Look::Lead => {
                let (parts, flight) = (self.parts, self.flight.clone());
                let began = parts.clock.now();
                Answer::Lead(Lead { parts, flight, began, ended: false })
            }
        };
        self.ticket = None;
        Poll::Ready(answer)
    }
}

impl<K: Hash + Eq, V, S: BuildHasher> Drop for Waiting<'_, K, V, S> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let woken = self.flight.leave(ticket);
        if woken.deserted {
            let mut store = self.parts.shard(self.flight.hash).write(&self.parts.clock);
            // Someone may have joined meanwhile.
            if self.flight.deserted() {
                store.detach(&self.flight);
            }
        }
        woken.wake();
    }
}

impl<K, V, S> Cache<K, V, S>
where
    K: Hash + Eq + Clone,
    V: Clone,
    S: BuildHasher,
{
    /// The value of `key`: cached, or from the fetch of it under way, or from `fetch`.
    ///
    /// `fetch` is polled only if this call leads: if it began the fetch, or if the call that did
    /// was dropped or panicked. Its time is measured, and its value is cached.
    ///
    /// A leader is polled by its own caller: a future that is kept but never polled again blocks
    /// everyone who waits for it, until it is dropped; so does one that was woken to take over.
    /// Spawn the fetch as a task where that can happen. A fetch that asks this cache for its own
    /// key waits for itself for ever; so do two that ask for each other's.
    ///
    /// ```
    /// use forebay_fetch_cache::Cache;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let cache = Cache::builder(100).build()?;
    /// let fetched = cache.get_or_fetch("page", async { "from far away".to_string() }).await;
    /// let again = cache.get_or_fetch("page", async { unreachable!() }).await;
    /// assert_eq!(fetched, again);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn get_or_fetch(&self, key: K, fetch: impl Future<Output = V>) -> V {
        let fetch = async { Ok::<V, Infallible>(fetch.await) };
        match self.try_get_or_fetch(key, fetch).await {
            Ok(value) => value,
            Err(never) => match *never {},
        }
    }

    /// Like [`get_or_fetch`](Self::get_or_fetch), for a fetch that may fail.
    ///
    /// # Errors
    /// The error of `fetch` or, unless [`OnError::Retry`] is set, of the fetch that was waited for.
    /// If that failed with an error of another type, this call starts over with its own.
    pub async fn try_get_or_fetch<E>(
        &self,
        key: K,
        fetch: impl Future<Output = Result<V, E>>,
    ) -> Result<V, Arc<E>>
    where
        E: Send + Sync + 'static,
    {
        let parts = self.parts();
        let hash = parts.hash(&key);
        let lead = loop {
            let waiting = match parts.start(hash, &key) {
                Start::Hit(value) => return Ok(value),
                Start::Lead(lead) => break lead,
                Start::Wait(waiting) => waiting,
            };
            match waiting.await {
                Answer::Landed(Outcome::Value(value)) => return Ok(value),
                Answer::Landed(Outcome::Error(error)) => {
                    if let Ok(error) = error.downcast::<E>() {
                        return Err(error);
                    }
                }
                Answer::Lead(lead) => break lead,
            }
        };
        match fetch.await {
            Ok(value) => {
                lead.land(&value);
                Ok(value)
            }
            Err(error) => {
                let error = Arc::new(error);
                lead.fail(error.clone());
                Err(error)
            }
        }
    }

    /// Like [`get_or_fetch`](Self::get_or_fetch), on a thread that may block; the two wait for each
    /// other's fetches. Do not call it from a task.
    pub fn get_or_fetch_blocking(&self, key: K, fetch: impl FnOnce() -> V) -> V {
        block_on(self.get_or_fetch(key, async { fetch() }))
    }

    /// Like [`try_get_or_fetch`](Self::try_get_or_fetch), on a thread that may block. Do not call
    /// it from a task.
    ///
    /// # Errors
    /// As for `try_get_or_fetch`.
    pub fn try_get_or_fetch_blocking<E>(
        &self,
        key: K,
        fetch: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, Arc<E>>
    where
        E: Send + Sync + 'static,
    {
        block_on(self.try_get_or_fetch(key, async { fetch() }))
    }
}

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs `future` to its end on this thread.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        park();
    }
}
