//! What callers wait, on real time: 60,000 requests at 20,000 a second, in bursts, from an open
//! loop, for 20,000 keys of Zipf popularity, of which a twentieth fit. A miss takes from 1 to
//! 200 ms, the key's own, even in its logarithm. Every cache sees the same requests; the first
//! third is not counted.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use forebay_cache::generators::{BurstConfig, ZipfBursts};
use forebay_cache::steps;
use forebay_fetch_cache::Cache;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::race::{Options, Report, Subject};

const REQUESTS: usize = 60_000;
const WARM_UP: usize = REQUESTS / 3;
const KEYS: u64 = 20_000;
const ROOM: u64 = KEYS / 20;
/// Requests that are sent together, every millisecond.
const TOGETHER: usize = 20;
const BURST: f64 = 4.0;
/// Between requests of a burst: 20 ms, at 50 µs a step.
const GAP: u64 = 400;
/// Those of our policies that race.
const POLICIES: [&str; 6] = ["lru", "lru-mad", "arc-mad", "lfu-mad", "w-tinylfu-mad", "gdsf-mad"];

/// How long a fetch of `key` takes.
fn fetch_time(key: u64) -> Duration {
    let spread = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    let part = spread as f64 / (1_u64 << 53) as f64;
    Duration::from_secs_f64(1e-3 * f64::powf(200.0, part))
}

async fn fetch(key: u64) -> u64 {
    sleep(fetch_time(key)).await;
    key
}

/// One cache's way of answering a request.
type Answer = Arc<dyn Fn(u64) -> Pin<Box<dyn Future<Output = u64> + Send>> + Send + Sync>;

fn ours(policy: &str) -> Option<Answer> {
    let cache = Cache::builder(ROOM).policy(policy).build().ok()?;
    Some(Arc::new(move |key| {
        let cache = cache.clone();
        Box::pin(async move { cache.get_or_fetch(key, fetch(key)).await })
    }))
}

fn moka() -> Answer {
    let cache = moka::future::Cache::new(ROOM);
    Arc::new(move |key| {
        let cache = cache.clone();
        Box::pin(async move { cache.get_with(key, fetch(key)).await })
    })
}

fn quick() -> Answer {
    let cache = Arc::new(quick_cache::sync::Cache::<u64, u64>::new(ROOM as usize));
    Arc::new(move |key| {
        let cache = cache.clone();
        Box::pin(async move {
            let fetched = async { Ok::<u64, ()>(fetch(key).await) };
            cache.get_or_insert_async(&key, fetched).await.unwrap_or(key)
        })
    })
}

/// Sends all requests, and says what they waited on average, in microseconds.
fn mean_wait(runtime: &Runtime, answer: &Answer, keys: &[u64]) -> f64 {
    let waited = Arc::new(AtomicU64::new(0));
    runtime.block_on(async {
        let start = Instant::now();
        let mut tasks = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            if index % TOGETHER == 0 {
                let due = Duration::from_millis((index / TOGETHER) as u64);
                sleep(due.saturating_sub(start.elapsed())).await;
            }
            let (answer, waited, key) = (answer.clone(), waited.clone(), *key);
            tasks.push(tokio::spawn(async move {
                let asked = Instant::now();
                answer(key).await;
                if index >= WARM_UP {
                    waited.fetch_add(asked.elapsed().as_nanos() as u64, Ordering::Relaxed);
                }
            }));
        }
        for task in tasks {
            if task.await.is_err() {
                return f64::NAN;
            }
        }
        waited.load(Ordering::Relaxed) as f64 / (keys.len() - WARM_UP) as f64 / 1e3
    })
}

/// Races our policies against moka and quick_cache by mean wait.
pub(super) fn run(report: &mut Report, options: &Options) {
    let case = "mean wait, misses of 1 to 200 ms";
    if !options.wants(case) {
        return;
    }
    let config =
        BurstConfig { objects: KEYS, mean_burst: BURST, gap: steps(GAP), ..BurstConfig::default() };
    let Ok(requests) = ZipfBursts::new(config) else { return };
    let keys: Vec<u64> = requests.take(REQUESTS).map(|request| request.object.0).collect();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build();
    let Ok(runtime) = runtime else { return };
    let (runtime, keys) = (&runtime, keys.as_slice());
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for policy in POLICIES {
        let measure =
            move || ours(policy).map_or(f64::NAN, |answer| mean_wait(runtime, &answer, keys));
        subjects.push(Subject::ours(policy, measure));
    }
    subjects.push(Subject::peer("moka", move || mean_wait(runtime, &moka(), keys)));
    subjects.push(Subject::peer("quick_cache", move || mean_wait(runtime, &quick(), keys)));
    report.race((case, ROOM, "µs per request"), options, subjects);
}
