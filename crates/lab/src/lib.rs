//! The laboratory decides how an experiment file becomes results that a stranger can trust: what
//! its parameters mean and where they come from, which runs there are, which are already done, and
//! how the numbers and figures are presented beside what the paper states. It does not know what is
//! simulated: scenarios are passed in, as a [`ScenarioRegistry`] (those of this project are in
//! `forebay-scenarios`).
//!
//! The central trait is [`Scenario`]: a simulation that declares its parameters, policies and
//! metrics. An [`Experiment`] is a TOML file checked against those declarations.
//!
//! ```
//! use forebay_lab::{
//!     Better::Lower, ConfigError, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
//!     RunOutput, Scenario, ScenarioRegistry, metric, parse,
//! };
//! use forebay_parameters::{Configure, Kind, Parameter, Source, Walk};
//!
//! /// What can be set: a parameter is declared once, beside the field that it fills.
//! struct Config { load: f64 }
//!
//! const LOAD: Parameter = Parameter::new(
//!     "workload.load",
//!     Kind::Float { min: 0.0, max: 0.99 },
//!     Source::assumed("any"),
//!     "Arrivals over services.",
//! );
//!
//! impl Configure for Config {
//!     fn walk(&mut self, walk: &mut dyn Walk) {
//!         walk.field(&LOAD, &mut self.load);
//!     }
//! }
//!
//! /// The mean number in an M/M/1 queue.
//! struct Formula;
//!
//! impl Scenario for Formula {
//!     fn name(&self) -> &str {
//!         "formula"
//!     }
//!     fn about(&self) -> &str {
//!         "the M/M/1 formula"
//!     }
//!     fn configure(&self, _policy: &str) -> Box<dyn Configure> {
//!         Box::new(Config { load: 0.5 })
//!     }
//!     fn policies(&self) -> &[PolicyInfo] {
//!         const { &[PolicyInfo::new("fcfs", "FCFS", "First come, first served.")] }
//!     }
//!     fn metrics(&self) -> &[MetricSpec] {
//!         const { &[metric("in_system", "", "In the system", Lower).is("The mean number.")] }
//!     }
//!     fn check(&self, _: &Resolved, _: &str) -> Result<(), ConfigError> {
//!         Ok(())
//!     }
//!     fn run(&self, point: &Point<'_>, _: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
//!         let Config { load } = point.params.fill(Config { load: 0.5 })?;
//!         Ok(RunOutput { values: vec![("in_system", load / (1.0 - load))], timelines: vec![] })
//!     }
//! }
//!
//! let registry = ScenarioRegistry::new().with(Formula)?;
//! let text = r#"
//!     title = "A queue against load"
//!     scenario = "formula"
//!     policies = ["fcfs"]
//!     [sweep]
//!     load = [0.5, 0.9]
//! "#;
//! let experiment = parse(text.as_bytes(), &registry)?;
//! assert_eq!(experiment.run_count(), 2);
//! assert_eq!(experiment.at_point(1).parameter("load")?.value.to_string(), "0.9");
//!
//! let errors = parse(b"title = \"A queue\"\nscenario = \"formul\"\n", &registry).unwrap_err();
//! let text = errors.to_string();
//! assert!(text.starts_with("experiment.toml:2:12: there is no scenario `formul`"), "{text}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything before the runs is a pure function of the file's bytes; runs are pure functions of
//! their [`Point`]; reports are pure functions of stored results.
//!
//! A run is stored under a key of everything it depends on ([`run::plan`]). The engine's sources
//! are part of it: the build script hashes `src` of every crate beside this one, the scenarios
//! among them, and `Cargo.lock`, so that a changed engine computes anew. A scenario of another
//! workspace is not among them: its [`version`](Scenario::version) stands for its code.
#![forbid(unsafe_code)]

pub mod config;
mod context;
mod digest;
pub mod error;
mod registry;
pub mod report;
pub mod reproduction;
pub mod resolved;
pub mod results;
pub mod run;
pub mod scenario;
pub mod schema;
#[cfg(test)]
mod testing;

pub use config::{Experiment, Overrides, parse};
pub use context::RunContext;
pub use error::{ConfigError, ConfigErrors, Position};
pub use registry::{RegistryError, ScenarioRegistry};
pub use resolved::Resolved;
pub use scenario::{Lack, LiveRuns, Point, RunError, RunOutput, Scenario, Timeline};
pub use schema::{Better, MetricSpec, NamedMetric, PolicyInfo, SeriesSpec, joined, metric, series};
