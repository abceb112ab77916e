//! The cache lock: who fetches, who waits, and what becomes of those who wait.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use http::Extensions;
use pingora_cache::CacheKey;
use pingora_cache::lock::{CacheKeyLock, LockStatus, LockStub, Locked, WritePermit};

use crate::cache::{Cache, id, primary};
use crate::fetches::{Answer, Awaited, Fetch};
use crate::flight::FlightId;
use crate::state::Turn;

/// What became of one request at the lock. A service that wants to know puts an
/// `Arc<RequestNotes>` into [`CacheKey::extensions`]; by it the cache knows which fetch an answer
/// is of, if there were several of a key because one was too slow or removed, and whether what it
/// did not find came before it was to fetch it: then it looks again. And a request with notes gets
/// what it waited for also where that is not cached, or not for long enough.
#[derive(Default)]
pub struct RequestNotes {
    collapsed: AtomicBool,
    refused: AtomicBool,
    failed: AtomicU32,
    /// What it waits for, or waited for last.
    awaited: Mutex<Option<Awaited>>,
    /// The fetch that it led last.
    fetch: Mutex<Option<Arc<Fetch>>>,
    /// What it looked for last, and did not find.
    missed: Mutex<Option<u128>>,
}

impl RequestNotes {
    /// Whether it waited for the fetch of another request.
    #[must_use]
    pub fn collapsed(&self) -> bool {
        self.collapsed.load(Ordering::Relaxed)
    }

    /// Whether it was not allowed to wait, because too many did.
    #[must_use]
    pub fn refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// How many fetches it waited for that brought nothing, or were too slow.
    #[must_use]
    pub fn leaders_failed(&self) -> u32 {
        self.failed.load(Ordering::Relaxed) + u32::from(has_failed(self.awaited().as_ref()))
    }

    fn awaited(&self) -> MutexGuard<'_, Option<Awaited>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It waits for `awaited` from now on, or for nothing.
    fn awaits(&self, awaited: Option<Awaited>) {
        let before = std::mem::replace(&mut *self.awaited(), awaited);
        self.failed.fetch_add(u32::from(has_failed(before.as_ref())), Ordering::Relaxed);
    }
}

impl fmt::Debug for RequestNotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestNotes")
            .field("collapsed", &self.collapsed())
            .field("refused", &self.refused())
            .field("leaders_failed", &self.leaders_failed())
            .finish_non_exhaustive()
    }
}

fn has_failed(awaited: Option<&Awaited>) -> bool {
    awaited.is_some_and(Awaited::has_failed)
}

fn notes(key: &CacheKey) -> Option<&RequestNotes> {
    key.extensions.get::<Arc<RequestNotes>>().map(Arc::as_ref)
}

/// What the request of `key` waited for, if that has come.
pub(crate) fn promised(key: &CacheKey) -> Option<Answer> {
    notes(key)?.awaited().as_ref()?.answer(id(key))
}

/// The request of `key` has found what it waited for, or something newer.
pub(crate) fn note_found(key: &CacheKey) {
    if let Some(notes) = notes(key) {
        notes.awaits(None);
    }
}

/// The fetch that the request of `key` led last, if it keeps notes.
pub(crate) fn led_by(key: &CacheKey) -> Option<Arc<Fetch>> {
    notes(key)?.fetch.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What the request of `key` looked for and did not find; `None`: it was there.
pub(crate) fn note_missed(key: &CacheKey, missed: Option<u128>) {
    if let Some(notes) = notes(key) {
        *notes.missed.lock().unwrap_or_else(PoisonError::into_inner) = missed;
    }
}

/// What the request of `key` did not find, if it keeps notes. The note is gone then: who looks
/// twice in vain fetches.
fn missed(key: &CacheKey) -> Option<u128> {
    notes(key)?.missed.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn note(key: &CacheKey, flag: impl Fn(&RequestNotes) -> &AtomicBool) {
    if let Some(notes) = notes(key) {
        flag(notes).store(true, Ordering::Relaxed);
    }
}

impl CacheKeyLock for Cache {
    fn lock(&self, key: &CacheKey, stale_writer: bool) -> Locked {
        let inner = &self.inner;
        // The flight's number is known only inside: the permit finds it in its extensions.
        let number = Arc::new(OnceLock::<(FlightId, Arc<Fetch>)>::new());
        let mut extensions = Extensions::new();
        extensions.insert(number.clone());
        let timeout = inner.settings.leader_timeout;
        let (mut permit, stub) = WritePermit::new(timeout, stale_writer, extensions);
        let most = inner.settings.most_waiting;
        let looked_in_vain = !stale_writer && missed(key) == Some(id(key));
        let turn = {
            let (keys, now) = ((id(key), primary(key)), inner.now());
            let mut state = inner.state();
            match looked_in_vain && state.has(keys.0) {
                true => Turn::LookAgain,
                false => state.lead_or_wait(keys, stub.0.clone(), now, most),
            }
        };
        match turn {
            Turn::LookAgain => {
                permit.unlock(LockStatus::Done);
                Locked::Read(stub.read_lock())
            }
            Turn::Lead(id, fetch) => {
                if let Some(notes) = notes(key) {
                    notes.awaits(None);
                    let mut led = notes.fetch.lock().unwrap_or_else(PoisonError::into_inner);
                    *led = Some(fetch.clone());
                }
                number.get_or_init(|| (id, fetch));
                Locked::Write(permit)
            }
            Turn::Wait(core, awaited) => {
                note(key, |notes| &notes.collapsed);
                if let Some(notes) = notes(key) {
                    notes.awaits(Some(awaited));
                }
                permit.unlock(LockStatus::Done);
                Locked::Read(LockStub(core).read_lock())
            }
            // Pingora takes a lock that was given up for an answer that must not be cached: the
            // request goes on by itself, where the service may stop it.
            Turn::Refused => {
                note(key, |notes| &notes.refused);
                permit.unlock(LockStatus::GiveUp);
                Locked::Read(stub.read_lock())
            }
        }
    }

    fn release(&self, key: &CacheKey, mut permit: WritePermit, reason: LockStatus) {
        let number = permit.extensions().get::<Arc<OnceLock<(FlightId, Arc<Fetch>)>>>();
        if let Some(flight) = number.and_then(|number| number.get()).map(|(flight, _)| *flight) {
            let (key, now) = (id(key), self.inner.now());
            let mut state = self.inner.state();
            match reason {
                LockStatus::Done => state.answered(key, flight, now),
                LockStatus::GiveUp => state.given_up(key, flight),
                LockStatus::TransientError
                | LockStatus::Dangling
                | LockStatus::Waiting
                | LockStatus::WaitTimeout
                | LockStatus::AgeTimeout => state.failed(key, flight, now),
            }
        }
        // Those who found the leader too slow have gone to lead themselves: they stay on their own.
        let late = permit.lock_status() == LockStatus::AgeTimeout;
        permit.unlock(if late { LockStatus::AgeTimeout } else { reason });
    }
}
