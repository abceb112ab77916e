//! The laboratory `network`: flows through switches, as `forebay net run` runs them.

use std::time::Duration as Wall;

use forebay_net::flow::read_flows;
use forebay_net::measure::FlowRecord;
use forebay_net_run::{
    ClassRow, End, Flows, LossRow, NetRunOutcome, NetRunPlan, NetRunReport, RunConfig, Session,
    class_rule,
};
use forebay_switch::{AnySwitch, Observed};
use forebay_units::{Duration, Time};

use crate::error::LabError;
use crate::figures::{bytes, optional, optional_time};
use crate::panel::switches::{hosts, switch};
use crate::picture::{Chart, Line, Measure, Picture, Table};
use crate::run::Lab;
use crate::setup::{NetworkSetup, read};
use crate::traffic::{flow_file, graph};
use crate::watch::Watch;

/// Completion times are drawn while it runs of so many flows at most: each looks at its path.
const LIVE_FLOWS: usize = 4_000;
/// The points of the chart of completion times.
const POINTS: usize = 100;

/// A side under way, then over.
enum State {
    Running(Box<Session>),
    Over(Box<NetRunOutcome>),
}

pub(crate) struct NetworkRun {
    /// None only while one state becomes the other.
    state: Option<State>,
    flows: usize,
    watch: Watch,
}

impl NetworkRun {
    pub(crate) fn new(setup: &NetworkSetup, number: usize) -> Result<Self, LabError> {
        let side = &setup.sides[number];
        let graph = graph(&setup.topology)?;
        if setup.watch >= graph.switches {
            let problem =
                format!("there is no switch {}: give one below {}", setup.watch, graph.switches);
            return Err(LabError::at("watch", problem));
        }
        let text = flow_file(setup, &graph)?;
        let flows =
            read_flows(&text, graph.hosts).map_err(|error| LabError::at("traffic", error))?;
        let count = flows.len();
        let rule = setup.class.as_deref().map(class_rule).transpose();
        let config = RunConfig {
            hosts: hosts(setup)?,
            switch: switch(side).map_err(|error| error.within(&side.policy))?,
            switch_name: side.policy.clone(),
            class: rule.map_err(|error| LabError::at("class", error))?,
            give_up: setup.give_up.as_deref().map(|text| read("give_up", text)).transpose()?,
            ..RunConfig::default()
        };
        let named = |error| LabError::from(error).within(&side.policy);
        let plan = NetRunPlan::new(&setup.topology, Flows::Given(flows), config).map_err(named)?;
        let watch = Watch::new();
        let session = Session::new(plan, |shape, switch| match shape.index == setup.watch {
            true => Box::new(Observed::new(switch, watch.clone())) as AnySwitch,
            false => switch,
        });
        let state = Some(State::Running(Box::new(session.map_err(named)?)));
        Ok(NetworkRun { state, flows: count, watch })
    }

    /// Completion times, from the shortest to the longest.
    fn completions(records: impl Iterator<Item = FlowRecord>) -> Chart {
        let us = |span: Duration| span.as_ps() as f64 / 1e6;
        let mut all: Vec<f64> = records.filter_map(|record| record.fct()).map(us).collect();
        all.sort_by(f64::total_cmp);
        let places = if all.is_empty() { 0..0 } else { 0..POINTS + 1 };
        let last = all.len().saturating_sub(1);
        let (at, values) = places.map(|p| (p as f64, Some(all[last * p / POINTS]))).unzip();
        Chart {
            id: "completions",
            title: "Completion times of the flows that are done",
            x: ["flows that took at most so long", "%"],
            y: ["completion time", "us"],
            log: [false, true],
            at,
            lines: vec![Line { name: "completion time".to_owned(), dashed: false, values }],
        }
    }
}

impl Lab for NetworkRun {
    /// `effort` is microseconds of simulated time.
    fn advance(&mut self, effort: f64) -> Result<bool, LabError> {
        let Some(State::Running(session)) = &mut self.state else { return Ok(true) };
        let step = Duration::from_ps((effort * 1e6) as u64).max(Duration::from_ns(1));
        let Some(end) = session.advance(step) else { return Ok(false) };
        if let Some(State::Running(session)) = self.state.take() {
            self.state = Some(State::Over(Box::new(session.finish(end, Wall::ZERO))));
        }
        Ok(true)
    }

