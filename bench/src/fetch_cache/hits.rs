//! Hits: 20,000 keys, all cached with room to spare, drawn by a Zipf distribution of exponent 0.99.
//! Each thread runs through a million draws of its own. The mean is over all; the 99th percentile
//! is of every sixteenth hit, timed alone, the clock's own time included for everyone.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use forebay_cache::generators::Zipf;
use forebay_fetch_cache::Cache;
use forebay_workload::random::stream;
use quick_cache::{DefaultHashBuilder, OptionsBuilder, UnitWeighter, sync::DefaultLifecycle};

use crate::race::{Options, Report, Subject};

const KEYS: u64 = 20_000;
const ROOM: u64 = 2 * KEYS;
const DRAWS: usize = 1_000_000;
/// One hit in so many is timed alone.
const TIMED: usize = 16;

/// One cache's way of getting a key.
type Get<'a> = Box<dyn Fn(&[u64]) -> u64 + Sync + 'a>;
type Timed<'a> = Box<dyn Fn(&[u64]) -> Vec<u64> + Sync + 'a>;

/// One cache, full.
struct Contender<'a> {
    name: &'static str,
    ours: bool,
    all: Get<'a>,
    timed: Timed<'a>,
}

fn contender<'a>(
    name: &'static str,
    ours: bool,
    get: impl Fn(u64) -> Option<u64> + Copy + Sync + 'a,
) -> Contender<'a> {
    let all =
        move |keys: &[u64]| keys.iter().filter_map(|key| get(*key)).fold(0, u64::wrapping_add);
    let timed = move |keys: &[u64]| {
        let mut times = Vec::with_capacity(keys.len() / TIMED + 1);
        for (index, key) in keys.iter().enumerate() {
            if index % TIMED != 0 {
                black_box(get(*key));
                continue;
            }
            let start = Instant::now();
            black_box(get(*key));
            times.push(start.elapsed().as_nanos() as u64);
        }
        times
    };
    Contender { name, ours, all: Box::new(all), timed: Box::new(timed) }
}

/// Runs `work` on each of the threads' keys at once, and says how long all took.
fn at_once<T: Send>(keys: &[Vec<u64>], work: impl Fn(&[u64]) -> T + Sync) -> (f64, Vec<T>) {
    let barrier = Barrier::new(keys.len() + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = keys
            .iter()
            .map(|keys| {
                scope.spawn(|| {
                    barrier.wait();
                    work(keys)
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let done = threads.into_iter().filter_map(|thread| thread.join().ok()).collect();
        (start.elapsed().as_nanos() as f64, done)
    })
}

fn mean(contender: &Contender<'_>, keys: &[Vec<u64>]) -> f64 {
    let (nanos, sums) = at_once(keys, &contender.all);
    black_box(sums);
    nanos / DRAWS as f64
}

fn percentile(contender: &Contender<'_>, keys: &[Vec<u64>]) -> f64 {
    let (_, times) = at_once(keys, &contender.timed);
    let mut times: Vec<u64> = times.into_iter().flatten().collect();
    times.sort_unstable();
    times.get(times.len() * 99 / 100).map_or(f64::NAN, |nanos| *nanos as f64)
}

/// All cases.
pub(super) fn run(report: &mut Report, options: &Options) {
    let Ok(zipf) = Zipf::new(KEYS, 0.99) else { return };
    let draws = |thread: u64| {
        let mut rng = stream(7, "hits", thread);
        (0..DRAWS).map(|_| zipf.draw(&mut rng)).collect::<Vec<u64>>()
    };
    for threads in [1, 2] {
        let mean_case = format!("hits, {threads} threads, mean");
        let tail_case = format!("hits, {threads} threads, p99");
        if !options.wants(&mean_case) && !options.wants(&tail_case) {
            continue;
        }
        let keys: Vec<Vec<u64>> = (0..threads).map(draws).collect();
        if options.wants(&mean_case) {
            race(report, options, (&mean_case, "ns per hit and thread"), &keys, mean);
        }
        if options.wants(&tail_case) {
            race(report, options, (&tail_case, "ns"), &keys, percentile);
        }
    }
}

fn race(
    report: &mut Report,
    options: &Options,
    (case, unit): (&str, &str),
    keys: &[Vec<u64>],
    measure: fn(&Contender<'_>, &[Vec<u64>]) -> f64,
) {
    let fast = DefaultHashBuilder::default();
    let (Ok(ours), Ok(lru), Ok(ours_fast)) = (
        Cache::builder(ROOM).build(),
        Cache::builder(ROOM).policy("lru").build(),
        Cache::builder(ROOM).build_with_hasher(fast.clone()),
    ) else {
        return;
    };
    let moka = moka::sync::Cache::new(ROOM);
    let moka_fast = moka::sync::Cache::builder().max_capacity(ROOM).build_with_hasher(fast.clone());
    let quick = quick_cache::sync::Cache::new(ROOM as usize);
    let quick_std = quick_with(std::hash::RandomState::new());
    let Some(quick_std) = quick_std else { return };
    for key in 0..KEYS {
        ours.insert(key, key);
        lru.insert(key, key);
        ours_fast.insert(key, key);
        moka.insert(key, key);
        moka_fast.insert(key, key);
        quick.insert(key, key);
        quick_std.insert(key, key);
    }
    let contenders = [
        contender("forebay", true, |key| ours.get(&key)),
        contender("forebay, lru", true, |key| lru.get(&key)),
        contender("forebay, ahash", true, |key| ours_fast.get(&key)),
        contender("moka", false, |key| moka.get(&key)),
        contender("moka, ahash", false, |key| moka_fast.get(&key)),
        contender("quick_cache, siphash", false, |key| quick_std.get(&key)),
        contender("quick_cache (ahash)", false, |key| quick.get(&key)),
    ];
    let subjects = contenders
        .iter()
        .map(|contender| {
            let measure = move || measure(contender, keys);
            if contender.ours {
                Subject::ours(contender.name, measure)
            } else {
                Subject::peer(contender.name, measure)
            }
        })
        .collect();
    report.race((case, KEYS, unit), options, subjects);
}

type Quick<S> = quick_cache::sync::Cache<u64, u64, UnitWeighter, S>;

fn quick_with<S: std::hash::BuildHasher + Clone>(hasher: S) -> Option<Quick<S>> {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(ROOM as usize)
        .weight_capacity(ROOM)
        .build()
        .ok()?;
    Some(Quick::with_options(options, UnitWeighter, hasher, DefaultLifecycle::default()))
}
