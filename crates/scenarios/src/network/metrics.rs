//! The metrics and series of the network experiments;
//! [`NetworkOutcome`](super::outcome::NetworkOutcome) computes them.

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, SeriesSpec, joined, metric, series};

use super::causes::LOSSES;
use super::params::{Background, Config};
use super::pausing::{self, PAUSES};
use super::trimming::{self, TRIMMING};

/// What a network of this configuration lacks to have values of a metric or a series.
pub fn lack(config: &Config, quantity: &str) -> Option<Lack> {
    let background = config.workload.background;
    let of_queries = quantity.starts_with("qct_");
    let of_shares = ["nfm_", "share_error", "least_share", "flow_"]
        .iter()
        .any(|start| quantity.starts_with(start));
    let of_background =
        ["fct_", "small_", "medium_", "large_"].iter().any(|start| quantity.starts_with(start));
    let of_rounds = quantity.starts_with("round");
    if of_queries && config.workload.query_bytes.is_none() {
        Some(Lack { why: "there are no queries", parameter: "workload.query_bytes" })
    } else if of_background && background == Background::None {
        Some(Lack { why: "there is no background", parameter: "workload.background" })
    } else if of_rounds && !config.workload.goes_in_rounds() {
        let why = "only a collective in rounds that follow each other has them";
        let collective = matches!(background, Background::Collective(_));
        let parameter = if collective { "workload.rounds" } else { "workload.background" };
        Some(Lack { why, parameter })
    } else if of_shares && !background.watches_shares() {
        let why = "only a background of shares or join-leave has them";
        Some(Lack { why, parameter: "workload.background" })
    } else if quantity == "backlog" && config.run.samples == 0 {
        Some(Lack { why: "nothing is recorded", parameter: "run.samples" })
    } else {
        let no_pauses = pausing::lack(quantity).filter(|_| !config.switch.is_lossless());
        let has_none = !config.switch.trims() && !config.hosts.pulls();
        no_pauses.or_else(|| trimming::lack(quantity).filter(|_| has_none))
    }
}

/// What happened in no run that has no value of a metric or a series although its network lacks
/// nothing.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let (why, parameter) = match quantity {
        name if name.contains("_on_drop_") => ("no packet was lost", "workload.load"),
        name if name.starts_with("qct_") => ("no query was complete in the span", "run.span"),
        name if name.starts_with("round_") => ("no round was complete in the span", "run.span"),
        name if name.starts_with("small_") => ("no flow of the span is so small", "run.small"),
        name if name.starts_with("large_") => ("no flow of the span is so large", "run.large"),
        name if name.starts_with("medium_") => {
            ("no flow of the span is between small and large", "run.large")
        }
        name if name.starts_with("fct_") => ("no flow began and ended in the span", "run.span"),
        "nfm_mean" | "nfm_p95" | "share_error" | "least_share" => {
            ("the span is shorter than an interval of the measure", "run.scale")
        }
        name if FLOW_SERIES.contains(&name) => ("there are fewer flows", "scheduler.weights"),
        "uplink_utilization_mean" | "uplink_utilization_max" => {
            ("no link leads from hosts' switches to others", "topology.kind")
        }
        _ => return None,
    };
    Some(Lack { why, parameter })
}

/// Every metric.
pub const METRICS: &[MetricSpec] = &ALL;

const ALL: [MetricSpec; PAUSED.len() + TRIMMING.len()] = joined(&PAUSED, TRIMMING);

const PAUSED: [MetricSpec; LOST.len() + PAUSES.len()] = joined(&LOST, PAUSES);

const LOST: [MetricSpec; OWN.len() + LOSSES.len()] = joined(OWN, LOSSES);

