//! The paper's numbers as points of a figure: what a claim states about one policy at one point of
//! it.
//!
//! A number of the metric itself is drawn where the figure draws the metric; a comparison with one
//! other policy, where the figure draws the difference to that policy. Complexity: claims times
//! points.

use super::claims::Shown;
use crate::config::{Claim, Figure, Measure, Published};
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
    /// The number, or both ends of a range, in the unit of the figure's values.
    pub(super) values: Vec<f64>,
    /// What it says under the pointer.
    pub(super) words: String,
}

/// The stars of a figure.
pub(super) fn stars(
    record: &Record,
    results: &Results,
    figure: &Figure,
    curves: &[Curve],
) -> Vec<Star> {
    let star = |claim: &Claim| star(record, results, figure, curves, claim);
    record.claims.iter().filter_map(star).collect()
}

fn star(
    record: &Record,
    results: &Results,
    figure: &Figure,
    curves: &[Curve],
    claim: &Claim,
) -> Option<Star> {
    let value = reading(figure, claim)?;
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
    let values = match claim.paper {
        Published::Value(one) => vec![value(one)],
        Published::Range(low, high) => vec![value(low), value(high)],
    };
    let words = format!("The paper: {} ({}: {})", shown.paper, claim.source, claim.text);
    Some(Star { curve, along, values, words })
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
