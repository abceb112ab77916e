//! Lost packets by cause: one metric for every cause that the engine has.

use forebay_lab::Better::Lower;
use forebay_lab::{MetricSpec, metric};
use forebay_net::measure::LossCount;
use forebay_sched::DropCause;

const fn of(name: &'static str, label: &'static str, doc: &'static str) -> MetricSpec {
    metric(name, "fraction", label, Lower).is(doc)
}

/// A metric for each, in the order of [`DropCause::ALL`].
pub(super) const LOSSES: &[MetricSpec] = &[
    of("loss_queue_full_fraction", "Loss: queue full", "Lost at a queue's own limit, of all sent."),
    of("loss_threshold_fraction", "Loss: threshold", "Lost at a queue's share of the memory."),
    of("loss_sram_full_fraction", "Loss: SRAM full", "Lost because the SRAM was full."),
    of("loss_hbm_full_fraction", "Loss: HBM full", "Lost because the HBM was full."),
    of(
        "loss_staging_full_fraction",
        "Loss: staging full",
        "Lost because the staging buffer was full.",
    ),
    of(
        "loss_no_descriptor_fraction",
        "Loss: no descriptor",
        "Lost because no descriptor was free.",
    ),
    of(
        "loss_impossible_fraction",
        "Loss: impossible",
        "Lost because they were too large, or of no queue.",
    ),
    of("loss_pushed_out_fraction", "Loss: pushed out", "Pushed out to make room."),
    of("loss_expelled_fraction", "Loss: expelled", "Expelled from a queue above its share."),
    of(
        "loss_horizon_fraction",
        "Loss: horizon",
        "Lost because they were too far ahead for the scheduler.",
    ),
    of("loss_early_fraction", "Loss: early", "Dropped by active queue management."),
    of("loss_link_down_fraction", "Loss: link down", "Lost on a link that was down."),
    of("loss_no_route_fraction", "Loss: no route", "Lost because no route led to the host."),
    of(
        "loss_unmatched_fraction",
        "Loss: unmatched",
        "Lost because no rule says which queue takes them.",
    ),
    of(
        "loss_headroom_full_fraction",
        "Loss: headroom full",
        "Lost of a lossless class because the headroom was full.",
    ),
    of(
        "loss_watchdog_fraction",
        "Loss: watchdog",
        "Lost because their queue was paused for too long.",
    ),
];

/// Of all packets sent, those lost for each cause.
pub(super) fn fractions(
    losses: &[LossCount],
    sent: u64,
) -> impl Iterator<Item = (&'static str, f64)> {
    DropCause::ALL.into_iter().zip(LOSSES).map(move |(cause, metric)| {
        let lost = losses.iter().filter(|loss| loss.cause == cause).map(|loss| loss.packets);
        (metric.name, lost.sum::<u64>() as f64 / sent.max(1) as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use DropCause::{Early, Expelled};
    use forebay_net::topology::Node;

    #[test]
    fn every_cause_has_the_metric_of_its_name() {
        for (cause, metric) in DropCause::ALL.into_iter().zip(LOSSES) {
            assert_eq!(metric.name, format!("loss_{}_fraction", cause.name().replace('-', "_")));
        }
        assert_eq!(DropCause::COUNT, LOSSES.len());
        let loss = |port, cause, packets| LossCount {
            node: Node::Switch(0),
            port,
            cause,
            packets,
            bytes: 0,
        };
        let losses = [loss(0, Expelled, 2), loss(1, Expelled, 3), loss(0, Early, 5)];
        let of: Vec<_> = fractions(&losses, 20).filter(|(_, fraction)| *fraction > 0.0).collect();
        assert_eq!(of, [("loss_expelled_fraction", 0.25), ("loss_early_fraction", 0.25)]);
    }
}