    fn picture(&self) -> Picture {
        let mut charts = self.watch.charts();
        let mut tables = vec![self.watch.table()];
        let mut measures = vec![
            Measure::of("lost in the switch", self.watch.lost() as f64, "packets", Some(true)),
            Measure::of("most held", self.watch.most_held() as f64, "bytes", None),
        ];
        let (finished, now) = match &self.state {
            Some(State::Running(session)) => {
                if self.flows <= LIVE_FLOWS {
                    charts.push(Self::completions(session.network().records()));
                }
                (session.moment().finished, session.moment().now)
            }
            Some(State::Over(outcome)) => {
                charts.push(Self::completions(outcome.records.iter()));
                tables.insert(0, classes(&outcome.report));
                tables.push(losses(&outcome.report));
                measures.splice(0..0, of_report(&outcome.report));
                let us = outcome.report.simulated_us;
                (outcome.report.finished, Time::from_ps((us * 1e6) as u64))
            }
            None => (0, Time::ZERO),
        };
        let progress = match &self.state {
            Some(State::Over(outcome)) => ended(outcome),
            Some(State::Running(_)) | None => format!(
                "{finished} of {} flows done after {}",
                self.flows,
                crate::figures::time(now.as_ps() as f64 / 1e6)
            ),
        };
        let part = Some(finished as f64 / self.flows.max(1) as f64);
        Picture { progress, part, measures, charts, tables }
    }

    fn report(&mut self, wall_s: f64) -> Result<String, LabError> {
        let Some(State::Over(outcome)) = &mut self.state else {
            return Err(LabError::at("report", "the run is not over: let it go on"));
        };
        outcome.report.wall_s = wall_s;
        let rate = outcome.report.packet_hops as f64 / wall_s.max(1e-9);
        outcome.report.packet_hops_per_second = rate;
        serde_json::to_string(&outcome.report).map_err(|error| LabError::at("report", error))
    }
}

/// How it ended, in words.
fn ended(outcome: &NetRunOutcome) -> String {
    let NetRunReport { finished, flows, simulated_us, .. } = outcome.report;
    let after = crate::figures::time(simulated_us);
    let all = format!("{finished} of {flows} flows done after {after}");
    match (outcome.end, &outcome.problem) {
        (_, Some(problem)) => format!("{all}; {problem}"),
        (End::Finished, None) => format!("{flows} flows done after {after}"),
        (End::GaveUp, None) => format!("{all}, when the time given was over"),
        (End::Unfinished | End::Stopped | End::Stuck(_), None) => all,
    }
}

fn of_report(report: &NetRunReport) -> Vec<Measure> {
    let all = report.classes.last();
    let of = |name, value: Option<f64>| Measure::of(name, value, "us", Some(true));
    vec![
        of("mean completion time", all.and_then(|class| class.fct_mean_us)),
        of("99th percentile", all.and_then(|class| class.fct_p99_us)),
        Measure::of("mean slowdown", all.and_then(|class| class.slowdown_mean), "", Some(true)),
        Measure::of("timeouts", report.timeouts as f64, "", Some(true)),
        Measure::of("segments sent again", report.resent as f64, "", Some(true)),
    ]
}

fn classes(report: &NetRunReport) -> Table {
    let row = |class: &ClassRow| {
        vec![
            match (class.from_bytes, class.to_bytes) {
                (0, None) => "all".to_owned(),
                (from, None) => format!("from {}", bytes(from)),
                (from, Some(to)) => format!("{} to {}", bytes(from), bytes(to)),
            },
            class.finished.to_string(),
            class.unfinished.to_string(),
            optional_time(class.fct_mean_us),
            optional_time(class.fct_p99_us),
            optional(class.slowdown_mean),
            optional(class.slowdown_p99),
        ]
    };
    Table {
        title: "Completion times by size",
        heads: vec!["size", "done", "not done", "mean", "p99", "slowdown", "slowdown p99"],
        rows: report.classes.iter().map(row).collect(),
    }
}

fn losses(report: &NetRunReport) -> Table {
    let row = |loss: &LossRow| {
        let lost = loss.bytes.to_string();
        let port = loss.port.to_string();
        let packets = loss.packets.to_string();
        vec![loss.node.clone(), port, loss.cause.to_owned(), packets, lost]
    };
    Table {
        title: "Lost anywhere, the worst places first",
        heads: vec!["node", "port", "cause", "packets", "bytes"],
        rows: report.losses.iter().map(row).collect(),
    }
}
