//! `Cache.bound`: between which latencies that of the best schedule lies (thesis §2.4).

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use forebay_cache::offline::{Belatedly, BelatedlyError, Options, Solution};
use forebay_cache::{Request, STEP};
use forebay_units::Duration;
use pyo3::prelude::*;

use super::{Measured, in_steps, step_of};
use crate::shown::Named;
use crate::{detached, errors};

/// The names and numbers of a solution, mean latencies in steps.
pub(super) type Bounds = Named<&'static str, Measured>;

/// Solves a trace. On Ctrl-C the exception's `done` has the bounds by then, which hold.
pub(super) fn solve(
    py: Python<'_>,
    trace: &[Request],
    (fetch, capacity): (Duration, u64),
    options: Options,
) -> PyResult<Bounds> {
    if trace.is_empty() {
        return Err(errors::shape("times: without requests there is no latency; give some"));
    }
    let (solution, interrupted) = detached::interruptible(py, |stop| {
        Belatedly::new(trace, fetch, capacity)?.solve(options, |_| {
            match stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    })?;
    let bounds = bounds(&solution.map_err(wrong)?, trace.len());
    match interrupted {
        None => Ok(bounds),
        Some(error) => {
            // An exception that takes no attributes is raised without them.
            let _ = error.value(py).setattr("done", bounds);
            Err(error)
        }
    }
}

fn bounds(solution: &Solution, requests: usize) -> Bounds {
    let mean = |total: Duration| {
        Measured::Mean(total.as_ps() as f64 / STEP.as_ps() as f64 / requests.max(1) as f64)
    };
    Named(vec![
        ("lower", mean(solution.lower)),
        ("upper", mean(solution.upper)),
        ("rounded", mean(solution.rounded)),
        ("gap", Measured::Mean(solution.gap())),
        ("rounds", Measured::Count(solution.rounds.into())),
    ])
}

/// The error of a trace, its times in steps and its arguments Python's.
fn wrong(error: BelatedlyError) -> PyErr {
    errors::shape(match error {
        BelatedlyError::NoLatency => {
            "fetch: every schedule costs nothing where fetches take 0 steps; give 1 at least"
                .to_owned()
        }
        BelatedlyError::OutOfOrder { index } => {
            format!("times: element {index} is earlier than the one ahead of it; sort by time")
        }
        BelatedlyError::TooMuch { requests, latency } => format!(
            "{requests} requests of {} steps each may wait for more than can be summed: split the \
             trace",
            in_steps(latency)
        ),
        BelatedlyError::TooLate { at } => format!(
            "times: a request at {} is answered after the end of time; shift the trace to begin at \
             0",
            step_of(at)
        ),
        BelatedlyError::NoThreads => "threads: give at least 1".to_owned(),
        BelatedlyError::Gap => "gap: give a share from 0 to 1, such as 0.001".to_owned(),
        other @ (BelatedlyError::NotPrices | BelatedlyError::OtherProgram { .. }) => {
            other.to_string()
        }
    })
}
