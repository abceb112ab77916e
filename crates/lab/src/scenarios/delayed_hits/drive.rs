//! One run: a trace through a cache under a policy, and what the classical model would have said.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_cache::offline::{annotate, burstiness, most_active};
use forebay_cache::policies::{BoxedPolicy, Eviction, Pinned, PolicyConfig, SetConfig, policy};
use forebay_cache::{
    Associativity, BackingStore, Capacity, Geometry, ObjectId, Request, STEP, Simulation,
};
use forebay_units::Duration;

use super::hbm_store::HbmStore;
use super::metrics::Measured;
use super::optimum;
use super::params::{BELATEDLY, PAIRS};
use super::trace::Trace;
use crate::config::Resolved;
use crate::error::ConfigError;
use crate::scenario::RunError;

/// The policies that [`PAIRS`] compares (Fig. 2.4).
const FOUR: [&str; 4] = ["lru", "lfu", "arc", "lhd"];

/// A way to build a policy for each set.
type Build<'a> = &'a dyn Fn(&SetConfig) -> BoxedPolicy;

/// Everything a run needs.
pub struct Setup {
    pub(super) trace: Trace,
    pub(super) geometry: Geometry,
    pub(super) store: BackingStore,
    config: PolicyConfig,
    /// The objects that are measured apart; none: all.
    measured: Option<Vec<ObjectId>>,
}

impl Setup {
    /// Reads the parameters, and the trace.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(params: &Resolved, policy: &str, seed: u64) -> Result<Self, ConfigError> {
        let mut trace = Trace::new(params, seed)?;
        let store = store(params, latency(params, trace.step)?, seed)?;
        if needs_future(policy) {
            annotate(&mut trace.requests, &store);
        }
        let objects = match params.count("cache.objects")? {
            0 => (params.float("share")? * most_active(&trace.requests) as f64).round().max(1.0)
                as u64,
            objects => objects,
        };
        let geometry = geometry(params, objects)?;
        let config = config(params)?;
        let score = params.float("measure.burstiness")?;
        let width = params.float("bin")?;
        let measured = (score >= -1.0).then(|| objects_scored(&trace.requests, score, width));
        Ok(Setup { trace, geometry, store, config, measured })
    }

    /// Objects that the cache holds.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.geometry.total()
    }

    /// Requests of the trace.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.trace.requests.len()
    }

    /// How long a time step is, in nanoseconds; 1 for traces on the index.
    #[must_use]
    pub fn step_ns(&self) -> f64 {
        self.trace.step.as_ps() as f64 / STEP.as_ps() as f64
    }

    /// The mean latency of a miss, in steps.
    #[must_use]
    pub fn mean_z(&self) -> f64 {
        let total: f64 =
            self.trace.requests.iter().map(|r| self.store.mean_latency(r).as_ps() as f64).sum();
        total / self.trace.requests.len() as f64 / self.trace.step.as_ps() as f64
    }

    /// Runs one policy by name, in the model with delayed hits or (`classical`) with fetches that take no time.
    ///
    /// # Errors
    /// If told to stop, or if the policy cannot be run.
    pub fn run(
        &self,
        name: &str,
        classical: bool,
        stop: &AtomicBool,
    ) -> Result<Measured, RunError> {
        let always = |object: u8| {
            move |_: &SetConfig| -> BoxedPolicy { Box::new(Pinned::new([ObjectId(object.into())])) }
        };
        match name {
            "cache-a" => self.simulate(&always(b'A'), classical, stop),
            "cache-b" => self.simulate(&always(b'B'), classical, stop),
            _ => {
                let build = policy(name, &self.config)
                    .map_err(|error| RunError::Failed(error.to_string()))?;
                self.simulate(&build, classical, stop)
            }
        }
    }

    fn simulate(
        &self,
        build: Build<'_>,
        classical: bool,
        stop: &AtomicBool,
    ) -> Result<Measured, RunError> {
        let failed = |error: &dyn std::error::Error| RunError::Failed(error.to_string());
        let store =
            if classical { BackingStore::Constant(Duration::ZERO) } else { self.store.clone() };
        let mut cache = Simulation::new(self.geometry, store, build).map_err(|e| failed(&e))?;
        let (mut total, mut count) = (0_u128, 0);
        for (index, request) in self.trace.requests.iter().enumerate() {
            if index.is_multiple_of(1 << 14) && stop.load(Ordering::Relaxed) {
                return Err(RunError::Stopped);
            }
            let outcome = cache.offer(request).map_err(|e| failed(&e))?;
            if self.measures(request.object) {
                total += u128::from(outcome.latency().as_ps());
                count += 1;
            }
        }
        let steps = self.trace.step.as_ps() as f64;
        let mut measured = Measured::of(&cache.report(), steps / STEP.as_ps() as f64);
        measured.objects = (total as f64 / steps, count);
        Ok(measured)
    }

    /// Whether requests for `object` are among those measured apart.
    #[must_use]
    pub fn measures(&self, object: ObjectId) -> bool {
        self.measured.as_ref().is_none_or(|objects| objects.binary_search(&object).is_ok())
    }

    /// What share of the pairs of four online policies hit rates order otherwise than latencies do.
    ///
    /// # Errors
    /// As [`Setup::run`].
    pub fn misleading_pairs(&self, stop: &AtomicBool) -> Result<f64, RunError> {
        let mut found = Vec::new();
        for name in FOUR {
            let classical = self.run(name, true, stop)?;
            found.push((classical.misses, self.run(name, false, stop)?.latency));
        }
        let pairs = (0..FOUR.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let misled = pairs.filter(|&(a, b)| {
            let by_misses = found[a].0.cmp(&found[b].0);
            by_misses != found[a].1.total_cmp(&found[b].1)
        });
        Ok(misled.count() as f64 / 6.0)
    }
}

