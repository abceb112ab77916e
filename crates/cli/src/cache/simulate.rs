//! `forebay cache simulate`: each policy over the trace, one after the other.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use forebay_lab::results::number;
use forebay_scenarios::SimulationError;
use forebay_scenarios::delayed_hits::config::Config;
use forebay_scenarios::delayed_hits::drive;
use forebay_scenarios::delayed_hits::stream::{self, StreamError};
use serde_json::json;

use super::{Caches, SimulateArguments, TraceArguments};
use crate::terminal::{self, columns};
use crate::{Failure, experiment};

/// How often progress is reported.
const EVERY: Duration = Duration::from_secs(5);

/// The result of a policy.
struct Row {
    policy: String,
    requests: u64,
    shares: [f64; 3],
    steps: f64,
}

pub(super) fn simulate(arguments: &SimulateArguments, caches: &Caches) -> Result<(), Failure> {
    let trace = &arguments.trace;
    let stop = experiment::stop_flag();
    let (mut rows, mut unit) = (Vec::new(), "");
    for (policy, contender) in arguments.policies.among(caches)? {
        let config = trace.config(contender)?;
        trace.check_seed(&config)?;
        unit = TraceArguments::unit(&config);
        rows.push(match arguments.in_memory {
            true => in_memory(&config, policy, trace.seed, &stop)
                .map_err(|error| trace.failed(policy, &error))?,
            false => streamed(&config, policy, trace.seed, &stop)
                .map_err(|error| stream_failed(trace, policy, error))?,
        });
    }
    let text = if arguments.json { as_json(&rows) } else { as_table(&rows, unit) };
    terminal::print(&text)
}

fn streamed(
    config: &Config,
    policy: &str,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Row, StreamError> {
    let mut last = Instant::now();
    let mut progress = |requests: u64| {
        if last.elapsed() >= EVERY {
            last = Instant::now();
            terminal::warn(&format!("  {policy}: {requests} requests"));
        }
    };
    let report = stream::simulate(config, seed, &mut progress, stop)?;
    let share = |count: u64| count as f64 / report.requests.max(1) as f64;
    Ok(Row {
        policy: policy.to_owned(),
        requests: report.requests,
        shares: [report.hits, report.delayed_hits, report.misses].map(share),
        steps: report.mean_steps(),
    })
}

fn in_memory(
    config: &Config,
    policy: &str,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Row, SimulationError> {
    let setup = drive::DelayedHitsSetup::new(config, seed)?;
    let measured = setup.run(false, stop)?;
    let share = |count: u64| count as f64 / measured.requests.max(1) as f64;
    Ok(Row {
        policy: policy.to_owned(),
        requests: measured.requests,
        shares: [measured.hits, measured.delayed, measured.misses].map(share),
        steps: measured.mean() * setup.step_ns(),
    })
}

/// The error of a stream, with what to do where holding the trace is the fix.
fn stream_failed(trace: &TraceArguments, policy: &str, error: StreamError) -> Failure {
    let failure = match error {
        StreamError::Simulation(error) => return trace.failed(policy, &error),
        StreamError::NeedsTrace(error) => trace.failed(policy, &error.into()),
        StreamError::NeedsFuture(error) => Failure::input(format!("error: {policy}: {error}")),
    };
    Failure::new(failure.message + "; or add --in-memory", failure.code)
}

fn as_table(rows: &[Row], unit: &str) -> String {
    let heads = [
        "policy",
        "requests",
        "hits",
        "delayed hits",
        "misses",
        "mean latency",
        "against the first",
    ];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    let first = rows.first().map_or(f64::NAN, |row| row.steps);
    for row in rows {
        let mut cells = vec![row.policy.clone(), number::count(row.requests)];
        cells.extend(row.shares.map(|share| number::percent(share, 2)));
        cells.push(number::decimal(row.steps, 3));
        cells.push(number::change(row.steps / first - 1.0, 2));
        table.push(cells);
    }
    columns(&table, 1) + &format!("\nLatencies are in {unit}.\n")
}

fn as_json(rows: &[Row]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let [hits, delayed, misses] = row.shares;
            json!({
                "policy": row.policy, "requests": row.requests, "hit_rate": hits,
                "delayed_hit_rate": delayed, "miss_rate": misses, "mean_latency": row.steps,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}
