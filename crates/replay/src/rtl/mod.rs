//! A capture through `rtl/tm`, the traffic manager in SystemVerilog, beside the switch of the
//! library.
//!
//! The core runs as a Verilator model, cycle by cycle; [`OnChip`](forebay_switch::OnChip) under
//! Dynamic Threshold and the golden model of the core's scheduler follow its events. Compared are
//! every verdict, which queue each port serves, which packet leaves, every byte that comes out, the
//! free cells after each change, and at the end every counter. The first difference ends the
//! comparison.
//!
//! What follows the core is its time: when a packet is in its queue, when a port asks, and what
//! Occamy expels and when (its own lockstep compares that).

mod clock;
mod config;
mod difference;
mod error;
mod events;
mod follow;
mod hybrid;
mod model;
mod order;
mod process;
mod run;
#[cfg(test)]
mod tests;
mod watch;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use forebay_parameters::ParameterError;
use forebay_switch::SwitchShape;
use forebay_trace::{Shared, SwitchTracer, TraceOutput};
use serde::Serialize;

pub use config::{CoreConfig, CoreScheduler};
pub use difference::{Difference, Place};
pub use error::RtlError;
pub use hybrid::{HybridCoreConfig, HybridReport, HybridRun, HybridTotals, run_hybrid};
pub use model::RtlTools;
pub use watch::Totals;

use crate::error::ReplayError;
use crate::plan::{self, ReplayPlan};
use crate::ranking::Ranking;
use clock::Clock;
use events::Packet;
use follow::Follower;
use watch::Watchers;

/// How a capture goes through the core.
#[derive(Clone, Debug)]
pub struct RtlRun {
    /// The core.
    pub core: CoreConfig,
    /// Queues of a port.
    pub classes: u16,
    /// Whether packets of queues beyond their thresholds are expelled (Occamy).
    pub expels: bool,
    /// A file for the core's signals, as FST, and the cycles of which it gets them.
    pub wave: Option<(PathBuf, Range<u64>)>,
    /// A trace of both.
    pub trace: Option<TraceOutput>,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RtlReport {
    /// Packets of the capture that have a port.
    pub offered: u64,
    /// Those without a port, which neither side was offered.
    pub no_route: u64,
    /// Of those offered: longer than the largest, which both refuse.
    pub too_long: u64,
    /// Of those offered: their rank, job size or weight is more than the core's field holds, and
    /// both sides get the most that it does.
    pub clamped: u64,
    /// The core's cycles.
    pub cycles: u64,
    /// What the core did.
    pub core: Totals,
    /// What the switch did.
    pub switch: Totals,
    /// How often free cells were compared.
    pub cells_compared: u64,
    /// The first difference, as a sentence; `None` if there is none.
    #[serde(serialize_with = "as_text")]
    pub difference: Option<Difference>,
    /// Whether everything was compared.
    pub finished: bool,
    /// The wave or the trace that could not be written to its end; what was seen is whole.
    #[serde(skip)]
    pub unwritten: Option<ReplayError>,
}

fn as_text<S: serde::Serializer>(
    difference: &Option<Difference>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    difference.as_ref().map(ToString::to_string).serialize(serializer)
}

/// Runs `plan` through the core that `tools` build and through the switch, until everything is
/// compared, they differ, or `stop` is raised.
///
/// # Errors
/// What of the run does not fit, or the model that cannot be built or run.
pub fn run_rtl(
    plan: &ReplayPlan<'_>,
    run: &RtlRun,
    tools: &RtlTools,
    stop: &AtomicBool,
) -> Result<RtlReport, RtlError> {
    let ports = plan.ports().len().min(usize::from(u16::MAX)) as u16;
    run.core.check(ports, run.classes)?;
    let Offered { packets, no_route, clamped } = packets(plan, run)?;
    let mut follower =
        Follower::new(&run.core, plan.ports(), run.classes, &packets).map_err(RtlError::Broken)?;
    let parameters = run.core.parameters(ports, run.classes);
    let program = tools.build("tm", &parameters, run.wave.is_some(), stop)?;
    let trace = run.trace.as_ref().map(|trace| traced(trace, plan)).transpose()?;
    let file = trace.map(|(file, watchers)| {
        follower.watchers = Some(watchers);
        file
    });
    let shares: Vec<_> = plan.ports().iter().map(|rate| run.core.clock().share(*rate)).collect();
    if let Some((wave, _)) = &run.wave {
        let made = File::create(wave);
        made.map_err(|error| RtlError::File(ReplayError::unwritten(wave, &error)))?;
    }
    let expels = if run.expels { "1" } else { "0" };
    let child = model::start(&program, &shares, &[expels], run.wave.as_ref())?;
    let seen = run::follow(child, &packets, &mut follower, stop)?;
    let wave = run.wave.as_ref().filter(|_| seen.no_wave);
    let mut unwritten = wave
        .map(|(wave, _)| ReplayError::unwritten(wave, &io::Error::other("the signals do not fit")));
    if let (Some(file), Some(trace)) = (file, &run.trace) {
        let failed = file.finish().err();
        unwritten = unwritten.or(failed.map(|error| ReplayError::unwritten(&trace.path, &error)));
    }
    Ok(RtlReport {
        offered: packets.len() as u64,
        no_route,
        too_long: follower.malformed.into(),
        clamped,
        cycles: seen.cycles,
        core: follower.core,
        switch: follower.model(),
        cells_compared: follower.cells_compared,
        finished: follower.ended || seen.difference.is_some(),
        difference: seen.difference,
        unwritten,
    })
}

/// The packets as the core gets them.
struct Offered {
    packets: Vec<Packet>,
    /// How many have no port.
    no_route: u64,
    /// How many have a field beyond the core's.
    clamped: u64,
}

/// What a core's packets are made of.
struct Intake<'a> {
    clock: Clock,
    /// The largest packet.
    largest_bytes: u32,
    /// The largest number that a packet's field can hold.
    most: u64,
    /// The queues of a port.
    classes: u16,
    /// The field of a packet that no rule gives one, of its class.
    field: &'a dyn Fn(&plan::Offered<'_>, u8) -> u64,
}

