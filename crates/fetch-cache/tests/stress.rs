//! Many tasks on real threads, with loaders that are slow, fail, panic or are given up.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use forebay_fetch_cache::{Cache, OnError};
use tokio::time::{sleep, timeout};

/// Numbers that look random.
fn mix(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
}

/// A loader's fate, by a number: what it does with `key`.
async fn load(key: u64, fate: u64) -> Result<u64, String> {
    match fate % 10 {
        0 => panic!("a loader panics"),
        1 => Err(format!("no {key}")),
        2 => {
            sleep(Duration::from_millis(1)).await;
            Err(format!("no {key} after all"))
        }
        3..=5 => {
            sleep(Duration::from_millis(1 + fate % 5)).await;
            Ok(key * 3)
        }
        6 => {
            sleep(Duration::from_millis(1)).await;
            panic!("a loader panics later")
        }
        _ => Ok(key * 3),
    }
}

async fn caller(cache: Cache<u64, u64>, name: u64, answered: Arc<AtomicU64>) {
    for step in 0..400 {
        let dice = mix(name << 32 | step);
        let key = dice % 40;
        match dice >> 8 & 31 {
            0 => cache.invalidate(&key),
            1 => cache.insert(key, key * 3),
            2 if step % 50 == 0 => cache.invalidate_all(),
            3..6 => {
                let patience = Duration::from_micros(200);
                let _ = timeout(patience, cache.try_get_or_fetch(key, load(key, dice >> 16))).await;
            }
            6..16 => {
                assert!(cache.get(&key).is_none_or(|value| value == key * 3));
            }
            _ => match cache.try_get_or_fetch(key, load(key, dice >> 16)).await {
                Ok(value) => assert_eq!(value, key * 3),
                Err(error) => assert!(error.starts_with(&format!("no {key}"))),
            },
        }
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_hangs_leaks_or_is_poisoned() {
    // Loaders panic by the thousand; what is said of each would drown everything else.
    std::panic::set_hook(Box::new(|_| ()));
    for on_error in [OnError::Share, OnError::Retry] {
        let balance = Arc::new(AtomicI64::new(0));
        let left = balance.clone();
        let cache = Cache::builder(20)
            .shards(2)
            .on_error(on_error)
            .time_to_live(Duration::from_millis(20))
            .eviction_listener(move |_, _, _| {
                left.fetch_add(1, Ordering::Relaxed);
            })
            .build()
            .unwrap();
        let answered = Arc::new(AtomicU64::new(0));
        let tasks: Vec<_> = (0..64)
            .map(|name| tokio::spawn(caller(cache.clone(), name, answered.clone())))
            .collect();
        let mut panics = 0;
        for task in tasks {
            // A task whose own loader panicked is over; no other is.
            let ended = timeout(Duration::from_secs(20), task).await.unwrap();
            panics += u64::from(ended.is_err());
        }
        let stats = cache.stats();
        assert!(stats.abandoned >= panics && panics > 0);
        assert_eq!(cache.fetching(), 0);
        let told = balance.load(Ordering::Relaxed) as u64;
        assert_eq!(stats.insertions + stats.bypasses - told, cache.len() as u64);
        // It still works.
        assert_eq!(cache.get_or_fetch(99, async { 297 }).await, 297);
        assert!(
            stats.failures > 0 && stats.delayed_hits > 0 && answered.load(Ordering::Relaxed) > 0
        );
    }
    drop(std::panic::take_hook());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiter_takes_over_from_a_leader_that_panics() {
    let cache: Cache<u8, u8> = Cache::builder(4).build().unwrap();
    let leader = cache.clone();
    let leader = tokio::spawn(async move {
        leader
            .get_or_fetch(1, async {
                sleep(Duration::from_millis(20)).await;
                panic!("as it should")
            })
            .await
    });
    while cache.fetching() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(cache.get_or_fetch(1, async { 5 }).await, 5);
    assert!(leader.await.is_err());
    assert_eq!((cache.get(&1), cache.stats().abandoned), (Some(5), 1));
}

#[tokio::test]
async fn errors_of_another_type_are_not_ours() {
    let cache: Cache<u8, u8> = Cache::builder(4).build().unwrap();
    let slow = async {
        sleep(Duration::from_millis(5)).await;
        Err::<u8, &str>("text")
    };
    let own = async { Err::<u8, u32>(404) };
    let (first, second) =
        tokio::join!(cache.try_get_or_fetch(1, slow), cache.try_get_or_fetch(1, own));
    assert_eq!((first, second), (Err(Arc::new("text")), Err(Arc::new(404))));
}

#[test]
fn threads_and_tasks_wait_for_each_other() {
    let cache: Cache<u8, u8> = Cache::builder(4).build().unwrap();
    let other = cache.clone();
    let thread = std::thread::spawn(move || {
        other.get_or_fetch_blocking(1, || {
            std::thread::sleep(Duration::from_millis(30));
            1
        })
    });
    while cache.fetching() == 0 {
        std::thread::yield_now();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(cache.get_or_fetch(1, async { 2 })), 1);
    assert_eq!(thread.join().unwrap(), 1);
    assert_eq!(cache.stats().delayed_hits, 1);
}
