//! Prints how far each approximate queue strays from an ideal PIFO, for five rank distributions
//! that stay in place and five that advance:
//! `cargo run --release -p forebay-pifo --example approximate`.

mod workload;

use forebay_pifo::approximate::{
    AccuracyReport, ApproximateConfig, ApproximateInfo, ShapeError, approximate_queues, compare,
};
use workload::{Clock, DISTRIBUTIONS, workload};

const ARRIVALS: u64 = 200_000;
const SEED: u64 = 1;

/// A column of numbers about each queue, and its name.
type Metric = (&'static str, fn(&AccuracyReport) -> f64);

const METRICS: [Metric; 6] = [
    ("Inverted pops, %", |report| 100.0 * report.inverted_share()),
    ("Inversions per pop", |report| share(report.inversions, report.served)),
    ("Mean magnitude of an inversion, ranks", AccuracyReport::mean_magnitude),
    ("Dropped, % of arrivals", |report| 100.0 * share(report.dropped, report.arrivals)),
    ("Dropped, % of the smaller half of the ranks", |report| {
        let half = |by_decile: &[u64; 10]| by_decile[..5].iter().sum();
        100.0 * share(half(&report.dropped_by_decile), half(&report.arrivals_by_decile))
    }),
    ("Served, % of what the ideal serves", |report| 100.0 * report.overlap()),
];

fn main() -> Result<(), ShapeError> {
    let config = ApproximateConfig::default();
    let ApproximateConfig { capacity, queues, granularity, aifo } = config;
    println!(
        "{ARRIVALS} arrivals, 11 while 10 are served; {capacity} places, {queues} queues, \
         granularity {granularity}; AIFO: window {}, k = {}",
        aifo.window, aifo.burst
    );
    for (clock, title) in
        [(Clock::Still, "Ranks that stay in place"), (Clock::Advancing, "Ranks that advance")]
    {
        println!("\n## {title}");
        let reports = measure_all(clock, &config)?;
        METRICS.iter().for_each(|metric| print_table(metric, &reports));
    }
    Ok(())
}

/// The name of each queue, and what was measured for each distribution.
fn measure_all(
    clock: Clock,
    config: &ApproximateConfig,
) -> Result<Vec<(&'static str, Vec<AccuracyReport>)>, ShapeError> {
    let workloads =
        DISTRIBUTIONS.map(|(_, distribution)| workload(distribution, clock, ARRIVALS, SEED));
    let measure = |info: ApproximateInfo<u64>| {
        let each = workloads.iter().map(|steps| Ok(compare((info.build)(config)?, steps)));
        Ok((info.name, each.collect::<Result<_, ShapeError>>()?))
    };
    approximate_queues().into_iter().map(measure).collect()
}

fn print_table((title, number): &Metric, reports: &[(&'static str, Vec<AccuracyReport>)]) {
    let columns = DISTRIBUTIONS.map(|(name, _)| name).join(" | ");
    println!("\n{title}:\n\n| queue | {columns} |\n|---|---|---|---|---|---|");
    for (queue, reports) in reports {
        let row: Vec<String> =
            reports.iter().map(|report| format!("{:.1}", number(report))).collect();
        println!("| {queue} | {} |", row.join(" | "));
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
