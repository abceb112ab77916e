//! `forebay replay --rtl --switch themis`: the capture through the traffic manager over SRAM and
//! HBM, beside Themis's manager of the library.

use forebay_files::Files;
use forebay_lab::results::number::{count, plural};
use forebay_parameters::set;
use forebay_replay::{
    HybridCoreConfig, HybridReport, HybridRun, HybridTotals, ReplayPlan, run_hybrid,
};

use super::{RtlArguments, ends, failure, found, notes};
use crate::net::wrong;
use crate::replay::Arguments;
use crate::terminal::columns;
use crate::{Failure, experiment, terminal};

/// Sends the capture through both, and says what was seen.
pub(super) fn replay(arguments: &Arguments, plan: &ReplayPlan<'_>) -> Result<(), Failure> {
    let RtlArguments { rtl_tools, wave, wave_cycles, .. } = &arguments.rtl;
    let mut core = HybridCoreConfig::default();
    let given = &arguments.more.set;
    set(&mut core, given).map_err(|error| wrong("set", error))?;
    if arguments.switch.buffer.is_some() {
        return Err(wrong("buffer", "the hybrid core counts packets: give --set near and regions"));
    }
    if arguments.trace.output().is_some() {
        return Err(wrong("trace", "the hybrid core has none: --wave writes its signals"));
    }
    let written = Files::default().read("the capture", &arguments.file);
    let written = written.write_some("wave", wave.as_ref());
    written.check().map_err(|error| wrong(error.parameter, error))?;
    // What the core cannot be is said without its tools.
    let ports = plan.ports().len().min(usize::from(u16::MAX)) as u16;
    core.check(ports).map_err(|error| failure(&error.into()))?;
    let (here, tools) = found(rtl_tools.as_deref())?;
    let run = HybridRun {
        core,
        // The model is started elsewhere.
        wave: wave.as_ref().map(|wave| (here.join(wave), wave_cycles.clone())),
    };
    let stop = experiment::stop_flag_saying("what was compared so far is printed");
    let began = std::time::Instant::now();
    let report = run_hybrid(plan, &run, &tools, &stop).map_err(|error| failure(&error))?;
    notes(report.too_long, report.clamped, run.core.largest_bytes);
    terminal::print(&if arguments.json {
        let text = serde_json::to_string_pretty(&report);
        text.map_err(|error| Failure::new(format!("error: {error}"), 1))? + "\n"
    } else {
        text(&report, began.elapsed().as_secs_f64())
    })?;
    ends(report.unwritten.as_ref(), report.difference.as_ref(), report.finished, given)
}

/// A table for people.
fn text(report: &HybridReport, seconds: f64) -> String {
    let row = |name: &str, of: &dyn Fn(&HybridTotals) -> u64| {
        let (core, library) = (of(&report.core), of(&report.library));
        let same = if core == library { "equal" } else { "differs" };
        vec![name.to_owned(), count(core), count(library), same.to_owned()]
    };
    let rows = vec![
        ["", "rtl/tm_hybrid", "library", ""].map(str::to_owned).to_vec(),
        row("came", &|totals| totals.came.packets),
        row("sent from SRAM", &|totals| totals.sent_near.packets),
        row("sent from HBM", &|totals| totals.sent_far.packets),
        row("bytes sent", &|totals| totals.sent_near.bytes + totals.sent_far.bytes),
        row("dropped for smaller ranks", &|totals| totals.dropped.packets),
        row("staging full", &|totals| totals.staging.packets),
        row("queue full", &|totals| totals.full.packets),
    ];
    let bursts = report.row_hits + report.row_misses;
    let mut text = format!(
        "themis: {} offered, {} too long, {} without a route; {} in {seconds:.1} s\n\n{}\n\
         Swapped out {}, in {}; written to HBM {}, read {}; row open {} of {} times.\n",
        plural(report.offered as usize, "packet", "packets"),
        count(report.too_long),
        count(report.no_route),
        plural(report.cycles as usize, "cycle", "cycles"),
        columns(&rows, 1),
        count(report.swapped_out.into()),
        count(report.swapped_in.into()),
        count(report.written.into()),
        count(report.read.into()),
        count(report.row_hits.into()),
        count(bursts.into()),
    );
    text += &match &report.difference {
        Some(difference) => format!("First difference: {difference}.\n"),
        None if report.finished => format!(
            "Equal: every decision of {}, {} of the queue, every verdict, departure, byte and \
             counter, free cells and regions {}.\n",
            plural(report.cycles as usize, "cycle", "cycles"),
            plural(report.answers_compared as usize, "answer", "answers"),
            plural(report.rests_compared as usize, "time", "times"),
        ),
        None => "Equal as far as it came.\n".to_owned(),
    };
    text
}
