//! One link, open loop: flows that keep to their rates, and how much later than promised their packets leave.
//!
//! Source: gearbox §2.3, §2.4 (Eq. 1, 2), §3.4 (Eq. 6). A packet's ideal departure time F is its arrival A, or its
//! flow's last F if that is later, plus its size over the flow's rate (§2.1); D is when its last bit has left. Time is
//! real time (as in the paper's footnote 9), counted in units of `scheduler.unit` bytes of the link, so that every
//! scheduler is measured by the same clock. F holds the packet's own time, so that the fluid server has no discrepancy;
//! a packet that is being sent is not interrupted, so that exact order by the fluid server's clock (`wfq`) may have one
//! largest packet's time (Parekh and Gallager), and all beyond that is the scheduler's.
//!
//! The paper leaves open how flows arrive: here one packet after another at the flow's rate, with a random phase, and
//! each packet moved by up to `workload.jitter` of its interval; flows of the largest weight in bursts of
//! `workload.burst`. O(packets log packets); 40 bytes a packet.

mod drive;
mod metrics;

use forebay_lab::DefaultSource::Paper;
use forebay_lab::{
    ConfigError, Kind, MetricSpec, ParamSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, assumed, joined, param,
};
use forebay_switch::Catalogue;
use forebay_units::Rate;

use super::schedulers;

/// The scenario; see the module's head.
pub struct Link {
    catalogue: Catalogue,
    policies: Vec<PolicyInfo>,
}

impl Link {
    /// Over what is in the catalogue.
    #[must_use]
    pub fn new(catalogue: &Catalogue) -> Self {
        Link { policies: schedulers::policies(DROP_TAIL, catalogue), catalogue: catalogue.clone() }
    }
}

const OWN: &[ParamSpec] = &[
    param("link.rate", Kind::Rate, "10 Gb/s", Paper("gearbox §4.1.1"), "Rate of the link."),
    param("link.packet", Kind::Bytes, "1500 B", Paper("gearbox §4.1.1"), "Bytes of a packet."),
    param(
        "workload.load",
        Kind::Float { min: 0.01, max: 2.0 },
        "1",
        assumed("flows use the rates they are assigned"),
        "What the flows send, of their assigned rates.",
    ),
    param(
        "workload.jitter",
        Kind::Float { min: 0.0, max: 1.0 },
        "0.5",
        assumed("senders are not synchronized"),
        "By how much of its interval a packet may come late.",
    ),
    param(
        "workload.burst",
        Kind::Int { min: 1, max: 65_536 },
        "1",
        assumed("one packet after another"),
        "Packets that flows of the largest weight send at once, as rarely as keeps them to their rate.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "50 ms",
        assumed("40 thousand packets"),
        "Packets that arrive later are not sent.",
    ),
];

const DROP_TAIL: &[PolicyInfo] =
    &[PolicyInfo { name: "drop-tail", label: "Drop-tail", doc: "Order of arrival." }];

const PARAMS: [ParamSpec; OWN.len() + schedulers::PARAMS.len()] = joined(OWN, schedulers::PARAMS);

impl Scenario for Link {
    fn name(&self) -> &'static str {
        "link"
    }

    fn about(&self) -> &'static str {
        "flows that keep to their rates share one link: how late packets leave, open loop"
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
        let scheduler = schedulers::choice(&self.catalogue, params, policy)?;
        if params.rate("link.rate")? == Rate::from_bps(0) {
            return Err(params.blame("link.rate", "nothing leaves at 0 b/s").fix("give more"));
        }
        if !(1..=1 << 20).contains(&params.bytes("link.packet")?.get()) {
            return Err(params
                .blame("link.packet", "no packet is so large")
                .fix("give 1 B to 1 MiB"));
        }
        drive::check(params)?;
        schedulers::check(params, &scheduler, params.rate("link.rate")?)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let run = drive::Run::new(&self.catalogue, point)?;
        let outcome = run.drive(context)?;
        Ok(RunOutput { values: metrics::values(&outcome), timelines: Vec::new() })
    }
}

#[cfg(test)]
mod tests;
