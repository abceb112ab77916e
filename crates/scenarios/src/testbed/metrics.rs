//! What the testbed measures beside the metrics of a network: how well this machine kept up.

use forebay_lab::Better::{Lower, Neither};
use forebay_lab::{Lack, MetricSpec, joined, metric};

use crate::network::metrics::METRICS as OF_NETWORK;

/// Every metric.
pub(super) const METRICS: &[MetricSpec] = &ALL;

const ALL: [MetricSpec; OF_NETWORK.len() + OWN.len()] = joined(OF_NETWORK, OWN);

const OWN: &[MetricSpec] = &[
    metric("late_p50", "us", "Lateness, median", Lower)
        .is("How much later than computed real packets were handed to hosts, median."),
    metric("late_p99", "us", "Lateness, p99", Lower).is("99th percentile of the lateness."),
    metric("not_passed", "", "Not passed", Lower)
        .is("Real packets that this machine or its kernel lost, and no switch."),
    metric("resent", "", "Resent", Neither).is("Segments that real senders sent again."),
    metric("real_time", "", "Real-time priority", Neither)
        .is("1 if real packets were passed with real-time priority."),
];

/// The values of a simulation: there is no machine that could be late.
pub(super) fn nothing_late() -> Vec<(&'static str, f64)> {
    OWN.iter().map(|metric| (metric.name, f64::NAN)).collect()
}

/// What runs with real packets, or simulated ones, lack to have values of a metric.
pub(super) fn lack(is_real: bool, quantity: &str) -> Option<Lack> {
    let is_own = OWN.iter().any(|metric| metric.name == quantity);
    let of_simulation = quantity.contains("_on_drop_")
        || quantity.contains("_delay_")
        || ["small_loss", "medium_loss", "large_loss", "backlog", "packet_hops", "stuck"]
            .iter()
            .any(|start| quantity.starts_with(start));
    match (is_own, is_real) {
        (true, false) => Some(Lack { why: "packets are simulated", parameter: "testbed.packets" }),
        (false, true) if of_simulation => {
            Some(Lack { why: "packets are real", parameter: "testbed.packets" })
        }
        _ => None,
    }
}
