//! What has passed through a lab, as text and as JSON.

use forebay_dataplane::live::LabReport;
use forebay_dataplane::record::Recorded;
use forebay_lab::results::number::{self, plural};
use forebay_switch::Tally;
use forebay_units::Duration;
use serde_json::json;

use crate::link::report::{late_note, lateness_json, lateness_line};
use crate::terminal::columns;

/// Tables for people.
pub(super) fn text(report: &LabReport, tolerance: Duration) -> String {
    let mut text = format!(
        "\nforebay switch: {:.1} s\n\n{}\n{}\n{}",
        report.lasted.as_secs_f64(),
        device_table(report),
        loss_table(report),
        lateness_line(&report.lateness),
    );
    if let Some(note) = late_note(&report.lateness, tolerance, report.is_real_time) {
        text += &format!("note: {note}\n");
    }
    if let Some(Recorded { frames, stopped: Some(why) }) = &report.recorded {
        let frames = plural(*frames, "frame", "frames");
        text += &format!("note: the recording ends after {frames}: {why}\n");
    }
    text.trim_end().to_owned()
}

fn device_table(report: &LabReport) -> String {
    let heads = ["", "arrived", "copied", "left", "MB", "marked", "lost"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for (name, counts) in &report.devices {
        let lost: u64 = counts.all.causes().map(|(_, tally)| tally.packets).sum();
        let numbers = [
            counts.all.arrived.packets,
            counts.copies.packets,
            counts.all.left.packets,
            counts.all.marked,
            lost,
        ];
        let [arrived, copied, left, marked, lost] = numbers.map(number::count);
        let megabytes = format!("{:.3}", counts.all.left.bytes as f64 / 1e6);
        rows.push(vec![name.clone(), arrived, copied, left, megabytes, marked, lost]);
    }
    columns(&rows, 1)
}

fn loss_table(report: &LabReport) -> String {
    let mut rows = vec![["lost at", "cause", "frames", "MB"].map(str::to_owned).to_vec()];
    for (name, counts) in &report.devices {
        rows.extend(counts.all.causes().map(|(cause, tally)| {
            let megabytes = format!("{:.3}", tally.bytes as f64 / 1e6);
            vec![name.clone(), cause.to_owned(), number::count(tally.packets), megabytes]
        }));
    }
    if rows.len() == 1 { "No frame was lost.\n".to_owned() } else { columns(&rows, 2) }
}

/// One object for programs.
pub(super) fn json(report: &LabReport) -> String {
    let tally = |tally: &Tally| json!({ "frames": tally.packets, "bytes": tally.bytes });
    let devices: Vec<_> = report
        .devices
        .iter()
        .map(|(name, counts)| {
            let lost: Vec<_> = counts
                .all
                .causes()
                .map(|(cause, tally)| {
                    json!({ "cause": cause, "frames": tally.packets, "bytes": tally.bytes })
                })
                .collect();
            json!({
                "device": name,
                "arrived": tally(&counts.all.arrived),
                "copied": tally(&counts.copies),
                "left": tally(&counts.all.left),
                "marked": counts.all.marked,
                "received": counts.received.iter().map(tally).collect::<Vec<_>>(),
                "sent": counts.sent.iter().map(tally).collect::<Vec<_>>(),
                "lost": lost,
            })
        })
        .collect();
    let object = json!({
        "seconds": report.lasted.as_secs_f64(),
        "devices": devices,
        "held": report.held,
        "on_wires": report.on_wires,
        "lateness_us": lateness_json(&report.lateness),
        "real_time": report.is_real_time,
    });
    format!("{object:#}\n")
}
