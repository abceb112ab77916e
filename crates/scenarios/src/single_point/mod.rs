//! One switch, one congested output: the single-point experiments of Themis (§6.3.1, App. C).
//!
//! `inputs` links feed one output port. The paper gives the topology (32 inputs at 50 Gb/s), the flow
//! sizes (WebSearch), the transport (UDP), the ranks (shortest flow first) and the sizes of the
//! memories; it does not give the output's rate, the packet size, the measured span, or how the
//! baselines use the HBM. Every such gap is a parameter here ([`params`]), marked as assumed.
//!
//! [`drive`] feeds the switch, [`metrics`] is what it measures.

pub mod drive;
pub mod metrics;
pub mod params;
pub mod setup;

use forebay_lab::{
    ConfigError, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, SeriesSpec,
};

use forebay_switch::{SwitchShape, Unwatched};
use forebay_trace::Tracing;

use setup::Setup;

/// The scenario; see the module's head.
pub struct SinglePoint;

impl Scenario for SinglePoint {
    fn name(&self) -> &'static str {
        "single-point"
    }

    fn about(&self) -> &'static str {
        "many inputs feed one output port through a hybrid SRAM and HBM buffer"
    }

    fn params(&self) -> &'static [ParamSpec] {
        params::PARAMS
    }

    fn policies(&self) -> &'static [PolicyInfo] {
        &params::POLICIES
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn series(&self) -> &'static [SeriesSpec] {
        metrics::SERIES
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        Setup::new(params)?.check(params, policy)
    }

    fn warnings(&self, params: &Resolved) -> Vec<String> {
        Setup::new(params).map_or_else(|_| Vec::new(), |setup| setup.warnings())
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let setup = Setup::new(point.params)?;
        let Some(trace) = context.trace::<Tracing>() else {
            return drive::run(&setup, point.policy, point.seed, Unwatched, context);
        };
        let ports = [setup.egress_rate];
        let shape = SwitchShape { index: 0, ports: &ports };
        let tracer = trace.tracer(point.policy, &shape);
        drive::run(&setup, point.policy, point.seed, tracer, context)
    }

    fn traces(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
