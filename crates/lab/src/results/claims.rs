//! Measures what a paper states from the results, and says plainly how the two compare.
//!
//! A ratio is taken at each point between means over seeds; with several compared policies, against
//! the best of them at that point. Complexity: linear in the points.

use super::{Results, stats, sweep};
use crate::config::{Claim, Measure, Published};
use crate::run::record::Record;
use crate::schema::Better;

/// How our number stands beside the paper's.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimVerdict {
    /// Inside the tolerance; the relative distance, 0 inside a published range.
    Reproduced(f64),
    /// Further away, but the comparison goes the same way (better stays better), and the number is
    /// within a factor of 2 of the published value or range.
    SameDirection,
    /// The comparison goes the same way, but the number is further away than that.
    OtherSize,
    /// Further away.
    Differs,
    /// The results do not hold what the claim needs.
    NotMeasured,
}

impl ClaimVerdict {
    /// Its name, without the distance.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            ClaimVerdict::Reproduced(_) => "reproduced",
            ClaimVerdict::SameDirection => "same direction",
            ClaimVerdict::OtherSize => "same direction, other size",
            ClaimVerdict::Differs => "differs",
            ClaimVerdict::NotMeasured => "not measured",
        }
    }

    /// Whether the numbers are so far apart that the experiment has to say why.
    #[must_use]
    pub fn wants_reason(&self) -> bool {
        match self {
            ClaimVerdict::OtherSize | ClaimVerdict::Differs => true,
            ClaimVerdict::Reproduced(_)
            | ClaimVerdict::SameDirection
            | ClaimVerdict::NotMeasured => false,
        }
    }
}

/// A claim with our number.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Our number; none if it cannot be measured.
    pub ours: Option<f64>,
    /// Ours over the paper's nearest value.
    pub ratio: Option<f64>,
    /// Where it was found, as "load = 0.9"; empty if it is over all points.
    pub place: String,
    /// How the two compare.
    pub verdict: ClaimVerdict,
}

/// Measures one claim.
#[must_use]
pub fn measure(claim: &Claim, record: &Record, results: &Results) -> Measured {
    let found = number(claim, record, results);
    let Some((ours, point)) = found else {
        let place = String::new();
        return Measured { ours: None, ratio: None, place, verdict: ClaimVerdict::NotMeasured };
    };
    let nearest = match claim.paper {
        Published::Value(value) => value,
        Published::Range(low, high) => ours.clamp(low, high),
    };
    let distance = if ours == nearest { 0.0 } else { ((ours - nearest) / nearest).abs() };
    let verdict = if distance <= claim.tolerance {
        ClaimVerdict::Reproduced(distance)
    } else if same_direction(claim.measure, claim.paper, ours) {
        if (0.5..=2.0).contains(&(ours / nearest)) {
            ClaimVerdict::SameDirection
        } else {
            ClaimVerdict::OtherSize
        }
    } else {
        ClaimVerdict::Differs
    };
    let ratio = Some(ours / nearest).filter(|ratio| ratio.is_finite());
    let place = point.map(|point| describe(record, point)).unwrap_or_default();
    Measured { ours: Some(ours), ratio, place, verdict }
}

/// An effect of less than this has no direction: 1 % of what is compared.
const LEAST_EFFECT: f64 = 0.01;

/// Whether both say that the subject is better, or both that it is worse. A published range with
/// "no effect" in it says neither, and nor does an effect of less than [`LEAST_EFFECT`].
fn same_direction(measure: Measure, paper: Published, ours: f64) -> bool {
    let Some(none) = no_effect(measure) else { return false };
    let (low, high) = match paper {
        Published::Value(value) => (value, value),
        Published::Range(low, high) => (low, high),
    };
    let clear = |effect: f64| effect.abs() >= LEAST_EFFECT;
    if (low..=high).contains(&none) || !clear(ours - none) {
        return false;
    }
    let nearest = ours.clamp(low, high) - none;
    clear(nearest) && (ours - none) * nearest > 0.0
}

