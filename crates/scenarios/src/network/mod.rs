//! A data-centre network: hosts with transports, switches with the engine's traffic managers, and
//! the closed-loop experiments of Themis (§6.3.2), Occamy (§3.1, §6.2, §6.4) and Gearbox (§4.1).
//!
//! What a paper leaves open is a parameter, marked as assumed. The background traffic, the queries
//! and the topology are [`setup`]; [`metrics`] is what is measured of the flows and queries that
//! began between the end of the warm-up and the end of the span. Every flow starts without a
//! handshake.

pub mod carried;
mod causes;
pub mod drive;
pub mod metrics;
pub mod outcome;
pub mod params;
pub mod pausing;
pub mod setup;
pub mod shares;
mod sizes;
pub mod traffic;
mod trimming;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, SeriesSpec,
};

use forebay_net::transport::CongestionControl;
use forebay_parameters::{Choices, Configure, UnknownName};
use forebay_switch::{AnySwitch, Catalogue, Observed, SwitchShape};
use forebay_trace::Tracing;

use crate::{Policies, engine_policies};
use params::{Config, HostPart, SwitchPart};
use setup::NetworkSetup;

/// The scenario over switches and congestion controls; see the module's head.
pub struct DataCenter {
    catalogue: Catalogue,
    controls: Choices<dyn CongestionControl>,
    infos: Vec<PolicyInfo>,
}

impl DataCenter {
    /// Over the switches of a catalogue and the congestion controls of these.
    #[must_use]
    pub fn new(policies: &Policies) -> Self {
        let Policies { switches, controls, .. } = policies.clone();
        DataCenter { infos: engine_policies(&switches.switches()), catalogue: switches, controls }
    }

    pub(crate) fn config(&self, policy: &str) -> Result<Config, UnknownName> {
        let switch = SwitchPart::new(self.catalogue.switch(policy)?, &self.catalogue);
        let hosts = HostPart::among(&self.controls);
        let (workload, run) = Default::default();
        Ok(Config { hosts, switch, workload, run })
    }

    /// The parameters of a point, and what they build.
    pub(crate) fn setup(
        &self,
        params: &Resolved,
        policy: &str,
    ) -> Result<(Config, NetworkSetup), ConfigError> {
        let config = params.fill(self.config(policy)?)?;
        let setup = NetworkSetup::new(&config).map_err(|error| params.refuse(&error))?;
        Ok((config, setup))
    }
}

impl Scenario for DataCenter {
    fn name(&self) -> &'static str {
        "network"
    }

    fn about(&self) -> &'static str {
        "hosts with TCP send flows and queries through switches of one kind, closed loop"
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

    fn series(&self) -> &'static [SeriesSpec] {
        metrics::SERIES
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let (config, setup) = self.setup(params, policy)?;
        setup.check(&config).map_err(|error| params.refuse(&error))
    }

    fn lacks(&self, params: &Resolved, policy: &str, quantity: &str) -> Option<Lack> {
        let (config, _) = self.setup(params, policy).ok()?;
        metrics::lack(&config, quantity)
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let (_, setup) = self.setup(point.params, point.policy)?;
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
