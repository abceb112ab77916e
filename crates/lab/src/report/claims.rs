//! The table of claims: what the paper states or we expect, what was measured, and a plain verdict.

use super::html::{Cell, anchored, escape, prose};
use crate::config::{Basis, Claim, Measure, Published};
use crate::results::claims::{ClaimVerdict, Measured, measure};
use crate::results::{Results, number};
use crate::run::record::Record;

/// The section, or nothing if the experiment states no claims.
pub(super) fn section(record: &Record, results: &Results) -> String {
    if record.claims.is_empty() {
        return String::new();
    }
    let claims = (1..).zip(&record.claims);
    let rows: Vec<Vec<Cell>> =
        claims.map(|(number, claim)| row(record, results, claim, number)).collect();
    let [number, ratio] = heads(record.claims.iter().map(|claim| claim.basis));
    let heads = ["Claim", number, "Measured", ratio, "Verdict"];
    let whose = match record.claims.iter().any(|claim| claim.basis == Basis::Ours) {
        true => "What is expected",
        false => "What the paper states",
    };
    format!(
        "<h2 id=\"claims\">{whose}, and what was measured</h2>\n{}",
        anchored(&heads, &rows, true, "claim")
    )
}

/// What the columns of the claims' numbers, and of ours over these, are called: the paper's if all
/// are.
pub(super) fn heads(mut bases: impl Iterator<Item = Basis>) -> [&'static str; 2] {
    match bases.all(Basis::is_published) {
        true => ["Paper", "Measured / paper"],
        false => ["Expected", "Measured /\u{a0}expected"],
    }
}

/// A claim with our number, in words.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What the paper says, as the experiment file puts it.
    pub text: String,
    /// Where the paper says it.
    pub source: String,
    /// The same, and how it was measured.
    pub how: String,
    /// The paper's number with its unit, or ours, which it then says.
    pub paper: String,
    /// Where that number comes from.
    pub basis: Basis,
    /// Ours; a dash if there is none.
    pub ours: String,
    /// Where ours was found; empty if it is over all points.
    pub place: String,
    /// Ours over the paper's; a dash if there is none.
    pub ratio: String,
    /// How the two compare.
    pub verdict: ClaimVerdict,
    /// The same in words, with the distance.
    pub words: String,
    /// Why they differ, as far as the experiment says.
    pub why: String,
}

impl Shown {
    /// Measures a claim.
    #[must_use]
    pub fn of(record: &Record, results: &Results, claim: &Claim) -> Self {
        let measured = measure(claim, record, results);
        // The paper's number and ours are in one unit.
        let [low, high] = match claim.paper {
            Published::Value(value) => [value; 2],
            Published::Range(low, high) => [low, high],
        };
        let all = [low, high, measured.ours.unwrap_or(0.0)];
        let largest = all.map(f64::abs).into_iter().filter(|v| v.is_finite()).fold(0.0, f64::max);
        let show = |value| show(record, claim, value, largest);
        Shown {
            text: claim.text.clone(),
            source: claim.source.clone(),
            how: format!("{}; {}.", claim.source, how(record, claim, &measured)),
            paper: published(claim, show),
            basis: claim.basis,
            ours: measured.ours.map_or("–".to_owned(), show),
            ratio: measured.ratio.map_or("–".to_owned(), |ratio| number::fixed(ratio, 2)),
            words: words(claim, &measured.verdict),
            place: measured.place,
            verdict: measured.verdict,
            why: claim.why.clone(),
        }
    }

    /// The statement as HTML, with a link to its own place, how it was measured and why the numbers
    /// differ.
    pub(super) fn statement(&self, place: &str) -> String {
        let mut text = prose(&self.text);
        text += &format!(
            " <a class=\"here\" href=\"#{}\" aria-label=\"This claim\">#</a>",
            escape(place)
        );
        text += &format!("<span class=\"how\">{}</span>", prose(&self.how));
        if !self.why.is_empty() {
            text += &format!("<span class=\"why\">{}</span>", prose(&self.why));
        }
        text
    }

    /// The verdict as HTML.
    pub(super) fn badge(&self) -> String {
        let class = class(&self.verdict);
        format!("<span class=\"verdict {class}\">{}</span>", escape(&self.words))
    }
}

fn row(record: &Record, results: &Results, claim: &Claim, number: usize) -> Vec<Cell> {
    let shown = Shown::of(record, results, claim);
    vec![
        Cell::html(shown.statement(&format!("claim-{number}"))),
        Cell::number(&shown.paper),
        Cell::number(&shown.ours),
        Cell::number(&shown.ratio),
        Cell::html(shown.badge()),
    ]
}

