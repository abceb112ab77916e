//! The results of a replay, as text and as JSON.

use forebay_lab::results::number::{self, plural};
use forebay_replay::{PortSummary, ReplayReport};
use forebay_workload::Recording;
use serde_json::json;

use crate::net::microseconds;
use crate::terminal::columns;

/// Tables for people.
pub(super) fn text(report: &ReplayReport, switch: &str) -> String {
    let ReplayReport { offered, sent, lost, .. } = report;
    let ended = if report.finished { "replayed" } else { "stopped" };
    format!(
        "{switch}, {}, {} as recorded\n\
         {ended}: {} offered, {} sent, {} lost, in {}\n\n{}\n{}",
        plural(report.ports.len(), "port", "ports"),
        match report.speed {
            1.0 => "as fast".to_owned(),
            speed => format!("{} times as fast", number::short(speed)),
        },
        plural(offered.packets, "packet", "packets"),
        number::count(sent.packets),
        number::count(lost.packets),
        microseconds(report.simulated_us),
        port_table(report),
        loss_table(report),
    )
}

fn port_table(report: &ReplayReport) -> String {
    let heads = ["port", "sent", "MB", "lost", "marked", "used", "delay mean", "p50", "p99", "max"];
    let row = |port: &PortSummary| {
        let lost: u64 = port.lost.iter().map(|lost| lost.count.packets).sum();
        let mut row = vec![
            port.port.to_string(),
            number::count(port.sent.packets),
            format!("{:.3}", port.sent.bytes as f64 / 1e6),
            number::count(lost),
            number::count(port.marked),
            number::percent(port.utilization, 1),
        ];
        match port.delay {
            Some(delay) => row.extend(
                [delay.mean_us, delay.p50_us, delay.p99_us, delay.max_us].map(microseconds),
            ),
            None => row.extend(["–"; 4].map(str::to_owned)),
        }
        row
    };
    let rows: Vec<_> = std::iter::once(heads.map(str::to_owned).to_vec())
        .chain(report.ports.iter().map(row))
        .collect();
    columns(&rows, 1)
}

fn loss_table(report: &ReplayReport) -> String {
    if report.causes.is_empty() {
        return "No packet was lost.\n".to_owned();
    }
    let line = |place: String, lost: &forebay_replay::Lost| {
        let megabytes = format!("{:.3}", lost.count.bytes as f64 / 1e6);
        vec![place, lost.cause.to_owned(), number::count(lost.count.packets), megabytes]
    };
    let mut rows = vec![["lost at", "cause", "packets", "MB"].map(str::to_owned).to_vec()];
    rows.extend(report.causes.iter().map(|lost| line("all ports".to_owned(), lost)));
    for port in &report.ports {
        rows.extend(port.lost.iter().map(|lost| line(format!("port {}", port.port), lost)));
    }
    columns(&rows, 2)
}

/// One object for programs.
pub(super) fn json(report: &ReplayReport, recording: &Recording) -> String {
    let cut = recording.cut().map(|cut| {
        json!({ "packet": cut.record, "packets_before": cut.packets, "problem": cut.error.to_string() })
    });
    let warnings: Vec<String> = recording.warnings().iter().map(ToString::to_string).collect();
    format!("{:#}\n", json!({ "report": report, "cut": cut, "warnings": warnings }))
}
