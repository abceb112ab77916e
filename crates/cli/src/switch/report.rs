//! What has passed through a lab, as text and as JSON.

use forebay_dataplane::live::LabReport;
use forebay_lab::results::number::{self, plural};
use forebay_switch::Tally;
use forebay_units::Duration;
use serde_json::json;

use crate::link::report::{late_note, lateness_json, lateness_line, machine_notes, recording_note};
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
    for note in notes(report) {
        text += &format!("note: {note}\n");
    }
    text.trim_end().to_owned()
}

fn notes(report: &LabReport) -> Vec<String> {
    let mut notes = Vec::new();
    for ((name, counts), not_learnt) in report.devices.iter().zip(&report.not_learnt) {
        notes.extend(machine_notes(name, &counts.all));
        if *not_learnt > 0 {
            let frames = plural(*not_learnt, "frame", "frames");
            notes
                .push(format!("{name}: {frames} from addresses that its full table did not learn"));
        }
    }
    notes.extend(recording_note(report.recorded.as_ref()));
    notes
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
        .zip(&report.not_learnt)
        .map(|((name, counts), not_learnt)| {
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
                "stamped_late": counts.all.stamped_late,
                "not_learnt": not_learnt,
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
        "recording_ended": recording_note(report.recorded.as_ref()),
    });
    format!("{object:#}\n")
}
