//! `forebay cache bound`: bounds on the least latency of any schedule of a trace (thesis §2.4).

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use forebay_cache::offline::{Options, Prices, Solution};
use forebay_lab::results::number::{self, plural};
use forebay_scenarios::delayed_hits::trace::Trace;
use forebay_scenarios::delayed_hits::{Contender, drive, optimum};

use super::TraceArguments;
use super::latency::Latencies;
use crate::arguments::{number, whole};
use crate::terminal::{self, columns};
use crate::{Failure, experiment};

/// How often progress is reported and a checkpoint written.
const EVERY: Duration = Duration::from_secs(5);

#[derive(Args)]
pub(crate) struct BoundArguments {
    #[command(flatten)]
    trace: TraceArguments,
    /// The gap between the bounds at which to stop, as a fraction.
    #[arg(long, default_value_t = 0.001, value_parser = number)]
    gap: f64,
    /// The most rounds; the search ends earlier when further rounds gain nothing.
    #[arg(long, default_value_t = 1000, value_parser = whole(0..=u32::MAX))]
    rounds: u32,
    /// How many threads to use; the result does not depend on it.
    #[arg(long, default_value_t = 2, value_parser = whole(1_u16..=1024))]
    threads: u16,
    /// Resume from this file if it exists, and keep the prices in it.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

pub(super) fn bound(arguments: &BoundArguments) -> Result<(), Failure> {
    let trace = &arguments.trace;
    let recording = trace.open()?;
    let config = trace.config(Contender::Belatedly, recording.as_ref())?;
    let (recording, damage) = trace.whole(recording)?;
    let setup = Trace::over(&config.trace, trace.seed, recording)
        .and_then(|requests| drive::DelayedHitsSetup::over(&config, trace.seed, requests))
        .map_err(|error| trace.failed("belatedly", &error.into()))?;
    let (program, _) =
        optimum::program(&setup).map_err(|error| trace.failed("belatedly", &error))?;
    let size = program.size();
    terminal::warn(&format!(
        "  {}, {} that can be hit, {}, {}, cache of {}",
        plural(setup.requests(), "request", "requests"),
        plural(size.commodities, "object", "objects"),
        plural(size.variables, "variable", "variables"),
        plural(size.capacity, "capacity row", "capacity rows"),
        plural(setup.capacity(), "object", "objects")
    ));
    let stop = experiment::stop_flag();
    let options = Options {
        gap: arguments.gap,
        rounds: arguments.rounds,
        threads: arguments.threads.into(),
        seed: arguments.trace.seed,
        start: arguments.checkpoint.as_deref().map_or(Ok(None), resume)?,
        ..Options::default()
    };
    let began = Instant::now();
    let (mut last, mut kept) = (began, Ok(()));
    let solution = program.solve(options, |so_far| {
        if last.elapsed() >= EVERY {
            last = Instant::now();
            let off = (so_far.upper - so_far.lower).as_ps() as f64 / so_far.lower.as_ps() as f64;
            let round = number::count(so_far.round.into());
            terminal::warn(&format!("  round {round}: gap {}", number::percent(off, 4)));
            if let Some(file) = &arguments.checkpoint {
                kept = keep(file, so_far.prices);
            }
        }
        if stop.load(Ordering::Relaxed) || kept.is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let solution = solution.map_err(|error| Failure::input(format!("error: {error}")))?;
    kept?;
    if let Some(file) = &arguments.checkpoint {
        keep(file, &solution.prices)?;
    }
    let latencies = Latencies::of(&config);
    terminal::print(&table(&solution, setup.requests(), latencies, began.elapsed()))?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::new("stopped; the bounds hold".to_owned(), 130));
    }
    damage.result(1)
}

fn table(solution: &Solution, requests: usize, latencies: Latencies, took: Duration) -> String {
    // A time step is a nanosecond.
    let totals = [solution.lower, solution.upper, solution.rounded].map(|t| t.as_ps() as f64 / 1e3);
    let means = totals.map(|total| total / requests as f64);
    let bounds = ["bound", "no schedule is below", "a schedule reaches", "randomized rounding"];
    let means = latencies.column("mean latency", 4, &means);
    let parts = if latencies == Latencies::Steps { 0 } else { 3 };
    let totals = latencies.column("total", parts, &totals);
    let cells = bounds.map(str::to_owned).into_iter().zip(means).zip(totals);
    let rows: Vec<_> = cells.map(|((bound, mean), total)| vec![bound, mean, total]).collect();
    columns(&rows, 1)
        + &format!(
            "gap {} after {}, {} s\n",
            number::percent(solution.gap(), 4),
            plural(solution.rounds, "round", "rounds"),
            number::decimal(took.as_secs_f64(), 2)
        )
}

/// The largest checkpoint, in bytes: 8 for each request of a trace.
const LARGEST_CHECKPOINT: u64 = 4 << 30;

fn resume(file: &Path) -> Result<Option<Prices>, Failure> {
    let wrong = |problem: String| {
        Failure::input(format!("error: {}: {problem}; remove it to begin anew", file.display()))
    };
    match forebay_files::read(file, LARGEST_CHECKPOINT) {
        Ok(bytes) => Prices::from_bytes(&bytes).map(Some).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// Written next to its place and renamed, so that a kill leaves the old file whole.
fn keep(file: &Path, prices: &Prices) -> Result<(), Failure> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    std::fs::write(&beside, prices.to_bytes())
        .and_then(|()| std::fs::rename(&beside, file))
        .map_err(|error| {
            Failure::new(format!("error: cannot write {}: {error}", file.display()), 1)
        })
}
