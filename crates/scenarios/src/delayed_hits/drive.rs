//! One run: a trace through a cache under a policy, and what the classical model would have said.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_cache::offline::{annotate, burstiness, most_active};
use forebay_cache::order::OrderConfig;
use forebay_cache::policies::{
    BoxedPolicy, BuildPolicy, CachePolicy, Pinned, PolicyConfig, SetConfig, policies,
};
use forebay_cache::{
    Associativity, BackingStore, CacheGeometry, Capacity, Foresight, ObjectId, OfferError, Request,
    STEP, Simulation,
};
use forebay_lab::{RunContext, RunError};
use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration};

use super::config::{CacheConfig, Config, MeasureConfig, TraceConfig};
use super::contender::Contender;
use super::memory::{self, Filling};
use super::metrics::Measured;
use super::optimum;
use super::store;
use super::trace::Trace;
use super::verdict::Verdict;
use crate::SimulationError;

/// The policies that [`Contender::Pairs`] compares (Fig. 2.4).
const FOUR: [&str; 4] = ["lru", "lfu", "arc", "lhd"];

/// What is noted of a request while its future is found, or how many objects are active, in bytes.
const PER_REQUEST: u64 = 24;

/// Everything a run needs.
pub struct DelayedHitsSetup {
    pub(crate) trace: Trace,
    pub(crate) geometry: CacheGeometry,
    pub(crate) store: BackingStore,
    pub(crate) config: PolicyConfig,
    pub(crate) contender: Contender,
    /// The objects that are measured apart; none: all.
    measured: Option<Vec<ObjectId>>,
}

impl DelayedHitsSetup {
    /// Makes the trace, or reads it.
    ///
    /// # Errors
    /// Names the parameter at fault.
    pub fn new(config: &Config, seed: u64) -> Result<Self, ParameterError> {
        DelayedHitsSetup::over(config, seed, Trace::new(&config.trace, seed)?)
    }

    /// The same over a trace that is there already, of this configuration.
    ///
    /// # Errors
    /// As of [`DelayedHitsSetup::new`].
    pub fn over(config: &Config, seed: u64, mut trace: Trace) -> Result<Self, ParameterError> {
        memory::check_notes(trace.requests.len(), PER_REQUEST)?;
        let store = store::store(config, trace.step, seed)?;
        let evictions = config.cache.policy;
        let contender = config.contender.clone();
        if needs_future(&contender, &evictions) {
            annotate(&mut trace.requests, &store);
        }
        let capacity = capacity(&config.cache).unwrap_or_else(|| {
            let share = config.cache.share * most_active(&trace.requests) as f64;
            Capacity::Objects(share.round().max(1.0) as u64)
        });
        let geometry = geometry(&config.cache, capacity)?;
        let apart = config.measure.filter(MeasureConfig::is_apart);
        let measured = apart.map(|apart| objects_scored(&trace.requests, apart));
        Ok(DelayedHitsSetup { trace, geometry, store, config: evictions, contender, measured })
    }

    /// The trace, for another setup.
    #[must_use]
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    /// Objects that the cache holds, or bytes.
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

    /// Runs its policy, in the model with delayed hits or (`classical`) with fetches that take no
    /// time.
    ///
    /// # Errors
    /// If told to stop, or if the policy cannot be run.
    pub fn run(&self, classical: bool, stop: &AtomicBool) -> Result<Measured, SimulationError> {
        self.run_under(&self.contender, classical, stop)
    }

