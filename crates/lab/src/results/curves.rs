//! What a figure shows, as numbers: a curve per policy (and per value of every axis that is neither
//! along x nor held), each point a mean over seeds with its interval. Shared by the terminal and
//! the report.

use super::claims::selected;
use super::stats::{self, Estimate};
use super::{Results, number};
use crate::config::Figure;
use crate::run::record::{AxisRecord, Record};

/// A curve of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Place in [`Record::policies`].
    pub policy: usize,
    /// The policy's label, with the values of further axes if there are several.
    pub label: String,
    /// Which of the further axes' values this is, from 0.
    pub variant: usize,
    /// The point of the experiment at each value of the x axis.
    pub coordinates: Vec<usize>,
    /// A mean at each value of the x axis (one if there is no x axis); none where no run has a
    /// value.
    pub points: Vec<Option<Estimate>>,
}

/// A recorded series of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Place in [`Record::policies`].
    pub policy: usize,
    /// The policy's label.
    pub label: String,
    /// Time in µs, value.
    pub points: Vec<(f64, f64)>,
}

/// The axis along x.
#[must_use]
pub fn x_axis<'r>(record: &'r Record, figure: &Figure) -> Option<(usize, &'r AxisRecord)> {
    let name = figure.x.as_deref()?;
    record.axes.iter().enumerate().find(|(_, axis)| axis.name == name)
}

/// The curves of a line or bar figure.
#[must_use]
pub fn curves(record: &Record, results: &Results, figure: &Figure) -> Vec<Curve> {
    let Some((metric, _)) = record.metric(&figure.metric) else { return Vec::new() };
    let x = x_axis(record, figure);
    let width = x.map_or(1, |(_, axis)| axis.values.len());
    let mut curves: Vec<Curve> = Vec::new();
    for (policy, info) in record.policies.iter().enumerate() {
        let Some(base) = drawn(record, figure, &info.name) else { continue };
        let mut variants: Vec<(Vec<usize>, usize)> = Vec::new();
        for point in (0..record.point_count()).filter(|p| selected(record, &figure.at, *p)) {
            let mut rest = record.coordinates(point);
            let along = x.map_or(0, |(axis, _)| std::mem::take(&mut rest[axis]));
            let place = match variants.iter().find(|(other, _)| *other == rest) {
                Some((_, place)) => *place,
                None => {
                    let label = label(record, figure, &info.label, &rest);
                    let variant = variants.len();
                    let (points, coordinates) = (vec![None; width], Vec::with_capacity(width));
                    curves.push(Curve { policy, label, variant, coordinates, points });
                    variants.push((rest, curves.len() - 1));
                    curves.len() - 1
                }
            };
            let samples = match base {
                Some(base) => differences(record, results, [policy, base], point, metric),
                None => results.samples(record, policy, point, metric),
            };
            curves[place].coordinates.push(point);
            curves[place].points[along] = stats::estimate(&samples);
        }
    }
    curves
}

/// Whether a figure draws a policy, and relative to which other.
fn drawn(record: &Record, figure: &Figure, policy: &str) -> Option<Option<usize>> {
    if !figure.policies.is_empty() && !figure.policies.iter().any(|name| name == policy) {
        return None;
    }
    if figure.relative.is_empty() {
        return Some(None);
    }
    let (_, base) = figure.relative.iter().find(|(name, _)| name == policy)?;
    record.policies.iter().position(|other| other.name == *base).map(Some)
}

/// What a figure's numbers are: a label, and a unit as a metric has.
#[must_use]
pub fn quantity(record: &Record, figure: &Figure) -> (String, String) {
    let Some((_, metric)) = record.metric(&figure.metric) else { return Default::default() };
    if figure.relative.is_empty() {
        return (metric.label.clone(), metric.unit.clone());
    }
    let mut bases: Vec<&str> = figure.relative.iter().map(|(_, base)| base.as_str()).collect();
    bases.sort_unstable();
    bases.dedup();
    let label = |name: &str| {
        let found = record.policies.iter().find(|policy| policy.name == name);
        found.map_or(name.to_owned(), |policy| policy.label.clone())
    };
    let than = match bases[..] {
        [base] => label(base),
        _ => "its base".to_owned(),
    };
    (format!("{}, change from {than}", metric.label), "fraction".to_owned())
}

