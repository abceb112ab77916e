//! What is measured of a link: departure time discrepancy, plain and normalized.

use forebay_lab::Better::{Lower, Neither};
use forebay_lab::{Lack, MetricSpec, metric};
use forebay_net::measure::Spread;

use super::drive::{Stories, Story};

/// Every metric.
pub(super) const METRICS: &[MetricSpec] = &[
    metric("dtd_mean", "units", "Mean discrepancy", Lower)
        .is("Mean of D - F, 0 if not late (Eq. 1)."),
    metric("dtd_p99", "units", "p99 discrepancy", Lower).is("99th percentile of D - F."),
    metric("heavy_dtd_max", "units", "Largest discrepancy, heaviest", Lower)
        .is("Largest discrepancy of the flows of the largest weight."),
    metric("light_dtd_max", "units", "Largest discrepancy, lightest", Lower)
        .is("Largest discrepancy of the flows of the smallest weight."),
    metric("heavy_normalized_mean", "times", "Mean normalized discrepancy, heaviest", Lower)
        .is("Mean of (D - F) / (F - A) of the flows of the largest weight (Eq. 2)."),
    metric("heavy_normalized_max", "times", "Largest normalized discrepancy, heaviest", Lower)
        .is("Largest (D - F) / (F - A) of the flows of the largest weight."),
    metric("light_normalized_mean", "times", "Mean normalized discrepancy, lightest", Lower)
        .is("Mean of (D - F) / (F - A) of the flows of the smallest weight."),
    metric("light_normalized_max", "times", "Largest normalized discrepancy, lightest", Lower)
        .is("Largest (D - F) / (F - A) of the flows of the smallest weight."),
    metric("refused_fraction", "fraction", "Refused", Lower).is("Packets that never left, of all."),
    metric("packets", "", "Packets", Neither).is("Packets that arrived."),
];

/// What happened in no run that has no value of a metric.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let why = match quantity {
        name if name.starts_with("heavy_") => "no packet of the heaviest flows left",
        name if name.starts_with("light_") => "no packet of the lightest flows left",
        name if name.starts_with("dtd_") => "no packet left",
        _ => return None,
    };
    Some(Lack { why, parameter: "run.span" })
}

/// A value for each.
pub(super) fn values(outcome: &Stories) -> Vec<(&'static str, f64)> {
    let weight = |story: &&Story| outcome.weights.get(story.flow as usize).copied();
    let (heaviest, lightest) = (outcome.weights.iter().max(), outcome.weights.iter().min());
    let every = Late::of(outcome, outcome.stories.iter());
    let of = |wanted: Option<&u32>| {
        Late::of(outcome, outcome.stories.iter().filter(|story| weight(story).as_ref() == wanted))
    };
    let (heavy, light) = (of(heaviest), of(lightest));
    let lost = outcome.stories.iter().filter(|story| story.left.is_none()).count();
    let pick = |spread: &Option<Spread<f64>>, pick: fn(&Spread<f64>) -> f64| {
        spread.as_ref().map_or(f64::NAN, pick)
    };
    vec![
        ("dtd_mean", pick(&every.units, |spread| spread.mean)),
        ("dtd_p99", pick(&every.units, |spread| spread.p99)),
        ("heavy_dtd_max", pick(&heavy.units, |spread| spread.max)),
        ("light_dtd_max", pick(&light.units, |spread| spread.max)),
        ("heavy_normalized_mean", pick(&heavy.normalized, |spread| spread.mean)),
        ("heavy_normalized_max", pick(&heavy.normalized, |spread| spread.max)),
        ("light_normalized_mean", pick(&light.normalized, |spread| spread.mean)),
        ("light_normalized_max", pick(&light.normalized, |spread| spread.max)),
        ("refused_fraction", lost as f64 / outcome.stories.len().max(1) as f64),
        ("packets", outcome.stories.len() as f64),
    ]
}

/// How late some packets were.
struct Late {
    units: Option<Spread<f64>>,
    normalized: Option<Spread<f64>>,
}

impl Late {
    fn of<'a>(outcome: &Stories, stories: impl Iterator<Item = &'a Story>) -> Self {
        let unit = outcome.unit.as_ps().max(1) as f64;
        let (mut units, mut normalized) = (Vec::new(), Vec::new());
        for story in stories {
            let Some(left) = story.left else { continue };
            let late =
                if left > story.ideal { left.since(story.ideal).as_ps() as f64 } else { 0.0 };
            units.push(late / unit);
            normalized.push(late / story.ideal.since(story.arrived).as_ps().max(1) as f64);
        }
        Late { units: Spread::of_numbers(units), normalized: Spread::of_numbers(normalized) }
    }
}
