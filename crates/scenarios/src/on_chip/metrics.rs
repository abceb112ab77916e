//! What the on-chip experiments measure.

use forebay_buffer::onchip::{OnChipCounters, SharedBuffer};
use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, SeriesSpec, metric, series};
use forebay_sched::DropCause;

use super::params::OnChipSetup;

/// Every metric, in the order of results.
pub const METRICS: &[MetricSpec] = &[
    metric("burst_loss_fraction", "fraction", "Burst loss", Lower)
        .is("Bytes of the bursts lost, on arrival or later, of those sent."),
    metric("absorbed", "MB", "Burst absorbed", Higher)
        .is("Bytes of a burst that had arrived when its first packet was lost: the largest \
             burst without loss. All of it if nothing was lost."),
    metric("fair_share_reached", "fraction", "Fair share reached", Higher)
        .is("Length of a burst's queue when its first packet was lost, of what it holds \
             when every queue is at its threshold, if one was lost."),
    metric("burst_peak", "MB", "Longest burst queue", Neither)
        .is("The most that a burst's queue held."),
    metric("utilization_on_drop", "fraction", "Buffer utilization on drop", Higher)
        .is("Cells in use when an arriving packet was dropped, of all, mean over such drops \
             (occamy Fig. 6a)."),
    metric(
        "utilization_on_burst_loss",
        "fraction",
        "Buffer utilization on the burst's losses",
        Higher,
    )
    .is("Cells in use when a packet of a burst was lost, on arrival or later, of all, \
             mean over such losses."),
    metric("loss_threshold_fraction", "fraction", "Loss: threshold", Neither)
        .is("Packets refused although they would have fit, of all that arrived."),
    metric("loss_full_fraction", "fraction", "Loss: buffer full", Neither)
        .is("Packets refused for want of room, of all that arrived."),
    metric("loss_expelled_fraction", "fraction", "Loss: expelled", Neither)
        .is("Packets expelled from over-allocated queues, of all that arrived."),
    metric("loss_pushed_out_fraction", "fraction", "Loss: pushed out", Neither)
        .is("Packets pushed out by arriving ones, of all that arrived."),
    metric("background_utilization", "fraction", "Utilization of the congested ports", Higher)
        .is("Bytes that left the congested queues, of what their ports could send."),
];

/// Every series over time.
pub const SERIES: &[SeriesSpec] = &[
    series(
        "burst_queue",
        "MB",
        "Queue of the burst",
        "Bytes of cells held by the first burst's queue.",
    ),
    series(
        "background_queue",
        "MB",
        "Queue of the long-lived traffic",
        "Bytes of cells held by the first congested queue.",
    ),
    series(
        "threshold",
        "MB",
        "Threshold of the burst's queue",
        "What the scheme allows the first burst's queue; schemes without a threshold have none.",
    ),
    series("free", "MB", "Free buffer", "Bytes of free cells."),
];

/// What happened in no run that has no value of a metric or a series.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let (why, parameter) = match quantity {
        "background_queue" | "background_utilization" => {
            ("no queue is congested", "workload.background_queues")
        }
        "fair_share_reached" | "utilization_on_burst_loss" => {
            ("nothing of a burst was lost", "workload.burst_bytes")
        }
        "utilization_on_drop" => ("no packet was lost", "workload.burst_bytes"),
        _ => return None,
    };
    Some(Lack { why, parameter })
}

/// A mean that is NaN over nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    pub(super) fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    pub(super) fn get(self) -> f64 {
        self.sum / self.count as f64
    }
}

/// What is noted of a burst while it lasts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Burst {
    /// Bytes of it that have arrived, lost ones included.
    pub(super) arrived: u64,
    /// Bytes that had arrived before the first loss, and the queue's cells then.
    pub(super) first_loss: Option<(u64, u32)>,
    /// The most cells that its queue held.
    pub(super) peak: u32,
}

/// What is noted during a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// By number of the burst.
    pub(super) bursts: Vec<Burst>,
    pub(super) on_drop: Mean,
    pub(super) on_burst_loss: Mean,
}

impl Notes {
    /// Every metric by name.
    pub(super) fn values(
        &self,
        setup: &OnChipSetup,
        buffer: &SharedBuffer,
    ) -> Vec<(&'static str, f64)> {
        let cell = f64::from(setup.cell);
        let mean = |of: &dyn Fn(&Burst) -> Option<f64>| {
            let mut mean = Mean::default();
            self.bursts.iter().filter_map(of).for_each(|value| mean.add(value));
            mean.get()
        };
        let shared = buffer.pool(0).map_or(0, |pool| pool.capacity());
        let fair = setup.fair_share(shared);
        let absorbed = |burst: &Burst| {
            Some(burst.first_loss.map_or(burst.arrived, |(bytes, _)| bytes) as f64 / 1e6)
        };
        let reached = |burst: &Burst| burst.first_loss.map(|(_, cells)| f64::from(cells) / fair);
        let (mut sent, mut lost) = (0, 0);
        for account in setup.bursts().filter_map(|at| buffer.account(at.queue)) {
            sent += account.arrived().bytes;
            lost += account.lost().bytes;
        }
        let counters = buffer.counters();
        vec![
            ("burst_loss_fraction", lost as f64 / sent as f64),
            ("absorbed", mean(&absorbed)),
            ("fair_share_reached", mean(&reached)),
            ("burst_peak", mean(&|burst| Some(f64::from(burst.peak) * cell / 1e6))),
            ("utilization_on_drop", self.on_drop.get()),
            ("utilization_on_burst_loss", self.on_burst_loss.get()),
            ("loss_threshold_fraction", share(counters, DropCause::Threshold)),
            ("loss_full_fraction", share(counters, DropCause::SramFull)),
            ("loss_expelled_fraction", share(counters, DropCause::Expelled)),
            ("loss_pushed_out_fraction", share(counters, DropCause::PushedOut)),
            ("background_utilization", background_utilization(setup, buffer)),
        ]
    }
}

fn share(counters: &OnChipCounters, cause: DropCause) -> f64 {
    counters.dropped.of(cause).packets as f64 / counters.arrived.packets as f64
}

fn background_utilization(setup: &OnChipSetup, buffer: &SharedBuffer) -> f64 {
    let mut ports: Vec<u16> = setup.congested().map(|at| at.port).collect();
    ports.dedup();
    let accounts = setup.congested().filter_map(|at| buffer.account(at.queue));
    let bits: f64 = accounts.map(|account| account.departed().bytes as f64 * 8.0).sum();
    bits / (ports.len() as f64 * setup.port_rate.as_bps() as f64 * setup.span.as_secs_f64())
}
