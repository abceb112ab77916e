//! What has passed over a link, as text and as JSON.

use forebay_dataplane::lateness::Lateness;
use forebay_dataplane::link::{EmulationConfig, FrameCounts, LinkLoss, Pace};
use forebay_dataplane::live::LinkReport;
use forebay_dataplane::record::Recorded;
use forebay_lab::results::number::{self, plural};
use forebay_units::{Duration, Rate};
use serde_json::json;

use super::arguments::Arguments;
use crate::terminal::columns;

const NAMES: [&str; 2] = ["up", "down"];

/// Tables for people, and what is to be known about them.
pub(super) fn text(
    report: &LinkReport,
    directions: &[(EmulationConfig, Pace); 2],
    arguments: &Arguments,
) -> String {
    let of = |(config, pace): &(EmulationConfig, Pace)| {
        let source = if config.trace.is_empty() { "" } else { " on average" };
        format!("{}{source}, {}", pace.mean(), config.delay)
    };
    let (up, down) = (of(&directions[0]), of(&directions[1]));
    let link = if up == down { up } else { format!("{up} up; {down} down") };
    let mut text = format!(
        "\nforebay link: {link}; {}, {:.1} s\n\n{}\n{}\n{}",
        arguments.switch.switch,
        report.lasted.as_secs_f64(),
        direction_table(report),
        loss_table(report),
        lateness_line(&report.lateness),
    );
    for note in notes(report, arguments.tolerance) {
        text += &format!("note: {note}\n");
    }
    text.trim_end().to_owned()
}

fn direction_table(report: &LinkReport) -> String {
    let heads = ["", "arrived", "left", "MB", "Mb/s", "marked", "lost", "on the way"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for ((name, counts), held) in NAMES.into_iter().zip(&report.directions).zip(report.held) {
        let lost: u64 = counts.causes().map(|(_, tally)| tally.packets).sum();
        let rate = Rate::mean(forebay_units::Bytes::new(counts.left.bytes), report.lasted);
        rows.push(vec![
            name.to_owned(),
            number::count(counts.arrived.packets),
            number::count(counts.left.packets),
            format!("{:.3}", counts.left.bytes as f64 / 1e6),
            format!("{:.3}", rate.as_bps() as f64 / 1e6),
            number::count(counts.marked),
            number::count(lost),
            number::count(held as u64),
        ]);
    }
    columns(&rows, 1)
}

fn loss_table(report: &LinkReport) -> String {
    let mut rows = vec![["lost", "cause", "frames", "MB"].map(str::to_owned).to_vec()];
    for (name, counts) in NAMES.into_iter().zip(&report.directions) {
        rows.extend(counts.causes().map(|(cause, tally)| {
            let megabytes = format!("{:.3}", tally.bytes as f64 / 1e6);
            vec![name.to_owned(), cause.to_owned(), number::count(tally.packets), megabytes]
        }));
    }
    if rows.len() == 1 { "No frame was lost.\n".to_owned() } else { columns(&rows, 2) }
}

pub(crate) fn lateness_line(lateness: &Lateness) -> String {
    if lateness.total() == 0 {
        return String::new();
    }
    format!(
        "lateness of {}: p50 {:.1} µs, p99 {:.1} µs, p99.9 {:.1} µs, longest {:.1} µs\n",
        plural(lateness.total(), "frame", "frames"),
        us(lateness.quantile(0.5)),
        us(lateness.quantile(0.99)),
        us(lateness.quantile(0.999)),
        us(lateness.longest()),
    )
}

/// What is to be known where frames left later than is tolerated.
pub(crate) fn late_note(
    lateness: &Lateness,
    tolerance: Duration,
    is_real_time: bool,
) -> Option<String> {
    let late = lateness.quantile(0.99);
    let why = if is_real_time { "" } else { " (real-time priority is not permitted here)" };
    (late > tolerance).then(|| {
        format!(
            "one frame in a hundred left more than {:.3} ms late, where {tolerance} is tolerated: \
             this machine was too busy{why}, and delays are not to be trusted to more than that",
            us(late) / 1e3
        )
    })
}

/// What makes the figures less than they claim to be.
fn notes(report: &LinkReport, tolerance: Duration) -> Vec<String> {
    let mut notes: Vec<String> =
        late_note(&report.lateness, tolerance, report.is_real_time).into_iter().collect();
    for (name, counts) in NAMES.into_iter().zip(&report.directions) {
        notes.extend(machine_notes(name, counts));
    }
    notes.extend(recording_note(report.recorded.as_ref()));
    notes
}

/// What this machine did to the frames of a direction, or of a device, where it should have done
/// nothing.
pub(crate) fn machine_notes(name: &str, counts: &FrameCounts) -> Vec<String> {
    let mut notes = Vec::new();
    let missed = counts.lost(LinkLoss::NotTaken).packets;
    if missed > 0 {
        let frames = plural(missed, "frame was", "frames were");
        notes.push(format!(
            "{name}: {frames} lost since this machine was too slow, not by the policy"
        ));
    }
    if counts.stamped_late > 0 {
        let frames = plural(counts.stamped_late, "frame", "frames");
        notes.push(format!(
            "{name}: {frames} stamped too late, and taken for a little later than they came"
        ));
    }
    notes
}

/// That a recording has ended before its time.
pub(crate) fn recording_note(recorded: Option<&Recorded>) -> Option<String> {
    let Some(Recorded { frames, stopped: Some(why) }) = recorded else { return None };
    let frames = plural(*frames, "frame", "frames");
    Some(format!("the recording ends after {frames}: {why}"))
}

fn us(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e6
}

/// Quantiles of lateness for programs, in microseconds.
pub(crate) fn lateness_json(lateness: &Lateness) -> serde_json::Value {
    json!({
        "p50": us(lateness.quantile(0.5)),
        "p99": us(lateness.quantile(0.99)),
        "p99.9": us(lateness.quantile(0.999)),
        "max": us(lateness.longest()),
    })
}

/// One object for programs.
pub(super) fn json(report: &LinkReport, arguments: &Arguments) -> String {
    let direction = |counts: &FrameCounts, held: usize| {
        let lost: Vec<_> = counts
            .causes()
            .map(|(cause, tally)| json!({ "cause": cause, "frames": tally.packets, "bytes": tally.bytes }))
            .collect();
        json!({
            "arrived": { "frames": counts.arrived.packets, "bytes": counts.arrived.bytes },
            "left": { "frames": counts.left.packets, "bytes": counts.left.bytes },
            "marked": counts.marked,
            "stamped_late": counts.stamped_late,
            "lost": lost,
            "held": held,
        })
    };
    let lateness = &report.lateness;
    let object = json!({
        "switch": arguments.switch.switch,
        "seconds": report.lasted.as_secs_f64(),
        "up": direction(&report.directions[0], report.held[0]),
        "down": direction(&report.directions[1], report.held[1]),
        "lateness_us": lateness_json(lateness),
        "real_time": report.is_real_time,
        "within_tolerance": lateness.quantile(0.99) <= arguments.tolerance,
    });
    format!("{object:#}\n")
}
