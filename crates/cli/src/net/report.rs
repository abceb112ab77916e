//! What `forebay net run` measured, as text and as JSON.

use std::time::Duration as Wall;

use forebay_net::measure::{ClassReport, FlowRecord, Loss, SizeClasses, Totals, by_class};
use forebay_net::network::{LinkUse, Network};
use forebay_net::switch::SwitchModel;
use forebay_units::{Bytes, Duration, Time};
use serde_json::{Value, json};

use super::RunArguments;
use super::run::End;
use super::setup::Setup;
use crate::terminal::columns;

/// Everything that is told of a run.
pub(super) struct Report {
    title: String,
    end: End,
    simulated: Duration,
    wall: f64,
    records: Vec<FlowRecord>,
    /// Per size class, then all flows.
    classes: Vec<ClassReport>,
    totals: Totals,
    /// The places of loss, the worst first.
    losses: Vec<Loss>,
    /// The links, the busiest first.
    links: Vec<LinkUse>,
}

impl Report {
    pub(super) fn new<S: SwitchModel>(
        arguments: &RunArguments,
        setup: &Setup,
        network: &Network<S>,
        end: End,
        wall: Wall,
    ) -> Self {
        let records: Vec<FlowRecord> = network.records().collect();
        let measured = Time::ZERO + arguments.warm_up..Time::MAX;
        let mut classes = by_class(&records, &measured, &setup.classes);
        if let Ok(one) = SizeClasses::new(&[]) {
            classes.extend(by_class(&records, &measured, &one));
        }
        let simulated = network.now().since(Time::ZERO);
        let mut losses = network.losses();
        losses.sort_by_key(|loss| std::cmp::Reverse(loss.packets));
        losses.truncate(arguments.top);
        let mut links: Vec<LinkUse> = network.links().filter(|l| l.sent > Bytes::ZERO).collect();
        let used = |link: &LinkUse| link.utilization(simulated);
        links.sort_by(|a, b| used(b).total_cmp(&used(a)));
        links.truncate(arguments.top);
        Report {
            title: format!(
                "{} hosts, {} switches ({}), {}, {} flows",
                setup.graph.hosts,
                setup.graph.switches,
                arguments.switches.switch,
                arguments.hosts.control,
                records.len(),
            ),
            end,
            simulated,
            wall: wall.as_secs_f64(),
            records,
            classes,
            totals: network.totals(),
            losses,
            links,
        }
    }

    pub(super) fn records(&self) -> &[FlowRecord] {
        &self.records
    }

    fn finished(&self) -> usize {
        self.records.iter().filter(|record| record.finish.is_some()).count()
    }

