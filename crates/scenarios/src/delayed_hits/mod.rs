//! A cache whose misses take time: the experiments of delayed hits (thesis chapter 2).
//!
//! A trace goes through a cache under a policy; latencies count from the miss, the delayed hit or the hit (Eq.
//! 2.12). Every run also asks what the classical model says of the same policy. The thesis's traces are not
//! public; generators with their published rates stand in, or any file.
//!
//! [`trace`] is where requests come from (`recorded`: files), `store` where misses go, [`drive`] runs them, [`metrics`] is what is measured. [`stream`] runs
//! a policy without holding the trace.

pub mod drive;
mod hbm_store;
pub mod metrics;
pub mod optimum;
pub mod params;
mod recorded;
mod store;
pub mod stream;
pub mod trace;

use forebay_lab::{
    ConfigError, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario,
};

use drive::Setup;

/// The scenario; see the module's head.
pub struct DelayedHits;

impl Scenario for DelayedHits {
    fn name(&self) -> &'static str {
        "delayed-hits"
    }

    fn about(&self) -> &'static str {
        "a cache in front of a store that takes time to answer; requests meet hits, delayed hits and misses"
    }

    fn params(&self) -> &'static [ParamSpec] {
        params::PARAMS
    }

    fn policies(&self) -> &'static [PolicyInfo] {
        params::POLICIES
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn check(&self, params: &Resolved, _policy: &str) -> Result<(), ConfigError> {
        trace::check(params)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let setup = Setup::new(point.params, point.policy, point.seed)?;
        let found = drive::run(&setup, point.policy, context)?;
        let value = |name: &str| found.iter().find(|(given, _)| *given == name);
        let values = metrics::METRICS
            .iter()
            .map(|metric| (metric.name, value(metric.name).map_or(f64::NAN, |(_, value)| *value)))
            .collect();
        Ok(RunOutput { values, timelines: Vec::new() })
    }
}

#[cfg(test)]
mod tests;
