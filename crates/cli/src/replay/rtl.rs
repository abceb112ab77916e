//! `forebay replay --rtl`: the capture through the hardware's model, beside the switch.

mod hybrid;

use std::ops::Range;
use std::path::{Path, PathBuf};

use forebay_files::Files;
use forebay_lab::results::number::{count, plural};
use forebay_parameters::set;
use forebay_replay::{
    CoreConfig, Difference, ReplayError, ReplayPlan, RtlError, RtlReport, RtlRun, RtlTools, Totals,
    run_rtl,
};

use super::Arguments;
use crate::net::wrong;
use crate::terminal::columns;
use crate::{Failure, experiment, terminal};

/// The options of the hardware's model.
#[derive(clap::Args)]
pub(crate) struct RtlArguments {
    /// Send the packets through rtl/tm, the traffic manager in SystemVerilog, beside the switch,
    /// and compare the two (see below).
    #[arg(long, conflicts_with_all = ["out", "pcap", "tree", "mark"])]
    rtl: bool,
    /// The folder of the hardware's tools [default: .tools/rtl of the checkout].
    #[arg(long, value_name = "FOLDER", requires = "rtl")]
    rtl_tools: Option<PathBuf>,
    /// Write the signals of the hardware to this file, as FST.
    #[arg(long, value_name = "FILE", requires = "rtl")]
    wave: Option<PathBuf>,
    /// The cycles whose signals are written.
    #[arg(long, value_name = "FROM..TO", requires = "wave", default_value = "0..20000", value_parser = cycles)]
    wave_cycles: Range<u64>,
}

/// Cycles, as "FROM..TO".
fn cycles(text: &str) -> Result<Range<u64>, String> {
    let read = |end: &str| end.trim().parse::<u64>().ok();
    let ends = text.split_once("..").map(|(from, to)| (read(from), read(to)));
    match ends {
        Some((Some(from), Some(to))) if from < to => Ok(from..to),
        Some(_) | None => Err("give two numbers, as 5000..9000, the first below the second".into()),
    }
}

impl RtlArguments {
    /// Whether the hardware is asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.rtl
    }
}

/// Sends the capture through both, and says what was seen.
pub(super) fn replay(arguments: &Arguments, plan: &ReplayPlan<'_>) -> Result<(), Failure> {
    if arguments.switch.switch == "themis" && arguments.given.has("switch") {
        return hybrid::replay(arguments, plan);
    }
    let RtlArguments { rtl_tools, wave, wave_cycles, .. } = &arguments.rtl;
    let mut core = CoreConfig::default();
    let given = &arguments.more.set;
    set(&mut core, given).map_err(|error| wrong("set", error))?;
    if let Some(buffer) = arguments.switch.buffer {
        if given.iter().any(|(name, _)| name == "cells") {
            return Err(wrong("buffer", "--set cells says how large it is: leave one of them out"));
        }
        core.cells = (buffer.get() / u64::from(core.cell_bytes())).min(u32::MAX.into()) as u32;
    }
    let expels = match arguments.switch.switch.as_str() {
        "occamy" => true,
        // The default of the option, which the hardware does not have.
        _ if !arguments.given.has("switch") => true,
        "dt" => false,
        other => {
            let problem = format!("the hardware has occamy, dt and themis, and no {other}");
            return Err(wrong("switch", problem));
        }
    };
    let trace = arguments.trace.output();
    let written = Files::default().read("the capture", &arguments.file);
    let written = written.write_some("wave", wave.as_ref());
    let written = written.write_some("trace", trace.as_ref().map(|trace| &trace.path));
    written.check().map_err(|error| wrong(error.parameter, error))?;
    let classes = arguments.rules.classes.unwrap_or(1);
    // What the core cannot be is said without its tools.
    let ports = plan.ports().len().min(usize::from(u16::MAX)) as u16;
    core.check(ports, classes).map_err(|error| failure(&error.into()))?;
    let (here, tools) = found(rtl_tools.as_deref())?;
    let run = RtlRun {
        core,
        classes,
        expels,
        // The model is started elsewhere.
        wave: wave.as_ref().map(|wave| (here.join(wave), wave_cycles.clone())),
        trace,
    };
    let stop = experiment::stop_flag_saying("what was compared so far is printed");
    let began = std::time::Instant::now();
    let report = run_rtl(plan, &run, &tools, &stop).map_err(|error| failure(&error))?;
    notes(report.too_long, report.clamped, run.core.largest_bytes);
    terminal::print(&if arguments.json {
        let text = serde_json::to_string_pretty(&report);
        text.map_err(|error| Failure::new(format!("error: {error}"), 1))? + "\n"
    } else {
        text(&report, &run, began.elapsed().as_secs_f64())
    })?;
    ends(report.unwritten.as_ref(), report.difference.as_ref(), report.finished, given)
}

