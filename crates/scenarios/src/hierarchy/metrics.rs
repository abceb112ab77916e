//! What is measured: the leaves' rates against the exact allocation, and shapers against their
//! bound.

use std::collections::HashMap;
use std::ops::Range;

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, metric};
use forebay_sched::Packet;
use forebay_sched::tree::{Shaper, TreeConfig, TreeError};
use forebay_units::{Rate, Time};

use super::Config;

/// Every metric.
pub(super) const METRICS: &[MetricSpec] = &[
    metric("share_error_max", "fraction", "Largest distance from the exact share", Lower)
        .is("Over the leaves that should get something: the largest distance of what one \
             got from its exact share, relative to it."),
    metric("share_error_mean", "fraction", "Mean distance from the exact share", Lower)
        .is("Mean of this distance over the leaves."),
    metric("least_share", "fraction", "Least share", Higher)
        .is("What the leaf that was served worst got, of its exact share."),
    metric("shaper_excess", "B", "Sent beyond a shaper", Lower)
        .is("The most bytes that a shaped node sent in any span beyond its rate times the \
             span and its burst."),
    metric("sent", "Gb/s", "Sent", Higher).is("Bytes sent in the span, over it."),
    metric("refused_fraction", "fraction", "Refused", Lower)
        .is("Packets refused or dropped, of those offered."),
    metric("leaves", "", "Leaves", Neither).is("Leaves that should get something."),
];

/// A shaper's bound, followed packet by packet: what was sent and not yet paid for by its rate.
struct Meter {
    shaper: Shaper,
    /// Bytes.
    level: f64,
    at: Time,
    most: f64,
}

impl Meter {
    fn sent(&mut self, now: Time, size: u32) {
        let passed = now.since(self.at).as_ps() as f64 / 1e12;
        let paid = self.shaper.rate.as_bps() as f64 / 8.0 * passed;
        self.level = (self.level - paid).max(0.0) + f64::from(size);
        self.at = now;
        self.most = self.most.max(self.level);
    }

    /// Bytes beyond the burst, less what sums of so many numbers may be off by.
    fn excess(&self) -> f64 {
        (self.most - self.shaper.burst.get() as f64 - 1e-3).max(0.0)
    }
}

/// Looks at what leaves.
pub(super) struct Watch {
    span: Range<Time>,
    /// Per flow: its leaf.
    leaves: Vec<Option<usize>>,
    /// Per node: the shaped nodes from it up to the root.
    shaped: Vec<Vec<usize>>,
    meters: Vec<Option<Meter>>,
    /// Per node, the exact rate; 0 above the leaves.
    exact: Vec<Rate>,
    bytes: Vec<u64>,
}

impl Watch {
    /// Of the leaves of `tree`.
    pub(super) fn new(
        tree: &TreeConfig,
        config: &Config,
        span: Range<Time>,
    ) -> Result<Self, TreeError> {
        let tree = TreeConfig { rate: config.rate, ..tree.clone() };
        let leaves = config.leaves(&tree);
        let mut demands = vec![0u64; tree.nodes.len()];
        for (leaf, demand) in leaves.iter().zip(&config.demands) {
            if let Some(leaf) = *leaf {
                demands[leaf] = demands[leaf].saturating_add(demand.as_bps());
            }
        }
        let demands: Vec<Rate> = demands.into_iter().map(Rate::from_bps).collect();
        let mut exact = tree.allocation(&demands)?;
        for (node, exact) in tree.nodes.iter().zip(&mut exact) {
            if node.rules.is_empty() {
                *exact = Rate::from_bps(0);
            }
        }
        let meter = |shaper| Meter { shaper, level: 0.0, at: Time::ZERO, most: 0.0 };
        Ok(Watch {
            meters: tree.nodes.iter().map(|node| node.shaper.map(meter)).collect(),
            shaped: shaped_above(&tree),
            bytes: vec![0; tree.nodes.len()],
            leaves,
            exact,
            span,
        })
    }

    /// A packet begins to leave.
    pub(super) fn sent(&mut self, now: Time, packet: &Packet) {
        let Some(Some(leaf)) = self.leaves.get(packet.flow as usize).copied() else { return };
        for node in &self.shaped[leaf] {
            if let Some(meter) = &mut self.meters[*node] {
                meter.sent(now, packet.size);
            }
        }
        if self.span.contains(&now) {
            self.bytes[leaf] += u64::from(packet.size);
        }
    }

    /// All of it, with the packets offered and refused.
    pub(super) fn outcome(self, [offered, refused]: [u64; 2]) -> LeafShares {
        let seconds = self.span.end.since(self.span.start).as_ps() as f64 / 1e12;
        let share = |(bytes, exact): (&u64, &Rate)| {
            let rate = *bytes as f64 * 8.0 / seconds;
            (exact.as_bps() > 0).then(|| rate / exact.as_bps() as f64)
        };
        LeafShares {
            shares: self.bytes.iter().zip(&self.exact).filter_map(share).collect(),
            excess: self.meters.iter().flatten().map(Meter::excess).fold(0.0, f64::max),
            sent: self.bytes.iter().sum::<u64>() as f64 * 8e-9 / seconds,
            refused: refused as f64 / offered.max(1) as f64,
        }
    }
}

/// The shaped nodes from each node up to the root; `tree` has been checked.
fn shaped_above(tree: &TreeConfig) -> Vec<Vec<usize>> {
    let names: HashMap<&str, usize> =
        tree.nodes.iter().zip(0..).map(|(node, number)| (node.name.as_str(), number)).collect();
    let parent = |node: &usize| names.get(tree.nodes[*node].parent.as_deref()?).copied();
    let above = |node| {
        let path = std::iter::successors(Some(node), parent);
        path.filter(|node| tree.nodes[*node].shaper.is_some()).collect()
    };
    (0..tree.nodes.len()).map(above).collect()
}

/// What a run left behind.
pub(super) struct LeafShares {
    /// What each leaf that should get something got of it.
    shares: Vec<f64>,
    excess: f64,
    sent: f64,
    refused: f64,
}

/// What happened in no run that has no value of a metric.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let of_shares = quantity.starts_with("share_error") || quantity == "least_share";
    of_shares.then_some(Lack { why: "no leaf should get anything", parameter: "workload.demands" })
}

/// A value for each metric.
pub(super) fn values(outcome: &LeafShares) -> Vec<(&'static str, f64)> {
    let LeafShares { shares, excess, sent, refused } = outcome;
    let errors = || shares.iter().map(|share| (share - 1.0).abs());
    let or_nan = |value: Option<f64>| value.unwrap_or(f64::NAN);
    vec![
        ("share_error_max", or_nan(errors().reduce(f64::max))),
        ("share_error_mean", errors().sum::<f64>() / shares.len() as f64),
        ("least_share", or_nan(shares.iter().copied().reduce(f64::min))),
        ("shaper_excess", *excess),
        ("sent", *sent),
        ("refused_fraction", *refused),
        ("leaves", shares.len() as f64),
    ]
}
