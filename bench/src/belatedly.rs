//! Belatedly: time, peak memory and proven gap of the offline optimum, by length of the trace.
//!
//! Traces are the shipped Zipf generator's, one request a time step, of exponent 0.9, with a tenth
//! as many objects as requests; the cache holds a twentieth of the objects and a miss takes 100
//! steps. Every schedule is replayed under the model's rules. Peak memory is that of the process so
//! far, trace included, so sizes run in the order given; it is known on Linux only.

use std::ops::ControlFlow;
use std::time::Instant;

use clap::Args;
use forebay_cache::generators::{BurstConfig, ZipfBursts};
use forebay_cache::offline::{Belatedly, BelatedlyError, Options as Solver, Solution};
use forebay_cache::{Request, steps};
use forebay_parameters::ParameterError;
use serde::Serialize;

/// What is solved, and how far.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Lengths of traces, in requests.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 30_000, 100_000, 250_000, 1_000_000])]
    requests: Vec<usize>,
    /// Mean requests of a burst; 1 for a plain Zipf stream.
    #[arg(long, value_delimiter = ',', default_values_t = [1.0, 4.0])]
    burst: Vec<f64>,
    /// Time steps that a miss takes.
    #[arg(long, default_value_t = 100)]
    latency: u64,
    /// Stop at this gap, in percent.
    #[arg(long, default_value_t = 0.1)]
    gap: f64,
    /// Stop after so many rounds.
    #[arg(long, default_value_t = 1000)]
    rounds: u32,
    /// Threads that work.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Tell bounds as they narrow.
    #[arg(long)]
    progress: bool,
    /// Print one JSON object a line instead of a table.
    #[arg(long)]
    json: bool,
}

/// One solved trace. Latencies are means over all requests, in time steps.
#[derive(Debug, Serialize)]
struct Row {
    requests: usize,
    burst: f64,
    seconds: f64,
    peak_mib: Option<f64>,
    rounds: u32,
    lower: f64,
    upper: f64,
    rounded: f64,
    gap_percent: f64,
    valid: bool,
}

/// Solves every trace and prints as it goes.
pub(crate) fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    if !options.json {
        println!(
            "| requests | burst | s | peak MiB | rounds | lower | upper | rounded | gap % | valid |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
    }
    for &burst in &options.burst {
        for &requests in &options.requests {
            let row = measure(options, burst, requests)?;
            if options.json {
                println!("{}", serde_json::to_string(&row)?);
            } else {
                print(&row);
            }
        }
    }
    Ok(())
}

fn print(row: &Row) {
    let peak = row.peak_mib.map_or("-".into(), |peak| format!("{peak:.0}"));
    println!(
        "| {} | {} | {:.2} | {peak} | {} | {:.4} | {:.4} | {:.4} | {:.4} | {} |",
        row.requests,
        row.burst,
        row.seconds,
        row.rounds,
        row.lower,
        row.upper,
        row.rounded,
        row.gap_percent,
        row.valid
    );
}

fn measure(
    options: &Options,
    burst: f64,
    requests: usize,
) -> Result<Row, Box<dyn std::error::Error>> {
    let trace = trace(burst, requests)?;
    let capacity = (requests as u64 / 200).max(1);
    let latency = steps(options.latency);
    let start = Instant::now();
    let solution = solve(options, &trace, capacity, start)?;
    let seconds = start.elapsed().as_secs_f64();
    let peak_mib = peak_mib();
    let mean = |span: forebay_units::Duration| {
        span.as_ps() as f64 / steps(1).as_ps() as f64 / requests as f64
    };
    let replayed = solution.schedule.latency(&trace, latency, capacity);
    Ok(Row {
        requests,
        burst,
        seconds,
        peak_mib,
        rounds: solution.rounds,
        lower: mean(solution.lower),
        upper: mean(solution.upper),
        rounded: mean(solution.rounded),
        gap_percent: 100.0 * solution.gap(),
        valid: replayed == Ok(solution.upper),
    })
}

fn solve(
    options: &Options,
    trace: &[Request],
    capacity: u64,
    start: Instant,
) -> Result<Solution, BelatedlyError> {
    let solver = Solver {
        gap: options.gap / 100.0,
        rounds: options.rounds,
        threads: options.threads,
        ..Solver::default()
    };
    Belatedly::new(trace, steps(options.latency), capacity)?.solve(solver, |progress| {
        if options.progress {
            let (lower, upper) = (progress.lower.as_ps(), progress.upper.as_ps());
            let gap = 100.0 * (upper - lower) as f64 / lower as f64;
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("round {}: {gap:.4} % after {seconds:.2} s", progress.round);
        }
        ControlFlow::Continue(())
    })
}

fn trace(mean_burst: f64, requests: usize) -> Result<Vec<Request>, ParameterError> {
    let objects = (requests as u64 / 10).max(1);
    let config = BurstConfig { objects, mean_burst, ..BurstConfig::default() };
    Ok(ZipfBursts::new(config)?.take(requests).collect())
}

/// The most that the process occupied; `None` where the system does not say.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
