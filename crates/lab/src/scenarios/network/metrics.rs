//! What the network experiments measure.

use forebay_net::measure::{
    ClassReport, Completions, FlowRecord, QueryRecord, SizeClasses, Spread, by_class, queries,
};
use forebay_net::switch::DropStates;
use forebay_units::{Bytes, Duration};

use super::setup::Setup;
use super::shares::Fairness;
use super::sizes::SizeGroup;
use crate::scenario::Better::{Higher, Lower, Neither};
use crate::scenario::{MetricSpec, SeriesSpec, metric};

/// Every metric.
pub const METRICS: &[MetricSpec] = &[
    metric(
        "qct_mean",
        "us",
        "Mean QCT",
        Lower,
        "Mean query completion time: until the last response is complete.",
    ),
    metric("qct_p99", "us", "p99 QCT", Lower, "99th percentile of it."),
    metric(
        "qct_slowdown_mean",
        "times",
        "Mean QCT slowdown",
        Lower,
        "Mean of QCT over the QCT on the empty network.",
    ),
    metric("qct_slowdown_p99", "times", "p99 QCT slowdown", Lower, "99th percentile of it."),
    metric("queries", "", "Queries", Neither, "Queries measured and finished."),
    metric("fct_mean", "us", "Mean FCT", Lower, "Mean completion time of background flows."),
    metric(
        "fct_slowdown_mean",
        "times",
        "Mean FCT slowdown",
        Lower,
        "Mean of FCT over the FCT on the empty network.",
    ),
    metric(
        "small_fct_mean",
        "us",
        "Mean FCT, small",
        Lower,
        "Mean completion time of small background flows.",
    ),
    metric("small_fct_p99", "us", "p99 FCT, small", Lower, "99th percentile of it."),
    metric(
        "small_slowdown_mean",
        "times",
        "Mean slowdown, small",
        Lower,
        "Mean slowdown of small background flows.",
    ),
    metric("small_slowdown_p99", "times", "p99 slowdown, small", Lower, "99th percentile of it."),
    metric(
        "fct_per_byte_mean",
        "ns/B",
        "Mean FCT / size",
        Lower,
        "Mean of FCT over size, all background flows (Themis §6.3.2).",
    ),
    metric(
        "small_fct_per_byte_p99",
        "ns/B",
        "p99 FCT / size, small",
        Lower,
        "99th percentile of FCT over size, small background flows.",
    ),
    metric(
        "fct_slowdown_p95",
        "times",
        "p95 FCT slowdown",
        Lower,
        "95th percentile of the slowdown.",
    ),
    metric(
        "small_slowdown_p95",
        "times",
        "p95 slowdown, small",
        Lower,
        "95th percentile of the slowdown of small background flows.",
    ),
    metric(
        "medium_slowdown_mean",
        "times",
        "Mean slowdown, medium",
        Lower,
        "Mean slowdown of medium background flows.",
    ),
    metric("medium_slowdown_p95", "times", "p95 slowdown, medium", Lower, "95th percentile of it."),
    metric(
        "large_slowdown_mean",
        "times",
        "Mean slowdown, large",
        Lower,
        "Mean slowdown of large background flows.",
    ),
    metric("large_slowdown_p95", "times", "p95 slowdown, large", Lower, "95th percentile of it."),
    metric(
        "small_delay_mean",
        "us",
        "Mean delay, small",
        Lower,
        "Mean delay of the data packets of small background flows, from the transport to the other host.",
    ),
    metric(
        "small_delay_p99",
        "us",
        "p99 delay, small",
        Lower,
        "99th percentile, over small background flows, of the mean delay of their packets.",
    ),
    metric("medium_delay_p99", "us", "p99 delay, medium", Lower, "The same of medium ones."),
    metric("large_delay_p99", "us", "p99 delay, large", Lower, "The same of large ones."),
    metric(
        "small_loss_fraction",
        "fraction",
        "Loss, small",
        Lower,
        "Data packets of small background flows that were lost, of all.",
    ),
    metric("medium_loss_fraction", "fraction", "Loss, medium", Lower, "The same of medium ones."),
    metric("large_loss_fraction", "fraction", "Loss, large", Lower, "The same of large ones."),
    metric(
        "nfm_mean",
        "",
        "Normalized fairness measure",
        Lower,
        "Largest difference of two flows' shares, relative to their fair shares, over run.scale; its mean.",
    ),
    metric("nfm_p95", "", "p95 of it", Lower, "95th percentile of it over time."),
    metric(
        "share_error",
        "fraction",
        "Distance from the fair share",
        Lower,
        "Mean over time and flows of the distance of a share from its max-min fair share, relative to it.",
    ),
    metric(
        "least_share",
        "fraction",
        "Least share",
        Higher,
        "What the flow that was served worst got over the run, of its fair share.",
    ),
    metric("flows", "", "Flows", Neither, "Background flows measured and finished."),
    metric(
        "unfinished",
        "",
        "Unfinished",
        Lower,
        "Measured flows and queries that had not finished when the run gave up.",
    ),
    metric("timeouts", "", "Timeouts", Lower, "Retransmission timeouts of all flows."),
    metric("query_timeouts", "", "Query timeouts", Lower, "Those of the queries' flows."),
    metric(
        "loss_fraction",
        "fraction",
        "Packet loss",
        Lower,
        "Packets lost in switches, of all that hosts sent.",
    ),
    metric(
        "goodput",
        "Gb/s",
        "Goodput of a host",
        Higher,
        "Bytes delivered, each once, per host and second until the window ends.",
    ),
    metric(
        "buffer_on_drop_p50",
        "fraction",
        "Buffer in use when a packet is lost, median",
        Neither,
        "On-chip buffers: the median over lost packets of the share in use (occamy Fig. 6).",
    ),
    metric(
        "buffer_on_drop_p99",
        "fraction",
        "Buffer in use when a packet is lost, p99",
        Higher,
        "99th percentile of it.",
    ),
    metric(
        "busy_on_drop_p50",
        "fraction",
        "Memory bandwidth in use when a packet is lost, median",
        Neither,
        "On-chip buffers: the median over lost packets of the share of the ports' rates that is sending (occamy Fig. 6).",
    ),
    metric(
        "packet_hops",
        "",
        "Packet-hops",
        Neither,
        "Packets sent by any device, acknowledgements included.",
    ),
];