impl Intake<'_> {
    /// The packets of the plan.
    fn packets(&self, plan: &ReplayPlan<'_>) -> Result<Offered, RtlError> {
        if matches!(plan.ranking(), Some(Ranking::Function(_))) {
            return Err(RtlError::NoRule);
        }
        let (mut packets, mut no_route, mut clamped) = (Vec::new(), 0, 0);
        for index in 0..plan.packets() {
            let Some(offered) = plan.offered(index) else { break };
            let recorded = offered.recorded;
            let (Some(port), 1..) = (offered.port, recorded.bytes) else {
                no_route += 1;
                continue;
            };
            let class = u16::from(offered.class).min(self.classes - 1) as u8;
            let ranked = plan.rank(&offered).map(|rank| rank.get());
            let field = ranked.unwrap_or_else(|| (self.field)(&offered, class));
            clamped += u64::from(field > self.most);
            packets.push(Packet {
                index,
                earliest: self.clock.cycle_of(offered.at),
                bytes: recorded.bytes,
                field: field.min(self.most) as u32,
                port,
                class,
                source: offered.input as u8,
                flow: recorded.flow,
            });
        }
        let Some(shortest) = packets.iter().map(|packet| packet.bytes).min() else {
            return Err(RtlError::NoPackets);
        };
        if shortest > self.largest_bytes {
            let problem = format!("no packet fits: the shortest has {shortest} B, give as many");
            return Err(ParameterError::value("largest_bytes", problem).into());
        }
        Ok(Offered { packets, no_route, clamped })
    }
}

/// The packets of the plan, as `rtl/tm` gets them.
fn packets(plan: &ReplayPlan<'_>, run: &RtlRun) -> Result<Offered, RtlError> {
    let core = &run.core;
    let field = |offered: &plan::Offered<'_>, class: u8| match core.scheduler {
        CoreScheduler::Bbq | CoreScheduler::ClubHeap => class.into(),
        CoreScheduler::Wsjf => {
            let flow = offered.recorded.flow as usize;
            plan.recording().flow_bytes().get(flow).copied().unwrap_or(0)
        }
        CoreScheduler::Gearbox => 1 << core.fraction,
    };
    let intake = Intake {
        clock: core.clock(),
        largest_bytes: core.largest_bytes,
        most: core.most_field(plan.ports().len() as u16),
        classes: run.classes,
        field: &field,
    };
    intake.packets(plan)
}

fn traced(
    output: &TraceOutput,
    plan: &ReplayPlan<'_>,
) -> Result<(Shared<File>, Watchers), RtlError> {
    let TraceOutput { path, bounds } = output;
    let unwritten = |error| RtlError::File(ReplayError::unwritten(path, &error));
    let file = Shared::new(File::create(path).map_err(unwritten)?);
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let tracer = |name: &str| SwitchTracer::new(file.clone(), name, &shape, *bounds);
    let watchers = Watchers { core: tracer("rtl/tm"), switch: tracer("the library's switch") };
    Ok((file, watchers))
}