/// In which unit to show a figure's values, and others beside them.
#[must_use]
pub fn unit<'a>(
    curves: &[Curve],
    others: impl IntoIterator<Item = f64>,
    unit: &'a str,
) -> number::Shown<'a> {
    let means = curves.iter().flat_map(|curve| curve.points.iter().flatten()).map(|e| e.mean);
    number::Shown::of(unit, means.chain(others).map(f64::abs).fold(0.0, f64::max))
}

/// By how much the first policy exceeds the second, as a share of the second, for each seed.
fn differences(
    record: &Record,
    results: &Results,
    [policy, base]: [usize; 2],
    point: usize,
    metric: usize,
) -> Vec<f64> {
    let values = |policy| results.values(record, policy, point, metric);
    let pairs = values(policy).zip(values(base));
    pairs.map(|(ours, base)| ours / base - 1.0).filter(|share| share.is_finite()).collect()
}

fn label(record: &Record, figure: &Figure, policy: &str, coordinates: &[usize]) -> String {
    let mut label = policy.to_owned();
    for (axis, index) in record.axes.iter().zip(coordinates) {
        let held = figure.at.iter().any(|(name, _)| *name == axis.name);
        if !held && figure.x.as_deref() != Some(&axis.name) && axis.values.len() > 1 {
            let name = number::words(&axis.name).to_lowercase();
            label += &format!(", {name} {}", axis.values[*index].shown());
        }
    }
    label
}

/// The tracks of a timeline figure: the first seed of each policy at the first selected point.
#[must_use]
pub fn tracks(record: &Record, results: &Results, figure: &Figure) -> Vec<Track> {
    let point = (0..record.point_count()).find(|p| selected(record, &figure.at, *p));
    let series = record.series.iter().position(|series| series.name == figure.metric);
    let mut tracks = Vec::new();
    for (policy, info) in record.policies.iter().enumerate() {
        let run = results.series.iter().find(|run| {
            run.policy == policy
                && Some(run.point) == point
                && Some(run.series) == series
                && record.seeds.first() == Some(&run.seed)
        });
        if let Some(run) = run {
            let points = run.points.clone();
            tracks.push(Track { policy, label: info.label.clone(), points });
        }
    }
    tracks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{GOOD, read};
    use crate::results::RunValues;

    #[test]
    fn further_axes_become_variants() {
        let text = GOOD
            .replace("0.8]", "0.8]\nstrict = [true, false]")
            .replace("{ load = 0.8 }", "{ load = 0.8, strict = true }");
        let record = Record::of(&read(&text, &Default::default()).unwrap());
        let mut results = Results::default();
        for policy in 0..2 {
            for point in 0..6 {
                for seed in 1..=3 {
                    let values = vec![point as f64, f64::NAN];
                    results.runs.push(RunValues { policy, point, seed, values });
                }
            }
        }
        let curves = curves(&record, &results, &record.figures[0]);
        let labels: Vec<&str> = curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!(labels[..2], ["Queue, strict true", "Queue, strict false"]);
        assert_eq!(curves.len(), 4);
        let means: Vec<f64> = curves[1].points.iter().map(|p| p.unwrap().mean).collect();
        assert_eq!(means, [1.0, 3.0, 5.0], "the odd points are strict = false");
    }

    #[test]
    fn a_figure_may_draw_some_policies_relative_to_others() {
        let record = Record::of(&read(GOOD, &Default::default()).unwrap());
        let mut results = Results::default();
        for policy in 0..2 {
            for point in 0..record.point_count() {
                for seed in 1..=3 {
                    // Seeds differ by far more than policies; pairs do not.
                    let values = vec![seed as f64 * [100.0, 80.0][policy], f64::NAN];
                    results.runs.push(RunValues { policy, point, seed, values });
                }
            }
        }
        let names: Vec<String> = record.policies.iter().map(|policy| policy.name.clone()).collect();
        let mut figure = record.figures[0].clone();
        figure.relative = vec![(names[1].clone(), names[0].clone())];
        let found = curves(&record, &results, &figure);
        assert_eq!(found.iter().map(|curve| curve.policy).collect::<Vec<_>>(), [1]);
        let point = found[0].points[0].unwrap();
        assert!((point.mean + 0.2).abs() < 1e-12 && point.half_width < 1e-12, "{point:?}");
        assert_eq!(quantity(&record, &figure).1, "fraction");
        figure.relative.clear();
        figure.policies = vec![names[0].clone()];
        assert_eq!(curves(&record, &results, &figure).len(), 1);
    }
}
