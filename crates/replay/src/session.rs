//! A whole replay with its files: what the command and the Python package both do.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use forebay_net::switch::{Observed, SwitchBuildError, SwitchConfig, SwitchShape};
use forebay_trace::{Shared, SwitchTracer, TraceOutput};

use crate::departures::DepartureCapture;
use crate::drive::{Witness, replay};
use crate::error::ReplayError;
use crate::plan::Plan;
use crate::table::PacketTable;
use crate::tally::{Report, Tally};

/// The files that a replay writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// A line per packet, as CSV.
    pub table: Option<PathBuf>,
    /// What left, as a capture.
    pub departures: Option<PathBuf>,
    /// What happened in the switch, as a trace.
    pub trace: Option<TraceOutput>,
}

/// Replays `plan`, whose capture is the file `capture`, through a switch called `name`, until all packets are
/// gone or `stop` is raised.
///
/// ```no_run
/// # use forebay_replay::{Outputs, Plan, PlanConfig, run};
/// # use forebay_net::switch::SwitchConfig;
/// # use forebay_units::Rate;
/// # use forebay_workload::{CaptureLimits, Recording};
/// # use std::{path::Path, sync::atomic::AtomicBool};
/// let file = Path::new("capture.pcap");
/// let recording = Recording::open(file, CaptureLimits::default())?;
/// let plan = Plan::new(&recording, PlanConfig::new(vec![Rate::from_gbps(1); 4]))?;
/// let switch = SwitchConfig::named("occamy")?;
/// let report = run(&plan, file, "occamy", switch, &Outputs::default(), &AtomicBool::new(false))?;
/// println!("{} packets left", report.sent.packets);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A parameter that does not fit, or a file that cannot be written.
pub fn run(
    plan: &Plan<'_>,
    capture: &Path,
    name: &str,
    switch: SwitchConfig,
    outputs: &Outputs,
    stop: &AtomicBool,
) -> Result<Report, ReplayError> {
    let shape = SwitchShape { index: 0, ports: plan.ports() };
    let refused = |error: SwitchBuildError| ReplayError::Switch(error.to_string());
    let mut switch = plan.switch(switch)?.build(&shape).map_err(refused)?;
    let mut tally = Tally::new(plan);
    let mut table = outputs.table.as_deref().map(PacketTable::create).transpose()?;
    let departures = outputs.departures.as_deref();
    let mut departures =
        departures.map(|path| DepartureCapture::create(path, capture, plan)).transpose()?;
    let mut witnesses: Vec<&mut dyn Witness> = vec![&mut tally];
    witnesses.extend(table.as_mut().map(|table| table as &mut dyn Witness));
    witnesses.extend(departures.as_mut().map(|left| left as &mut dyn Witness));
    let end = match &outputs.trace {
        None => replay(plan, &mut switch, &mut witnesses, stop)?,
        Some(TraceOutput { path, bounds }) => {
            let unwritten = |error: std::io::Error| ReplayError::Write {
                name: path.display().to_string(),
                reason: error.to_string(),
            };
            let trace = Shared::new(File::create(path).map_err(unwritten)?);
            let tracer =
                SwitchTracer::new(trace.clone(), &format!("switch ({name})"), &shape, *bounds);
            let mut watched = Observed::new(switch, tracer);
            let end = replay(plan, &mut watched, &mut witnesses, stop)?;
            trace.finish().map_err(unwritten)?;
            end
        }
    };
    drop(witnesses);
    table.as_mut().map_or(Ok(()), PacketTable::finish)?;
    departures.as_mut().map_or(Ok(()), DepartureCapture::finish)?;
    Ok(tally.report(end))
}