/// The throughputs of watched flows.
pub const FLOW_SERIES: [&str; 4] = ["flow_1", "flow_2", "flow_3", "flow_4"];

/// Every series.
pub const SERIES: &[SeriesSpec] = &[
    SeriesSpec {
        name: "backlog",
        unit: "MB",
        label: "Backlog of all switches",
        doc: "Bytes that wait in switches.",
    },
    SeriesSpec {
        name: "goodput",
        unit: "Gb/s",
        label: "Goodput of all hosts",
        doc: "Bytes delivered since the last sample.",
    },
    flow_series("flow_1", "Throughput of flow 1"),
    flow_series("flow_2", "Throughput of flow 2"),
    flow_series("flow_3", "Throughput of flow 3"),
    flow_series("flow_4", "Throughput of flow 4"),
];

const fn flow_series(name: &'static str, label: &'static str) -> SeriesSpec {
    SeriesSpec { name, unit: "Gb/s", label, doc: "Bytes delivered since the last sample." }
}

/// What a run left behind.
pub struct Outcome {
    /// The background's flows.
    pub background: Vec<FlowRecord>,
    /// The flows of queries.
    pub responses: Vec<FlowRecord>,
    /// The queries.
    pub queries: Vec<QueryRecord>,
    /// Packets lost and sent by hosts.
    pub packets: [u64; 2],
    /// Bytes delivered until the window ended.
    pub delivered: u64,
    /// How fairly watched flows shared.
    pub fairness: Fairness,
    /// Packet-hops.
    pub hops: u64,
    /// What switches were like when they lost packets.
    pub states: DropStates,
}