/// How the command ends.
fn ends(
    unwritten: Option<&ReplayError>,
    difference: Option<&Difference>,
    finished: bool,
    given: &[(String, String)],
) -> Result<(), Failure> {
    if let Some(error) = unwritten {
        if difference.is_none() {
            return Err(super::failure(error, given));
        }
        terminal::warn(&format!("error: {error}"));
    }
    match (difference, finished) {
        (Some(difference), _) => Err(Failure::new(format!("error: they differ: {difference}"), 1)),
        (None, false) => Err(Failure::new("stopped".to_owned(), 130)),
        (None, true) => Ok(()),
    }
}

/// The folder in which the command runs, and the hardware's tools.
fn found(tools: Option<&Path>) -> Result<(PathBuf, RtlTools), Failure> {
    let here = std::env::current_dir();
    let here = here.map_err(|error| Failure::new(format!("error: no folder: {error}"), 1))?;
    let tools = RtlTools::find(tools, &here).map_err(|error| failure(&error))?;
    Ok((here, tools))
}

fn failure(error: &RtlError) -> Failure {
    match (error.parameter(), error) {
        (Some("rank"), error) => wrong("rank", error),
        (Some("classes"), error) => wrong("classes", error),
        (Some("ports"), error) => wrong("rate", error),
        (Some(_), RtlError::Parameter(error)) => wrong("set", error),
        (Some(option), error) => wrong(option, error),
        (None, RtlError::NoTools { .. }) => {
            Failure::input(format!("error: {error}\n  fix: that, or give --rtl-tools FOLDER"))
        }
        (None, RtlError::Stopped) => Failure::new("stopped".to_owned(), 130),
        (None, RtlError::NoSources) => Failure::input(format!("error: {error}")),
        (None, error) => Failure::new(format!("error: {error}"), 1),
    }
}

/// What was not compared as it came.
fn notes(too_long: u64, clamped: u64, largest_bytes: u32) {
    if too_long > 0 {
        terminal::warn(&format!(
            "note: {} longer than {largest_bytes} B, which both sides refuse: --set largest_bytes",
            are(too_long),
        ));
    }
    if clamped > 0 {
        terminal::warn(&format!(
            "note: {} of a rank, job size or weight beyond the core's field, and got the most that \
             it holds",
            are(clamped)
        ));
    }
}

fn are(packets: u64) -> String {
    let what = plural(packets as usize, "packet", "packets");
    format!("{what} {}", if packets == 1 { "is" } else { "are" })
}

/// A table for people.
fn text(report: &RtlReport, run: &RtlRun, seconds: f64) -> String {
    let scheme = if run.expels { "occamy" } else { "dt" };
    let scheduler = run.core.scheduler.name();
    let row = |name: &str, of: &dyn Fn(&Totals) -> u64| {
        let core = of(&report.core);
        let switch = of(&report.switch);
        let same = if core == switch { "equal" } else { "differs" };
        vec![name.to_owned(), count(core), count(switch), same.to_owned()]
    };
    let rows = vec![
        ["", "rtl/tm", "switch", ""].map(str::to_owned).to_vec(),
        row("came", &|totals| totals.came.packets),
        row("sent", &|totals| totals.sent.packets),
        row("bytes sent", &|totals| totals.sent.bytes),
        row("expelled", &|totals| totals.expelled.packets),
        row("beyond threshold", &|totals| totals.threshold.packets),
        row("memory full", &|totals| totals.full.packets),
    ];
    let mut text = format!(
        "{scheduler}, {scheme}: {} offered, {} too long, {} without a route; {} in {seconds:.1} s\n\n{}\n",
        plural(report.offered as usize, "packet", "packets"),
        count(report.too_long),
        count(report.no_route),
        plural(report.cycles as usize, "cycle", "cycles"),
        columns(&rows, 1),
    );
    text += &match &report.difference {
        Some(difference) => format!("First difference: {difference}.\n"),
        None if report.finished => format!(
            "Equal: every verdict, order, departure, byte and counter, and free cells {} times.\n",
            count(report.cells_compared)
        ),
        None => "Equal as far as it came.\n".to_owned(),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_two_numbers_in_order() {
        assert_eq!(cycles("5..9"), Ok(5..9));
        for wrong in ["", "5", "9..5", "5..5", "a..b", "1..", "-1..5"] {
            assert!(cycles(wrong).unwrap_err().contains("5000..9000"), "{wrong}");
        }
    }
}
