//! One switch, one congested output: the single-point experiments of Themis (§6.3.1, App. C).
//!
//! `inputs` links feed one output port. The paper gives the topology (32 inputs at 50 Gb/s), the
//! flow sizes (WebSearch), the transport (UDP), the ranks (shortest flow first) and the sizes of
//! the memories; it does not give the output's rate, the packet size, the measured span, or how the
//! baselines use the HBM. Every such gap is a parameter here ([`params`]), marked as assumed.
//!
//! [`drive`] feeds the switch, [`metrics`] is what it measures.

pub mod drive;
pub mod metrics;
pub mod params;
pub mod setup;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, SeriesSpec,
};

use forebay_parameters::{Configure, UnknownName};
use forebay_switch::{Catalogue, SwitchShape, Unwatched};
use forebay_trace::Tracing;

use crate::engine_policies;
use params::SinglePointSetup;

/// The scenario over the hybrid policies of a catalogue; see the module's head.
pub struct SinglePoint {
    catalogue: Catalogue,
    infos: Vec<PolicyInfo>,
}

impl SinglePoint {
    /// Over these policies.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        let infos = engine_policies(catalogue.hybrid());
        SinglePoint { catalogue: catalogue.clone(), infos }
    }

    fn defaults(&self, policy: &str) -> Result<SinglePointSetup, UnknownName> {
        let policy = self.catalogue.hybrid().named(policy)?;
        Ok(SinglePointSetup::new(policy.clone(), &self.catalogue))
    }

    /// The parameters of a point.
    fn setup(&self, params: &Resolved, policy: &str) -> Result<SinglePointSetup, ConfigError> {
        params.fill(self.defaults(policy)?)
    }
}

impl Scenario for SinglePoint {
    fn name(&self) -> &'static str {
        "single-point"
    }

    fn about(&self) -> &'static str {
        "many inputs feed one output port through a hybrid SRAM and HBM buffer"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.defaults(policy).ok())
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.infos
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn series(&self) -> &'static [SeriesSpec] {
        metrics::SERIES
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        self.setup(params, policy)?.check(params)
    }

    fn warnings(&self, params: &Resolved) -> Vec<String> {
        let setup = self.infos.first().map(|any| self.setup(params, &any.name));
        setup.and_then(Result::ok).map_or_else(Vec::new, |setup| setup.warnings())
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let setup = self.setup(point.params, point.policy)?;
        let Some(trace) = context.trace::<Tracing>() else {
            return drive::run(&setup, point.seed, Unwatched, context);
        };
        let ports = [setup.egress_rate];
        let shape = SwitchShape { index: 0, ports: &ports };
        let tracer = trace.tracer(point.policy, &shape);
        drive::run(&setup, point.seed, tracer, context)
    }

    fn traces(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
