//! `forebay cache compare`: whether hit rates would choose the same policy as latencies (thesis
//! Fig. 2.4).

use forebay_lab::results::number;
use forebay_scenarios::delayed_hits::Verdict;
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
    let (recording, damage) = trace.whole(recording)?;
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
    })?;
    damage.result(1)
}

/// Whether classical misses order two policies as latencies do.
fn verdict(a: &Row, b: &Row) -> Verdict {
    Verdict::of([a.classical, b.classical], [a.total, b.total])
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
            let verdict = match verdict(row, column) {
                Verdict::Agree => "agree",
                Verdict::Misleads => "MISLEADS",
                Verdict::Tie => "tie",
            };
            if other > index { verdict.to_owned() } else { String::new() }
        }));
        table.push(cells);
    }
    let legends = [
        (
            Verdict::Misleads,
            "MISLEADS: by hit rates without delayed hits, the other policy of the pair is \
             better.\n",
        ),
        (
            Verdict::Tie,
            "tie: by hit rates without delayed hits, or by latencies, neither of the pair is \
             better.\n",
        ),
    ];
    let shown = |found| rows.iter().any(|row| !against(rows, row, found).is_empty());
    let legends: Vec<&str> =
        legends.iter().filter(|(found, _)| shown(*found)).map(|(_, legend)| *legend).collect();
    let space = if legends.is_empty() { "" } else { "\n" };
    columns(&table, 1) + space + &legends.concat()
}

/// The policies with which `row` makes a pair of this verdict.
fn against<'a>(rows: &'a [Row], row: &Row, found: Verdict) -> Vec<&'a str> {
    let others = rows.iter().filter(|other| verdict(row, other) == found);
    others.map(|other| other.policy.as_str()).collect()
}

fn as_json(rows: &[Row], latencies: Latencies) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            let [misleads, ties] =
                [Verdict::Misleads, Verdict::Tie].map(|found| against(rows, row, found));
            let (name, mean) = latencies.json(row.mean);
            json!({
                "policy": row.policy, "classical_misses": row.classical, name: mean,
                "misleads_against": misleads, "ties_with": ties,
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_of_hit_rates_misleads_nobody() {
        let row = |policy: &str, classical, total| {
            let (policy, mean) = (policy.to_owned(), total / 10.0);
            Row { policy, classical, total, mean }
        };
        let rows = [row("a", 5, 70.0), row("b", 5, 60.0), row("c", 4, 65.0)];
        let text = as_table(&rows, Latencies::Steps);
        let cells: Vec<Vec<&str>> =
            text.lines().take(4).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!((&cells[1][3..], &cells[2][3..]), (&["tie", "agree"][..], &["MISLEADS"][..]));
        assert!(text.contains("\ntie: ") && text.contains("\nMISLEADS: "), "{text}");
        let rows: serde_json::Value =
            serde_json::from_str(&as_json(&rows, Latencies::Steps)).unwrap();
        assert_eq!(
            (&rows[0]["misleads_against"], &rows[0]["ties_with"]),
            (&json!([]), &json!(["b"]))
        );
        assert_eq!(rows[1]["misleads_against"], json!(["c"]));
    }
}
