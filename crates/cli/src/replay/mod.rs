//! `forebay replay`: a real capture through a switch.

mod report;
mod rtl;
pub(crate) mod rules;
pub(crate) mod trace;

use std::path::PathBuf;

use forebay_files::Input;
use forebay_lab::results::number::count;
use forebay_replay::{Outputs, Pace, PlanConfig, ReplayError, ReplayPlan, Route, with_classes};
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::Rate;
use forebay_workload::{CaptureLimits, Recording};

use crate::arguments::{number, whole};
use crate::given::Given;
use crate::net::{SwitchArguments, SwitchSettings, read_by, switch, with_settings, wrong};
use crate::{Failure, experiment, settings, terminal};
use rtl::RtlArguments;
use rules::RuleArguments;
use trace::TraceArguments;

pub(crate) const HELP: &str =
    "Packets arrive as they were recorded, or --speed times as fast, or so that they offer
the fraction --load of what the ports can send. Inputs have no rate of their own, and senders do not
notice losses.

--rank takes the name of a rank function (fifo, sff, srpt, lstf, ...; a wrong name lists all) or a
rule, --class a rule, over the fields of a packet, whole numbers:
  now size flow flow_size input frame dscp ecn ttl protocol source destination source_port
  destination_port hash port, and for ranks class
with + - * / %, comparisons, && || !, a ? b : c, min, max, log2. The smallest rank leaves first.

Examples:
  forebay replay a.pcap --ports 4 --rate 10G --load 0.9 --switch occamy --buffer 100KB
  forebay replay a.pcap --ports 2 --rate 1G --route 10.0.0.0/8=0 --route 0.0.0.0/0=1
  forebay replay a.pcap --rate 100M --speed 20 --switch pifo --rank '63 - dscp'
  forebay replay RUN --switch occamy       (RUN is a folder of forebay link --record RUN)
  forebay replay a.pcap --rate 1G --switch themis --trace a.pftrace --trace-window '1 ms..2 ms'
  forebay replay a.pcap --ports 4 --rate 25G --load 1.2 --rtl --class 'hash % 4' --classes 4

With --rtl the packets go through the Verilator model of rtl/tm as well, in a checkout with the
hardware's tools (docs/rtl-tm.md): every verdict, departure and byte is compared with the switch.
--switch is occamy or dt; --set gives the core's parameters: scheduler=bbq|clubheap|wsjf|gearbox,
cells=512, data_bits=512, levels=2, width=16, clock_mhz=250, ...; --rank is a packet's rank, its job
size (wsjf) or its weight (gearbox). With --switch themis it is rtl/tm_hybrid, a queue of ranks over
SRAM and a model of HBM: near=1024, high=819, low=512, batch=8, regions=256, ...

A trace opens in https://ui.perfetto.dev; docs/traces.md says what is in it.

Exit codes: 0 done, 1 the capture is truncated or damaged, a file cannot be written, or hardware and
switch differ, 2 the input is wrong, 130 stopped. Whatever was replayed is printed.";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    given: Given,
    /// The capture, pcap or pcapng, - for standard input; or the folder of a recorded link or lab.
    file: PathBuf,
    /// How many output ports the switch has [default: as many as --rate has values].
    #[arg(long, value_name = "N", value_parser = whole(1_u16..=u16::MAX))]
    ports: Option<u16>,
    /// The rate of each port, as 10G; or one rate per port: 10G,10G,1G.
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    rate: Vec<Rate>,
    /// The port for a range of addresses: 10.1.0.0/16=3. Repeat the option for several prefixes;
    /// the longest match counts, and packets without a match are lost (no-route) [default:
    /// destinations are dealt to ports in order].
    #[arg(long, value_name = "PREFIX=PORT")]
    route: Vec<Route>,
    /// Replay this many times as fast as recorded [default: 1].
    #[arg(long, value_name = "FACTOR", conflicts_with = "load", value_parser = number)]
    speed: Option<f64>,
    /// Scale time so that packets offer this fraction of the ports' total rate, on average.
    #[arg(long, value_name = "FRACTION", value_parser = number)]
    load: Option<f64>,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    switch: SwitchArguments,
    #[command(flatten)]
    more: SwitchSettings,
    /// Use at most this many packets of the capture, which bounds memory (about 60 bytes each).
    #[arg(long, value_name = "N", default_value_t = 4_000_000, value_parser = whole(1_u32..=u32::MAX))]
    max_packets: u32,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Write a line per packet to this CSV file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write what left the switch to this file, as pcapng with an interface for each port.
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    rtl: RtlArguments,
}

