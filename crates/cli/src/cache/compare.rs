//! `forebay cache compare`: whether hit rates would choose the same policy as latencies (thesis
//! Fig. 2.4).

use forebay_lab::results::number;
use serde_json::json;

use super::latency::Latencies;
use super::{Caches, CompareArguments};
use crate::terminal::{self, columns};
use crate::{Failure, experiment};

/// The result of a policy.
struct Row {
    policy: String,
    /// Misses if fetches took no time.
    classical: u64,
    /// Total latency in steps, and its mean in the unit of latencies.
    total: f64,
    mean: f64,
}

pub(super) fn compare(arguments: &CompareArguments, caches: &Caches) -> Result<(), Failure> {
    let trace = &arguments.trace;
    let stop = experiment::stop_flag();
    let policies = arguments.policies.among(caches)?;
    let recording = trace.open()?;
    let configs = trace.configs(&policies, recording.as_ref())?;
    let Some(latencies) = configs.first().map(Latencies::of) else { return Ok(()) };
    let named = policies.iter().map(|(name, _)| *name).zip(&configs);
    let rows = super::over_one_trace(trace, named, recording, |policy, setup| {
        let classical = setup.run(true, &stop)?.misses;
        let actual = setup.run(false, &stop)?;
        let mean = actual.mean() * setup.step_ns();
        Ok(Row { policy: policy.to_owned(), classical, total: actual.latency, mean })
    })?;
    terminal::print(&match arguments.json {
        true => as_json(&rows, latencies),
        false => as_table(&rows, latencies),
    })
}

/// Whether classical misses order two policies as latencies do.
fn agree(a: &Row, b: &Row) -> bool {
    a.classical.cmp(&b.classical) == a.total.total_cmp(&b.total)
}

fn as_table(rows: &[Row], latencies: Latencies) -> String {
    let means: Vec<f64> = rows.iter().map(|row| row.mean).collect();
    let mut means = latencies.column("mean latency", 3, &means).into_iter();
    let mut table = vec![vec![String::new(), "classical misses".to_owned()]];
    table[0].extend(means.next());
    table[0].extend(rows.iter().skip(1).map(|row| row.policy.clone()));
    for (index, row) in rows.iter().enumerate() {
        let mut cells = vec![row.policy.clone(), number::count(row.classical)];
        cells.extend(means.next());
        cells.extend(rows.iter().enumerate().skip(1).map(|(other, column)| {
            let verdict = if agree(row, column) { "agree" } else { "MISLEADS" };
            if other > index { verdict.to_owned() } else { String::new() }
        }));
        table.push(cells);
    }
    let misleads = rows.iter().any(|row| rows.iter().any(|other| !agree(row, other)));
    let legend = match misleads {
        true => {
            "\nMISLEADS: by hit rates without delayed hits, the other policy of the pair is \
             better.\n"
        }
        false => "",
    };
    columns(&table, 1) + legend
}

fn as_json(rows: &[Row], latencies: Latencies) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let misleads = rows.iter().filter(|other| !agree(row, other));
            let misleads: Vec<&str> = misleads.map(|other| other.policy.as_str()).collect();
            let (name, mean) = latencies.json(row.mean);
            json!({
                "policy": row.policy, "classical_misses": row.classical, name: mean,
                "misleads_against": misleads,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}
