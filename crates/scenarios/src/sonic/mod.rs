//! A burst through a switch as its SONiC configuration has it: counted on both sides, with flow
//! control and early marks, lossy and lossless traffic side by side.
//!
//! Senders burst at once, through the other ports, into one port: into a queue that may lose
//! packets, into one that may not, or into both; other ports are already congested in the same
//! pool. Nobody reacts to losses or marks, but senders obey pauses: a pause begins as a frame that
//! waits for the largest packet, travels the port's cable, and is obeyed after the response time.
//! So what arrives after the switch has called for it is what [`Reaction`] says, at worst.
//!
//! [`params`] has the parameters, [`traffic`] who sends what, [`build`] the switch, [`limits`] the
//! thresholds of the file beside the scheme that is compared, [`inputs`] the links into the switch,
//! [`drive`] the run, [`metrics`] and [`story`] what comes of it.
//!
//! [`Reaction`]: forebay_buffer::Reaction

mod bring;
pub mod build;
pub mod drive;
pub mod inputs;
pub mod limits;
pub mod marks;
pub mod metrics;
pub mod params;
pub mod story;
pub mod traffic;

use std::sync::atomic::AtomicBool;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario, SeriesSpec,
};
use forebay_parameters::{Configure, UnknownName};
use forebay_switch::{Catalogue, SwitchShape, Unwatched};
use forebay_trace::Tracing;

use crate::engine_policies;
use params::SonicSetup;
pub use story::Story;

/// The scenario over the on-chip policies of a catalogue; see the module's head.
pub struct Sonic {
    catalogue: Catalogue,
    infos: Vec<PolicyInfo>,
}

impl Sonic {
    /// Over those of a catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        let infos = engine_policies(catalogue.on_chip());
        Sonic { catalogue: catalogue.clone(), infos }
    }

    fn defaults(&self, policy: &str) -> Result<SonicSetup, UnknownName> {
        Ok(SonicSetup::new(self.catalogue.on_chip().named(policy)?.clone()))
    }

    fn setup(&self, params: &Resolved, policy: &str) -> Result<SonicSetup, ConfigError> {
        params.fill(self.defaults(policy)?)
    }

    /// Plays a point and says who was paused and who lost first; it ends soon after `stop` is
    /// raised.
    ///
    /// # Errors
    /// As [`Scenario::run`].
    pub fn story(&self, point: &Point<'_>, stop: &AtomicBool) -> Result<Story, RunError> {
        let setup = self.setup(point.params, point.policy)?;
        let refused = |error| RunError::from(point.params.refuse(&error));
        let switch = build::Switch::new(&setup).map_err(refused)?;
        let mut context = RunContext::stopping(stop);
        let (_, notes) = drive::run(&setup, &switch, point.seed, Unwatched, &mut context)?;
        Ok(story::tell(&setup, &switch, &notes))
    }
}

impl Scenario for Sonic {
    fn name(&self) -> &'static str {
        "sonic"
    }

    fn about(&self) -> &'static str {
        "a burst through a switch as its SONiC configuration has it: ingress and egress pools, flow \
         control, headroom, early marks"
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
        let setup = self.setup(params, policy)?;
        setup.check(params)?;
        let refused = |error| params.refuse(&error);
        let switch = build::Switch::new(&setup).map_err(refused)?;
        switch.buffer(&setup).map(|_| ()).map_err(refused)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let setup = self.setup(point.params, point.policy)?;
        let refused = |error| RunError::from(point.params.refuse(&error));
        let switch = build::Switch::new(&setup).map_err(refused)?;
        let played = match context.trace::<Tracing>() {
            None => drive::run(&setup, &switch, point.seed, Unwatched, context),
            Some(trace) => {
                let shape = SwitchShape { index: 0, ports: &switch.rates };
                let tracer = trace.tracer(point.policy, &shape);
                drive::run(&setup, &switch, point.seed, tracer, context)
            }
        };
        played.map(|(output, _)| output)
    }

    fn traces(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
