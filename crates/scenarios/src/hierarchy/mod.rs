//! One link, flows of constant rates, and who gets how much: a scheduling tree against its exact
//! allocation.
//!
//! Source: hierarchical scheduling as clubheap §1 and §2.1 name it; the exact allocation is
//! weighted max-min, node by node ([`TreeConfig::allocation`]). Every flow offers packets at its
//! rate, and waits with the next while `workload.window` of its own wait, as a sender with a window
//! does, so that no flow fills the buffer of another. What is measured are the leaves of
//! `scheduler.tree`, whatever the policy is: a scheduler that knows no tree shows what the tree is
//! for.
//!
//! O(packets log flows); 40 bytes a flow and the scheduler's own.
//!
//! [`TreeConfig::allocation`]: forebay_sched::tree::TreeConfig::allocation

mod drive;
mod metrics;
mod offers;

use forebay_lab::{
    ConfigError, Lack, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError, RunOutput,
    Scenario,
};
use forebay_parameters::{Configure, ParameterError, Source};
use forebay_sched::scheduler::{SchedulerShape, tree};
use forebay_switch::Catalogue;
use forebay_units::{Bytes, Duration, Rate};

use crate::schedulers::{Schedulers, Scheduling};

/// The scenario over some schedulers; see the module's head.
pub struct Hierarchy {
    schedulers: Schedulers,
}

impl Hierarchy {
    /// Over the schedulers of a catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        Hierarchy { schedulers: Schedulers::new(catalogue) }
    }

    /// The parameters of a point.
    fn config(&self, params: &Resolved, policy: &str) -> Result<Config, ConfigError> {
        params.fill(Config::new(self.schedulers.named(policy)?))
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, Configure)]
struct Config {
    /// Rate of the link.
    #[parameter(source = LINK, name = "link.rate")]
    rate: Rate,
    /// Bytes of a packet.
    #[parameter(source = LINK, name = "link.packet")]
    packet: Bytes,
    /// What each flow sends if it may, as 10 Gb/s x3:500 Mb/s:0 b/s.
    #[parameter(assumed = "two flows that could fill the link", name = "workload.demands")]
    demands: Vec<Rate>,
    /// The class of each flow, as 0:1x3, the last for all beyond.
    #[parameter(name = "workload.classes", range = 0..=255)]
    #[parameter(assumed = "one flow in the first class of the built-in tree, one in the next")]
    classes: Vec<u8>,
    /// Packets of a flow that may wait; it offers the next when one has left.
    #[parameter(name = "workload.window", range = 1..=4096)]
    #[parameter(assumed = "enough that a leaf with its turn has a packet")]
    window: u64,
    /// What leaves earlier is not measured, but for shapers.
    #[parameter(assumed = "bursts of shapers are over", name = "run.warm_up")]
    warm_up: Duration,
    /// What leaves later is not measured.
    #[parameter(assumed = "40 thousand packets", name = "run.span")]
    span: Duration,
    #[parameter(part)]
    scheduling: Scheduling,
}

impl Config {
    fn new(scheduling: Scheduling) -> Self {
        Config {
            rate: Rate::from_gbps(10),
            packet: Bytes::new(1500),
            demands: vec![Rate::from_gbps(10); 2],
            classes: vec![0, 1],
            window: 16,
            warm_up: Duration::from_ms(5),
            span: Duration::from_ms(50),
            scheduling: scheduling.measuring_tree(),
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.rate.as_bps() == 0 {
            return Err(Config::RATE.refuse("give a link rate above 0 b/s"));
        }
        // The tree is what is measured, whatever the policy.
        let measured = self.scheduling.tree()?;
        let shape = SchedulerShape::of_link(self.rate);
        let built = tree(measured.clone()).build(&shape);
        built.map_err(|error| self.scheduling.refuse(error))?;
        self.scheduling.build(self.rate)?;
        self.check_offers(&measured)
    }
}

const LINK: Source = Source::paper("gearbox §4.1.1");

impl Scenario for Hierarchy {
    fn name(&self) -> &'static str {
        "hierarchy"
    }

    fn about(&self) -> &'static str {
        "flows of constant rates share one link: the leaves of a scheduling tree against its exact \
         allocation"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.schedulers.named(policy).ok().map(Config::new))
    }

    fn policies(&self) -> &[PolicyInfo] {
        self.schedulers.infos()
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn missing(&self, quantity: &str) -> Option<Lack> {
        metrics::missing(quantity)
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        self.config(params, policy)?.check().map_err(|error| params.refuse(&error))
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = self.config(point.params, point.policy)?;
        let run = drive::Run::new(config, point.seed)
            .map_err(|error| RunError::Failed(error.to_string()))?;
        let outcome = run.drive(context)?;
        Ok(RunOutput { values: metrics::values(&outcome), timelines: Vec::new() })
    }
}

#[cfg(test)]
mod tests;
