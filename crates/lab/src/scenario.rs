//! The [`Scenario`] trait: a simulation that declares its parameters, policies and metrics, and
//! runs one point.
//!
//! Source: docs/experiments.md. A scenario is one file and one line in the
//! [`ScenarioRegistry`](crate::ScenarioRegistry) that the program is given.

use forebay_parameters::{Configure, Listed, listed_all};

use crate::context::RunContext;
use crate::error::ConfigError;
use crate::resolved::Resolved;
use crate::schema::{MetricSpec, PolicyInfo, SeriesSpec};

/// One run: a policy, a seed, and a value for every parameter.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Every parameter, swept ones at their value for this run.
    pub params: &'a Resolved,
    /// The policy's name, one of [`Scenario::policies`].
    pub policy: &'a str,
    /// The seed, at least 1.
    pub seed: u64,
}

/// Why a run has no value of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// What there is not, as "there are no queries".
    pub why: &'static str,
    /// The parameter to set.
    pub parameter: &'static str,
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// One of the scenario's [`SeriesSpec::name`]s.
    pub name: &'static str,
    /// The unit of the values.
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
/// The declarations may be constants, or depend on what the scenario was made with, such as a
/// registry of policies; they must stay the same as long as the scenario lives.
pub trait Scenario: Send + Sync {
    /// Its name in experiment files.
    fn name(&self) -> &str;
    /// What it simulates, in one sentence.
    fn about(&self) -> &str;
    /// The configuration of a policy at its defaults: what it shows are the parameters, each as
    /// `group.name`. They are set in experiment files, and [`Resolved::fill`] fills a configuration
    /// for a run.
    fn configure(&self, policy: &str) -> Box<dyn Configure>;
    /// Every policy it can run.
    fn policies(&self) -> &[PolicyInfo];
    /// Every metric a run yields, in the order of the result tables.
    fn metrics(&self) -> &[MetricSpec];
    /// Every series a run may record.
    fn series(&self) -> &[SeriesSpec] {
        &[]
    }
    /// What a stored result depends on beside the engine's sources, which count already: a text
    /// that changes with the scenario's own code, such as its crate's version. Another text, and
    /// stored runs are computed anew.
    fn version(&self) -> &str {
        ""
    }
    /// Refuses combinations of parameters that make no sense together.
    ///
    /// # Errors
    /// Names the parameter at fault, best with [`Resolved::blame`]. Called for every point before
    /// any run.
    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError>;
    /// What a run with these parameters lacks to have values of a metric or a series at all; none
    /// if it lacks nothing that is known before. An experiment of which no run has what a figure or
    /// a claim is about is refused.
    fn lacks(&self, _params: &Resolved, _policy: &str, _quantity: &str) -> Option<Lack> {
        None
    }
    /// What happened in no run if none has a value of a metric or a series although none
    /// [lacks](Scenario::lacks) anything, and the parameter that may change it; none if that is not
    /// known.
    fn missing(&self, _quantity: &str) -> Option<Lack> {
        None
    }
    /// What the user should know about inputs that can be used but were not whole, one sentence
    /// each; as of a capture that ends in the middle of a packet. Called for every point before any
    /// run; equal warnings are shown once.
    fn warnings(&self, _params: &Resolved) -> Vec<String> {
        Vec::new()
    }
    /// Whether its runs can be traced: then [`run`](Scenario::run) asks its context for a
    /// [trace](RunContext::trace) and writes into it what happens. A trace changes no result.
    fn traces(&self) -> bool {
        false
    }
    /// Its live runs, if it has some.
    fn live_runs(&self) -> Option<&dyn LiveRuns> {
        None
    }
    /// Runs one point. Must depend on nothing but `point`, unless the run is [live](LiveRuns),
    /// should return [`RunError::Stopped`] soon after `context` is
    /// [stopped](RunContext::stopped), and may tell it how far it is.
    ///
    /// # Errors
    /// [`RunError`].
    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError>;
}

/// Runs that are measured on this machine, in real time: nothing else is computed beside them, and
/// another run gives other numbers.
pub trait LiveRuns: Send + Sync {
    /// Whether a run with these parameters is one.
    fn is_live(&self, params: &Resolved, policy: &str) -> bool;
    /// Why this machine cannot make it, and what would do: one sentence; none if it can.
    fn unable(&self, params: &Resolved, policy: &str) -> Option<String>;
}

/// Problems in a scenario's own declarations: defaults that do not read, names used twice. Empty
/// for a sound scenario, as every registered one is.
#[must_use]
pub fn schema_problems(scenario: &dyn Scenario) -> Vec<String> {
    let mut problems = Vec::new();
    problems.extend(twice("policy", scenario.policies().iter().map(|p| &*p.name).collect()));
    problems.extend(twice("metric", scenario.metrics().iter().map(|m| m.name).collect()));
    problems.extend(twice("series", scenario.series().iter().map(|s| s.name).collect()));
    let mut known: Vec<Listed> = Vec::new();
    for policy in scenario.policies() {
        let all = listed_all(&mut *scenario.configure(&policy.name));
        problems.extend(twice("parameter", all.iter().map(|one| &*one.parameter.name).collect()));
        for one in &all {
            let name = &one.parameter.name;
            if let Err(problem) = one.parameter.kind.within(one.value.clone()) {
                problems.push(format!("the default of {name}: {problem}"));
            }
            if !name.contains('.') {
                problems.push(format!("parameter {name} has no group"));
            }
            let inside = format!("{name}.");
            if all.iter().any(|other| other.parameter.name.starts_with(&inside)) {
                problems.push(format!("parameter {name} is also a group"));
            }
            match known.iter().find(|other| other.parameter.name == *name) {
                None => known.push(one.clone()),
                Some(other) if other.value == one.value => {}
                Some(_) => problems.push(format!("{name} has two defaults, by policy")),
            }
        }
    }
    problems
}

/// The names that are there twice.
fn twice(what: &str, names: Vec<&str>) -> Vec<String> {
    let again = |(index, name): (usize, &&str)| {
        names[..index].contains(name).then(|| format!("{what} {name} is declared twice"))
    };
    names.iter().enumerate().filter_map(again).collect()
}