fn needs_future(policy: &str) -> bool {
    policy.starts_with("belady") || policy == BELATEDLY
}

/// Z as a span, with time steps of `step`.
pub(super) fn latency(params: &Resolved, step: Duration) -> Result<Duration, ConfigError> {
    let given = params.duration("store.latency")?;
    let z = Duration::from_ps(step.as_ps().saturating_mul(params.count("store.z")?));
    Ok(if given > Duration::ZERO { given } else { z })
}

/// A cache of so many objects.
pub(super) fn geometry(params: &Resolved, objects: u64) -> Result<Geometry, ConfigError> {
    let associativity = match params.count("ways")? {
        0 => Associativity::Full,
        ways => Associativity::Ways(ways),
    };
    let geometry = Geometry { capacity: Capacity::Objects(objects), associativity };
    geometry.sets().map_err(|error| params.blame("ways", error.to_string()))?;
    Ok(geometry)
}

/// How victims are found.
pub(super) fn config(params: &Resolved) -> Result<PolicyConfig, ConfigError> {
    let eviction = match params.text("eviction")? {
        "sampled" => Eviction::Sampled,
        _ => Eviction::Exact,
    };
    Ok(PolicyConfig { eviction, ..PolicyConfig::default() })
}

pub(super) fn store(
    params: &Resolved,
    z: Duration,
    seed: u64,
) -> Result<BackingStore, ConfigError> {
    let share = |of: u64, base: u64| {
        Duration::from_ps(
            (u128::from(z.as_ps()) * u128::from(of) / u128::from(base)).min(u128::from(u64::MAX))
                as u64,
        )
    };
    Ok(match params.text("store.kind")? {
        "three-origins" => {
            BackingStore::hashed_origins(vec![share(68, 103), z, share(226, 103)], seed)
        }
        "per-object" => BackingStore::PerObject { least: share(1, 2), most: share(3, 2), seed },
        "hbm" => {
            let store = HbmStore::new();
            let store = store.map_err(|error| params.blame("store.kind", error.to_string()))?;
            BackingStore::Modelled(Box::new(store))
        }
        "sampled" => BackingStore::sampled(share(1, 2), share(1, 2), seed),
        _ => BackingStore::Constant(z),
    })
}

/// The objects whose score is within half of `width` of `score`, sorted.
fn objects_scored(trace: &[Request], score: f64, width: f64) -> Vec<ObjectId> {
    let mut times: HashMap<ObjectId, Vec<f64>> = HashMap::new();
    for request in trace {
        times.entry(request.object).or_default().push((request.at.as_ps() / 1000) as f64);
    }
    let near = |times: &[f64]| burstiness(times).is_some_and(|b| (b - score).abs() <= width / 2.0);
    let mut objects: Vec<ObjectId> =
        times.into_iter().filter(|(_, times)| near(times)).map(|(object, _)| object).collect();
    objects.sort_unstable();
    objects
}

/// The values of one run.
///
/// # Errors
/// If told to stop, or if the policy cannot be run.
pub fn run(
    setup: &Setup,
    policy: &str,
    progress: &mut dyn FnMut(f64),
    stop: &AtomicBool,
) -> Result<Vec<(&'static str, f64)>, RunError> {
    let capacity = ("capacity", setup.capacity() as f64);
    if policy == PAIRS {
        return Ok(vec![("misleading_pairs", setup.misleading_pairs(stop)?), capacity]);
    }
    if policy == BELATEDLY {
        let mut values = optimum::run(setup, progress, stop)?;
        values.push(capacity);
        return Ok(values);
    }
    let actual = setup.run(policy, false, stop)?;
    progress(0.5);
    let classical = setup.run(policy, true, stop)?;
    let mean_z = setup.mean_z();
    let miss_rate = classical.misses as f64 / classical.requests.max(1) as f64;
    let idealized = miss_rate * mean_z;
    let mut values = actual.values(mean_z);
    values.extend([
        ("idealized_latency", idealized),
        ("idealized_normalized", miss_rate),
        ("idealized_error", 1.0 - idealized / actual.mean()),
        capacity,
    ]);
    Ok(values)
}
