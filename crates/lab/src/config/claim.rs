//! `[[claim]]`: a number that a paper states or we expect, and how it is measured from the results.

use serde::{Deserialize, Serialize};

use super::axes::{self, Axis};
use super::basis::{self, Basis};
use super::document::{Table, Tree};
use super::figure::read_metric;
use super::measure::{MEASURES, Measure};
use super::reader::Reader;
use crate::resolved::Resolved;
use crate::scenario::Scenario;
use crate::schema::{Better, PolicyInfo};
use forebay_parameters::{UnknownName, suggest};

/// What the paper states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Published {
    /// One number, in the metric's unit or as a plain ratio.
    Value(f64),
    /// A range, lower bound first.
    Range(f64, f64),
}

/// A headline of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What the paper says, in a sentence.
    pub text: String,
    /// Where the paper says it: a section, figure or table.
    pub source: String,
    /// The metric it is about.
    pub metric: String,
    /// The policy it is about.
    pub subject: String,
    /// The policies it is compared with.
    pub against: Vec<String>,
    /// How it is measured.
    pub measure: Measure,
    /// The published number, in the metric's unit or as a plain ratio.
    pub paper: Published,
    /// Where that number comes from.
    #[serde(default, skip_serializing_if = "Basis::is_stated")]
    pub basis: Basis,
    /// Axes held at one value (name, canonical text).
    pub at: Vec<(String, String)>,
    /// The axis that a sweep's measure goes along, where `at` leaves several open; or empty.
    #[serde(default)]
    pub along: String,
    /// Up to which relative distance the number counts as reproduced; 0.1 by default.
    pub tolerance: f64,
    /// Why the measured number differs, if it does; shown under the claim.
    #[serde(default)]
    pub why: String,
}

const KEYS: &[&str] = &[
    "text",
    "source",
    "metric",
    "subject",
    "against",
    "measure",
    "paper",
    "basis",
    "at",
    "along",
    "tolerance",
    "why",
];

/// Reads every `[[claim]]`.
pub(super) fn read_all(
    reader: &mut Reader,
    table: &Table,
    scenario: &dyn Scenario,
    policies: &[PolicyInfo],
    params: &Resolved,
    axes: &[Axis],
) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (table, span) in reader.tables(table, "claim") {
        reader.refuse_unknown(table, KEYS, "a claim");
        let text = reader.required_text(table, "text", "a claim");
        let source = reader.required_text(table, "source", "a claim");
        let metric = read_metric(reader, table, scenario, "a claim");
        let subject = read_subject(reader, table, policies);
        let against = read_against(reader, table, policies, &subject);
        let measure = read_measure(reader, table);
        let paper = read_published(reader, table);
        let basis = basis::read(reader, table, paper);
        let at = axes::read_at(reader, table, axes, params);
        let along = reader.optional_text(table, "along");
        let tolerance = read_tolerance(reader, table);
        let why = reader.optional_text(table, "why");
        let (Some(measure), Some(paper), Some(at), Some(basis)) = (measure, paper, at, basis)
        else {
            continue;
        };
        let claim = Claim {
            text,
            source,
            metric,
            subject,
            against,
            measure,
            paper,
            basis,
            at,
            along,
            tolerance,
            why,
        };
        if measure.sweeps() && sweep_replaced(&claim, axes) {
            continue;
        }
        if let Some((message, fix)) = incoherence(&claim, scenario, axes) {
            let span = table.get("measure").map_or(span, |entry| entry.node.span.clone());
            reader.fail(&span, message, fix);
        }
        claims.push(claim);
    }
    claims
}

/// Whether `--set` took away the one open axis that the claim's sweep needs, or added another, so
/// that the claim is left out.
fn sweep_replaced(claim: &Claim, axes: &[Axis]) -> bool {
    let mut open = axes::open(axes, &claim.at);
    let whole = if claim.along.is_empty() {
        open.count() == 1
    } else {
        open.any(|axis| axis.name == claim.along)
    };
    axes.iter().any(|axis| axis.replaced) && !whole
}

fn incoherence(
    claim: &Claim,
    scenario: &dyn Scenario,
    axes: &[Axis],
) -> Option<(String, &'static str)> {
    let measure = claim.measure.name();
    if claim.measure.compares() && claim.against.is_empty() {
        return Some((
            format!("{measure} needs policies to compare with"),
            "add against = [\"…\"]",
        ));
    }
    if !claim.measure.compares() && !claim.measure.may_compare() && !claim.against.is_empty() {
        return Some((format!("{measure} does not compare policies"), "remove `against`"));
    }
    let metric = scenario.metrics().iter().find(|metric| metric.name == claim.metric);
    if claim.against.len() > 1 && metric.is_some_and(|m| m.better == Better::Neither) {
        let message = format!(
            "neither direction of {} is better, so no policy is the best of several",
            claim.metric
        );
        return Some((message, "compare with one policy"));
    }
    if claim.measure == Measure::ValueAt && axes::open(axes, &claim.at).next().is_some() {
        let message = "value-at needs one value of every swept axis".to_owned();
        return Some((message, "add at = { load = 0.9 } with every axis"));
    }
    if claim.measure.sweeps() {
        return no_sweep(claim, axes);
    }
    if !claim.along.is_empty() {
        return Some((format!("{measure} does not go along an axis"), "remove `along`"));
    }
    None
}

