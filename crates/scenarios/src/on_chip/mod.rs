//! A burst meets queues that already hold buffer: the open-loop experiments on an on-chip
//! shared-memory switch (occamy §2.2, Fig. 3; §6.1, Fig. 10 and 11).
//!
//! Long-lived senders keep some queues congested; then others send a burst into queues that were
//! empty. All send at a given rate whatever becomes of their packets. The paper gives the topology
//! and the link rates; it gives neither the buffer's size, nor the packet size, nor the rate at
//! which its senders really send. Every such gap is a parameter here ([`params`]), marked as
//! assumed.
//!
//! [`setup`] builds the switch, [`source`] the senders, [`drive`] feeds the switch, [`metrics`] is
//! what it measures.

pub mod drive;
pub mod metrics;
pub mod params;
pub mod setup;
pub mod source;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, SeriesSpec,
};

use forebay_parameters::{Configure, UnknownName};
use forebay_switch::{Catalogue, SwitchShape, Unwatched};
use forebay_trace::Tracing;

use crate::engine_policies;
use params::OnChipSetup;

/// The scenario over the on-chip policies of a catalogue; see the module's head.
pub struct OnChip {
    catalogue: Catalogue,
    infos: Vec<PolicyInfo>,
}

impl OnChip {
    /// Over those of a catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        let infos = engine_policies(catalogue.on_chip());
        OnChip { catalogue: catalogue.clone(), infos }
    }

    fn defaults(&self, policy: &str) -> Result<OnChipSetup, UnknownName> {
        let policy = self.catalogue.on_chip().named(policy)?;
        Ok(OnChipSetup::new(policy.clone(), &self.catalogue))
    }

    /// The parameters of a point.
    fn setup(&self, params: &Resolved, policy: &str) -> Result<OnChipSetup, ConfigError> {
        params.fill(self.defaults(policy)?)
    }
}

impl Scenario for OnChip {
    fn name(&self) -> &'static str {
        "on-chip"
    }

    fn about(&self) -> &'static str {
        "a burst meets congested queues in an on-chip shared buffer; senders do not react (open \
         loop)"
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

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn series(&self) -> &'static [SeriesSpec] {
        metrics::SERIES
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        self.setup(params, policy)?.check(params)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let setup = self.setup(point.params, point.policy)?;
        let Some(trace) = context.trace::<Tracing>() else {
            return drive::run(&setup, point.seed, Unwatched, context);
        };
        let ports = vec![setup.port_rate; usize::from(setup.shape().0)];
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
