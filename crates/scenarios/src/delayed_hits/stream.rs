//! A policy over a trace of any length in bounded memory: that of the cache and of the fetches
//! under way.
//!
//! What needs the whole trace cannot be had: a cache size as a share of the objects, latencies in
//! mean times between requests, and policies that need a future that the trace does not tell, which
//! are refused.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_cache::{CacheReport, OfferError, STEP, Simulation, at_step};
use forebay_lab::RunError;
use forebay_parameters::ParameterError;

use super::config::{CacheConfig, ClockKind, Config, StoreConfig, TraceConfig};
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

/// Requests between two looks at the stop flag.
const STRIDE: u64 = 1 << 14;

/// Runs the policy; `progress` takes the requests served.
///
/// # Errors
/// If a parameter or the trace is wrong, the policy needs a future the trace does not tell, or if
/// told to stop.
pub fn simulate(
    config: &Config,
    seed: u64,
    progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<CacheReport, StreamError> {
    let needs = |error: ParameterError| Err(StreamError::NeedsTrace(error));
    let Some(capacity) = drive::capacity(&config.cache) else {
        return needs(CacheConfig::OBJECTS.refuse(
            "the share of a stream's objects is not known; give the cache's size in objects or \
             bytes",
        ));
    };
    let in_steps = config.trace.kind.counts_steps();
    let by_index = config.trace.clock == ClockKind::Index && !in_steps;
    let in_time = config.store.latency.is_some() || !config.store.takes_latency();
    if !by_index && !in_steps && !in_time {
        return needs(StoreConfig::LATENCY.refuse(
            "the mean time between a stream's requests is not known; give the latency in time",
        ));
    }
    let store = store::store(config, STEP, seed)?;
    let geometry = drive::geometry(&config.cache, capacity)?;
    let build = drive::builder(&config.contender, &config.cache.policy, &geometry)?;
    let mut cache = Simulation::new(geometry, store, build).map_err(SimulationError::failed)?;
    let wanted = config.trace.requests;
    let mut index = 0;
    for request in trace::stream(&config.trace, seed)?.take(wanted as usize) {
        let mut request = request.map_err(|problem| TraceConfig::FILE.refuse(problem))?;
        if by_index {
            request.at = at_step(index);
        }
        cache.offer(&request).map_err(offered)?;
        index += 1;
        if index.is_multiple_of(STRIDE) {
            progress(index);
            if stop.load(Ordering::Relaxed) {
                return Err(SimulationError::from(RunError::Stopped).into());
            }
        }
    }
    if index == 0 {
        let problem = "the trace has no requests; give a file, and not a pipe to several policies";
        return Err(TraceConfig::FILE.refuse(problem).into());
    }
    Ok(cache.finish())
}

fn offered(error: OfferError) -> StreamError {
    match error {
        OfferError::NeedsFuture { .. } => StreamError::NeedsFuture(error),
        OfferError::OutOfOrder { .. } | OfferError::TooLate { .. } => {
            drive::not_offered(error).into()
        }
    }
}