/// What is wrong with the axis that a sweep's measure goes along.
fn no_sweep(claim: &Claim, axes: &[Axis]) -> Option<(String, &'static str)> {
    let open: Vec<&str> = axes::open(axes, &claim.at).map(|axis| axis.name.as_str()).collect();
    let measure = claim.measure.name();
    match open.as_slice() {
        open if open.contains(&claim.along.as_str()) => None,
        _ if !claim.along.is_empty() => {
            let message = format!("`{}` is not an open axis with several values", claim.along);
            Some((message, "name a swept axis that `at` does not hold"))
        }
        [_] => None,
        [] => {
            let message = format!("{measure} needs a swept axis with several values");
            Some((message, "leave one such axis out of `at`"))
        }
        several => {
            let axes = several.join(", ");
            let message = format!("{measure} needs one open axis, not {axes}");
            Some((
                message,
                "hold the others with at = { load = 0.9 }, or choose with along = \"load\"",
            ))
        }
    }
}

fn read_subject(reader: &mut Reader, table: &Table, policies: &[PolicyInfo]) -> String {
    let subject = reader.required_text(table, "subject", "a claim");
    if let Some(entry) = table.get("subject").filter(|_| !subject.is_empty())
        && !policies.iter().any(|policy| policy.name == subject)
    {
        let fix = suggest(&subject, policies.iter().map(|policy| &*policy.name));
        reader.fail(&entry.node.span, format!("`{subject}` is not a policy of this file"), fix);
    }
    subject
}

fn read_against(
    reader: &mut Reader,
    table: &Table,
    policies: &[PolicyInfo],
    subject: &str,
) -> Vec<String> {
    let mut against = Vec::new();
    for (name, span) in reader.texts(table, "against", "the policies compared with") {
        if name == subject {
            reader.fail(&span, format!("`{name}` is compared with itself"), "remove it");
        } else if !policies.iter().any(|policy| policy.name == name) {
            let fix = suggest(&name, policies.iter().map(|policy| &*policy.name));
            reader.fail(&span, format!("`{name}` is not a policy of this file"), fix);
        } else {
            against.push(name);
        }
    }
    against
}

fn read_measure(reader: &mut Reader, table: &Table) -> Option<Measure> {
    let name = reader.required_text(table, "measure", "a claim");
    let found = MEASURES.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure);
    if let Some(entry) = table.get("measure").filter(|_| found.is_none() && !name.is_empty()) {
        let known = MEASURES.iter().map(|(name, _)| *name);
        reader.unknown(&entry.node.span, &UnknownName::new("measure", &name, known));
    }
    found
}

fn read_published(reader: &mut Reader, table: &Table) -> Option<Published> {
    let Some(entry) = table.get("paper") else {
        reader.missing("a claim has no `paper`", "add paper = 2.16, or [low, high]");
        return None;
    };
    let Tree::Array(items) = &entry.node.tree else {
        return reader.number(table, "paper").map(Published::Value);
    };
    let number = |tree: &Tree| match tree {
        Tree::Int(number) => Some(*number as f64),
        Tree::Float(number) => number.is_finite().then_some(*number),
        Tree::Text(_) | Tree::Bool(_) | Tree::Other(_) | Tree::Array(_) | Tree::Table(_) => None,
    };
    let numbers: Vec<Option<f64>> = items.iter().map(|item| number(&item.tree)).collect();
    match numbers.as_slice() {
        [Some(low), Some(high)] if low <= high => Some(Published::Range(*low, *high)),
        _ => {
            let message = "`paper` is neither a number nor a range";
            reader.fail(&entry.node.span, message, "write 2.16, or [low, high] with low first");
            None
        }
    }
}

fn read_tolerance(reader: &mut Reader, table: &Table) -> f64 {
    match (reader.number(table, "tolerance"), table.get("tolerance")) {
        (Some(share), Some(entry)) if !(0.0..=1.0).contains(&share) => {
            let message = format!("the tolerance {share} is not between 0 and 1");
            reader.fail(&entry.node.span, message, "write 0.1 for 10 %");
            0.1
        }
        (Some(share), _) => share,
        (None, _) => 0.1,
    }
}
