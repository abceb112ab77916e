//! Caches with delayed hits: nanoseconds per request of the simulator, everything included (index,
//! fetches, policy), and bytes per cached object.
//!
//! The trace is the shipped Zipf generator's, made beforehand: a million requests, one a time step,
//! for 100,000 objects of exponent 0.9; the cache holds a twentieth of them, a miss takes 100
//! steps. Each policy runs fully associative and in sets of 64 ways. The peer is what the paper's
//! prototype does: the same policy, which scans its set for every eviction (thesis §2.6.2).
//!
//! Memory is what the process grew by, which is exact only for the first of a process: choose one
//! case, as with `--only 'memory, lru:'`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use forebay_cache::generators::{BurstConfig, ZipfBursts};
use forebay_cache::offline::annotate;
use forebay_cache::order::{Key, Order, OrderConfig, Slot};
use forebay_cache::policies::{
    BoxedPolicy, BuildPolicy, CachePolicy, Eviction, Lru, Mad, MadForm, PolicyConfig, SetConfig,
    bases, policies,
};
use forebay_cache::{
    Associativity, BackingStore, CacheGeometry, Capacity, ObjectId, Request, Simulation, at_step,
    steps,
};
use forebay_parameters::ParameterError;

use crate::race::{Options, Report, Subject};

const REQUESTS: usize = 1_000_000;
const OBJECTS: u64 = 100_000;
const CACHED: u64 = OBJECTS / 20;
const LATENCY: u64 = 100;

/// The streams: single requests, and bursts.
const STREAMS: [(&str, f64); 2] = [("zipf", 1.0), ("zipf in bursts", 4.0)];

/// Objects in the cache whose memory is measured.
const RESIDENTS: u64 = 1_000_000;

/// Runs every case.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for (name, mean_burst) in STREAMS {
        let cases = ["full", "64 ways"].map(|sets| format!("{name}, {sets}"));
        if !cases.iter().any(|case| options.wants(case)) {
            continue;
        }
        let Ok(trace) = trace(mean_burst) else { continue };
        let [full, ways] = cases;
        if options.wants(&full) {
            speed(&mut report, options, &full, Associativity::Full, &trace);
        }
        if options.wants(&ways) {
            speed(&mut report, options, &ways, Associativity::Ways(64), &trace);
        }
    }
    for name in names() {
        let case = format!("memory, {name}:");
        if options.wants(&case) {
            memory(&mut report, options, &case, &name);
        }
    }
    report
}

/// Every base policy, each as it is and inside MAD, and two more.
fn names() -> Vec<String> {
    let bases = bases();
    let names = bases.names().flat_map(|base| [base.to_string(), format!("{base}-mad")]);
    names.chain(["belady-ad".to_string(), "lru-mad-all".to_string()]).collect()
}

fn trace(mean_burst: f64) -> Result<Vec<Request>, ParameterError> {
    let config = BurstConfig { objects: OBJECTS, mean_burst, ..BurstConfig::default() };
    let mut trace: Vec<Request> = ZipfBursts::new(config)?.take(REQUESTS).collect();
    annotate(&mut trace, &BackingStore::Constant(steps(LATENCY)));
    Ok(trace)
}

fn speed(
    report: &mut Report,
    options: &Options,
    case: &str,
    associativity: Associativity,
    trace: &[Request],
) {
    let geometry = CacheGeometry { capacity: Capacity::Objects(CACHED), associativity };
    let exact = PolicyConfig::default();
    let sampled = PolicyConfig { eviction: Eviction::Sampled, ..exact };
    let mut subjects = Vec::new();
    let labels = names().into_iter().map(|name| (name.clone(), name, exact));
    let labels = labels.chain([("lru-mad, sampled".to_string(), "lru-mad".to_string(), sampled)]);
    for (label, name, config) in labels {
        let Some(build) = built(&name, &config) else { continue };
        subjects.push(Subject::ours(&label, move || ns_per_request(geometry, &build, trace)));
    }
    // A scan of a fully associative cache would take minutes.
    if associativity != Associativity::Full {
        let scan = |set: &SetConfig| Mad::new(Lru::<Scan>::new(set), MadForm::Cached);
        subjects
            .push(Subject::peer("lru-mad by scan", move || ns_per_request(geometry, &scan, trace)));
    }
    report.race((case, CACHED, "ns per request"), options, subjects);
}

