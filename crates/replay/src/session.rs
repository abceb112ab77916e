//! A whole replay with its files: what the command and the Python package both do.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use forebay_files::Files;
use forebay_switch::{AnySwitch, Observed, SwitchConfig, SwitchShape};
use forebay_trace::{Shared, SwitchTracer, TraceOutput};

use crate::departures::DepartureCapture;
use crate::drive::{End, Witness, replay};
use crate::error::ReplayError;
use crate::plan::ReplayPlan;
use crate::summary::{ReplayReport, Summary};
use crate::table::PacketTable;

/// The files that a replay writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// A line per packet, as CSV.
    pub table: Option<PathBuf>,
    /// What left, as a capture.
    pub departures: Option<PathBuf>,
    /// What happened in the switch, as a trace.
    pub trace: Option<TraceOutput>,
    /// What else the caller reads, which none of these may be.
    pub others: Files,
}

impl Outputs {
    /// That each is a file of its own, and none of them the capture.
    fn check(&self, capture: &Path) -> Result<(), ReplayError> {
        let files = self.others.clone().read("the capture", capture);
        let files = files.write_some("out", self.table.as_ref());
        let files = files.write_some("pcap", self.departures.as_ref());
        let trace = self.trace.as_ref().map(|trace| &trace.path);
        Ok(files.write_some("trace", trace).check()?)
    }
}

/// A replay that was made.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// What became of the packets.
    pub report: ReplayReport,
    /// The first file that could not be written to its end; the replay went on without it.
    pub unwritten: Option<ReplayError>,
}

/// Replays `plan`, whose capture is the file `capture`, through a switch called `name`, until all
/// packets are gone or `stop` is raised.
///
/// ```no_run
/// # use forebay_replay::{Outputs, ReplayPlan, PlanConfig, run};
/// # use forebay_switch::SwitchConfig;
/// # use forebay_units::Rate;
/// # use forebay_workload::{CaptureLimits, Recording};
/// # use std::{path::Path, sync::atomic::AtomicBool};
/// let file = Path::new("capture.pcap");
/// let recording = Recording::open(file, CaptureLimits::default())?;
/// let plan = ReplayPlan::new(&recording, PlanConfig::new(vec![Rate::from_gbps(1); 4]))?;
/// let switch = SwitchConfig::named("occamy")?;
/// let done = run(&plan, file, "occamy", switch, &Outputs::default(), &AtomicBool::new(false))?;
/// println!("{} packets left", done.report.sent.packets);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A parameter that does not fit, or a file that cannot be made; nothing was replayed then.
pub fn run(
    plan: &ReplayPlan<'_>,
    capture: &Path,
    name: &str,
    switch: SwitchConfig,
    outputs: &Outputs,
    stop: &AtomicBool,
) -> Result<Replayed, ReplayError> {
    outputs.check(capture)?;
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let config = plan.switch(switch)?;
    let switch = config.build(&shape).map_err(|error| ReplayError::of_switch(&config, &error))?;
    let mut tally = Summary::new(plan);
    let mut table = outputs.table.as_deref().map(PacketTable::create).transpose()?;
    let left = outputs.departures.as_deref();
    let mut left = left.map(|path| DepartureCapture::create(path, capture, plan)).transpose()?;
    let trace = outputs.trace.as_ref().map(|trace| Traced::create(trace, name, &shape));
    let trace = trace.transpose()?;
    let mut witnesses: Vec<&mut dyn Witness> = vec![&mut tally];
    witnesses.extend(table.as_mut().map(|table| table as &mut dyn Witness));
    witnesses.extend(left.as_mut().map(|left| left as &mut dyn Witness));
    let (end, traced) = through(plan, switch, trace, &mut witnesses, stop);
    drop(witnesses);
    let finished = [
        traced,
        table.as_mut().map_or(Ok(()), PacketTable::finish),
        left.as_mut().map_or(Ok(()), DepartureCapture::finish),
    ];
    let unwritten = finished.into_iter().find_map(Result::err);
    Ok(Replayed { report: tally.report(end), unwritten })
}

/// Replays through `switch`, watched if there is a trace; how it ended, and whether the trace is
/// written.
fn through(
    plan: &ReplayPlan<'_>,
    mut switch: AnySwitch,
    trace: Option<Traced>,
    witnesses: &mut Vec<&mut dyn Witness>,
    stop: &AtomicBool,
) -> (End, Result<(), ReplayError>) {
    let Some(Traced { name, file, tracer }) = trace else {
        return (replay(plan, &mut switch, witnesses, stop), Ok(()));
    };
    let end = replay(plan, &mut Observed::new(switch, tracer), witnesses, stop);
    (end, file.finish().map_err(|error| ReplayError::unwritten(&name, &error)))
}

/// A trace of one switch.
struct Traced {
    name: PathBuf,
    file: Shared<File>,
    tracer: SwitchTracer<File>,
}

impl Traced {
    fn create(
        TraceOutput { path, bounds }: &TraceOutput,
        name: &str,
        shape: &SwitchShape<'_>,
    ) -> Result<Self, ReplayError> {
        let file = File::create(path).map_err(|error| ReplayError::unwritten(path, &error))?;
        let file = Shared::new(file);
        let tracer = SwitchTracer::new(file.clone(), &format!("switch ({name})"), shape, *bounds);
        Ok(Traced { name: path.clone(), file, tracer })
    }
}
