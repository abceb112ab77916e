//! The metrics and series of the network experiments;
//! [`NetworkOutcome`](super::outcome::NetworkOutcome) computes them.

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{MetricSpec, SeriesSpec, joined, metric};

use super::causes::LOSSES;

/// Every metric.
pub const METRICS: &[MetricSpec] = &ALL;

const ALL: [MetricSpec; OWN.len() + LOSSES.len()] = joined(OWN, LOSSES);

const OWN: &[MetricSpec] = &[
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
    metric("fct_p99", "us", "p99 FCT", Lower, "99th percentile of it."),
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
    metric(
        "nfm_p95",
        "",
        "Normalized fairness measure, p95",
        Lower,
        "Its 95th percentile over time.",
    ),
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
    metric(
        "stuck",
        "",
        "Stuck",
        Lower,
        "1 if the run had to stop because a flow's timer ran out 16 times in a row; what was measured is kept.",
    ),
    metric("timeouts", "", "Timeouts", Lower, "Retransmission timeouts of all flows."),
    metric("query_timeouts", "", "Query timeouts", Lower, "Those of the responses' flows."),
    metric(
        "loss_fraction",
        "fraction",
        "Packet loss",
        Lower,
        "Packets lost in switches, of all that hosts sent.",
    ),
    metric(
        "uplink_utilization_mean",
        "fraction",
        "Utilization of uplinks",
        Neither,
        "Share of the time until the window ends in which links from hosts' switches to others sent; mean.",
    ),
    metric("uplink_utilization_max", "fraction", "Utilization, most", Neither, "Of the busiest."),
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
