//! The paper's numbers as points of a figure: what a claim states about one policy at one point of
//! it. What is our reading of its words, or ours alone, is no such number.
//!
//! A number of the metric itself is drawn where the figure draws the metric; a comparison with one
//! other policy, where the figure draws the difference to that policy. Complexity: claims times
//! points.

use super::claims::Shown;
use crate::config::{Basis, Claim, Figure, Measure, Published};
use crate::results::Results;
use crate::results::claims::selected;
use crate::results::curves::{self, Curve};
use crate::run::record::Record;

/// A published number in a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Star {
    /// Place in the figure's curves.
    pub(super) curve: usize,
    /// Place along x.
    pub(super) along: usize,
    /// What the paper has, in the unit of the figure's values.
    pub(super) number: Number,
    /// What it says under the pointer.
    pub(super) words: String,
}

/// What a paper has about a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// The value itself.
    One(f64),
    /// Both ends of a range, the lower first.
    Between(f64, f64),
    /// The value is this or less.
    AtMost(f64),
    /// The value is this or more.
    AtLeast(f64),
}

impl Number {
    /// The number of a claim as the values of a figure read; none if it is not the paper's.
    fn of(claim: &Claim, value: fn(f64) -> f64) -> Option<Self> {
        // A reduction points the other way in a figure of changes.
        let falls = value(1.0) < value(0.0);
        let (low, high) = match claim.paper {
            Published::Value(one) => {
                return claim.basis.is_published().then(|| Self::One(value(one)));
            }
            Published::Range(low, high) if falls => (value(high), value(low)),
            Published::Range(low, high) => (value(low), value(high)),
        };
        match (claim.basis, falls) {
            (Basis::Stated | Basis::Figure, _) => Some(Number::Between(low, high)),
            (Basis::AtMost, false) | (Basis::AtLeast, true) => Some(Number::AtMost(high)),
            (Basis::AtLeast, false) | (Basis::AtMost, true) => Some(Number::AtLeast(low)),
            (Basis::Words | Basis::Ours, _) => None,
        }
    }

    /// The values that the axis has to show.
    pub(super) fn values(self) -> impl Iterator<Item = f64> {
        let (one, other) = match self {
            Number::One(value) | Number::AtMost(value) | Number::AtLeast(value) => (value, None),
            Number::Between(low, high) => (low, Some(high)),
        };
        std::iter::once(one).chain(other)
    }
}

/// The stars of a figure. What several claims say alike about one point is one star.
pub(super) fn stars(
    record: &Record,
    results: &Results,
    figure: &Figure,
    curves: &[Curve],
) -> Vec<Star> {
    let mut stars: Vec<Star> = Vec::new();
    for claim in &record.claims {
        let Some(star) = star(record, results, figure, curves, claim) else { continue };
        let place = |star: &Star| (star.curve, star.along, star.number);
        match stars.iter_mut().find(|other| place(other) == place(&star)) {
            Some(other) => other.words += &format!("\n{}", star.words),
            None => stars.push(star),
        }
    }
    stars
}

fn star(
    record: &Record,
    results: &Results,
    figure: &Figure,
    curves: &[Curve],
    claim: &Claim,
) -> Option<Star> {
    let number = Number::of(claim, reading(figure, claim)?)?;
    if claim.metric != figure.metric {
        return None;
    }
    let mut points = (0..record.point_count()).filter(|p| selected(record, &claim.at, *p));
    let point = points.next().filter(|_| points.next().is_none())?;
    if !selected(record, &figure.at, point) {
        return None;
    }
    let policy = record.policies.iter().position(|policy| policy.name == claim.subject)?;
    let curve = curves.iter().position(|c| c.policy == policy && c.coordinates.contains(&point))?;
    let along =
        curves::x_axis(record, figure).map_or(0, |(axis, _)| record.coordinates(point)[axis]);
    let shown = Shown::of(record, results, claim);
    let words = format!("The paper: {} ({}: {})", shown.paper, claim.source, claim.text);
    Some(Star { curve, along, number, words })
}

/// How a claim's number reads as a value of the figure; nothing if it is none.
fn reading(figure: &Figure, claim: &Claim) -> Option<fn(f64) -> f64> {
    let base = figure.relative.iter().find(|(policy, _)| *policy == claim.subject);
    let compared = base.is_some_and(|(_, base)| claim.against == [base.clone()]);
    match claim.measure {
        Measure::ValueAt
        | Measure::Minimum
        | Measure::Maximum
        | Measure::Mean
        | Measure::Median
            if figure.relative.is_empty() =>
        {
            Some(|value| value)
        }
        Measure::MaxRatio | Measure::MinRatio | Measure::MeanRatio if compared => {
            Some(|ratio| ratio - 1.0)
        }
        Measure::MaxReduction | Measure::MinReduction if compared => Some(|share| -share),
        Measure::MaxGain | Measure::MeanGain if compared => Some(|share| share),
        Measure::ValueAt
        | Measure::Minimum
        | Measure::Maximum
        | Measure::Mean
        | Measure::Median
        | Measure::MaxRatio
        | Measure::MinRatio
        | Measure::MeanRatio
        | Measure::MaxReduction
        | Measure::MinReduction
        | Measure::MaxGain
        | Measure::MeanGain
        | Measure::LastOverFirst
        | Measure::LastOverPrevious
        | Measure::BestAt
        | Measure::ZeroUpTo => None,
    }
}
