//! The backing store that a configuration describes.

use forebay_cache::BackingStore;
use forebay_parameters::ParameterError;
use forebay_units::Duration;

use super::config::{ClockKind, Config, StoreConfig, StoreKind};
use super::hbm_store::HbmStore;

/// The store, where a time step lasts `step`.
///
/// # Errors
/// Names the parameter at fault.
pub(super) fn store(
    config: &Config,
    step: Duration,
    seed: u64,
) -> Result<BackingStore, ParameterError> {
    let z = latency(&config.store, step)?;
    let share = |of: u64, base: u64| {
        let ps = u128::from(z.as_ps()) * u128::from(of) / u128::from(base);
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    };
    Ok(match config.store.kind {
        StoreKind::Constant => BackingStore::Constant(z),
        StoreKind::ThreeOrigins => {
            BackingStore::hashed_origins(vec![share(68, 103), z, share(226, 103)], seed)
        }
        StoreKind::PerOrigin => BackingStore::PerOrigin(latencies(&config.store.latencies)?),
        StoreKind::PerObject => {
            BackingStore::PerObject { least: share(1, 2), most: share(3, 2), seed }
        }
        StoreKind::Sampled => BackingStore::sampled(share(1, 2), share(1, 2), seed),
        StoreKind::Hbm if config.trace.clock == ClockKind::Index => {
            let problem = "the memory's timing is in time, but requests come one a step; set \
                           trace.clock = \"time\"";
            return Err(StoreConfig::KIND.refuse(problem));
        }
        StoreKind::Hbm => BackingStore::Modelled(Box::new(HbmStore::new()?)),
    })
}

/// Z as a span, with time steps of `step`.
fn latency(config: &StoreConfig, step: Duration) -> Result<Duration, ParameterError> {
    match config.latency {
        Some(_) if !config.takes_latency() => Err(StoreConfig::LATENCY
            .refuse("this kind of store has latencies of its own; leave it out")),
        Some(latency) => Ok(latency),
        None => Ok(Duration::from_ps(step.as_ps().saturating_mul(config.z))),
    }
}

/// One latency for each origin, from 0.
fn latencies(text: &str) -> Result<Vec<Duration>, ParameterError> {
    let spans: Result<Vec<Duration>, _> = text.split(',').map(|span| span.trim().parse()).collect();
    spans.map_err(|error| {
        StoreConfig::LATENCIES.refuse(format_args!(
            "not a list of spans: {error}; give one for each origin: \"10 ms, 80 ms\""
        ))
    })
}
