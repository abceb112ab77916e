//! A cache whose misses take time: the experiments of delayed hits (thesis chapter 2).
//!
//! A trace goes through a cache under a policy; latencies count from the miss, the delayed hit or
//! the hit (Eq. 2.12). Every run also asks what the classical model says of the same policy. The
//! thesis's traces are not public; generators with their published rates stand in, or any file.
//!
//! [`config`] is what can be set, [`trace`] where requests come from (`recorded`: files), `store`
//! where misses go; [`drive`] runs them, [`metrics`] is what is measured. [`stream`] runs a policy
//! without holding the trace.

pub mod config;
mod contender;
pub mod drive;
mod hbm_store;
mod memory;
pub mod metrics;
pub mod optimum;
pub mod recorded;
mod store;
pub mod stream;
pub mod trace;
mod verdict;

use forebay_cache::policies::CachePolicy;
use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario,
};
use forebay_parameters::{Choices, Configure, UnknownName};

use config::Config;
pub use contender::Contender;
pub(crate) use contender::of_caches;
pub(crate) use drive::{cache, not_offered};
pub use verdict::Verdict;

/// The scenario over the policies of caches; see the module's head.
pub struct DelayedHits {
    caches: Choices<dyn CachePolicy>,
    infos: Vec<PolicyInfo>,
}

impl DelayedHits {
    /// Over these policies.
    #[must_use]
    pub fn new(caches: &Choices<dyn CachePolicy>) -> Self {
        DelayedHits { caches: caches.clone(), infos: contender::infos(caches) }
    }

    fn config(&self, policy: &str) -> Result<Config, UnknownName> {
        Contender::named(policy, &self.caches).map(Config::new)
    }
}

impl Scenario for DelayedHits {
    fn name(&self) -> &'static str {
        "delayed-hits"
    }

    fn about(&self) -> &'static str {
        "a cache in front of a store that takes time to answer; requests meet hits, delayed hits \
         and misses"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.config(policy).ok())
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.infos
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let config = params.fill(self.config(policy)?)?;
        let checked = config.check_sizes().and_then(|()| trace::check(&config.trace));
        checked.map_err(|error| params.refuse(&error))
    }

    fn warnings(&self, params: &Resolved) -> Vec<String> {
        let config = self.infos.first().and_then(|any| self.config(&any.name).ok());
        let config = config.and_then(|config| params.fill(config).ok());
        config.map_or_else(Vec::new, |config| recorded::warnings(&config.trace))
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = self.config(point.policy).map_err(ConfigError::from)?;
        let config = point.params.fill(config)?;
        let found = drive::run(&config, point.seed, context)
            .map_err(|error| error.of_point(point.params))?;
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