const OWN: &[MetricSpec] = &[
    metric("qct_mean", "us", "Mean QCT", Lower)
        .is("Mean query completion time: until the last response is complete."),
    metric("qct_p99", "us", "p99 QCT", Lower).is("99th percentile of the QCT."),
    metric("qct_slowdown_mean", "times", "Mean QCT slowdown", Lower)
        .is("Mean of QCT over the QCT on the empty network."),
    metric("qct_slowdown_p99", "times", "p99 QCT slowdown", Lower)
        .is("99th percentile of the QCT's slowdown."),
    metric("queries", "", "Queries", Neither).is("Queries measured and finished."),
    metric("fct_mean", "us", "Mean FCT", Lower).is("Mean completion time of background flows."),
    metric("fct_p99", "us", "p99 FCT", Lower).is("99th percentile of the FCT."),
    metric("fct_slowdown_mean", "times", "Mean FCT slowdown", Lower)
        .is("Mean of FCT over the FCT on the empty network."),
    metric("small_fct_mean", "us", "Mean FCT, small", Lower)
        .is("Mean completion time of small background flows."),
    metric("small_fct_p99", "us", "p99 FCT, small", Lower)
        .is("99th percentile of the FCT of small background flows."),
    metric("small_slowdown_mean", "times", "Mean slowdown, small", Lower)
        .is("Mean slowdown of small background flows."),
    metric("small_slowdown_p99", "times", "p99 slowdown, small", Lower)
        .is("99th percentile of the slowdown of small background flows."),
    metric("fct_per_byte_mean", "ns/B", "Mean FCT / size", Lower)
        .is("Mean of FCT over size, all background flows (Themis §6.3.2)."),
    metric("small_fct_per_byte_p99", "ns/B", "p99 FCT / size, small", Lower)
        .is("99th percentile of FCT over size, small background flows."),
    metric("fct_slowdown_p95", "times", "p95 FCT slowdown", Lower)
        .is("95th percentile of the slowdown."),
    metric("small_slowdown_p95", "times", "p95 slowdown, small", Lower)
        .is("95th percentile of the slowdown of small background flows."),
    metric("medium_slowdown_mean", "times", "Mean slowdown, medium", Lower)
        .is("Mean slowdown of medium background flows."),
    metric("medium_slowdown_p95", "times", "p95 slowdown, medium", Lower)
        .is("95th percentile of the slowdown of medium background flows."),
    metric("large_slowdown_mean", "times", "Mean slowdown, large", Lower)
        .is("Mean slowdown of large background flows."),
    metric("large_slowdown_p95", "times", "p95 slowdown, large", Lower)
        .is("95th percentile of the slowdown of large background flows."),
    metric("small_delay_mean", "us", "Mean delay, small", Lower)
        .is("Mean delay of the data packets of small background flows, from the transport \
             to the other host."),
    metric("small_delay_p99", "us", "p99 delay, small", Lower)
        .is("99th percentile, over small background flows, of the mean delay of their \
             packets."),
    metric("medium_delay_p99", "us", "p99 delay, medium", Lower).is("The same of medium ones."),
    metric("large_delay_p99", "us", "p99 delay, large", Lower).is("The same of large ones."),
    metric("small_loss_fraction", "fraction", "Loss, small", Lower)
        .is("Data packets of small background flows that were lost, of all."),
    metric("medium_loss_fraction", "fraction", "Loss, medium", Lower)
        .is("The same of medium ones."),
    metric("large_loss_fraction", "fraction", "Loss, large", Lower).is("The same of large ones."),
    metric("round_mean", "us", "Mean time of a round", Lower).is(
        "Of a collective in rounds that follow each other: mean time from when a host \
             begins to send in a round until it has received all of the round (of a step, if \
             it takes partners some at a time); with a barrier, of all hosts together.",
    ),
    metric("round_p99", "us", "p99 time of a round", Lower).is("99th percentile of that time."),
    metric("rounds", "", "Rounds", Neither)
        .is("Rounds measured and finished, one for each host; with a barrier one for all."),
    metric("nfm_mean", "", "Normalized fairness measure", Lower)
        .is("Largest difference of two flows' shares, relative to their fair shares, over \
             run.scale; its mean."),
    metric("nfm_p95", "", "Normalized fairness measure, p95", Lower)
        .is("Its 95th percentile over time."),
    metric("share_error", "fraction", "Distance from the fair share", Lower)
        .is("Mean over time and flows of the distance of a share from its max-min fair \
             share, relative to it."),
    metric("least_share", "fraction", "Least share", Higher)
        .is("What the flow that was served worst got over the run, of its fair share."),
    metric("flows", "", "Flows", Neither).is("Background flows measured and finished."),
    metric("unfinished", "", "Unfinished", Lower)
        .is("Measured flows and queries that had not finished when the run gave up."),
    metric("stuck", "", "Stuck", Lower)
        .is("1 if the run had to stop because a flow's timer ran out 16 times in a row; \
             what was measured is kept."),
    metric("timeouts", "", "Timeouts", Lower).is("Retransmission timeouts of all flows."),
    metric("query_timeouts", "", "Query timeouts", Lower)
        .is("Retransmission timeouts of query responses."),
    metric("loss_fraction", "fraction", "Packet loss", Lower)
        .is("Packets lost in switches, of all that hosts sent."),
    metric("uplink_utilization_mean", "fraction", "Utilization of uplinks", Neither)
        .is("Share of the time until the window ends in which links from hosts' switches to \
             others sent; mean."),
    metric("uplink_utilization_max", "fraction", "Utilization, most", Neither)
        .is("Utilization of the busiest uplink."),
    metric("goodput", "Gb/s", "Goodput of a host", Higher)
        .is("Bytes delivered, each once, per host and second until the window ends."),
    metric(
        "buffer_on_drop_p50",
        "fraction",
        "Buffer in use when a packet is lost, median",
        Neither,
    )
    .is("On-chip buffers: the median over lost packets of the share in use (occamy Fig. \
             6)."),
    metric("buffer_on_drop_p99", "fraction", "Buffer in use when a packet is lost, p99", Higher)
        .is("99th percentile of that share."),
    metric(
        "busy_on_drop_p50",
        "fraction",
        "Memory bandwidth in use when a packet is lost, median",
        Neither,
    )
    .is("On-chip buffers: the median over lost packets of the share of the ports' rates \
             that is sending (occamy Fig. 6)."),
    metric("packet_hops", "", "Packet-hops", Neither)
        .is("Packets sent by any device, acknowledgements included."),
];

/// The throughputs of watched flows.
pub const FLOW_SERIES: [&str; 4] = ["flow_1", "flow_2", "flow_3", "flow_4"];

/// Every series.
pub const SERIES: &[SeriesSpec] = &[
    series("backlog", "MB", "Backlog of all switches", "Bytes that wait in switches."),
    series("goodput", "Gb/s", "Goodput of all hosts", "Bytes delivered since the last sample."),
    flow_series("flow_1", "Throughput of flow 1"),
    flow_series("flow_2", "Throughput of flow 2"),
    flow_series("flow_3", "Throughput of flow 3"),
    flow_series("flow_4", "Throughput of flow 4"),
];

const fn flow_series(name: &'static str, label: &'static str) -> SeriesSpec {
    series(name, "Gb/s", label, "Bytes delivered since the last sample.")
}