    fn run_under(
        &self,
        contender: &Contender,
        classical: bool,
        stop: &AtomicBool,
    ) -> Result<Measured, SimulationError> {
        let store =
            if classical { BackingStore::Constant(Duration::ZERO) } else { self.store.clone() };
        let mut cache =
            cache(contender, &self.config, self.geometry, store, &mut Bytes::default())?;
        let (mut total, mut count, mut filling) = (0_u128, 0, Filling::default());
        for (index, request) in self.trace.requests.iter().enumerate() {
            if index.is_multiple_of(1 << 14) {
                if stop.load(Ordering::Relaxed) {
                    return Err(RunError::Stopped.into());
                }
                filling.check(std::slice::from_ref(&cache))?;
            }
            let outcome = cache.offer(request).map_err(not_offered)?;
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
    /// As [`DelayedHitsSetup::run`].
    pub fn misleading_pairs(&self, stop: &AtomicBool) -> Result<f64, SimulationError> {
        let mut found = Vec::new();
        for name in FOUR {
            let policy = policies().named(name).map_err(SimulationError::failed)?.clone();
            let policy = Contender::Cache(policy);
            let classical = self.run_under(&policy, true, stop)?;
            found.push((classical.misses, self.run_under(&policy, false, stop)?.latency));
        }
        let pairs = (0..FOUR.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let misled = pairs.filter(|&(a, b)| {
            let pair = [found[a], found[b]];
            // By hit rates either of two that tie would do, and by latencies not.
            Verdict::of(pair.map(|one| one.0), pair.map(|one| one.1)) != Verdict::Agree
        });
        Ok(misled.count() as f64 / 6.0)
    }
}

/// Whether it must be told the future. What cannot be built says so when it is run.
fn needs_future(contender: &Contender, config: &PolicyConfig) -> bool {
    let set = SetConfig { index: 0, capacity: 1, order: OrderConfig::default() };
    match contender {
        Contender::Cache(policy) => {
            policy.build(config).is_ok_and(|build| build(&set).needs() > Foresight::None)
        }
        Contender::Belatedly => true,
        Contender::Pinned(_) | Contender::Pairs => false,
    }
}

/// What builds the policy for each set of a cache.
///
/// # Errors
/// If it does not decide as requests come.
fn builder(contender: &Contender, config: &PolicyConfig) -> Result<BuildPolicy, SimulationError> {
    let policy = match contender {
        Contender::Cache(policy) => policy,
        Contender::Pinned(object) => {
            let object = *object;
            return Ok(Box::new(move |_: &SetConfig| -> BoxedPolicy {
                Box::new(Pinned::new([object]))
            }));
        }
        Contender::Belatedly | Contender::Pairs => {
            let problem = "this policy needs the whole trace; run it in an experiment";
            return Err(SimulationError::failed(problem));
        }
    };
    Ok(policy.build(config)?)
}

/// An empty cache. `sets` is what the sets of those take that fill together: its own are added.
///
/// # Errors
/// As of [`builder`], or there is no memory for all of these.
pub(crate) fn cache(
    contender: &Contender,
    config: &PolicyConfig,
    geometry: CacheGeometry,
    store: BackingStore,
    sets: &mut Bytes,
) -> Result<Simulation<BoxedPolicy>, SimulationError> {
    let build = builder(contender, config)?;
    *sets += memory::of_sets(&build, &geometry);
    memory::check_sets(*sets)?;
    Simulation::new(geometry, store, build).map_err(SimulationError::failed)
}

/// The cache's size, if it is said outright.
pub(super) fn capacity(config: &CacheConfig) -> Option<Capacity> {
    config.objects.map(Capacity::Objects).or(config.bytes.map(Capacity::Bytes))
}

/// A cache of so much.
pub(super) fn geometry(
    config: &CacheConfig,
    capacity: Capacity,
) -> Result<CacheGeometry, ParameterError> {
    let associativity = match config.ways {
        0 => Associativity::Full,
        ways => Associativity::Ways(ways),
    };
    let geometry = CacheGeometry { capacity, associativity };
    geometry.sets().map_err(|error| CacheConfig::WAYS.refuse(error))?;
    Ok(geometry)
}

/// Whose fault it is that a request cannot be offered: the trace's, or the policy's.
pub(crate) fn not_offered(error: OfferError) -> SimulationError {
    match error {
        OfferError::OutOfOrder { .. } | OfferError::TooLate { .. } => {
            TraceConfig::FILE.refuse(error).into()
        }
        OfferError::NeedsFuture { .. } => SimulationError::failed(error),
    }
}

/// The objects whose score is in the bin, sorted.
fn objects_scored(trace: &[Request], apart: MeasureConfig) -> Vec<ObjectId> {
    let MeasureConfig { burstiness: score, bin: width } = apart;
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
/// Names the parameter at fault, or says that it was stopped.
pub fn run(
    config: &Config,
    seed: u64,
    context: &mut RunContext<'_>,
) -> Result<Vec<(&'static str, f64)>, SimulationError> {
    let setup = DelayedHitsSetup::new(config, seed)?;
    let mut values = match &config.contender {
        Contender::Pairs => {
            vec![("misleading_pairs", setup.misleading_pairs(context.stop_flag())?)]
        }
        Contender::Belatedly => optimum::run(&setup, context)?,
        Contender::Cache(_) | Contender::Pinned(_) => both_models(&setup, context)?,
    };
    values.push(("capacity", setup.capacity() as f64));
    Ok(values)
}

/// What a policy achieves, and what the classical model says about it.
fn both_models(
    setup: &DelayedHitsSetup,
    context: &mut RunContext<'_>,
) -> Result<Vec<(&'static str, f64)>, SimulationError> {
    let stop = context.stop_flag();
    let actual = setup.run(false, stop)?;
    context.progress(0.5);
    let classical = setup.run(true, stop)?;
    let mean_z = setup.mean_z();
    let miss_rate = classical.misses as f64 / classical.requests.max(1) as f64;
    let idealized = miss_rate * mean_z;
    let mut values = actual.values(mean_z);
    values.extend([
        ("idealized_latency", idealized),
        ("idealized_normalized", miss_rate),
        ("idealized_error", 1.0 - idealized / actual.mean()),
    ]);
    Ok(values)
}