impl Outcome {
    /// A value for every metric.
    #[must_use]
    pub fn values(&self, setup: &Setup) -> Vec<(&'static str, f64)> {
        let window = &setup.rule.window;
        let every = SizeClasses::new(&[]).unwrap_or_else(|_| SizeClasses::small_and_large());
        let all = by_class(&self.background, window, &every).remove(0);
        let [small, medium, large] = self.by_size(setup);
        let asked = queries(&self.queries, window);
        let timeouts = |records: &[FlowRecord]| -> u64 {
            records.iter().map(|record| u64::from(record.sender.timeouts)).sum()
        };
        let (ours, queries) = (timeouts(&self.background), timeouts(&self.responses));
        let seconds = window.end.as_ps() as f64 / 1e12;
        let [lost, sent] = self.packets;
        let per_byte = |class: &ClassReport, pick: fn(&Spread<f64>) -> f64| {
            class.time_per_byte.as_ref().map_or(f64::NAN, |spread| pick(spread) / 1e3)
        };
        let mut values = vec![
            ("qct_mean", us(&asked, |time| time.mean)),
            ("qct_p99", us(&asked, |time| time.p99)),
            ("qct_slowdown_mean", times(&asked, |slowdown| slowdown.mean)),
            ("qct_slowdown_p99", times(&asked, |slowdown| slowdown.p99)),
            ("queries", count(&asked)),
            ("fct_mean", us(&all.completions, |time| time.mean)),
            ("fct_slowdown_mean", times(&all.completions, |slowdown| slowdown.mean)),
            ("small_fct_mean", us(&small.report.completions, |time| time.mean)),
            ("small_fct_p99", us(&small.report.completions, |time| time.p99)),
            ("small_slowdown_mean", times(&small.report.completions, |slowdown| slowdown.mean)),
            ("small_slowdown_p99", times(&small.report.completions, |slowdown| slowdown.p99)),
            ("fct_per_byte_mean", per_byte(&all, |spread| spread.mean)),
            ("small_fct_per_byte_p99", per_byte(&small.report, |spread| spread.p99)),
            ("flows", count(&all.completions)),
            ("unfinished", (asked.unfinished + all.completions.unfinished) as f64),
            ("timeouts", (ours + queries) as f64),
            ("query_timeouts", queries as f64),
            ("loss_fraction", lost as f64 / sent.max(1) as f64),
            ("goodput", self.delivered as f64 * 8e-9 / seconds / f64::from(setup.graph.hosts)),
            ("buffer_on_drop_p50", self.states.filled(0.5).unwrap_or(f64::NAN)),
            ("buffer_on_drop_p99", self.states.filled(0.99).unwrap_or(f64::NAN)),
            ("busy_on_drop_p50", self.states.busy(0.5).unwrap_or(f64::NAN)),
            ("packet_hops", self.hops as f64),
            ("fct_slowdown_p95", times(&all.completions, |slowdown| slowdown.p95)),
            ("small_slowdown_p95", times(&small.report.completions, |slowdown| slowdown.p95)),
            ("medium_slowdown_mean", times(&medium.report.completions, |slowdown| slowdown.mean)),
            ("medium_slowdown_p95", times(&medium.report.completions, |slowdown| slowdown.p95)),
            ("large_slowdown_mean", times(&large.report.completions, |slowdown| slowdown.mean)),
            ("large_slowdown_p95", times(&large.report.completions, |slowdown| slowdown.p95)),
            ("small_delay_mean", small.delay_mean()),
            ("small_delay_p99", small.delay_p99()),
            ("medium_delay_p99", medium.delay_p99()),
            ("large_delay_p99", large.delay_p99()),
            ("small_loss_fraction", small.loss_fraction()),
            ("medium_loss_fraction", medium.loss_fraction()),
            ("large_loss_fraction", large.loss_fraction()),
        ];
        values.extend(self.fairness());
        values
    }

    fn fairness(&self) -> [(&'static str, f64); 4] {
        let Fairness { measures, share_error, least_share } = &self.fairness;
        let of = |pick: fn(&Spread<f64>) -> f64| measures.as_ref().map_or(f64::NAN, pick);
        [
            ("nfm_mean", of(|spread| spread.mean)),
            ("nfm_p95", of(|spread| spread.p95)),
            ("share_error", share_error.unwrap_or(f64::NAN)),
            ("least_share", least_share.unwrap_or(f64::NAN)),
        ]
    }

    /// Small, medium and large background flows.
    fn by_size(&self, setup: &Setup) -> [SizeGroup; 3] {
        let [small, large] = setup.sizes;
        [Bytes::ZERO..small, small..large, large..Bytes::new(u64::MAX)]
            .map(|sizes| SizeGroup::new(&self.background, &setup.rule.window, &sizes))
    }
}

fn us(completions: &Completions, pick: fn(&Spread<Duration>) -> Duration) -> f64 {
    completions.time.as_ref().map_or(f64::NAN, |time| pick(time).as_ps() as f64 / 1e6)
}

fn times(completions: &Completions, pick: fn(&Spread<f64>) -> f64) -> f64 {
    completions.slowdown.as_ref().map_or(f64::NAN, pick)
}

fn count(completions: &Completions) -> f64 {
    completions.time.as_ref().map_or(0, |time| time.count) as f64
}
