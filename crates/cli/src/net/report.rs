//! What `forebay net run` measured, as text and as JSON.

use forebay_lab::results::number::{self, plural};
use forebay_net_run::{
    ClassRow, LinkRow, LossRow, NetRunReport, PauseReport, PauseRow, TrimReport,
};
use forebay_units::{Bytes, Duration, Rate};

use crate::Failure;
use crate::terminal::columns;

/// One object for programs.
pub(super) fn json(report: &NetRunReport) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(report)
        .map_err(|error| Failure::new(format!("error: the report: {error}"), 1))?;
    Ok(text + "\n")
}

/// Tables for people.
pub(super) fn text(report: &NetRunReport) -> String {
    let NetRunReport { hosts, switches, switch, control, flows, .. } = report;
    format!(
        "{}, {} ({switch}), {control}, {}\n\
         {}: {} complete, {} not, after {} of simulated time\n\n{}\n{}\n{}\n{}\
         {}{} made, {} lost; {} sent again, {}\n\
         {} in {:.2} s: {:.2} M packet-hops a second\n",
        plural(*hosts, "host", "hosts"),
        plural(*switches, "switch", "switches"),
        plural(*flows, "flow", "flows"),
        report.ended,
        plural(report.finished, "flow", "flows"),
        number::count((flows - report.finished) as u64),
        microseconds(report.simulated_us),
        class_table(&report.classes),
        loss_table(&report.losses),
        link_table(&report.links),
        report.pauses.as_ref().map(pause_table).unwrap_or_default(),
        report.trimming.as_ref().map(trimming).unwrap_or_default(),
        plural(report.packets.made, "packet", "packets"),
        number::count(report.packets.lost),
        plural(report.resent, "segment", "segments"),
        plural(report.timeouts, "timeout", "timeouts"),
        plural(report.packet_hops, "packet-hop", "packet-hops"),
        report.wall_s,
        report.packet_hops_per_second / 1e6,
    )
}

/// What trimming did, in a line.
fn trimming(of: &TrimReport) -> String {
    let TrimReport { trimmed, trimmed_bytes, trimmed_waiting: _, returned, nacks, pulls } = of;
    format!(
        "{} trimmed of {}, {} sent back; {} asked for again, {}\n",
        plural(*trimmed, "packet", "packets"),
        Bytes::new(*trimmed_bytes),
        number::count(*returned),
        number::count(*nacks),
        plural(*pulls, "pull", "pulls"),
    )
}

/// What flow control did, and a line behind it.
fn pause_table(pauses: &PauseReport) -> String {
    let PauseReport { asked, grants, headroom_bytes, blocked_us, watchdog, deadlock, links } =
        pauses;
    let first = if grants.is_some() { "without credit" } else { "paused" };
    let heads = [first, "by", "class", "times", "in all"].map(str::to_owned).to_vec();
    let row = |link: &PauseRow| {
        vec![
            link.from.clone(),
            link.to.clone(),
            link.class.to_string(),
            number::count(link.pauses),
            microseconds(link.paused_us),
        ]
    };
    let rows = match links.is_empty() {
        true if grants.is_some() => "Nothing waited for credit.\n".to_owned(),
        true => "Nothing was paused.\n".to_owned(),
        false => table(heads, links.iter().map(row), 2),
    };
    let circle = match deadlock.is_empty() {
        true => String::new(),
        false => format!("Deadlock: {} wait for each other\n", deadlock.join(", ")),
    };
    let (most, blocked) = (Bytes::new(*headroom_bytes), microseconds(*blocked_us));
    if let Some(grants) = grants {
        return format!(
            "{rows}{} of credit; {most} of inputs' buffers in use at most; {blocked} in queues \
             without credit\n{circle}\n",
            plural(*grants, "frame", "frames"),
        );
    }
    format!(
        "{rows}{} asked for; {most} of headroom at most; {blocked} in paused queues; the watchdog \
         emptied {}\n{circle}\n",
        plural(*asked, "pause", "pauses"),
        plural(*watchdog, "queue", "queues"),
    )
}

fn class_table(classes: &[ClassRow]) -> String {
    let heads = ["size", "flows", "not done", "FCT mean", "p99", "slowdown mean", "p99"];
    let row = |class: &ClassRow| {
        let shown = |value: Option<f64>, decimals: usize| {
            number::decimal(value.unwrap_or(f64::NAN), decimals)
        };
        let time = |us: Option<f64>| us.map_or("–".to_owned(), microseconds);
        vec![
            sizes(class),
            number::count((class.finished + class.unfinished) as u64),
            number::count(class.unfinished as u64),
            time(class.fct_mean_us),
            time(class.fct_p99_us),
            shown(class.slowdown_mean, 2),
            shown(class.slowdown_p99, 2),
        ]
    };
    table(heads.map(str::to_owned).to_vec(), classes.iter().map(row), 1)
}

fn loss_table(losses: &[LossRow]) -> String {
    if losses.is_empty() {
        return "No packet was lost.\n".to_owned();
    }
    let heads = ["lost at", "port", "cause", "packets", "MB"].map(str::to_owned).to_vec();
    let row = |loss: &LossRow| {
        vec![
            loss.node.clone(),
            loss.port.to_string(),
            loss.cause.to_owned(),
            number::count(loss.packets),
            format!("{:.3}", loss.bytes as f64 / 1e6),
        ]
    };
    table(heads, losses.iter().map(row), 3)
}

fn link_table(links: &[LinkRow]) -> String {
    if links.is_empty() {
        return "No link was used.\n".to_owned();
    }
    let heads = ["busiest links", "", "rate", "used"].map(str::to_owned).to_vec();
    let row = |link: &LinkRow| {
        vec![
            link.from.clone(),
            format!("to {}", link.to),
            Rate::from_bps(link.bps).to_string(),
            number::percent(link.utilization, 1),
        ]
    };
    table(heads, links.iter().map(row), 2)
}

/// Rows under their heads, the first `left` columns left-aligned.
fn table(heads: Vec<String>, rows: impl Iterator<Item = Vec<String>>, left: usize) -> String {
    columns(&std::iter::once(heads).chain(rows).collect::<Vec<_>>(), left)
}

/// Microseconds in the unit that suits them.
pub(crate) fn microseconds(us: f64) -> String {
    number::time(Duration::from_ps((us * 1e6).round() as u64))
}

/// A class's range of sizes in words.
fn sizes(class: &ClassRow) -> String {
    let from = Bytes::new(class.from_bytes);
    match (class.from_bytes, class.to_bytes.map(Bytes::new)) {
        (0, None) => "all".to_owned(),
        (0, Some(to)) => format!("below {to}"),
        (_, None) => format!("from {from}"),
        (_, Some(to)) => format!("{from} to {to}"),
    }
}
