//! `forebay cache compare`: whether hit rates would choose the same policy as latencies (thesis
//! Fig. 2.4).

use std::sync::atomic::AtomicBool;

use forebay_lab::results::number;
use forebay_scenarios::SimulationError;
use forebay_scenarios::delayed_hits::config::Config;
use forebay_scenarios::delayed_hits::drive;
use serde_json::json;

use super::{Caches, CompareArguments, TraceArguments};
use crate::terminal::{self, columns};
use crate::{Failure, experiment};

/// The result of a policy.
struct Row {
    policy: String,
    /// Misses if fetches took no time.
    classical: u64,
    /// Total latency in steps, and its mean in nanoseconds.
    total: f64,
    mean: f64,
}

pub(super) fn compare(arguments: &CompareArguments, caches: &Caches) -> Result<(), Failure> {
    let trace = &arguments.trace;
    let stop = experiment::stop_flag();
    let (mut rows, mut unit) = (Vec::new(), "");
    for (policy, contender) in arguments.policies.among(caches)? {
        let config = trace.config(contender)?;
        trace.check_seed(&config)?;
        unit = TraceArguments::unit(&config);
        let row = run(&config, policy, trace.seed, &stop);
        rows.push(row.map_err(|error| trace.failed(policy, &error))?);
    }
    terminal::print(&if arguments.json { as_json(&rows) } else { as_table(&rows, unit) })
}

fn run(
    config: &Config,
    policy: &str,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Row, SimulationError> {
    let setup = drive::DelayedHitsSetup::new(config, seed)?;
    let classical = setup.run(true, stop)?.misses;
    let actual = setup.run(false, stop)?;
    let mean = actual.mean() * setup.step_ns();
    Ok(Row { policy: policy.to_owned(), classical, total: actual.latency, mean })
}

/// Whether classical misses order two policies as latencies do.
fn agree(a: &Row, b: &Row) -> bool {
    a.classical.cmp(&b.classical) == a.total.total_cmp(&b.total)
}

fn as_table(rows: &[Row], unit: &str) -> String {
    let mut table =
        vec![vec![String::new(), "classical misses".to_owned(), "mean latency".to_owned()]];
    table[0].extend(rows.iter().skip(1).map(|row| row.policy.clone()));
    for (index, row) in rows.iter().enumerate() {
        let mut cells =
            vec![row.policy.clone(), number::count(row.classical), number::decimal(row.mean, 3)];
        cells.extend(rows.iter().enumerate().skip(1).map(|(other, column)| {
            let verdict = if agree(row, column) { "agree" } else { "MISLEADS" };
            if other > index { verdict.to_owned() } else { String::new() }
        }));
        table.push(cells);
    }
    let misleads = rows.iter().any(|row| rows.iter().any(|other| !agree(row, other)));
    let legend = match misleads {
        true => {
            "MISLEADS: by hit rates without delayed hits, the other policy of the pair is better.\n"
        }
        false => "",
    };
    columns(&table, 1) + &format!("\n{legend}Latencies are in {unit}.\n")
}

fn as_json(rows: &[Row]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let misleads = rows.iter().filter(|other| !agree(row, other));
            let misleads: Vec<&str> = misleads.map(|other| other.policy.as_str()).collect();
            json!({
                "policy": row.policy, "classical_misses": row.classical,
                "mean_latency": row.mean, "misleads_against": misleads,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}
