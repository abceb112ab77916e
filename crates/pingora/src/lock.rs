//! The cache lock: who fetches, who waits, and what becomes of those who wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use http::Extensions;
use pingora_cache::CacheKey;
use pingora_cache::lock::{CacheKeyLock, LockStatus, LockStub, Locked, WritePermit};

use crate::cache::{Cache, id, primary};
use crate::fetches::Fetch;
use crate::flight::FlightId;
use crate::state::Turn;

/// What became of one request at the lock. A service that wants to know puts an
/// `Arc<RequestNotes>` into [`CacheKey::extensions`]; by it the cache knows which fetch an answer
/// is of, if there were several of a key because one was too slow or removed, and whether what it
/// did not find came before it was to fetch it: then it looks again.
#[derive(Debug, Default)]
pub struct RequestNotes {
    collapsed: AtomicBool,
    refused: AtomicBool,
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
}

/// The fetch that the request of `key` led last, if it keeps notes.
pub(crate) fn led_by(key: &CacheKey) -> Option<Arc<Fetch>> {
    let notes = key.extensions.get::<Arc<RequestNotes>>()?;
    notes.fetch.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What the request of `key` looked for and did not find; `None`: it was there.
pub(crate) fn note_missed(key: &CacheKey, missed: Option<u128>) {
    if let Some(notes) = key.extensions.get::<Arc<RequestNotes>>() {
        *notes.missed.lock().unwrap_or_else(PoisonError::into_inner) = missed;
    }
}

/// What the request of `key` did not find, if it keeps notes. The note is gone then: who looks
/// twice in vain fetches.
fn missed(key: &CacheKey) -> Option<u128> {
    let notes = key.extensions.get::<Arc<RequestNotes>>()?;
    notes.missed.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn note(key: &CacheKey, flag: impl Fn(&RequestNotes) -> &AtomicBool) {
    if let Some(notes) = key.extensions.get::<Arc<RequestNotes>>() {
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
                if let Some(notes) = key.extensions.get::<Arc<RequestNotes>>() {
                    let mut led = notes.fetch.lock().unwrap_or_else(PoisonError::into_inner);
                    *led = Some(fetch.clone());
                }
                number.get_or_init(|| (id, fetch));
                Locked::Write(permit)
            }
            Turn::Wait(core) => {
                note(key, |notes| &notes.collapsed);
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
