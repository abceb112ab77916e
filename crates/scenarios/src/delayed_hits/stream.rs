//! A policy over a trace of any length in bounded memory: that of the cache and of the fetches under way.
//!
//! What needs the whole trace cannot be had: a cache size as a share of the objects, latencies in mean times
//! between requests, and policies that need a future that the trace does not tell, which are refused.

use std::sync::atomic::{AtomicBool, Ordering};

use forebay_cache::{OfferError, Report, STEP, Simulation, at_step};
use forebay_lab::{ConfigError, Resolved, RunError};

use super::{drive, store, trace};

/// Why a trace was not run as a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// What is asked for takes the whole trace in memory.
    #[error("{0}")]
    NeedsTrace(String),
    /// As of any run.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<ConfigError> for StreamError {
    fn from(error: ConfigError) -> Self {
        StreamError::Run(error.into())
    }
}

/// Requests between two looks at the stop flag.
const STRIDE: u64 = 1 << 14;

/// Runs a policy by name; `progress` takes the requests served.
///
/// # Errors
/// If a parameter or the trace is wrong, the policy needs a future the trace does not tell, or if told to stop.
pub fn simulate(
    params: &Resolved,
    name: &str,
    seed: u64,
    progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<Report, StreamError> {
    let needs = |error: ConfigError| Err(StreamError::NeedsTrace(error.to_string()));
    let Some(capacity) = drive::capacity(params)? else {
        let error = params.blame("cache.objects", "the share of a stream's objects is not known");
        return needs(error.fix("give the cache's size in objects or bytes"));
    };
    let kind = params.text("trace.kind")?.to_owned();
    let in_steps = trace::counts_steps(&kind);
    let by_index = params.text("clock")? == "index" && !in_steps;
    let timed = store::takes_latency(params)? && params.duration("store.latency")?.as_ps() == 0;
    if !by_index && !in_steps && timed {
        let error =
            params.blame("store.latency", "the mean time between a stream's requests is not known");
        return needs(error.fix("give the latency in time"));
    }
    let store = store::store(params, STEP, seed)?;
    let geometry = drive::geometry(params, capacity)?;
    let build = drive::builder(name, &drive::config(params)?, &geometry)?;
    let mut cache = Simulation::new(geometry, store, build)
        .map_err(|error| RunError::Failed(error.to_string()))?;
    let wanted = params.count("requests")?;
    let mut index = 0;
    for request in trace::stream(params, &kind, seed)?.take(wanted as usize) {
        let mut request = request.map_err(RunError::Failed)?;
        if by_index {
            request.at = at_step(index);
        }
        cache.offer(&request).map_err(offered)?;
        index += 1;
        if index.is_multiple_of(STRIDE) {
            progress(index);
            if stop.load(Ordering::Relaxed) {
                return Err(RunError::Stopped.into());
            }
        }
    }
    if index == 0 {
        let error = params.blame("trace.file", "the trace has no requests");
        return Err(error.fix("give a file, and not a pipe to several policies").into());
    }
    Ok(cache.finish())
}

fn offered(error: OfferError) -> StreamError {
    match error {
        OfferError::NeedsFuture { .. } => StreamError::NeedsTrace(error.to_string()),
        OfferError::OutOfOrder { .. } | OfferError::TooLate { .. } => {
            RunError::Failed(error.to_string()).into()
        }
    }
}
