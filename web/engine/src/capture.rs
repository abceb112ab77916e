//! The laboratory `capture`: a capture of the user's through a switch, as `forebay replay` replays
//! it. The file is read here, by our own reader, and goes nowhere.

use std::sync::atomic::AtomicBool;

use forebay_replay::{
    Delays, Pace, PlanConfig, PortSummary, ReplayPlan, ReplayReport, Summary, replay,
};
use forebay_switch::{AnySwitch, Observed, SwitchShape};
use forebay_units::Rate;
use forebay_workload::{CaptureLimits, Recording};

use crate::error::LabError;
use crate::figures::{bytes, optional_time};
use crate::panel::switches::switch;
use crate::picture::{Measure, Picture, Table};
use crate::run::{Inputs, Lab};
use crate::setup::{CaptureSetup, read};
use crate::watch::Watch;

/// The most of a file that is read, and of its packets that are kept: some 60 MB of memory.
const LIMITS: CaptureLimits = CaptureLimits { max_packets: 1_000_000, max_file_bytes: 256 << 20 };
/// The most ports.
const MOST_PORTS: u16 = 1_024;

pub(crate) struct CaptureRun {
    recording: Recording,
    config: PlanConfig,
    switch: Option<AnySwitch>,
    watch: Watch,
    report: Option<ReplayReport>,
}

impl CaptureRun {
    pub(crate) fn new(
        setup: &CaptureSetup,
        number: usize,
        inputs: &Inputs,
    ) -> Result<Self, LabError> {
        let side = &setup.sides[number];
        let Some((name, file)) = &inputs.capture else {
            let problem = "there is no capture: drop a pcap or pcapng file into the page";
            return Err(LabError::at("capture", problem));
        };
        let config = plan_config(setup)?;
        let recording = Recording::read(file.as_slice(), name, LIMITS);
        let recording = recording.map_err(|error| LabError::at("capture", error))?;
        let described = switch(side).map_err(|error| error.within(&side.policy))?;
        let named = |error: &dyn std::fmt::Display| LabError::at(&side.policy, error);
        let plan = ReplayPlan::new(&recording, config.clone()).map_err(|error| named(&error))?;
        let described = plan.switch(described).map_err(|error| named(&error))?;
        let shape = SwitchShape { index: 0, ports: plan.ports() };
        let built = described.build(&shape).map_err(|error| named(&error))?;
        let (switch, watch) = (Some(built), Watch::new());
        Ok(CaptureRun { recording, config, switch, watch, report: None })
    }
}

fn plan_config(setup: &CaptureSetup) -> Result<PlanConfig, LabError> {
    if setup.ports > MOST_PORTS {
        let problem = format!("{} ports: a page has {MOST_PORTS} at most", setup.ports);
        return Err(LabError::at("ports", problem));
    }
    let rate: Rate = read("rate", &setup.rate)?;
    let config = PlanConfig::new(vec![rate; setup.ports.into()]);
    Ok(PlanConfig { pace: setup.load.map_or(config.pace, Pace::Load), ..config })
}

impl Lab for CaptureRun {
    fn advance(&mut self, _effort: f64) -> Result<bool, LabError> {
        let Some(switch) = self.switch.take() else { return Ok(true) };
        let plan = ReplayPlan::new(&self.recording, self.config.clone());
        let plan = plan.map_err(|error| LabError::at("capture", error))?;
        let mut tally = Summary::new(&plan);
        let mut observed = Observed::new(switch, self.watch.clone());
        let end = replay(&plan, &mut observed, &mut tally, &AtomicBool::new(false));
        self.report = Some(tally.report(end));
        Ok(true)
    }

    fn picture(&self) -> Picture {
        let packets = self.recording.packets().len();
        let mut measures = vec![
            Measure::of("lost in the switch", self.watch.lost() as f64, "packets", Some(true)),
            Measure::of("most held", self.watch.most_held() as f64, "bytes", None),
        ];
        let mut tables = vec![self.watch.table()];
        if let Some(report) = &self.report {
            let longest = |of: fn(&Delays) -> f64| {
                let delays = report.ports.iter().filter_map(|port| port.delay.as_ref().map(of));
                delays.fold(None, |most: Option<f64>, us| Some(most.map_or(us, |m| m.max(us))))
            };
            let of = |name, value| Measure::of(name, value, "us", Some(true));
            measures.push(of("99th percentile of the slowest port", longest(|delay| delay.p99_us)));
            measures.push(of("longest delay", longest(|delay| delay.max_us)));
            tables.insert(0, ports(report));
        }
        let (progress, part) = match &self.report {
            Some(report) => (format!("{} of {packets} packets sent", report.sent.packets), 1.0),
            None => (format!("{packets} packets read"), 0.0),
        };
        let notes: Vec<String> =
            self.recording.warnings().iter().map(ToString::to_string).collect();
        let cut = self.recording.cut().map(|cut| cut.error.to_string());
        let said = std::iter::once(progress).chain(notes).chain(cut).collect::<Vec<_>>();
        let charts = self.watch.charts();
        Picture { progress: said.join("; "), part: Some(part), measures, charts, tables }
    }

    fn report(&mut self, _wall_s: f64) -> Result<String, LabError> {
        let not_over = || LabError::at("report", "the run is not over: let it go on");
        let report = self.report.as_ref().ok_or_else(not_over)?;
        serde_json::to_string(report).map_err(|error| LabError::at("report", error))
    }
}

fn ports(report: &ReplayReport) -> Table {
    let row = |port: &PortSummary| {
        let delay = |of: fn(&Delays) -> f64| optional_time(port.delay.as_ref().map(of));
        let lost: u64 = port.lost.iter().map(|lost| lost.count.packets).sum();
        vec![
            port.port.to_string(),
            bytes(port.arrived.bytes),
            port.sent.packets.to_string(),
            lost.to_string(),
            format!("{:.1} %", port.utilization * 100.0),
            delay(|delay| delay.mean_us),
            delay(|delay| delay.p99_us),
        ]
    };
    Table {
        title: "Ports",
        heads: vec!["port", "offered", "sent", "lost", "used", "mean delay", "p99"],
        rows: report.ports.iter().map(row).collect(),
    }
}
