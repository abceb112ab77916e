//! What a scenario declares beside its parameters: policies, metrics, series. From these the
//! laboratory checks, stores, documents and plots a scenario without knowing it.

use std::borrow::Cow;

/// Two lists of declarations as one: `N` is the sum of their lengths.
#[must_use]
pub const fn joined<T: Copy, const N: usize>(first: &[T], second: &[T]) -> [T; N] {
    assert!(first.len() + second.len() == N, "N is the sum of the lengths");
    let mut all = [first[0]; N];
    let mut index = 0;
    while index < N {
        all[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    all
}

/// A policy (scheme) that a scenario can run.
#[derive(Clone, Debug)]
pub struct PolicyInfo {
    /// Its name in files, as `"dt-hybrid"`.
    pub name: Cow<'static, str>,
    /// Its name in figures, as `"DT-Hybrid"`.
    pub label: Cow<'static, str>,
    /// What it does, in one sentence.
    pub doc: Cow<'static, str>,
}

impl PolicyInfo {
    /// One whose texts are known when the program is compiled.
    #[must_use]
    pub const fn new(name: &'static str, label: &'static str, doc: &'static str) -> Self {
        PolicyInfo {
            name: Cow::Borrowed(name),
            label: Cow::Borrowed(label),
            doc: Cow::Borrowed(doc),
        }
    }
}

/// Which direction of a metric is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It only describes.
    Neither,
}

/// A number that every run of a scenario yields.
#[derive(Clone, Copy, Debug)]
pub struct MetricSpec {
    /// Its name in files and results, as `"loss_fraction"`.
    pub name: &'static str,
    /// Its unit in results: `"fraction"` (shown in %), `"Gb/s"`, `"us"`, or empty for a plain
    /// count.
    pub unit: &'static str,
    /// Its name in figures, as `"Packet loss"`.
    pub label: &'static str,
    /// Which direction is good.
    pub better: Better,
    /// What it is, in one sentence.
    pub doc: &'static str,
}

/// A metric that is not yet described.
#[derive(Clone, Copy, Debug)]
#[must_use = "say what it is"]
pub struct NamedMetric(MetricSpec);

/// The metric called `name`, of `unit` and called `label` in figures; [`NamedMetric::is`] completes
/// it.
pub const fn metric(
    name: &'static str,
    unit: &'static str,
    label: &'static str,
    better: Better,
) -> NamedMetric {
    NamedMetric(MetricSpec { name, unit, label, better, doc: "" })
}

impl NamedMetric {
    /// What it is, in one sentence.
    #[must_use]
    pub const fn is(self, doc: &'static str) -> MetricSpec {
        MetricSpec { doc, ..self.0 }
    }
}

/// A quantity that runs of a scenario may record over time.
#[derive(Clone, Copy, Debug)]
pub struct SeriesSpec {
    /// Its name in files and results, as `"sram_occupancy"`.
    pub name: &'static str,
    /// Its unit, as for a metric.
    pub unit: &'static str,
    /// Its name in figures.
    pub label: &'static str,
    /// What it is, in one sentence.
    pub doc: &'static str,
}

/// A series, in the order in which one reads its line.
#[must_use]
pub const fn series(
    name: &'static str,
    unit: &'static str,
    label: &'static str,
    doc: &'static str,
) -> SeriesSpec {
    SeriesSpec { name, unit, label, doc }
}
