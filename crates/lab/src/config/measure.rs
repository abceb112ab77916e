//! The measures of claims, by their names in experiment files.

use serde::{Deserialize, Serialize};

/// How a claim's number is computed from the mean over seeds at each point. The *best* of several
/// compared policies is taken at each point, in the metric's good direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Largest subject / against.
    MaxRatio,
    /// Smallest subject / against.
    MinRatio,
    /// Mean subject / against over the points.
    MeanRatio,
    /// Largest 1 − subject / against.
    MaxReduction,
    /// Smallest 1 − subject / against.
    MinReduction,
    /// Largest subject / against − 1.
    MaxGain,
    /// Mean subject / against − 1 over the points.
    MeanGain,
    /// Smallest value of the subject.
    Minimum,
    /// Largest value of the subject.
    Maximum,
    /// Mean value of the subject over the points.
    Mean,
    /// Median value of the subject over the points.
    Median,
    /// The subject's value at the one point that `at` leaves.
    ValueAt,
    /// The subject's value at the last value of the one axis that `at` leaves open, or that `along`
    /// names, over that at its first: which way the subject goes along a sweep. Of several points
    /// the largest. With policies to compare with, the same of subject / against.
    LastOverFirst,
    /// The same over that at the value before the last.
    LastOverPrevious,
    /// The value of that axis, a number, at which the subject is best. Of several points the
    /// largest.
    BestAt,
    /// The largest value of that axis, a number, up to which the subject's value is 0, itself
    /// included; 0 if there is none. Of several points the smallest.
    ZeroUpTo,
}

pub(super) const MEASURES: &[(&str, Measure)] = &[
    ("max-ratio", Measure::MaxRatio),
    ("min-ratio", Measure::MinRatio),
    ("mean-ratio", Measure::MeanRatio),
    ("max-reduction", Measure::MaxReduction),
    ("min-reduction", Measure::MinReduction),
    ("max-gain", Measure::MaxGain),
    ("mean-gain", Measure::MeanGain),
    ("minimum", Measure::Minimum),
    ("maximum", Measure::Maximum),
    ("mean", Measure::Mean),
    ("median", Measure::Median),
    ("value-at", Measure::ValueAt),
    ("last-over-first", Measure::LastOverFirst),
    ("last-over-previous", Measure::LastOverPrevious),
    ("best-at", Measure::BestAt),
    ("zero-up-to", Measure::ZeroUpTo),
];

impl Measure {
    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> {
        MEASURES.iter().map(|(name, _)| *name)
    }

    /// Its name in experiment files.
    #[must_use]
    pub fn name(self) -> &'static str {
        MEASURES.iter().find(|(_, measure)| *measure == self).map_or("", |(name, _)| name)
    }

    /// Whether it compares the subject with other policies.
    #[must_use]
    pub fn compares(self) -> bool {
        let alone = matches!(
            self,
            Measure::Minimum
                | Measure::Maximum
                | Measure::Mean
                | Measure::Median
                | Measure::ValueAt
        );
        !alone && !self.sweeps()
    }

    /// Whether it takes policies to compare with, but needs none: then the ratio is what changes
    /// along a sweep.
    #[must_use]
    pub fn may_compare(self) -> bool {
        matches!(self, Measure::LastOverFirst | Measure::LastOverPrevious)
    }

    /// Whether it goes along one axis.
    #[must_use]
    pub fn sweeps(self) -> bool {
        matches!(
            self,
            Measure::LastOverFirst
                | Measure::LastOverPrevious
                | Measure::BestAt
                | Measure::ZeroUpTo
        )
    }

    /// Whether its number is a value of the axis that it goes along.
    #[must_use]
    pub fn is_place(self) -> bool {
        matches!(self, Measure::BestAt | Measure::ZeroUpTo)
    }
}
