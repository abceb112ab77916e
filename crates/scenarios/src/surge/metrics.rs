//! What the experiments on SurgeProtector measure.

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, metric};
use forebay_surge::model::{ClassBytes, Displacement, SurgeOutcome};
use forebay_units::{Bytes, Duration, Rate};

use super::setup::SurgeSetup;

/// Every metric.
pub const METRICS: &[MetricSpec] = &[
    metric("displacement_factor", "", "Displacement factor", Lower)
        .is("Innocent traffic displaced per attack traffic (what Eq. 3.1 takes the supremum \
             of)."),
    metric("certain_factor", "", "Displacement factor, certain", Lower)
        .is("The same without what may be due to the backlogs at the ends of the runs."),
    metric("bound", "", "Bound of the theorem", Neither)
        .is("Theorem 2 for SJF, 3 for WSJF, ours for WSJF-Inorder; no value for others, nor \
             with drop-tail."),
    metric("goodput", "Gb/s", "Goodput", Higher).is("o_I under attack."),
    metric("goodput_alone", "Gb/s", "Goodput without attack", Higher)
        .is("o_I without the adversary."),
    metric("displaced", "Gb/s", "Displaced goodput", Lower).is("The difference."),
    metric("displaced_share", "fraction", "Displaced goodput", Lower)
        .is("The difference over o_I without attack."),
    metric("loss", "fraction", "Innocent loss", Lower)
        .is("Innocent bytes dropped under attack, of those that arrived in the span or waited \
             when it began."),
    metric("attack_served", "fraction", "Attack served", Neither)
        .is("Attack bytes processed, of those that arrived in the span or waited when it began."),
    metric("latency_mean", "us", "Mean latency", Lower)
        .is("Of innocent packets under attack, arrival to completion."),
    metric("latency_p50", "us", "Median latency", Lower).is("The same, median."),
    metric("latency_p99", "us", "p99 latency", Lower).is("The same, 99th percentile."),
    metric("latency_p99_alone", "us", "p99 latency without attack", Lower)
        .is("The same without attack."),
    metric("attack_work", "us", "Job size of the attack", Neither)
        .is("Of a packet; of a replay, of the last in a flow."),
    metric("load", "fraction", "Innocent load", Neither).is("ρ, at most 1."),
    metric("heuristic_change", "", "Change of the factor due to the heuristic", Lower)
        .is("Displacement factor less that with true job sizes, each under its own optimal \
             attack; scheduler.estimates = heuristic only."),
];

/// What no run has that has no value of a metric.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let (why, parameter) = match quantity {
        "bound" => ("no theorem bounds these policies, nor any with drop-tail", "policies"),
        "displacement_factor" | "certain_factor" | "displaced_share" => {
            ("nothing was processed in the span", "run.span")
        }
        name if name.starts_with("latency_") => {
            ("no innocent packet was processed in the span", "run.span")
        }
        _ => return None,
    };
    Some(Lack { why, parameter })
}

/// A value for each but the last, which takes other runs.
pub(super) fn values(
    setup: &SurgeSetup,
    alone: &SurgeOutcome,
    attacked: &SurgeOutcome,
    displacement: &Displacement,
) -> Vec<(&'static str, f64)> {
    let gbps = |rate: Rate| rate.as_bps() as f64 / 1e9;
    let us = |time: Duration| time.as_ps() as f64 / 1e6;
    let part =
        |of: Bytes, share: &ClassBytes| of.get() as f64 / share.offered().get().max(1) as f64;
    let latency = |outcome: &SurgeOutcome, time: Duration| {
        if outcome.innocent.completed.get() == 0 { f64::NAN } else { us(time) }
    };
    let Displacement { alone: before, attacked: after, .. } = *displacement;
    let displaced = gbps(before) - gbps(after);
    vec![
        ("displacement_factor", displacement.factor),
        ("certain_factor", displacement.certain()),
        ("bound", setup.bound()),
        ("goodput", gbps(after)),
        ("goodput_alone", gbps(before)),
        ("displaced", displaced),
        ("displaced_share", displaced / gbps(before)),
        ("loss", part(attacked.innocent.dropped, &attacked.innocent)),
        ("attack_served", part(attacked.attack.completed, &attacked.attack)),
        ("latency_mean", latency(attacked, attacked.latency.mean)),
        ("latency_p50", latency(attacked, attacked.latency.p50)),
        ("latency_p99", latency(attacked, attacked.latency.p99)),
        ("latency_p99_alone", latency(alone, alone.latency.p99)),
        ("attack_work", us(setup.attack_packet().work)),
        ("load", setup.load()),
    ]
}