/// The number of a subject that is like what it is compared with; none if nothing is compared.
fn no_effect(measure: Measure) -> Option<f64> {
    match measure {
        Measure::MaxRatio
        | Measure::MinRatio
        | Measure::MeanRatio
        | Measure::LastOverFirst
        | Measure::LastOverPrevious => Some(1.0),
        Measure::MaxReduction | Measure::MinReduction | Measure::MaxGain | Measure::MeanGain => {
            Some(0.0)
        }
        Measure::Minimum
        | Measure::Maximum
        | Measure::Mean
        | Measure::Median
        | Measure::ValueAt
        | Measure::BestAt
        | Measure::ZeroUpTo => None,
    }
}

fn describe(record: &Record, point: usize) -> String {
    let coordinates = record.coordinates(point);
    let parts: Vec<String> = record
        .axes
        .iter()
        .zip(coordinates)
        .filter(|(axis, _)| axis.values.len() > 1)
        .map(|(axis, index)| format!("{} = {}", axis.name, axis.values[index].shown()))
        .collect();
    parts.join(", ")
}

/// Whether a point has the values that `at` holds fixed.
#[must_use]
pub fn selected(record: &Record, at: &[(String, String)], point: usize) -> bool {
    record.axes.iter().zip(record.coordinates(point)).all(|(axis, index)| {
        at.iter().all(|(name, text)| *name != axis.name || axis.values[index].text == *text)
    })
}

fn number(claim: &Claim, record: &Record, results: &Results) -> Option<(f64, Option<usize>)> {
    let (metric, spec) = record.metric(&claim.metric)?;
    let policy = |name: &str| record.policies.iter().position(|policy| policy.name == name);
    let subject = policy(&claim.subject)?;
    let against: Vec<usize> = claim.against.iter().filter_map(|name| policy(name)).collect();
    let points = || (0..record.point_count()).filter(|p| selected(record, &claim.at, *p));
    let mean = |policy: usize, point: usize| {
        stats::estimate(&results.samples(record, policy, point, metric)).map(|e| e.mean)
    };
    // Against the best of the compared policies at a point.
    let ratio = |ours: f64, point: usize| {
        let others = against.iter().filter_map(|policy| mean(*policy, point));
        let best = others.reduce(if spec.better == Better::Lower { f64::min } else { f64::max });
        best.map(|best| ours / best).filter(|ratio| ratio.is_finite())
    };
    if claim.measure.sweeps() {
        return sweep::number(claim, record, spec.better, |point| {
            let ours = mean(subject, point)?;
            if claim.against.is_empty() { Some(ours) } else { ratio(ours, point) }
        });
    }
    let mut numbers: Vec<(f64, usize)> = Vec::new();
    for point in points() {
        let Some(ours) = mean(subject, point) else { continue };
        if !claim.measure.compares() {
            numbers.push((ours, point));
            continue;
        }
        let Some(ratio) = ratio(ours, point) else { continue };
        let value = match claim.measure {
            Measure::MaxReduction | Measure::MinReduction => 1.0 - ratio,
            Measure::MaxGain | Measure::MeanGain => ratio - 1.0,
            Measure::MaxRatio
            | Measure::MinRatio
            | Measure::MeanRatio
            | Measure::Minimum
            | Measure::Maximum
            | Measure::Mean
            | Measure::Median
            | Measure::ValueAt
            | Measure::LastOverFirst
            | Measure::LastOverPrevious
            | Measure::BestAt
            | Measure::ZeroUpTo => ratio,
        };
        numbers.push((value, point));
    }
    let by_value = |a: &&(f64, usize), b: &&(f64, usize)| a.0.total_cmp(&b.0);
    let extreme = match claim.measure {
        Measure::MaxRatio | Measure::MaxReduction | Measure::MaxGain | Measure::Maximum => {
            numbers.iter().max_by(by_value)
        }
        Measure::LastOverFirst
        | Measure::LastOverPrevious
        | Measure::BestAt
        | Measure::ZeroUpTo
        | Measure::MinRatio
        | Measure::MinReduction
        | Measure::Minimum
        | Measure::ValueAt => numbers.iter().min_by(by_value),
        Measure::Median => {
            return median(numbers.iter().map(|(value, _)| *value)).map(|m| (m, None));
        }
        Measure::Mean | Measure::MeanRatio | Measure::MeanGain => {
            let sum: f64 = numbers.iter().map(|(value, _)| value).sum();
            return (!numbers.is_empty()).then(|| (sum / numbers.len() as f64, None));
        }
    };
    extreme.map(|(value, point)| (*value, Some(*point)))
}

