//! The offline optimum of a trace (thesis §2.4): bounds, and what its schedule gives each request.

use std::ops::ControlFlow;

use forebay_cache::offline::{Belatedly, BelatedlyError, Options};
use forebay_cache::{Associativity, BackingStore, CacheGeometry, Capacity, RequestOutcome};
use forebay_lab::{RunContext, RunError};
use forebay_units::Duration;

use super::config::{CacheConfig, StoreConfig, TraceConfig};
use super::drive::DelayedHitsSetup;
use super::memory;
use super::metrics::Measured;
use crate::SimulationError;

/// What a request takes while the program is built and solved, in bytes, as measured.
const PER_REQUEST: u64 = 200;

/// The gap that is good enough.
const GAP: f64 = 5e-4;

/// Solves the trace of a point, and replays the schedule.
///
/// # Errors
/// If told to stop, or if the trace is not one that the program can have.
pub(super) fn run(
    setup: &DelayedHitsSetup,
    context: &mut RunContext<'_>,
) -> Result<Vec<(&'static str, f64)>, SimulationError> {
    let (belatedly, latency) = program(setup)?;
    let requests = &setup.trace.requests;
    let options = Options { gap: GAP, ..Options::default() };
    let rounds = f64::from(options.rounds);
    let solution = belatedly.solve(options, |so_far| {
        context.progress(0.9 * f64::from(so_far.round) / rounds);
        if context.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let solution = solution.map_err(SimulationError::failed)?;
    if context.stopped() {
        return Err(RunError::Stopped.into());
    }
    let step = setup.trace.step.as_ps() as f64;
    let mut measured = Measured { requests: requests.len() as u64, ..Measured::default() };
    let replay =
        solution.schedule.replay(requests, latency, setup.capacity(), |request, outcome| {
            let steps = outcome.latency().as_ps() as f64 / step;
            measured.latency += steps;
            match outcome {
                RequestOutcome::Hit => measured.hits += 1,
                RequestOutcome::DelayedHit { .. } => measured.delayed += 1,
                RequestOutcome::Miss { .. } => measured.misses += 1,
            }
            if setup.measures(request.object) {
                measured.objects.0 += steps;
                measured.objects.1 += 1;
            }
        });
    replay.map_err(SimulationError::failed)?;
    let (variables, naive) = (belatedly.size().variables as f64, naive_variables(setup));
    let mut values = measured.values(setup.mean_z());
    values.extend([
        ("gap", solution.gap()),
        ("lower_bound", solution.lower.as_ps() as f64 / step / requests.len() as f64),
        ("variables", variables),
        ("naive_variables", naive),
        ("variables_saved", naive / variables),
    ]);
    Ok(values)
}

/// The program of a point's trace, and its Z.
///
/// # Errors
/// If it is not one that the program can have.
pub fn program(setup: &DelayedHitsSetup) -> Result<(Belatedly, Duration), SimulationError> {
    let BackingStore::Constant(latency) = setup.store else {
        let problem = "belatedly knows one latency for all; set store.kind = \"constant\"";
        return Err(StoreConfig::KIND.refuse(problem).into());
    };
    let CacheGeometry { capacity: Capacity::Objects(_), associativity: Associativity::Full } =
        setup.geometry
    else {
        let problem = "belatedly knows objects of one size only; leave cache.bytes 0";
        return Err(CacheConfig::BYTES.refuse(problem).into());
    };
    memory::check_notes(setup.trace.requests.len(), PER_REQUEST)?;
    let program = Belatedly::new(&setup.trace.requests, latency, setup.capacity());
    program.map(|program| (program, latency)).map_err(refused)
}

/// Whose fault it is that there is no program: the trace's, or what is asked of it.
fn refused(error: BelatedlyError) -> SimulationError {
    match error {
        BelatedlyError::TooLate { .. } | BelatedlyError::OutOfOrder { .. } => {
            TraceConfig::FILE.refuse(error).into()
        }
        BelatedlyError::NoLatency
        | BelatedlyError::TooMuch { .. }
        | BelatedlyError::NotPrices
        | BelatedlyError::OtherProgram { .. }
        | BelatedlyError::NoThreads
        | BelatedlyError::Gap => SimulationError::failed(error),
    }
}

/// Variables of the program as first stated (§2.4.1): for each request and object an arc that stays
/// in the cache and one that leaves it, and for each request one that enters it. The thesis counts
/// 18·10⁹ for 250,000 requests of 37,725 objects (§2.4.3), which this gives.
fn naive_variables(setup: &DelayedHitsSetup) -> f64 {
    let requests = &setup.trace.requests;
    let mut objects: Vec<u64> = requests.iter().map(|request| request.object.0).collect();
    objects.sort_unstable();
    objects.dedup();
    (2.0 * objects.len() as f64 + 1.0) * requests.len() as f64
}
