//! The table of claims: what the paper states, what was measured, and a plain verdict.

use super::html::{Cell, escape, table};
use crate::config::{Claim, Measure, Published};
use crate::results::claims::{ClaimVerdict, Measured, measure};
use crate::results::{Results, number};
use crate::run::record::Record;

/// The section, or nothing if the experiment states no claims.
pub(super) fn section(record: &Record, results: &Results) -> String {
    if record.claims.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<Cell>> =
        record.claims.iter().map(|claim| row(record, results, claim)).collect();
    let heads = ["Claim", "Paper", "Measured", "Measured / paper", "ClaimVerdict"];
    format!("<h2>What the paper states, and what was measured</h2>\n{}", table(&heads, &rows, true))
}

fn row(record: &Record, results: &Results, claim: &Claim) -> Vec<Cell> {
    let measured = measure(claim, record, results);
    let shown = |value: f64| show(record, claim, value);
    let paper = published(record, claim);
    let ours = measured.ours.map_or("–".to_owned(), shown);
    let ratio = measured.ratio.map_or("–".to_owned(), |ratio| number::fixed(ratio, 2));
    let mut text = format!(
        "{}<span class=\"how\">{}</span>",
        escape(&claim.text),
        escape(&format!("{}; {}.", claim.source, how(record, claim, &measured)))
    );
    if !claim.why.is_empty() {
        text.push_str(&format!("<span class=\"why\">{}</span>", escape(&claim.why)));
    }
    let (class, words) = verdict(claim, &measured);
    let verdict = format!("<span class=\"verdict {class}\">{}</span>", escape(&words));
    vec![
        Cell::html(text),
        Cell::number(&paper),
        Cell::number(&ours),
        Cell::number(&ratio),
        Cell::html(verdict),
    ]
}

/// One line about a claim: "paper 2.16 ×, measured 2.3 ×: reproduced within 7 %".
#[must_use]
pub fn line(record: &Record, results: &Results, claim: &Claim) -> String {
    let measured = measure(claim, record, results);
    let ours = measured.ours.map_or("–".to_owned(), |ours| show(record, claim, ours));
    let place =
        if measured.place.is_empty() { String::new() } else { format!(" at {}", measured.place) };
    let (_, words) = verdict(claim, &measured);
    format!("paper {}, measured {ours}{place}: {words}", published(record, claim))
}

fn published(record: &Record, claim: &Claim) -> String {
    match claim.paper {
        Published::Value(value) => show(record, claim, value),
        Published::Range(low, high) => {
            format!("{} to {}", show(record, claim, low), show(record, claim, high))
        }
    }
}

/// A number of a claim: a ratio, a share, or a value of the metric.
fn show(record: &Record, claim: &Claim, value: f64) -> String {
    match claim.measure {
        Measure::MaxRatio
        | Measure::MinRatio
        | Measure::MeanRatio
        | Measure::LastOverFirst
        | Measure::LastOverPrevious => format!("{} ×", number::short(value)),
        Measure::BestAt | Measure::ZeroUpTo => number::with_unit(value, axis_unit(record, claim)),
        Measure::MaxReduction | Measure::MinReduction | Measure::MaxGain => {
            number::with_unit(value, "fraction")
        }
        Measure::Minimum
        | Measure::Maximum
        | Measure::Mean
        | Measure::Median
        | Measure::ValueAt => {
            let unit = record.metric(&claim.metric).map_or("", |(_, metric)| metric.unit.as_str());
            number::with_unit(value, unit)
        }
    }
}

/// The unit of the axis that a claim goes along.
fn axis_unit<'a>(record: &'a Record, claim: &Claim) -> &'a str {
    let held = |name: &str| claim.at.iter().any(|(held, _)| held == name);
    let along = record.axes.iter().find(|axis| match claim.along.as_str() {
        "" => axis.values.len() > 1 && !held(&axis.name),
        along => axis.name == along,
    });
    along.map_or("", |axis| axis.unit.as_str())
}

/// How the number was measured, in words.
fn how(record: &Record, claim: &Claim, measured: &Measured) -> String {
    let label = |name: &String| {
        let policy = record.policies.iter().find(|policy| policy.name == *name);
        policy.map_or(name.clone(), |policy| policy.label.clone())
    };
    let metric = record.metric(&claim.metric).map_or("", |(_, metric)| metric.label.as_str());
    let metric = number::lower_first(metric);
    let subject = label(&claim.subject);
    let against: Vec<String> = claim.against.iter().map(label).collect();
    let against = match against.as_slice() {
        [one] => one.clone(),
        several => format!("the best of {} at each point", several.join(", ")),
    };
    let what = match claim.measure {
        Measure::MaxRatio => format!("largest {metric} of {subject} over that of {against}"),
        Measure::MinRatio => format!("smallest {metric} of {subject} over that of {against}"),
        Measure::MeanRatio => format!("mean {metric} of {subject} over that of {against}"),
        Measure::MaxReduction => {
            format!("largest reduction of {metric} by {subject} from {against}")
        }
        Measure::MinReduction => {
            format!("smallest reduction of {metric} by {subject} from {against}")
        }
        Measure::MaxGain => format!("largest gain in {metric} of {subject} over {against}"),
        Measure::Minimum => format!("smallest {metric} of {subject}"),
        Measure::Maximum => format!("largest {metric} of {subject}"),
        Measure::Mean => format!("mean over the points of {metric} of {subject}"),
        Measure::Median => format!("median over the points of {metric} of {subject}"),
        Measure::ValueAt => format!("{metric} of {subject}"),
        Measure::LastOverFirst => {
            format!("{metric} of {subject} over the sweep, last value over first")
        }
        Measure::LastOverPrevious => {
            format!("{metric} of {subject} at the end of the sweep, last value over the one before")
        }
        Measure::BestAt => format!("where along the sweep {metric} of {subject} is best"),
        Measure::ZeroUpTo => format!("up to where along the sweep {metric} of {subject} is 0"),
    };
    if measured.place.is_empty() { what } else { format!("{what}, at {}", measured.place) }
}

/// The verdict's colour class and words.
fn verdict(claim: &Claim, measured: &Measured) -> (&'static str, String) {
    match measured.verdict {
        ClaimVerdict::Reproduced(0.0) if matches!(claim.paper, Published::Range(..)) => {
            ("yes", "reproduced, inside the range".to_owned())
        }
        ClaimVerdict::Reproduced(distance) => {
            ("yes", format!("reproduced within {} %", ((distance * 100.0).ceil()).max(1.0)))
        }
        ClaimVerdict::SameDirection => ("near", "same direction".to_owned()),
        ClaimVerdict::OtherSize => ("near", "same direction, other size".to_owned()),
        ClaimVerdict::Differs => ("no", "differs".to_owned()),
        ClaimVerdict::NotMeasured => ("none", "not measured".to_owned()),
    }
}