/// The middle of `values`, or the mean of the two in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len() % 2 == 1 { upper } else { 0.5 * (values[values.len() / 2 - 1] + upper) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Basis;
    use crate::config::tests::{GOOD, read};
    use crate::results::RunValues;

    /// Two seeds at three loads; in_system (lower is better) as given.
    fn results(per_policy: [[f64; 3]; 3]) -> (Record, Results) {
        let text =
            GOOD.replace("\"fast\"]\n", "\"fast\", \"slow\"]\n").replace("[1, 2, 3]", "[1, 2]");
        let record = Record::of(&read(&text, &Default::default()).unwrap());
        let mut runs = Vec::new();
        for (policy, values) in per_policy.iter().enumerate() {
            for (point, mean) in values.iter().enumerate() {
                for (seed, noise) in [(1, -0.1), (2, 0.1)] {
                    let values = vec![mean + noise, f64::NAN];
                    runs.push(RunValues { policy, point, seed, values });
                }
            }
        }
        (record, Results { runs, series: Vec::new() })
    }

    fn claim(measure: Measure, paper: Published) -> Claim {
        let against =
            if measure.compares() { vec!["queue".to_owned(), "slow".to_owned()] } else { vec![] };
        Claim {
            text: String::new(),
            source: String::new(),
            metric: "in_system".to_owned(),
            subject: "fast".to_owned(),
            against,
            measure,
            paper,
            basis: Basis::Stated,
            at: Vec::new(),
            along: String::new(),
            tolerance: 0.1,
            why: String::new(),
        }
    }

    #[test]
    fn every_measure_by_hand() {
        // fast against the smaller of queue and slow: 1/2, 2/2, 6/4.
        let (record, results) = results([[2.0, 4.0, 4.0], [1.0, 2.0, 6.0], [8.0, 2.0, 9.0]]);
        for (kind, expected, place) in [
            (Measure::MaxRatio, 1.5, "load = 0.8"),
            (Measure::MinRatio, 0.5, "load = 0.2"),
            (Measure::MeanRatio, 1.0, ""),
            (Measure::MaxReduction, 0.5, "load = 0.2"),
            (Measure::MinReduction, -0.5, "load = 0.8"),
            (Measure::MaxGain, 0.5, "load = 0.8"),
            (Measure::MeanGain, 0.0, ""),
            (Measure::Minimum, 1.0, "load = 0.2"),
            (Measure::Maximum, 6.0, "load = 0.8"),
            (Measure::Mean, 3.0, ""),
            (Measure::Median, 2.0, ""),
            (Measure::LastOverFirst, 6.0, ""), // fast: 6 at load 0.8, 1 at load 0.2
        ] {
            let found = measure(&claim(kind, Published::Value(expected)), &record, &results);
            assert!((found.ours.unwrap() - expected).abs() < 1e-9, "{kind:?} {found:?}");
            assert_eq!(found.place, place, "{kind:?}");
            assert!(matches!(found.verdict, ClaimVerdict::Reproduced(d) if d < 1e-9), "{found:?}");
        }
        let mut at = claim(Measure::ValueAt, Published::Value(1.5));
        at.at = vec![("load".to_owned(), "0.4".to_owned())];
        let found = measure(&at, &record, &results);
        assert_eq!((found.ours.unwrap().round(), found.verdict), (2.0, ClaimVerdict::Differs));
    }

    #[test]
    fn an_even_number_has_two_in_the_middle() {
        assert_eq!(median([5.0, 1.0, 3.0, 2.0].into_iter()), Some(2.5));
        assert_eq!(median(std::iter::empty()), None);
    }

    #[test]
    fn verdicts_are_plain() {
        let (record, results) = results([[2.0; 3], [1.0; 3], [2.0; 3]]);
        let verdict = |kind, paper| measure(&claim(kind, paper), &record, &results).verdict;
        let range = Published::Range(0.4, 0.6);
        assert_eq!(verdict(Measure::MaxReduction, range), ClaimVerdict::Reproduced(0.0));
        let far = Published::Value(0.3);
        assert_eq!(verdict(Measure::MaxReduction, far), ClaimVerdict::SameDirection);
        assert_eq!(verdict(Measure::MaxReduction, Published::Value(-0.3)), ClaimVerdict::Differs);
        assert_eq!(verdict(Measure::MaxRatio, Published::Value(2.0)), ClaimVerdict::Differs);
        assert_eq!(verdict(Measure::MaxRatio, Published::Value(0.0)), ClaimVerdict::OtherSize);
        for (paper, expected) in [
            (Published::Value(0.26), ClaimVerdict::SameDirection),
            (Published::Value(0.24), ClaimVerdict::OtherSize),
            (Published::Value(0.96), ClaimVerdict::SameDirection),
            (Published::Value(1.04), ClaimVerdict::OtherSize),
            (Published::Range(0.1, 0.24), ClaimVerdict::OtherSize),
            (Published::Range(0.1, 0.3), ClaimVerdict::SameDirection),
        ] {
            assert_eq!(verdict(Measure::MaxReduction, paper), expected, "{paper:?}");
        }
    }

    #[test]
    fn a_range_around_no_effect_has_no_direction() {
        let of = |kind, paper, ours: f64| {
            let (record, mut results) = results([[1.0; 3]; 3]);
            let subject = results.runs.iter_mut().filter(|run| run.policy == 1);
            subject.for_each(|run| run.values[0] = ours * if run.seed == 1 { 0.9 } else { 1.1 });
            let mut claim = claim(kind, paper);
            claim.tolerance = 0.0;
            measure(&claim, &record, &results).verdict
        };
        // "Comparable" means within 10 %: what is outside differs, on whichever side.
        for ours in [0.8, 1.2, 0.1, 7.0] {
            let like = Published::Range(0.9, 1.1);
            assert_eq!(of(Measure::MaxRatio, like, ours), ClaimVerdict::Differs, "{ours}");
        }
        for range in [Published::Range(1.0, 1.5), Published::Range(0.0, 1.0)] {
            assert_eq!(of(Measure::MaxRatio, range, 1.8), ClaimVerdict::Differs);
        }
        let gain = Published::Range(-0.01, 0.05);
        assert_eq!(of(Measure::MaxGain, gain, 1.2), ClaimVerdict::Differs);
        // A range on one side of it does.
        let higher = Published::Range(1.1, 1.5);
        assert_eq!(of(Measure::MaxRatio, higher, 1.8), ClaimVerdict::SameDirection);
        assert_eq!(of(Measure::MaxRatio, higher, 7.0), ClaimVerdict::OtherSize);
    }

    #[test]
    fn a_tiny_effect_has_no_direction() {
        let of = |kind, paper, ours: f64| {
            let (record, mut results) = results([[1.0; 3]; 3]);
            let subject = results.runs.iter_mut().filter(|run| run.policy == 1);
            subject.for_each(|run| run.values[0] = ours * if run.seed == 1 { 0.9 } else { 1.1 });
            measure(&claim(kind, paper), &record, &results).verdict
        };
        let half = Published::Range(0.0, 0.5);
        assert_eq!(of(Measure::MaxRatio, half, 0.991), ClaimVerdict::Differs);
        assert_eq!(of(Measure::MaxRatio, half, 0.989), ClaimVerdict::SameDirection);
        let reduction = Published::Value(0.03);
        assert_eq!(of(Measure::MaxReduction, reduction, 0.9962), ClaimVerdict::Differs);
        assert_eq!(of(Measure::MaxReduction, reduction, 0.98), ClaimVerdict::SameDirection);
        // Nor has one of the paper's.
        let nothing = Published::Value(0.004);
        assert_eq!(of(Measure::MaxReduction, nothing, 0.98), ClaimVerdict::Differs);
    }

    #[test]
    fn a_sweep_is_measured_between_its_ends() {
        let (record, mut results) = results([[0.0; 3], [4.0, 9.0, 1.0], [0.0; 3]]);
        let falls = claim(Measure::LastOverFirst, Published::Value(0.5));
        let found = measure(&falls, &record, &results);
        assert!((found.ours.unwrap() - 0.25).abs() < 1e-9, "{found:?}");
        let rises = claim(Measure::LastOverFirst, Published::Range(1.0, 10.0));
        assert_eq!(measure(&rises, &record, &results).verdict, ClaimVerdict::Differs);
        let ends = results.runs.iter_mut().filter(|run| run.point == 2);
        ends.for_each(|run| run.values[0] = f64::NAN);
        assert_eq!(measure(&rises, &record, &results).verdict, ClaimVerdict::NotMeasured);
        // The ends are gone; the loads are 0.2, 0.4 and 0.8.
        let ours = |kind| measure(&claim(kind, Published::Value(1.0)), &record, &results).ours;
        assert_eq!(ours(Measure::LastOverPrevious), None);
        assert_eq!(ours(Measure::BestAt), Some(0.2));
    }

    #[test]
    fn a_sweep_may_compare() {
        // fast over the better of queue and slow: 1/2 first, 6/4 last.
        let (record, mut results) = results([[2.0, 4.0, 4.0], [1.0, 2.0, 6.0], [8.0, 2.0, 9.0]]);
        let mut shrinks = claim(Measure::LastOverFirst, Published::Range(1.0, 100.0));
        shrinks.against = vec!["queue".to_owned(), "slow".to_owned()];
        let found = measure(&shrinks, &record, &results);
        assert!((found.ours.unwrap() - 3.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.verdict, ClaimVerdict::Reproduced(0.0));
        let queue = results.runs.iter_mut().filter(|run| run.policy != 1 && run.point == 2);
        queue.for_each(|run| run.values[0] = 0.0);
        assert_eq!(measure(&shrinks, &record, &results).verdict, ClaimVerdict::NotMeasured);
    }

    #[test]
    fn a_sweep_has_a_best_place_and_an_end_without() {
        let ours = |values, kind| {
            let (record, mut results) = results([[0.0; 3], values, [0.0; 3]]);
            // Without the noise of the seeds.
            results.runs.iter_mut().for_each(|run| run.values[0] = run.values[0].round());
            measure(&claim(kind, Published::Value(1.0)), &record, &results).ours
        };
        assert_eq!(ours([4.0, 1.0, 2.0], Measure::BestAt), Some(0.4));
        assert_eq!(ours([4.0, 1.0, 3.0], Measure::LastOverPrevious), Some(3.0));
        assert_eq!(ours([0.0, 0.0, 2.0], Measure::ZeroUpTo), Some(0.4));
        assert_eq!(ours([0.0, 1.0, 0.0], Measure::ZeroUpTo), Some(0.2));
        assert_eq!(ours([1.0, 0.0, 0.0], Measure::ZeroUpTo), Some(0.0));
        assert_eq!(ours([0.0; 3], Measure::ZeroUpTo), Some(0.8));
    }

    #[test]
    fn division_by_zero_is_not_measured() {
        let (record, mut results) = results([[0.0; 3], [0.0; 3], [0.0; 3]]);
        results.runs.iter_mut().for_each(|run| run.values[0] = 0.0);
        let found = measure(&claim(Measure::MaxRatio, Published::Value(2.0)), &record, &results);
        assert_eq!(found.verdict, ClaimVerdict::NotMeasured);
    }
}
