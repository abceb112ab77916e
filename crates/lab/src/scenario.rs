//! The [`Scenario`] trait: a simulation that declares its parameters, policies and metrics, and runs one point.
//!
//! Source: docs/experiments.md. A scenario is one file and one line in the [`Registry`](crate::Registry)
//! that the program is given.

use crate::context::RunContext;
use crate::error::ConfigError;
use crate::parameter::ParamSpec;
use crate::resolved::Resolved;
use crate::schema::{MetricSpec, PolicyInfo, SeriesSpec};

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
///
/// The declarations may be constants, or depend on what the scenario was made with, such as a registry of
/// policies; they must stay the same as long as the scenario lives.
pub trait Scenario: Send + Sync {
    /// Its name in experiment files.
    fn name(&self) -> &str;
    /// What it simulates, in one sentence.
    fn about(&self) -> &str;
    /// Every parameter it reads.
    fn params(&self) -> &[ParamSpec];
    /// Every policy it can run.
    fn policies(&self) -> &[PolicyInfo];
    /// Every metric a run yields, in the order of the result tables.
    fn metrics(&self) -> &[MetricSpec];
    /// Every series a run may record.
    fn series(&self) -> &[SeriesSpec] {
        &[]
    }
    /// What a stored result depends on beside the engine's sources, which count already: a text that changes
    /// with the scenario's own code, such as its crate's version. Another text, and stored runs are computed anew.
    fn version(&self) -> &str {
        ""
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
    /// Whether its runs can be traced: then [`run`](Scenario::run) asks its context for a
    /// [trace](RunContext::trace) and writes into it what happens. A trace changes no result.
    fn traces(&self) -> bool {
        false
    }
    /// Runs one point. Must depend on nothing but `point`, should return [`RunError::Stopped`] soon after
    /// `context` is [stopped](RunContext::stopped), and may tell it how far it is.
    ///
    /// # Errors
    /// [`RunError`].
    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError>;
}

/// Problems in a scenario's own declarations: defaults that do not read, names used twice. Empty for a
/// sound scenario, as every registered one is.
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
