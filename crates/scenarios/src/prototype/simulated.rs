//! The same requests in the simulator.

use std::sync::atomic::Ordering;

use forebay_cache::{BackingStore, RequestOutcome};
use forebay_lab::{RunContext, RunError};
use forebay_units::{Bytes, Duration};

use super::PrototypePart;
use super::metrics::{Kind, Latencies};
use crate::SimulationError;
use crate::delayed_hits::drive::DelayedHitsSetup;
use crate::delayed_hits::{cache, not_offered};

/// How many ms one of the simulator's picoseconds stands for.
pub(super) fn scale(setup: &DelayedHitsSetup, own: &PrototypePart) -> f64 {
    own.step.as_ps() as f64 / 1e9 / setup.trace.step.as_ps() as f64
}

/// Runs the requests against `store`.
pub(super) fn run(
    setup: &DelayedHitsSetup,
    store: &BackingStore,
    own: &PrototypePart,
    context: &RunContext<'_>,
) -> Result<Latencies, SimulationError> {
    let (geometry, store, sets) = (setup.geometry, store.clone(), &mut Bytes::default());
    let mut cache = cache(&setup.contender, &setup.config, geometry, store, sets)?;
    let ms = scale(setup, own);
    let mut latencies = Vec::with_capacity(setup.trace.requests.len());
    for (index, request) in setup.trace.requests.iter().enumerate() {
        if index.is_multiple_of(1 << 14) && context.stop_flag().load(Ordering::Relaxed) {
            return Err(RunError::Stopped.into());
        }
        let outcome = cache.offer(request).map_err(not_offered)?;
        let kind = match outcome {
            RequestOutcome::Hit => Kind::Hit,
            RequestOutcome::DelayedHit { .. } => Kind::Delayed,
            RequestOutcome::Miss { .. } => Kind::Miss,
        };
        latencies.push((kind, outcome.latency().as_ps() as f64 * ms));
    }
    Ok(latencies)
}

/// The store with so much more for every fetch; of the kinds that a prototype has.
#[cfg_attr(not(feature = "proxy"), allow(dead_code))] // nothing is real then
pub(super) fn slower(store: &BackingStore, more: Duration) -> BackingStore {
    match store {
        BackingStore::Constant(latency) => BackingStore::Constant(*latency + more),
        BackingStore::HashedOrigin { latencies, seed } => {
            let latencies = latencies.iter().map(|latency| *latency + more).collect();
            BackingStore::HashedOrigin { latencies, seed: *seed }
        }
        BackingStore::PerOrigin(_)
        | BackingStore::PerObject { .. }
        | BackingStore::Sampled { .. }
        | BackingStore::Modelled(_) => store.clone(),
    }
}
