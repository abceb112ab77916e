//! A data-centre network: hosts with transports, switches with the engine's traffic managers, and the closed-loop
//! experiments of Themis (§6.3.2), Occamy (§3.1, §6.2, §6.4) and Gearbox (§4.1).
//!
//! What a paper leaves open is a parameter, marked as assumed. The background traffic, the queries and the
//! topology are [`setup`]; [`metrics`] is what is measured of the flows and queries that began between the end of
//! the warm-up and the end of the span. Every flow starts without a handshake.

pub mod carried;
mod causes;
pub mod drive;
pub mod metrics;
pub mod outcome;
pub mod params;
pub mod policies;
pub mod setup;
pub mod shares;
mod sizes;
pub mod traffic;

use forebay_lab::{
    ConfigError, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, SeriesSpec,
};

use forebay_switch::{AnySwitch, Catalogue, Observed, SwitchShape};
use forebay_trace::Tracing;

use setup::Setup;

/// The scenario; see the module's head.
pub struct DataCenter {
    catalogue: Catalogue,
    policies: Vec<PolicyInfo>,
}

impl DataCenter {
    /// Over what is in the catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        DataCenter { policies: policies::all(catalogue), catalogue: catalogue.clone() }
    }
}

impl Scenario for DataCenter {
    fn name(&self) -> &'static str {
        "network"
    }

    fn about(&self) -> &'static str {
        "hosts with TCP send flows and queries through switches of one kind, closed loop"
    }

    fn params(&self) -> &'static [ParamSpec] {
        params::PARAMS
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.policies
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn series(&self) -> &'static [SeriesSpec] {
        metrics::SERIES
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        Setup::new(&self.catalogue, params, policy)?.check(params)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let setup = Setup::new(&self.catalogue, point.params, point.policy)?;
        let Some(trace) = context.trace::<Tracing>() else {
            return drive::run(&setup, point, |_, switch| switch, context);
        };
        let watched = |shape: &SwitchShape<'_>, switch| -> AnySwitch {
            Box::new(Observed::new(switch, trace.tracer(point.policy, shape)))
        };
        drive::run(&setup, point, watched, context)
    }

    fn traces(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
