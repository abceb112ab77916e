//! `forebay cache simulate`: policies over one pass of a trace, or over a trace that is held.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use forebay_cache::{CacheReport, OfferError};
use forebay_lab::results::number::{self, plural};
use forebay_scenarios::delayed_hits::Contender;
use forebay_scenarios::delayed_hits::config::Config;
use forebay_scenarios::delayed_hits::recorded::Recording;
use forebay_scenarios::delayed_hits::stream::{self, StreamError};
use serde_json::json;

use super::latency::Latencies;
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
    /// The mean latency.
    mean: f64,
}

impl Row {
    /// Of counts: requests, and hits, delayed hits and misses among them.
    fn new(policy: &str, requests: u64, counts: [u64; 3], mean: f64) -> Self {
        let share = |count: u64| count as f64 / requests.max(1) as f64;
        Row { policy: policy.to_owned(), requests, shares: counts.map(share), mean }
    }
}

pub(super) fn simulate(arguments: &SimulateArguments, caches: &Caches) -> Result<(), Failure> {
    let trace = &arguments.trace;
    let stop = experiment::stop_flag();
    let policies = arguments.policies.among(caches)?;
    let recording = trace.open()?;
    let configs = trace.configs(&policies, recording.as_ref())?;
    let Some(latencies) = configs.first().map(Latencies::of) else { return Ok(()) };
    let (recording, damage) = trace.whole(recording)?;
    let named = policies.iter().map(|(name, _)| *name).zip(&configs);
    let rows = match arguments.in_memory {
        true => in_memory(trace, named, recording, &stop)?,
        false => {
            let reports = streamed(&configs, trace.seed, recording, &stop);
            let reports =
                reports.map_err(|(place, error)| stream_failed(trace, policies[place].0, error))?;
            let row = |(&(policy, _), report): (&(&str, Contender), &CacheReport)| {
                let counts = [report.hits, report.delayed_hits, report.misses];
                Row::new(policy, report.requests, counts, report.mean_steps())
            };
            policies.iter().zip(&reports).map(row).collect()
        }
    };
    terminal::print(&match arguments.json {
        true => as_json(&rows, latencies),
        false => as_table(&rows, latencies),
    })?;
    damage.result(1)
}

fn streamed(
    configs: &[Config],
    seed: u64,
    recording: Option<Recording>,
    stop: &AtomicBool,
) -> Result<Vec<CacheReport>, (usize, StreamError)> {
    let mut last = Instant::now();
    let mut progress = |requests: u64| {
        if last.elapsed() >= EVERY {
            last = Instant::now();
            terminal::warn(&format!("  {}", plural(requests, "request", "requests")));
        }
    };
    stream::simulate(configs, seed, recording, &mut progress, stop)
}

/// Each policy over the trace that is read once.
fn in_memory<'a>(
    arguments: &TraceArguments,
    configs: impl Iterator<Item = (&'a str, &'a Config)>,
    recording: Option<Recording>,
    stop: &AtomicBool,
) -> Result<Vec<Row>, Failure> {
    super::over_one_trace(arguments, configs, recording, |policy, setup| {
        let measured = setup.run(false, stop)?;
        let counts = [measured.hits, measured.delayed, measured.misses];
        let mean = measured.mean() * setup.step_ns();
        Ok(Row::new(policy, measured.requests, counts, mean))
    })
}

/// The error of a stream, with what to do where holding the trace is the fix.
fn stream_failed(trace: &TraceArguments, policy: &str, error: StreamError) -> Failure {
    let failure = match error {
        StreamError::Simulation(error) => return trace.failed(policy, &error),
        StreamError::NeedsTrace(error) => trace.failed(policy, &error.into()),
        StreamError::NeedsFuture(OfferError::NeedsFuture { needs, .. }) => {
            let problem = format!(
                "it needs {needs}, which a stream does not tell; choose a policy that needs no \
                 future"
            );
            Failure::input(format!("error: {policy}: {problem}"))
        }
        StreamError::NeedsFuture(error) => Failure::input(format!("error: {policy}: {error}")),
    };
    Failure::new(failure.message + "; or add --in-memory", failure.code)
}

fn as_table(rows: &[Row], latencies: Latencies) -> String {
    let means: Vec<f64> = rows.iter().map(|row| row.mean).collect();
    let mut means = latencies.column("mean latency", 3, &means).into_iter();
    let first = rows.first().map_or(f64::NAN, |row| row.mean);
    let mut heads: Vec<String> =
        ["policy", "requests", "hits", "delayed hits", "misses"].map(str::to_owned).to_vec();
    heads.extend(means.next());
    heads.push("against the first".to_owned());
    let mut table = vec![heads];
    for row in rows {
        let mut cells = vec![row.policy.clone(), number::count(row.requests)];
        cells.extend(row.shares.map(|share| number::percent(share, 2)));
        cells.extend(means.next());
        cells.push(number::change(row.mean / first - 1.0, 2));
        table.push(cells);
    }
    columns(&table, 1)
}

fn as_json(rows: &[Row], latencies: Latencies) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let [hits, delayed, misses] = row.shares;
            let (name, mean) = latencies.json(row.mean);
            json!({
                "policy": row.policy, "requests": row.requests, "hit_rate": hits,
                "delayed_hit_rate": delayed, "miss_rate": misses, name: mean,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}
