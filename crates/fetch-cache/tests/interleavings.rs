//! Every file of the crate over a model checker's threads and locks, which tries interleavings at
//! random, thousands of them, and reports every deadlock: a waiter that nobody wakes is one.
//!
//! The crate's own files are compiled again here; only `sync` is another.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, unused_imports, missing_docs)]

#[path = "../src/builder.rs"]
mod builder;
#[path = "../src/cache.rs"]
mod cache;
#[path = "../src/clock.rs"]
mod clock;
#[path = "../src/expiry.rs"]
mod expiry;
#[path = "../src/fetch.rs"]
mod fetch;
#[path = "../src/flight.rs"]
mod flight;
#[path = "../src/hits.rs"]
mod hits;
#[path = "../src/removal.rs"]
mod removal;
#[path = "../src/shard.rs"]
mod shard;
#[path = "../src/stats.rs"]
mod stats;
#[path = "../src/store.rs"]
mod store;

/// The twin of the crate's `sync` over the model checker.
mod sync {
    pub(crate) use shuttle::sync::atomic::{AtomicU32, AtomicU64, Ordering};
    pub(crate) use shuttle::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
    pub(crate) use shuttle::thread::{Thread, current, park};

    pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
        lock.read().unwrap()
    }

    pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
        lock.write().unwrap()
    }

    pub(crate) fn try_write<T>(lock: &RwLock<T>) -> Option<RwLockWriteGuard<'_, T>> {
        lock.try_write().ok()
    }
}

pub use builder::OnError;
pub use cache::Cache;
pub use clock::ManualClock;
pub use removal::RemovalCause;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

use shuttle::{check_random, thread};

const RUNS: usize = 2_000;

fn cache(on_error: OnError) -> Cache<u8, u32> {
    let clock = ManualClock::default();
    Cache::builder(2).policy("lru-mad").on_error(on_error).clock(&clock).build().unwrap()
}

/// Runs `calls` on threads of their own.
fn at_once<T: Send + 'static>(calls: Vec<Box<dyn FnOnce() -> T + Send>>) -> Vec<T> {
    let threads: Vec<_> = calls.into_iter().map(thread::spawn).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Polls a fetch that never ends once, and gives it up.
fn give_up(cache: &Cache<u8, u32>, key: u8) {
    let mut future = pin!(cache.get_or_fetch(key, poll_fn(|_| Poll::Pending)));
    let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    thread::yield_now();
}

fn nothing_is_left(cache: &Cache<u8, u32>) {
    assert_eq!(cache.fetching(), 0);
    assert!(cache.len() <= 2);
}

#[test]
fn those_who_miss_at_once_fetch_once() {
    let run = || {
        let (cache, fetches) = (cache(OnError::Share), Arc::new(AtomicU32::new(0)));
        let call = |key: u8| -> Box<dyn FnOnce() -> u32 + Send> {
            let (cache, fetches) = (cache.clone(), fetches.clone());
            Box::new(move || {
                cache.get_or_fetch_blocking(key, || {
                    thread::yield_now();
                    fetches.fetch_add(1, Ordering::SeqCst) + 10
                })
            })
        };
        assert_eq!(at_once(vec![call(1), call(1), call(1)]), [10; 3]);
        assert_eq!(fetches.load(Ordering::SeqCst), 1);
        let stats = cache.stats();
        assert_eq!((stats.misses, stats.hits + stats.delayed_hits), (1, 2));
        nothing_is_left(&cache);
    };
    check_random(run, RUNS);
}

#[test]
fn a_leader_that_gives_up_hands_over() {
    let run = || {
        let cache = cache(OnError::Share);
        let call = |gives_up: bool| -> Box<dyn FnOnce() -> u32 + Send> {
            let cache = cache.clone();
            Box::new(move || {
                if gives_up {
                    give_up(&cache, 1);
                    return 7;
                }
                cache.get_or_fetch_blocking(1, || 7)
            })
        };
        assert_eq!(at_once(vec![call(true), call(false), call(true), call(false)]), [7; 4]);
        assert_eq!(cache.get(&1), Some(7));
        nothing_is_left(&cache);
    };
    check_random(run, RUNS);
}

#[test]
fn when_all_give_up_nothing_is_left() {
    let run = || {
        let cache = cache(OnError::Share);
        let call = || -> Box<dyn FnOnce() + Send> {
            let cache = cache.clone();
            Box::new(move || give_up(&cache, 1))
        };
        at_once(vec![call(), call(), call()]);
        assert_eq!(cache.get(&1), None);
        nothing_is_left(&cache);
    };
    check_random(run, RUNS);
}

#[test]
fn errors_are_shared_or_each_tries() {
    for on_error in [OnError::Share, OnError::Retry] {
        let run = move || {
            let (cache, fetches) = (cache(on_error), Arc::new(AtomicU32::new(0)));
            let call = || -> Box<dyn FnOnce() -> Result<u32, Arc<u32>> + Send> {
                let (cache, fetches) = (cache.clone(), fetches.clone());
                Box::new(move || {
                    cache.try_get_or_fetch_blocking(1, || {
                        thread::yield_now();
                        match fetches.fetch_add(1, Ordering::SeqCst) {
                            0 => Err(0),
                            n => Ok(n),
                        }
                    })
                })
            };
            let results = at_once(vec![call(), call(), call()]);
            let failed = results.iter().filter(|result| result.is_err()).count();
            let fetches = fetches.load(Ordering::SeqCst);
            match on_error {
                OnError::Retry => assert_eq!((failed, fetches), (1, 2)),
                OnError::Share => assert!((1..=3).contains(&failed) && fetches <= 2),
            }
            nothing_is_left(&cache);
        };
        check_random(run, RUNS);
    }
}

#[test]
fn what_is_removed_while_it_is_fetched_is_not_cached() {
    let run = || {
        let cache = cache(OnError::Share);
        let fetch = |value: u32| -> Box<dyn FnOnce() + Send> {
            let cache = cache.clone();
            Box::new(move || {
                cache.get_or_fetch_blocking(1, || {
                    thread::yield_now();
                    value
                });
            })
        };
        let other = cache.clone();
        // The value put in by hand is the newest from then on.
        at_once(vec![fetch(1), fetch(2), Box::new(move || other.insert(1, 9))]);
        assert_eq!(cache.get(&1), Some(9));
        let other = cache.clone();
        at_once(vec![fetch(3), Box::new(move || other.invalidate_all()), fetch(4)]);
        assert!(cache.get(&1) != Some(9));
        nothing_is_left(&cache);
    };
    check_random(run, RUNS);
}

#[test]
fn hits_races_with_evictions() {
    let run = || {
        let cache = cache(OnError::Share);
        let call = |keys: [u8; 4]| -> Box<dyn FnOnce() + Send> {
            let cache = cache.clone();
            Box::new(move || {
                for key in keys {
                    assert_eq!(cache.get_or_fetch_blocking(key, || u32::from(key)), u32::from(key));
                }
            })
        };
        at_once(vec![call([1, 2, 3, 1]), call([3, 3, 2, 1]), call([2, 2, 4, 1])]);
        let stats = cache.stats();
        assert_eq!(stats.hits + stats.delayed_hits + stats.misses, 12);
        assert_eq!(stats.insertions - stats.evictions, cache.len() as u64);
        nothing_is_left(&cache);
    };
    check_random(run, RUNS);
}