pub(crate) fn run(arguments: &Arguments, catalogue: &Catalogue) -> Result<(), Failure> {
    #[cfg(all(target_os = "linux", feature = "live"))]
    if crate::recorded::is_recording(&arguments.file, !arguments.rate.is_empty()) {
        return crate::recorded::replay(&arguments.file, catalogue);
    }
    if arguments.rate.is_empty() {
        return Err(wrong("rate", "the ports of a capture need one: give --rate 10G, for example"));
    }
    let config = config(arguments, catalogue)?;
    let set = &arguments.more.set;
    let switch = match arguments.rtl.is_asked() {
        false => Some(described(arguments, catalogue)?),
        true => None,
    };
    let limits =
        CaptureLimits { max_packets: arguments.max_packets as usize, max_file_bytes: u64::MAX };
    let input = Input::of(&arguments.file);
    if input.is_standard() && arguments.pcap.is_some() {
        let problem = "what left is read from the capture again, and standard input can be read \
                       only once: give a file";
        return Err(wrong("pcap", problem));
    }
    let recording = match input.is_standard() {
        true => Recording::read(std::io::stdin(), &input.name(), limits),
        false => Recording::open(&arguments.file, limits),
    };
    let recording = recording.map_err(|error| Failure::input(format!("error: {error}")))?;
    for warning in recording.warnings() {
        terminal::warn(&format!("note: {}: {warning}", input.name()));
    }
    let plan = ReplayPlan::new(&recording, config).map_err(|error| failure(&error, set))?;
    let Some(switch) = switch else {
        rtl::replay(arguments, &plan)?;
        return to_its_end(&recording);
    };
    let note = plan.notes(&switch);
    let outputs = Outputs {
        table: arguments.out.clone(),
        departures: arguments.pcap.clone(),
        trace: arguments.trace.output(),
        others: read_by(&arguments.switch),
    };
    let stop = experiment::stop_flag_saying("results so far are printed");
    let name = &arguments.switch.switch;
    let done = forebay_replay::run(&plan, &arguments.file, name, switch, &outputs, &stop)
        .map_err(|error| failure(&error, set))?;
    if let Some(note) = note {
        terminal::warn(&format!("note: {note}"));
    }
    terminal::print(&if arguments.json {
        report::json(&done.report, &recording)
    } else {
        report::text(&done.report, name)
    })?;
    if let Some(unwritten) = &done.unwritten {
        return Err(failure(unwritten, set));
    }
    if !done.report.finished {
        return Err(Failure::new("stopped".to_owned(), 130));
    }
    to_its_end(&recording)
}

/// That the capture was read to its end.
fn to_its_end(recording: &Recording) -> Result<(), Failure> {
    match recording.cut() {
        None => Ok(()),
        Some(cut) => {
            let before = count(cut.packets as u64);
            let message = format!("error: {}; the {before} before it were replayed", cut.error);
            Err(Failure::new(message, 1))
        }
    }
}

/// The switch that the options describe.
fn described(arguments: &Arguments, catalogue: &Catalogue) -> Result<SwitchConfig, Failure> {
    let switch = switch(&arguments.switch, catalogue)?;
    // Before what can be set only where there are several.
    let switch = match arguments.rules.classes {
        Some(classes) => {
            let with = with_classes(switch, classes);
            with.map_err(|error| failure(&error, &arguments.more.set))?
        }
        None => switch,
    };
    let others = [("classes", arguments.rules.classes.is_some())];
    with_settings(switch, &arguments.switch, &others, &arguments.more)
}

fn failure(error: &ReplayError, set: &[(String, String)]) -> Failure {
    if let ReplayError::Switch(error) = error {
        return settings::refused(error, set);
    }
    match error.parameter() {
        Some(option) => wrong(option, error.sentence()),
        // A file of the replay that cannot be read or written.
        None => Failure::new(format!("error: {error}"), 1),
    }
}

fn config(arguments: &Arguments, catalogue: &Catalogue) -> Result<PlanConfig, Failure> {
    let (rank, class) = arguments.rules.read(catalogue)?;
    Ok(PlanConfig {
        routes: arguments.route.clone(),
        pace: match (arguments.load, arguments.speed) {
            (Some(load), _) => Pace::Load(load),
            (None, speed) => Pace::Speed(speed.unwrap_or(1.0)),
        },
        rank,
        class,
        classes: arguments.rules.classes,
        ..PlanConfig::new(rates(arguments)?)
    })
}

/// The rate of each port.
fn rates(arguments: &Arguments) -> Result<Vec<Rate>, Failure> {
    let given = arguments.rate.len();
    match (arguments.ports.map(usize::from), &arguments.rate[..]) {
        (Some(ports), [rate]) => Ok(vec![*rate; ports]),
        (None, rates) => Ok(rates.to_vec()),
        (Some(ports), rates) if ports == given => Ok(rates.to_vec()),
        (Some(ports), _) => Err(wrong(
            "rate",
            format!("{given} rates for {ports} ports: give one for all, or {ports}"),
        )),
    }
}
