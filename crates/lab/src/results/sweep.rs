//! Numbers of claims that go along one axis: how the subject changes, where it is best, up to where
//! it is zero.
//!
//! Complexity: quadratic in the points.

use super::claims::selected;
use crate::config::{Claim, Measure};
use crate::run::record::{AxisRecord, Record};
use crate::schema::Better;

/// The claim's number over all lines of points along its axis, and the last point of the line that
/// counts where several may be open; `mean` is the subject's at a point.
pub(super) fn number(
    claim: &Claim,
    record: &Record,
    better: Better,
    mean: impl Fn(usize) -> Option<f64>,
) -> Option<(f64, Option<usize>)> {
    let held = |name: &str| claim.at.iter().any(|(held, _)| held == name);
    let chosen = !claim.along.is_empty();
    let axis = record.axes.iter().position(|axis| match chosen {
        true => axis.name == claim.along,
        false => axis.values.len() > 1 && !held(&axis.name),
    })?;
    let points = || (0..record.point_count()).filter(|p| selected(record, &claim.at, *p));
    let lines = points().filter(|point| record.coordinates(*point)[axis] == 0).map(|first| {
        let mut coordinates = record.coordinates(first);
        let mut line = Vec::new();
        for index in 0..record.axes[axis].values.len() {
            coordinates[axis] = index;
            line.push(points().find(|point| record.coordinates(*point) == coordinates));
        }
        line
    });
    let numbers = lines.filter_map(|line| {
        let values: Vec<Option<f64>> = line.iter().map(|point| mean((*point)?)).collect();
        let number = of_line(claim.measure, &record.axes[axis], better, &values)?;
        let end = line.last().copied().flatten().filter(|_| chosen);
        number.is_finite().then_some((number, end))
    });
    let sign = if claim.measure == Measure::ZeroUpTo { -1.0 } else { 1.0 };
    numbers.max_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)))
}

/// Of the subject's values at the values of an axis.
fn of_line(
    measure: Measure,
    axis: &AxisRecord,
    better: Better,
    values: &[Option<f64>],
) -> Option<f64> {
    let end = values.len().checked_sub(1)?;
    match measure {
        Measure::LastOverPrevious => Some(values[end]? / (*values.get(end.checked_sub(1)?)?)?),
        Measure::BestAt => {
            let sign = if better == Better::Higher { -1.0 } else { 1.0 };
            let known =
                values.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)? * sign)));
            let (best, _) = known.min_by(|a, b| a.1.total_cmp(&b.1))?;
            axis.values[best].number
        }
        Measure::ZeroUpTo => {
            let zeros = values.iter().take_while(|value| **value == Some(0.0)).count();
            zeros.checked_sub(1).map_or(Some(0.0), |last| axis.values[last].number)
        }
        Measure::LastOverFirst => Some(values[end]? / values[0]?),
        // These do not go along an axis.
        Measure::MaxRatio
        | Measure::MinRatio
        | Measure::MeanRatio
        | Measure::MaxReduction
        | Measure::MinReduction
        | Measure::MaxGain
        | Measure::MeanGain
        | Measure::Minimum
        | Measure::Maximum
        | Measure::Mean
        | Measure::Median
        | Measure::ValueAt => None,
    }
}
