//! The laboratory decides how an experiment file becomes results that a stranger can trust: what its
//! parameters mean and where they come from, which runs there are, which are already done, and how the
//! numbers and figures are presented beside what the paper states.
//!
//! The central trait is [`Scenario`]: a simulation that declares its parameters, policies and metrics. An
//! [`Experiment`] is a TOML file checked against those declarations.
//!
//! ```
//! use forebay_lab::parse;
//!
//! let experiment = parse(
//!     br#"
//!     title = "Shortest job first"
//!     scenario = "single-server"
//!     policies = ["fcfs", "sjf"]
//!     seeds = [1, 2, 3]
//!     [server]
//!     mean_job = { value = "2 us", assumed = "it only scales time" }
//!     [sweep]
//!     load = [0.5, 0.9]
//!     "#,
//! )?;
//! assert_eq!(experiment.run_count(), 12);
//! assert_eq!(experiment.at_point(1).float("load")?, 0.9);
//!
//! let errors = parse(b"title = \"A queue\"\nscenario = \"no-such-thing\"\n").unwrap_err();
//! let text = errors.to_string();
//! assert!(text.starts_with("experiment.toml:2:12: there is no scenario `no-such-thing`"), "{text}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything before the runs is a pure function of the file's bytes; runs are pure functions of their
//! [`Point`]; reports are pure functions of stored results.
#![forbid(unsafe_code)]

pub mod config;
pub mod error;
pub mod report;
pub mod results;
pub mod run;
pub mod scenario;
pub mod scenarios;
pub mod value;

pub use config::{Experiment, Overrides, Resolved, parse};
pub use error::{ConfigError, ConfigErrors, Place};
pub use scenario::{
    Better, DefaultSource, MetricSpec, ParamSpec, Point, PolicyInfo, Registry, RunError, RunOutput,
    Scenario, SeriesSpec, Timeline,
};
pub use value::{Kind, Value};