/// One line about a claim: "paper 2.16 ×, measured 2.3 ×: reproduced within 7 %".
#[must_use]
pub fn line(record: &Record, results: &Results, claim: &Claim) -> String {
    let Shown { paper, ours, place, words, basis, .. } = Shown::of(record, results, claim);
    let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
    let whose = if basis.is_published() { "paper" } else { "expected" };
    format!("{whose} {paper}, measured {ours}{place}: {words}")
}

/// The number of a claim, and whose it is unless the paper has it as it stands.
fn published(claim: &Claim, show: impl Fn(f64) -> String) -> String {
    let number = match (claim.paper, claim.basis) {
        (Published::Value(value), _) => show(value),
        (Published::Range(_, high), Basis::AtMost) => format!("at most {}", show(high)),
        (Published::Range(low, _), Basis::AtLeast) => format!("at least {}", show(low)),
        (
            Published::Range(low, high),
            Basis::Stated | Basis::Figure | Basis::Words | Basis::Ours,
        ) => format!("{} to {}", show(low), show(high)),
    };
    match claim.basis {
        Basis::Stated | Basis::AtMost | Basis::AtLeast => number,
        Basis::Figure => format!("{number} (read off a figure)"),
        Basis::Words => format!("{number} (our reading)"),
        Basis::Ours => format!("{number} (ours)"),
    }
}

/// A number of a claim: a ratio, a share, or a value of the metric, in the unit that suits the
/// largest of those beside it.
fn show(record: &Record, claim: &Claim, value: f64, largest: f64) -> String {
    // A count stands in full, as the claims' words have it.
    let scaled = |unit: &str| match unit {
        "" => number::short(value),
        unit => number::Shown::of(unit, largest).value(value),
    };
    match claim.measure {
        Measure::MaxRatio
        | Measure::MinRatio
        | Measure::MeanRatio
        | Measure::LastOverFirst
        | Measure::LastOverPrevious => format!("{} ×", number::short(value)),
        Measure::BestAt | Measure::ZeroUpTo => scaled(axis_unit(record, claim)),
        Measure::MaxReduction | Measure::MinReduction | Measure::MaxGain | Measure::MeanGain => {
            scaled("fraction")
        }
        Measure::Minimum
        | Measure::Maximum
        | Measure::Mean
        | Measure::Median
        | Measure::ValueAt => {
            let unit = record.metric(&claim.metric).map_or("", |(_, metric)| metric.unit.as_str());
            scaled(unit)
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
    let swept = match claim.against.is_empty() {
        true => format!("{metric} of {subject}"),
        false => format!("{metric} of {subject} over that of {against}"),
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
        Measure::MeanGain => format!("mean gain in {metric} of {subject} over {against}"),
        Measure::Minimum => format!("smallest {metric} of {subject}"),
        Measure::Maximum => format!("largest {metric} of {subject}"),
        Measure::Mean => format!("mean over the points of {metric} of {subject}"),
        Measure::Median => format!("median over the points of {metric} of {subject}"),
        Measure::ValueAt => format!("{metric} of {subject}"),
        Measure::LastOverFirst => {
            format!("{swept} over the sweep, last value over first")
        }
        Measure::LastOverPrevious => {
            format!("{swept} at the end of the sweep, last value over the one before")
        }
        Measure::BestAt => format!("where along the sweep {metric} of {subject} is best"),
        Measure::ZeroUpTo => format!("up to where along the sweep {metric} of {subject} is 0"),
    };
    if measured.place.is_empty() { what } else { format!("{what}, at {}", measured.place) }
}

/// The verdict's colour class.
pub(super) fn class(verdict: &ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Reproduced(_) => "yes",
        ClaimVerdict::SameDirection | ClaimVerdict::OtherSize => "near",
        ClaimVerdict::Differs => "no",
        ClaimVerdict::NotMeasured => "none",
    }
}

/// The verdict's name, with the distance if it is near. What no paper has is not reproduced.
fn words(claim: &Claim, verdict: &ClaimVerdict) -> String {
    let reproduced = if claim.basis.is_published() { "reproduced" } else { "as expected" };
    match verdict {
        ClaimVerdict::Reproduced(0.0) if matches!(claim.paper, Published::Range(..)) => {
            format!("{reproduced}, inside the range")
        }
        ClaimVerdict::Reproduced(distance) => {
            format!("{reproduced} within {} %", ((distance * 100.0).ceil()).max(1.0))
        }
        ClaimVerdict::SameDirection
        | ClaimVerdict::OtherSize
        | ClaimVerdict::Differs
        | ClaimVerdict::NotMeasured => verdict.name().to_owned(),
    }
}