/// Runs the trace through a new cache; not a number if that is impossible, which the cases exclude.
fn ns_per_request<P: CachePolicy>(
    geometry: CacheGeometry,
    build: &impl Fn(&SetConfig) -> P,
    trace: &[Request],
) -> f64 {
    let store = BackingStore::Constant(steps(LATENCY));
    let Ok(mut cache) = Simulation::new(geometry, store, build) else { return f64::NAN };
    let start = Instant::now();
    for request in trace {
        if cache.offer(request).is_err() {
            return f64::NAN;
        }
    }
    black_box(cache.finish());
    start.elapsed().as_nanos() as f64 / trace.len() as f64
}

/// An order that looks at every member of its set.
struct Scan {
    members: BTreeMap<Slot, ()>,
}

impl Order for Scan {
    const KEYED: bool = true;

    fn new(_: &OrderConfig) -> Self {
        Scan { members: BTreeMap::new() }
    }

    fn insert(&mut self, slot: Slot, _: u64, _: impl FnOnce() -> Key) {
        self.members.insert(slot, ());
    }

    fn touch(&mut self, _: Slot, _: u64, _: impl FnOnce() -> Key) {}

    fn remove(&mut self, slot: Slot) {
        self.members.remove(&slot);
    }

    fn first(&mut self, now: u64, mut key_of: impl FnMut(Slot) -> Key) -> Option<Slot> {
        let keys = self.members.keys().map(|slot| (*slot, key_of(*slot)));
        keys.reduce(|a, b| if b.1.before(&a.1, now) { b } else { a }).map(|(slot, _)| slot)
    }
}

/// Fills a fully associative cache and half as much again, and asks what the process grew by.
fn memory(report: &mut Report, options: &Options, case: &str, name: &str) {
    let Some(build) = built(name, &PolicyConfig::default()) else { return };
    let before = resident_bytes();
    let cache = filled(build);
    let bytes = resident_bytes().zip(before).map(|(after, before)| after.saturating_sub(before));
    let Some((bytes, cache)) = bytes.zip(cache) else { return };
    let each = bytes as f64 / cache.cached() as f64;
    let subjects = vec![Subject::ours(name, move || each)];
    report.race((case, RESIDENTS, "bytes per object"), options, subjects);
}

fn built(name: &str, config: &PolicyConfig) -> Option<BuildPolicy> {
    policies().get(name)?.build(config).ok()
}

fn filled(build: impl Fn(&SetConfig) -> BoxedPolicy) -> Option<Simulation<BoxedPolicy>> {
    let store = BackingStore::Constant(steps(LATENCY));
    let mut cache = Simulation::new(CacheGeometry::objects(RESIDENTS), store, build).ok()?;
    for index in 0..RESIDENTS * 3 / 2 {
        let mut request = Request::new(at_step(index), ObjectId(index));
        // Wanted sooner than all that is cached, so that Belady admits it.
        let delay = steps(LATENCY);
        let at = at_step(10 * RESIDENTS - index);
        request.next = forebay_cache::Future::Full { index: 10 * RESIDENTS - index, at, delay };
        cache.offer(&request).ok()?;
    }
    cache.finish();
    Some(cache)
}

/// What the process occupies; `None` where the system does not say.
fn resident_bytes() -> Option<u64> {
    const PAGE: u64 = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split_whitespace().nth(1)?.parse::<u64>().ok()? * PAGE)
}