    fn ended(&self) -> &'static str {
        match self.end {
            End::Finished => "finished",
            End::Unfinished => "unfinished",
            End::GaveUp => "gave up",
            End::Stopped => "stopped",
            End::Stuck(_) => "stuck",
        }
    }

    /// Segments sent again, and timeouts.
    fn repairs(&self) -> [u64; 2] {
        let sum = |of: fn(&FlowRecord) -> u32| self.records.iter().map(|r| u64::from(of(r))).sum();
        [sum(|record| record.sender.resent), sum(|record| record.sender.timeouts)]
    }

    fn hops_per_second(&self) -> f64 {
        self.totals.packet_hops as f64 / self.wall.max(1e-9)
    }

    /// Tables for people.
    pub(super) fn text(&self) -> String {
        let [resent, timeouts] = self.repairs();
        let Totals { made, dropped, packet_hops, .. } = &self.totals;
        format!(
            "{}\n{}: {} flows complete, {} not, after {:.3} ms of simulated time\n\n{}\n{}\n{}\n\
             {} packets made, {} lost; {resent} segments sent again, {timeouts} timeouts\n\
             {packet_hops} packet-hops in {:.2} s: {:.2} M packet-hops a second\n",
            self.title,
            self.ended(),
            self.finished(),
            self.records.len() - self.finished(),
            milliseconds(self.simulated),
            columns(&self.class_rows(), 1),
            self.loss_table(),
            self.link_table(),
            made.packets,
            dropped.packets,
            self.wall,
            self.hops_per_second() / 1e6,
        )
    }

    fn class_rows(&self) -> Vec<Vec<String>> {
        let heads = ["size", "flows", "not done", "FCT mean", "p99 (us)", "slowdown mean", "p99"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        for class in &self.classes {
            let done = &class.completions;
            let count = done.time.as_ref().map_or(0, |time| time.count);
            let mut row = vec![
                sizes(class),
                (count + done.unfinished).to_string(),
                done.unfinished.to_string(),
            ];
            match (&done.time, &done.slowdown) {
                (Some(time), Some(slowdown)) => row.extend([
                    format!("{:.1}", microseconds(time.mean)),
                    format!("{:.1}", microseconds(time.p99)),
                    format!("{:.2}", slowdown.mean),
                    format!("{:.2}", slowdown.p99),
                ]),
                _ => row.extend(["–"; 4].map(str::to_owned)),
            }
            rows.push(row);
        }
        rows
    }

    fn loss_table(&self) -> String {
        if self.losses.is_empty() {
            return "No packet was lost.\n".to_owned();
        }
        let heads = ["lost at", "port", "cause", "packets", "MB"].map(str::to_owned).to_vec();
        let row = |loss: &Loss| {
            vec![
                loss.node.to_string(),
                loss.port.to_string(),
                loss.cause.name().to_owned(),
                loss.packets.to_string(),
                format!("{:.3}", loss.bytes as f64 / 1e6),
            ]
        };
        columns(&std::iter::once(heads).chain(self.losses.iter().map(row)).collect::<Vec<_>>(), 3)
    }

    fn link_table(&self) -> String {
        let heads = ["busiest links", "", "rate", "used"].map(str::to_owned).to_vec();
        let row = |link: &LinkUse| {
            vec![
                link.from.to_string(),
                format!("to {}", link.to),
                link.rate.to_string(),
                format!("{:.1} %", 100.0 * link.utilization(self.simulated)),
            ]
        };
        columns(&std::iter::once(heads).chain(self.links.iter().map(row)).collect::<Vec<_>>(), 2)
    }

    /// One object for programs; times in microseconds.
    pub(super) fn json(&self) -> String {
        let [resent, timeouts] = self.repairs();
        let losses = self.losses.iter().map(|loss| {
            json!({
                "node": loss.node.to_string(), "port": loss.port, "cause": loss.cause.name(),
                "packets": loss.packets, "bytes": loss.bytes,
            })
        });
        let links = self.links.iter().map(|link| {
            json!({
                "from": link.from.to_string(), "to": link.to.to_string(),
                "bps": link.rate.as_bps(), "utilization": link.utilization(self.simulated),
            })
        });
        let object = json!({
            "ended": self.ended(),
            "flows": self.records.len(),
            "finished": self.finished(),
            "simulated_us": microseconds(self.simulated),
            "classes": self.classes.iter().map(class_json).collect::<Vec<_>>(),
            "losses": losses.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
            "packets": { "made": self.totals.made.packets, "lost": self.totals.dropped.packets },
            "resent": resent,
            "timeouts": timeouts,
            "packet_hops": self.totals.packet_hops,
            "wall_s": self.wall,
            "packet_hops_per_second": self.hops_per_second(),
        });
        format!("{object:#}\n")
    }
}

fn class_json(class: &ClassReport) -> Value {
    let done = &class.completions;
    let time = done.time.as_ref();
    let slowdown = done.slowdown.as_ref();
    json!({
        "from_bytes": class.sizes.start.get(),
        "to_bytes": (class.sizes.end.get() < u64::MAX).then(|| class.sizes.end.get()),
        "finished": time.map_or(0, |time| time.count),
        "unfinished": done.unfinished,
        "fct_mean_us": time.map(|time| microseconds(time.mean)),
        "fct_p99_us": time.map(|time| microseconds(time.p99)),
        "slowdown_mean": slowdown.map(|slowdown| slowdown.mean),
        "slowdown_p99": slowdown.map(|slowdown| slowdown.p99),
    })
}

/// A class's sizes in words.
fn sizes(class: &ClassReport) -> String {
    let (from, to) = (class.sizes.start, class.sizes.end);
    match (from == Bytes::ZERO, to.get() == u64::MAX) {
        (true, true) => "all".to_owned(),
        (true, false) => format!("below {to}"),
        (false, true) => format!("from {from}"),
        (false, false) => format!("{from} to {to}"),
    }
}

fn microseconds(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e6
}

fn milliseconds(span: Duration) -> f64 {
    span.as_ps() as f64 / 1e9
}
