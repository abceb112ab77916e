//! What an experiment can run: the [`Scenario`] trait, and the declarations (parameters, policies, metrics,
//! series) that let the laboratory check, document and plot a scenario without knowing it.
//!
//! Source: DESIGN.md, "Experiments". A scenario is one file and one line in [`crate::scenarios::ALL`].

use std::sync::atomic::AtomicBool;

use forebay_trace::Tracing;

use crate::config::Resolved;
use crate::error::ConfigError;
use crate::value::Kind;

/// Where a parameter's default value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultSource {
    /// A published value: the paper and section, as `"themis §6.3.1"`.
    Paper(&'static str),
    /// A value no paper states.
    Assumed {
        /// Why this value.
        why: &'static str,
        /// The experiment that shows how much it matters.
        sensitivity: Option<&'static str>,
    },
}

/// A parameter of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// `group.name`, as `"switch.egress_rate"`.
    pub path: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// The default, as text of that kind.
    pub default: &'static str,
    /// What it means, in one sentence.
    pub doc: &'static str,
    /// Where the default comes from.
    pub source: DefaultSource,
}

impl ParamSpec {
    /// The part of the path after its last dot.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }
}

/// A value that no paper states, and why it is this one.
pub(crate) const fn assumed(why: &'static str) -> DefaultSource {
    DefaultSource::Assumed { why, sensitivity: None }
}

/// As [`assumed`], with the experiment that shows how much it matters.
pub(crate) const fn shown(why: &'static str, sensitivity: &'static str) -> DefaultSource {
    DefaultSource::Assumed { why, sensitivity: Some(sensitivity) }
}

/// A parameter, in the order in which one reads its line.
pub(crate) const fn param(
    path: &'static str,
    kind: Kind,
    default: &'static str,
    source: DefaultSource,
    doc: &'static str,
) -> ParamSpec {
    ParamSpec { path, kind, default, doc, source }
}

/// Two lists of declarations as one: `N` is the sum of their lengths.
pub(crate) const fn joined<T: Copy, const N: usize>(first: &[T], second: &[T]) -> [T; N] {
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
#[derive(Clone, Copy, Debug)]
pub struct PolicyInfo {
    /// Its name in files, as `"dt-hybrid"`.
    pub name: &'static str,
    /// Its name in figures, as `"DT-Hybrid"`.
    pub label: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
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
    /// Its unit in results: `"fraction"` (shown in %), `"Gb/s"`, `"us"`, or empty for a plain count.
    pub unit: &'static str,
    /// Its name in figures, as `"Packet loss"`.
    pub label: &'static str,
    /// Which direction is good.
    pub better: Better,
    /// What it is, in one sentence.
    pub doc: &'static str,
}

/// A metric, in the order in which one reads its line.
pub(crate) const fn metric(
    name: &'static str,
    unit: &'static str,
    label: &'static str,
    better: Better,
    doc: &'static str,
) -> MetricSpec {
    MetricSpec { name, unit, label, better, doc }
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

/// One run: a policy, a seed, and a value for every parameter.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The parameters.
    pub params: &'a Resolved,
    /// The policy's name, one of [`Scenario::policies`].
    pub policy: &'a str,
    /// The seed, at least 1.
    pub seed: u64,
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// One of the scenario's [`SeriesSpec::name`]s.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Time in microseconds, value.
    pub points: Vec<(f64, f64)>,
}

/// What a run yields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOutput {
    /// A value for each metric; NaN where a metric has no value (a mean over nothing).
    pub values: Vec<(&'static str, f64)>,
    /// Recorded series, if any.
    pub timelines: Vec<Timeline>,
}

/// Why a run gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The stop flag was raised and the run ended early.
    #[error("stopped before its end")]
    Stopped,
    /// The run cannot be done; one sentence.
    #[error("{0}")]
    Failed(String),
}

impl From<ConfigError> for RunError {
    fn from(error: ConfigError) -> Self {
        RunError::Failed(error.to_string())
    }
}

/// A family of experiments: a simulation with declared parameters, policies and metrics.
pub trait Scenario: Sync {
    /// Its name in experiment files.
    fn name(&self) -> &'static str;
    /// What it simulates, in one sentence.
    fn about(&self) -> &'static str;
    /// Every parameter it reads.
    fn params(&self) -> &'static [ParamSpec];
    /// Every policy it can run.
    fn policies(&self) -> &'static [PolicyInfo];
    /// Every metric a run yields, in the order of the result tables.
    fn metrics(&self) -> &'static [MetricSpec];
    /// Every series a run may record.
    fn series(&self) -> &'static [SeriesSpec] {
        &[]
    }
    /// Refuses combinations of parameters that make no sense together.
    ///
    /// # Errors
    /// Names the parameter at fault, best with [`Resolved::blame`]. Called for every point before any run.
    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError>;
    /// What the user should know about inputs that can be used but were not whole, one sentence each; as of a
    /// capture that ends in the middle of a packet. Called for every point before any run; equal warnings
    /// are shown once.
    fn warnings(&self, _params: &Resolved) -> Vec<String> {
        Vec::new()
    }
    /// Runs one point. Must depend on nothing but `point`, and should return [`RunError::Stopped`] soon
    /// after `stop` becomes true. `progress` takes the share done, 0 to 1.
    ///
    /// # Errors
    /// [`RunError`].
    fn run(
        &self,
        point: &Point<'_>,
        progress: &mut dyn FnMut(f64),
        stop: &AtomicBool,
    ) -> Result<RunOutput, RunError>;
    /// Whether it has switches that can be watched: then [`run_traced`](Scenario::run_traced) is written.
    fn traces(&self) -> bool {
        false
    }
    /// As [`run`](Scenario::run), with the same result, and writes what happens in every switch into `trace`.
    ///
    /// # Errors
    /// [`RunError`], also if the scenario does not [trace](Scenario::traces).
    fn run_traced(
        &self,
        _point: &Point<'_>,
        _progress: &mut dyn FnMut(f64),
        _stop: &AtomicBool,
        _trace: &Tracing,
    ) -> Result<RunOutput, RunError> {
        Err(RunError::Failed(format!("scenario `{}` cannot be traced", self.name())))
    }
}

/// Scenarios by name.
pub type Registry = &'static [&'static dyn Scenario];

/// Problems in a scenario's own declarations: defaults that do not read, names used twice. Empty for a
/// sound scenario; every registered one is tested to be.
#[must_use]
pub fn schema_problems(scenario: &dyn Scenario) -> Vec<String> {
    let mut problems = Vec::new();
    let mut once = |what: &str, names: Vec<&str>| {
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                problems.push(format!("{what} {name} is declared twice"));
            }
        }
    };
    once("parameter", scenario.params().iter().map(|p| p.path).collect());
    once("policy", scenario.policies().iter().map(|p| p.name).collect());
    once("metric", scenario.metrics().iter().map(|m| m.name).collect());
    once("series", scenario.series().iter().map(|s| s.name).collect());
    for spec in scenario.params() {
        if let Err(problem) = spec.kind.read_text(spec.default) {
            problems.push(format!("the default of {}: {problem}", spec.path));
        }
        if !spec.path.contains('.') {
            problems.push(format!("parameter {} has no group", spec.path));
        }
        let inside = format!("{}.", spec.path);
        if scenario.params().iter().any(|other| other.path.starts_with(&inside)) {
            problems.push(format!("parameter {} is also a group", spec.path));
        }
    }
    problems
}
