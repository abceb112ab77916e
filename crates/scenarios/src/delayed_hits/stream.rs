//! Policies over a trace of any length in bounded memory: that of their caches and of the fetches
//! under way. They share one pass over it.
//!
//! What needs the whole trace cannot be had: a cache size as a share of the objects, latencies in
//! mean times between requests, and policies that need a future that the trace does not tell, which
//! are refused.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_cache::policies::BoxedPolicy;
use forebay_cache::{CacheReport, OfferError, Request, STEP, Simulation, at_step};
use forebay_lab::RunError;
use forebay_parameters::ParameterError;
use forebay_units::Bytes;

use super::config::{CacheConfig, ClockKind, Config, StoreConfig, TraceConfig};
use super::memory::Filling;
use super::recorded::Recording;
use super::{drive, store, trace};
use crate::SimulationError;

/// Why a trace was not run as a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// What is asked for takes the whole trace in memory.
    #[error(transparent)]
    NeedsTrace(ParameterError),
    /// So does the policy.
    #[error(transparent)]
    NeedsFuture(OfferError),
    /// As of any run.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

impl From<ParameterError> for StreamError {
    fn from(error: ParameterError) -> Self {
        StreamError::Simulation(error.into())
    }
}

/// Requests that are held at once, and between two looks at the stop flag.
const STRIDE: usize = 1 << 12;

/// Runs policies over one pass of a trace, so that it may come through a pipe: `recording` if there
/// is one. The configurations differ in their policies alone; `progress` takes the requests served.
///
/// # Errors
/// If a parameter or the trace is wrong, a policy needs a future the trace does not tell, or if
/// told to stop; and the place of the configuration in which it shows.
pub fn simulate(
    configs: &[Config],
    seed: u64,
    recording: Option<Recording>,
    progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<Vec<CacheReport>, (usize, StreamError)> {
    let Some(trace) = configs.first().map(|config| &config.trace) else { return Ok(Vec::new()) };
    let of_all = |error: ParameterError| (0, StreamError::from(error));
    let mut sets = Bytes::default();
    let placed = |(place, config): (usize, &Config)| {
        cache_of(config, seed, &mut sets).map_err(|error| (place, error))
    };
    let mut caches = configs.iter().enumerate().map(placed).collect::<Result<Vec<_>, _>>()?;
    let requests = trace::stream(trace, seed, recording).map_err(of_all)?;
    let mut requests = requests.take(trace.requests as usize);
    let (mut held, mut served) = (Vec::with_capacity(STRIDE), 0_u64);
    let mut filling = Filling::default();
    loop {
        held.clear();
        for request in requests.by_ref().take(STRIDE) {
            let request = request.map_err(|problem| of_all(TraceConfig::FILE.refuse(problem)))?;
            let index = served + held.len() as u64;
            let at = if is_by_index(trace) { at_step(index) } else { request.at };
            held.push(Request { at, ..request });
        }
        for (place, cache) in caches.iter_mut().enumerate() {
            for request in &held {
                cache.offer(request).map_err(|error| (place, offered(error)))?;
            }
        }
        filling.check(&caches).map_err(|error| (0, error.into()))?;
        served += held.len() as u64;
        if held.len() < STRIDE {
            break;
        }
        progress(served);
        if stop.load(Ordering::Relaxed) {
            return Err((0, SimulationError::from(RunError::Stopped).into()));
        }
    }
    if served == 0 {
        return Err(of_all(TraceConfig::FILE.refuse(trace::NO_REQUESTS)));
    }
    Ok(caches.iter_mut().map(Simulation::finish).collect())
}

/// Whether requests come one a step, whatever the trace says.
fn is_by_index(trace: &TraceConfig) -> bool {
    trace.clock == ClockKind::Index && !trace.kind.counts_steps()
}

/// The cache of a configuration, if it can be had without the trace; what its sets take is added to
/// `sets`.
fn cache_of(
    config: &Config,
    seed: u64,
    sets: &mut Bytes,
) -> Result<Simulation<BoxedPolicy>, StreamError> {
    let needs = |error: ParameterError| Err(StreamError::NeedsTrace(error));
    let Some(capacity) = drive::capacity(&config.cache) else {
        return needs(CacheConfig::OBJECTS.refuse(
            "the share of a stream's objects is not known; give the cache's size in objects or \
             bytes",
        ));
    };
    let in_steps = config.trace.kind.counts_steps();
    let in_time = config.store.latency.is_some() || !config.store.takes_latency();
    if !is_by_index(&config.trace) && !in_steps && !in_time {
        return needs(StoreConfig::LATENCY.refuse(
            "the mean time between a stream's requests is not known; give the latency in time",
        ));
    }
    let store = store::store(config, STEP, seed)?;
    let geometry = drive::geometry(&config.cache, capacity)?;
    Ok(drive::cache(&config.contender, &config.cache.policy, geometry, store, sets)?)
}

fn offered(error: OfferError) -> StreamError {
    match error {
        OfferError::NeedsFuture { .. } => StreamError::NeedsFuture(error),
        OfferError::OutOfOrder { .. } | OfferError::TooLate { .. } => {
            drive::not_offered(error).into()
        }
    }
}
