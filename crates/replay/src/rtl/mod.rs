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

mod config;
mod difference;
mod error;
mod events;
mod follow;
mod model;
mod order;
mod process;
#[cfg(test)]
mod tests;
mod watch;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_parameters::ParameterError;
use forebay_switch::SwitchShape;
use forebay_trace::{Shared, SwitchTracer, TraceOutput};
use serde::Serialize;

pub use config::{CoreConfig, CoreScheduler};
pub use difference::{Difference, Place};
pub use error::RtlError;
pub use model::RtlTools;
pub use watch::Totals;

use crate::error::ReplayError;
use crate::plan::ReplayPlan;
use crate::ranking::Ranking;
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
    let program = tools.build(&run.core, ports, run.classes, run.wave.is_some(), stop)?;
    let trace = run.trace.as_ref().map(|trace| traced(trace, plan)).transpose()?;
    let file = trace.map(|(file, watchers)| {
        follower.watchers = Some(watchers);
        file
    });
    let shares: Vec<_> = plan.ports().iter().map(|rate| run.core.share(*rate)).collect();
    if let Some((wave, _)) = &run.wave {
        let made = File::create(wave);
        made.map_err(|error| RtlError::File(ReplayError::unwritten(wave, &error)))?;
    }
    let child = model::start(&program, &shares, run.expels, run.wave.as_ref())?;
    let seen = follow(child, &packets, &mut follower, stop)?;
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
        cells_compared: seen.cells,
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

/// The packets of the plan.
fn packets(plan: &ReplayPlan<'_>, run: &RtlRun) -> Result<Offered, RtlError> {
    if matches!(plan.ranking(), Some(Ranking::Function(_))) {
        return Err(RtlError::NoRule);
    }
    let core = &run.core;
    let ports = plan.ports().len() as u16;
    let most = core.most_field(ports);
    let (mut packets, mut no_route, mut clamped) = (Vec::new(), 0, 0);
    for index in 0..plan.packets() {
        let Some(offered) = plan.offered(index) else { break };
        let recorded = offered.recorded;
        let (Some(port), 1..) = (offered.port, recorded.bytes) else {
            no_route += 1;
            continue;
        };
        let class = u16::from(offered.class).min(run.classes - 1) as u8;
        let field = match (plan.rank(&offered), core.scheduler) {
            (Some(rank), _) => rank.get(),
            (None, CoreScheduler::Bbq | CoreScheduler::ClubHeap) => class.into(),
            (None, CoreScheduler::Wsjf) => {
                plan.recording().flow_bytes().get(recorded.flow as usize).copied().unwrap_or(0)
            }
            (None, CoreScheduler::Gearbox) => 1 << core.fraction,
        };
        clamped += u64::from(field > most);
        packets.push(Packet {
            index,
            earliest: core.cycle_of(offered.at),
            bytes: recorded.bytes,
            field: field.min(most) as u32,
            port,
            class,
            source: offered.input as u8,
            flow: recorded.flow,
        });
    }
    let Some(shortest) = packets.iter().map(|packet| packet.bytes).min() else {
        return Err(RtlError::NoPackets);
    };
    if shortest > core.largest_bytes {
        let problem = format!("no packet fits: the shortest has {shortest} B, give as many");
        return Err(ParameterError::value("largest_bytes", problem).into());
    }
    Ok(Offered { packets, no_route, clamped })
}

/// What was seen while following.
struct Seen {
    cycles: u64,
    cells: u64,
    difference: Option<Difference>,
    /// Whether the model ended since its wave cannot be written.
    no_wave: bool,
}

/// Feeds the model, and follows it to its end.
fn follow(
    mut child: Child,
    packets: &[Packet],
    follower: &mut Follower<'_>,
    stop: &AtomicBool,
) -> Result<Seen, RtlError> {
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(RtlError::Broken("it has no pipes".to_owned()));
    };
    let stderr = child.stderr.take();
    let stopped = || stop.load(Ordering::Relaxed);
    // No more packets are wanted, and no more is told.
    let (enough, told_all) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut seen = Seen { cycles: 0, cells: 0, difference: None, no_wave: false };
    let (read, said, status) = std::thread::scope(|scope| {
        scope.spawn(|| feed(BufWriter::with_capacity(1 << 18, stdin), packets, &enough));
        let said = scope.spawn(|| process::text(stderr));
        let unwanted = || stopped() || told_all.load(Ordering::Relaxed);
        let status = scope.spawn(move || process::wait(&mut child, unwanted));
        let mut events = BufReader::with_capacity(1 << 18, stdout);
        let read = loop {
            let told = match events::read(&mut events) {
                Ok(Some(told)) => told,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            if stopped() || seen.difference.is_some() {
                // It is left to come to its end, so that its files are whole.
                enough.store(true, Ordering::Relaxed);
                continue;
            }
            if !matches!(told.event, events::Event::Counter { .. }) {
                seen.cycles = told.cycle;
            }
            seen.cells += u64::from(matches!(told.event, events::Event::Cells { .. }));
            if let Err(difference) = follower.step(&told) {
                seen.difference = Some(*difference);
            }
        };
        drop(events);
        enough.store(true, Ordering::Relaxed);
        told_all.store(true, Ordering::Relaxed);
        (read, said.join().unwrap_or_default(), status.join())
    });
    if stopped() {
        return Ok(seen);
    }
    let status = status.map_err(|_| RtlError::Broken("nobody waits for it".to_owned()))?;
    let status = status.map_err(|error| RtlError::Broken(error.to_string()))?;
    if seen.difference.is_some() {
        return Ok(seen);
    }
    match (read, status.code()) {
        (Ok(()), Some(UNWRITTEN)) => seen.no_wave = true,
        (Ok(()), Some(ASSERTED)) => seen.difference = Some(gave_up(&said, seen.cycles)),
        (Ok(()), Some(0)) if follower.ended => {}
        (read, _) => {
            let why = read.err().map_or_else(|| ENDED.to_owned(), |error| error.to_string());
            let said = Some(said.trim()).filter(|said| !said.is_empty());
            let said = said.map(|said| format!(": {said}")).unwrap_or_default();
            return Err(RtlError::Broken(format!("{why} ({status}){said}")));
        }
    }
    Ok(seen)
}

/// What a model has done that says nothing more, and not why.
const ENDED: &str = "it ended before the end";

/// Why the model has ended before its end, of what it said.
fn gave_up(said: &str, cycle: u64) -> Difference {
    let stuck = said.lines().find_map(|line| line.strip_prefix("Stuck: "));
    let failed = || said.lines().find(|line| line.contains("Assertion failed"));
    let (place, core) = match stuck {
        Some(stuck) => (Place::Stuck, stuck),
        None => (Place::Assertion, failed().unwrap_or(said.trim())),
    };
    let (core, switch) = (core.to_owned(), "goes on".to_owned());
    Difference { place, cycle, packet: None, port: None, core, switch }
}

/// The model's exit code when an assertion has failed.
const ASSERTED: i32 = 3;
/// And when its wave cannot be written.
const UNWRITTEN: i32 = 4;

/// Writes the packets; that the model does not want more is its reader's to say.
fn feed(mut out: impl Write, packets: &[Packet], enough: &AtomicBool) {
    for packet in packets {
        if enough.load(Ordering::Relaxed) || packet.write(&mut out).is_err() {
            return;
        }
    }
    let _read_to_its_end = out.flush();
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
