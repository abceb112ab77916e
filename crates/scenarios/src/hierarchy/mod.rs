//! One link, flows of constant rates, and who gets how much: a scheduling tree against its exact allocation.
//!
//! Source: hierarchical scheduling as clubheap §1 and §2.1 name it; the exact allocation is weighted max-min, node by
//! node ([`TreeConfig::allocation`]). Every flow offers packets at its rate, and waits with the next while
//! `workload.window` of its own wait, as a sender with a window does, so that no flow fills the buffer of another.
//! What is measured are the leaves of `scheduler.tree`, whatever the policy is: a scheduler that knows no tree shows
//! what the tree is for.
//!
//! O(packets log flows); 40 bytes a flow and the scheduler's own.
//!
//! [`TreeConfig::allocation`]: forebay_sched::tree::TreeConfig::allocation

mod drive;
mod metrics;
mod offers;

use forebay_lab::DefaultSource::Paper;
use forebay_lab::{
    ConfigError, Kind, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, assumed, joined, param,
};

use forebay_sched::scheduler::tree;
use forebay_switch::Catalogue;

use super::schedulers;

/// The scenario; see the module's head.
pub struct Hierarchy {
    catalogue: Catalogue,
    policies: Vec<PolicyInfo>,
}

impl Hierarchy {
    /// Over what is in the catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        Hierarchy {
            policies: schedulers::policies(DROP_TAIL, catalogue),
            catalogue: catalogue.clone(),
        }
    }
}

const OWN: &[ParamSpec] = &[
    param("link.rate", Kind::Rate, "10 Gb/s", Paper("gearbox §4.1.1"), "Rate of the link."),
    param("link.packet", Kind::Bytes, "1500 B", Paper("gearbox §4.1.1"), "Bytes of a packet."),
    param(
        "workload.demands",
        Kind::Text,
        "10 Gb/s x2",
        assumed("two flows that could fill the link"),
        "What each flow sends if it may, as 10 Gb/s x3:500 Mb/s:0 b/s.",
    ),
    param(
        "workload.classes",
        Kind::Text,
        "0:1",
        assumed("one flow in the first class of the built-in tree, one in the next"),
        "The class of each flow, as 0:1x3, the last for all beyond.",
    ),
    param(
        "workload.window",
        Kind::Int { min: 1, max: 4096 },
        "16",
        assumed("enough that a leaf with its turn has a packet"),
        "Packets of a flow that may wait; it offers the next when one has left.",
    ),
    param(
        "run.warm_up",
        Kind::Duration,
        "5 ms",
        assumed("bursts of shapers are over"),
        "What leaves earlier is not measured, but for shapers.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "50 ms",
        assumed("40 thousand packets"),
        "What leaves later is not measured.",
    ),
];

const DROP_TAIL: &[PolicyInfo] =
    &[PolicyInfo { name: "drop-tail", label: "Drop-tail", doc: "Order of arrival." }];

const PARAMS: [ParamSpec; OWN.len() + schedulers::PARAMS.len()] = joined(OWN, schedulers::PARAMS);

impl Scenario for Hierarchy {
    fn name(&self) -> &'static str {
        "hierarchy"
    }

    fn about(&self) -> &'static str {
        "flows of constant rates share one link: the leaves of a scheduling tree against its exact allocation"
    }

    fn params(&self) -> &'static [ParamSpec] {
        &PARAMS
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.policies
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let rate = params.rate("link.rate")?;
        if rate.as_bps() == 0 {
            return Err(params.blame("link.rate", "nothing leaves at 0 b/s").fix("give more"));
        }
        // The tree is what is measured, whatever the policy.
        let measured = schedulers::tree(params)?;
        schedulers::check(params, &tree(measured.clone()), rate)?;
        let scheduler = schedulers::choice(&self.catalogue, params, policy)?;
        schedulers::check(params, &scheduler, rate)?;
        offers::Offers::new(params)?.check(params, &measured)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let outcome = drive::Run::new(&self.catalogue, point)?.drive(context)?;
        Ok(RunOutput { values: metrics::values(&outcome), timelines: Vec::new() })
    }
}

#[cfg(test)]
mod tests;
