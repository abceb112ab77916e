//! The backing store that the parameters describe.

use forebay_cache::BackingStore;
use forebay_lab::{ConfigError, Resolved};
use forebay_units::Duration;

use super::hbm_store::HbmStore;

/// The store, where a time step lasts `step`.
///
/// # Errors
/// Names the parameter at fault.
pub(super) fn store(
    params: &Resolved,
    step: Duration,
    seed: u64,
) -> Result<BackingStore, ConfigError> {
    let z = latency(params, step)?;
    let share = |of: u64, base: u64| {
        let ps = u128::from(z.as_ps()) * u128::from(of) / u128::from(base);
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    };
    Ok(match params.text("store.kind")? {
        "three-origins" => {
            BackingStore::hashed_origins(vec![share(68, 103), z, share(226, 103)], seed)
        }
        "per-origin" => BackingStore::PerOrigin(latencies(params)?),
        "per-object" => BackingStore::PerObject { least: share(1, 2), most: share(3, 2), seed },
        "hbm" => hbm(params)?,
        "sampled" => BackingStore::sampled(share(1, 2), share(1, 2), seed),
        _ => BackingStore::Constant(z),
    })
}

/// Whether the store's latencies come from `store.z` or `store.latency`.
///
/// # Errors
/// If the kind of store cannot be read.
pub(super) fn takes_latency(params: &Resolved) -> Result<bool, ConfigError> {
    Ok(!["hbm", "per-origin"].contains(&params.text("store.kind")?))
}

/// Z as a span, with time steps of `step`.
fn latency(params: &Resolved, step: Duration) -> Result<Duration, ConfigError> {
    let given = params.duration("store.latency")?;
    if given > Duration::ZERO && !takes_latency(params)? {
        let message = "this kind of store has latencies of its own";
        return Err(params.blame("store.latency", message).fix("leave store.latency 0 s"));
    }
    let z = Duration::from_ps(step.as_ps().saturating_mul(params.count("store.z")?));
    Ok(if given > Duration::ZERO { given } else { z })
}

/// One latency for each origin, from 0.
fn latencies(params: &Resolved) -> Result<Vec<Duration>, ConfigError> {
    let text = params.text("store.latencies")?;
    let spans: Result<Vec<Duration>, _> = text.split(',').map(|span| span.trim().parse()).collect();
    spans.map_err(|error| {
        let message = format!("not a list of spans: {error}");
        params.blame("store.latencies", message).fix("give one for each origin: \"10 ms, 80 ms\"")
    })
}

fn hbm(params: &Resolved) -> Result<BackingStore, ConfigError> {
    if params.text("clock")? != "time" {
        let message = "the memory's timing is in time, but requests come one a step";
        return Err(params.blame("store.kind", message).fix("set trace.clock = \"time\""));
    }
    let store = HbmStore::new();
    let store = store.map_err(|error| params.blame("store.kind", error.to_string()))?;
    Ok(BackingStore::Modelled(Box::new(store)))
}
