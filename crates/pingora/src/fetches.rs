//! Fetches that have begun, so that a removal reaches them: an answer that was asked for before it
//! must not be cached after it, however late it comes.
//!
//! Whoever may still bring an answer holds its [`Fetch`]: the leader's permit, also that of one who
//! was too slow, and the body on its way. A removal marks all there are.
//!
//! Who waits for a fetch is promised its answer ([`Awaited`]), though the policy may not keep it,
//! or may give it up for another before the one who waits has his turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hashbrown::HashMap;
use pingora_cache::lock::{LockCore, LockStatus};

use crate::body::Body;
use crate::disk::Meta;

/// A question to the origin.
pub(crate) struct Fetch {
    key: u128,
    removed: AtomicBool,
    failed: AtomicBool,
    promise: Mutex<Promise>,
}

/// What those who wait for a fetch are promised.
#[derive(Default)]
struct Promise {
    /// How many have not had it yet.
    waiting: u32,
    answer: Option<Answer>,
    /// Whether the answer is held for them alone.
    unkept: bool,
}

/// What a fetch has brought, whole or still arriving.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) write: u64,
    pub(crate) meta: Arc<Meta>,
    pub(crate) body: Arc<Body>,
}

/// One who waits for a fetch, until he has its answer or gives up.
pub(crate) struct Awaited {
    fetch: Arc<Fetch>,
    /// What its leader holds.
    core: Arc<LockCore>,
}

impl Awaited {
    /// Whether the fetch brought nothing, or is too slow by now: the next who comes will say so,
    /// but there need not be one.
    pub(crate) fn has_failed(&self) -> bool {
        let is_late = || match self.core.lock_status() {
            LockStatus::Waiting => self.core.lock_start.elapsed() >= self.core.age_timeout,
            status => status == LockStatus::AgeTimeout,
        };
        self.fetch.has_failed() || is_late()
    }

    /// What it has brought for `key`, unless that was removed.
    pub(crate) fn answer(&self, key: u128) -> Option<Answer> {
        if self.fetch.key != key || self.fetch.is_removed() {
            return None;
        }
        self.fetch.promise().answer.clone()
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut promise = self.fetch.promise();
        promise.waiting -= 1;
        if promise.waiting > 0 {
            return;
        }
        let (answer, unkept) = (promise.answer.take(), promise.unkept);
        drop(promise);
        if let Some(answer) = answer.filter(|_| unkept) {
            answer.body.pass();
        }
    }
}

impl Fetch {
    fn promise(&self) -> MutexGuard<'_, Promise> {
        self.promise.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more waits for it.
    pub(crate) fn awaited(self: &Arc<Self>, core: Arc<LockCore>) -> Awaited {
        self.promise().waiting += 1;
        Awaited { fetch: self.clone(), core }
    }

    /// It brings `answer`.
    pub(crate) fn brings(&self, answer: Answer) {
        let mut promise = self.promise();
        if promise.waiting > 0 {
            promise.answer = Some(answer);
        }
    }

    /// Whether some of those who waited for its answer have not had it yet. The answer stays whole
    /// for them then, though it is not cached.
    pub(crate) fn is_awaited(&self) -> bool {
        let mut promise = self.promise();
        promise.unkept = promise.answer.is_some();
        promise.unkept
    }

    /// Whether it brought nothing, or was too slow.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Whether what it brings was removed before it came.
    pub(crate) fn is_removed(&self) -> bool {
        self.removed.load(Ordering::Relaxed)
    }

    fn remove(&self) {
        self.removed.store(true, Ordering::Relaxed);
    }
}

/// Those that somebody holds, by their keys without the variant.
#[derive(Default)]
pub(crate) struct Fetches {
    of: HashMap<u128, Vec<Weak<Fetch>>>,
    /// From how many keys on it is worth to look for those that nobody holds any more.
    many: usize,
}

impl Fetches {
    pub(crate) fn begin(&mut self, key: u128, primary: u128) -> Arc<Fetch> {
        let fetch = Arc::new(Fetch {
            key,
            removed: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            promise: Mutex::default(),
        });
        if self.of.len() >= self.many {
            self.of.retain(|_, fetches| {
                fetches.retain(|fetch| fetch.strong_count() > 0);
                !fetches.is_empty()
            });
            self.many = 2 * self.of.len() + 64;
        }
        let fetches = self.of.entry(primary).or_default();
        if fetches.len() == fetches.capacity() {
            fetches.retain(|fetch| fetch.strong_count() > 0);
        }
        fetches.push(Arc::downgrade(&fetch));
        fetch
    }

    /// One for what may have been asked for before `key` was removed.
    pub(crate) fn begin_removed(&mut self, key: u128, primary: u128) -> Arc<Fetch> {
        let fetch = self.begin(key, primary);
        fetch.remove();
        fetch
    }

    fn held(&self, key: u128, primary: u128) -> impl Iterator<Item = Arc<Fetch>> {
        let all = self.of.get(&primary).into_iter().flatten().filter_map(Weak::upgrade);
        all.filter(move |fetch| key == primary || fetch.key == key)
    }

    /// `key` is removed, and if it is the key without a variant, all variants.
    pub(crate) fn remove(&self, key: u128, primary: u128) {
        self.held(key, primary).for_each(|fetch| fetch.remove());
    }

    /// Everything is removed.
    pub(crate) fn clear(&self) {
        self.of.values().flatten().filter_map(Weak::upgrade).for_each(|fetch| fetch.remove());
    }

    /// Whether somebody could still bring an answer for `key` that was removed.
    pub(crate) fn any_removed(&self, key: u128, primary: u128) -> bool {
        self.held(key, primary).any(|fetch| fetch.is_removed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removal_reaches_what_is_held_and_nothing_else() {
        let mut fetches = Fetches::default();
        let (whole, variant) = (fetches.begin(1, 1), fetches.begin(2, 1));
        let (other, again) = (fetches.begin(3, 3), fetches.begin(2, 1));
        fetches.remove(2, 1);
        let removed = |fetches: [&Arc<Fetch>; 4]| fetches.map(|fetch| fetch.is_removed());
        assert_eq!(removed([&whole, &variant, &other, &again]), [false, true, false, true]);
        assert!(fetches.any_removed(2, 1) && !fetches.any_removed(3, 3));
        fetches.remove(1, 1);
        assert_eq!(removed([&whole, &variant, &other, &again]), [true, true, false, true]);
        fetches.clear();
        assert!(other.is_removed());
        assert!(!fetches.begin(1, 1).is_removed(), "it began after");
        drop((whole, variant, again));
        assert!(!fetches.any_removed(1, 1));
    }

    #[test]
    fn what_nobody_holds_takes_no_room() {
        let mut fetches = Fetches::default();
        for key in 0..100_000_u128 {
            fetches.begin(key, key);
            fetches.begin(key, 0);
        }
        assert!(fetches.of.len() <= 64, "{}", fetches.of.len());
        assert!(fetches.of.values().all(|fetches| fetches.len() <= 4));
    }
}
