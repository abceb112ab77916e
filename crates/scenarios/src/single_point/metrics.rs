//! What the single-point experiments measure.

use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, SeriesSpec, metric, series};
use forebay_mem::MemoryStats;
use forebay_sched::DropCause;
use forebay_switch::manager::ManagerCounters;
use forebay_units::{Bytes, Duration, Rate};

/// Every metric, in the order of results.
pub const METRICS: &[MetricSpec] = &[
    metric("loss_fraction", "fraction", "Packet loss", Lower)
        .is("Packets dropped, of those that arrived."),
    metric("loss_bytes_fraction", "fraction", "Byte loss", Lower)
        .is("Bytes dropped, of those that arrived."),
    metric("on_chip_hit_rate", "fraction", "On-chip dequeue hit rate", Higher)
        .is("Packets that left from on-chip memory rather than straight from an HBM read, \
             of those sent."),
    metric("egress_utilization", "fraction", "Egress utilization", Higher)
        .is("Bytes sent, of what the output link could send in the measured span."),
    metric("hbm_throughput", "Gb/s", "HBM throughput", Higher)
        .is("Packet bytes read and written, per time in which the HBM had a burst to serve."),
    metric(
        "egress_utilization_backlogged",
        "fraction",
        "Egress utilization while backlogged",
        Higher,
    )
    .is("Time the output link sent, of the time it sent or had packets waiting."),
    metric("at_hand_rate", "fraction", "On chip when selected", Higher)
        .is("Packets whose data was on chip when the port selected them, of those selected: \
             hits for which the port did not wait."),
    metric("hbm_read_throughput", "Gb/s", "HBM reads", Neither)
        .is("Packet bytes read from HBM, per time measured."),
    metric("hbm_write_throughput", "Gb/s", "HBM writes", Neither)
        .is("Packet bytes written to HBM, per time measured."),
    metric("hbm_total_throughput", "Gb/s", "HBM reads and writes", Neither)
        .is("Packet bytes read and written, per time measured."),
    metric("hbm_busy_fraction", "fraction", "HBM busy", Neither)
        .is("Time in which the HBM had a burst to serve, of the time measured."),
    metric("loss_staging_fraction", "fraction", "Loss: staging full", Lower)
        .is("Packets dropped because the staging buffer was full, of those that arrived \
             (cause 1)."),
    metric("loss_sram_fraction", "fraction", "Loss: SRAM full", Lower)
        .is("Packets dropped because the SRAM was full, of those that arrived (cause 2)."),
    metric("loss_other_fraction", "fraction", "Loss: other causes", Lower)
        .is("Packets dropped because the HBM or the descriptors were used up, of those that \
             arrived."),
    metric("loss_staging_bytes_fraction", "fraction", "Byte loss: staging full", Lower)
        .is("Bytes dropped because the staging buffer was full, of those that arrived \
             (cause 1)."),
    metric("loss_sram_bytes_fraction", "fraction", "Byte loss: SRAM full", Lower)
        .is("Bytes dropped because the SRAM was full, of those that arrived (cause 2)."),
    metric("loss_other_bytes_fraction", "fraction", "Byte loss: other causes", Lower)
        .is("Bytes dropped because the HBM or the descriptors were used up, of those that \
             arrived."),
    metric("sram_occupancy", "fraction", "SRAM occupancy", Neither)
        .is("Mean share of SRAM cells in use, over the samples."),
    metric("moved_out_fraction", "fraction", "Moved out", Neither)
        .is("Packets swapped out or expelled from SRAM to HBM, of those that arrived."),
    metric("moved_in_fraction", "fraction", "Moved in", Neither)
        .is("Packets swapped in from HBM to SRAM, of those that arrived."),
    metric("offered_load", "fraction", "Offered load", Neither)
        .is("Bytes that really arrived in the measured span, of what the inputs could \
             bring."),
];

/// Every series over time.
pub const SERIES: &[SeriesSpec] = &[
    series("sram_occupancy", "fraction", "SRAM occupancy", "Share of SRAM cells in use."),
    series("hbm_occupancy", "MB", "HBM occupancy", "Packet bytes in HBM."),
];

/// What happened in no run that has no value of a metric or a series.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let (why, parameter) = match quantity {
        "hbm_throughput" => ("the HBM had nothing to serve", "workload.load"),
        "sram_occupancy" | "hbm_occupancy" => ("nothing is recorded", "run.samples"),
        "on_chip_hit_rate" | "at_hand_rate" | "egress_utilization_backlogged" => {
            ("nothing left in the measured span", "run.span")
        }
        name if name.contains("loss") || name.starts_with("moved") => {
            ("nothing arrived in the measured span", "run.span")
        }
        _ => return None,
    };
    Some(Lack { why, parameter })
}

/// The state of all counters at one instant.
#[derive(Clone, Copy, Default)]
pub struct Snapshot {
    /// Of the traffic manager.
    pub switch: ManagerCounters,
    /// Of the HBM (one pseudo channel's busy time).
    pub hbm: MemoryStats,
    /// Time that the output link was idle while packets waited.
    pub stalled: Duration,
    /// Time that the output link was sending.
    pub sending: Duration,
}

/// What lies between two snapshots, as the metrics of [`METRICS`].
pub struct Measured {
    /// At the end of the warm-up.
    pub from: Snapshot,
    /// At the end of the run.
    pub to: Snapshot,
    /// The time between them.
    pub span: Duration,
    /// Rate of the output link.
    pub egress_rate: Rate,
    /// Rate of all inputs together.
    pub ingress_rate: Rate,
    /// Mean share of SRAM cells in use.
    pub sram_occupancy: f64,
}

impl Measured {
    /// Every metric by name; NaN where nothing happened that it could describe.
    #[must_use]
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        let counts = self.to.switch - self.from.switch;
        let share = |packets: u64| packets as f64 / counts.arrived.packets as f64;
        let byte_share = |bytes: u64| bytes as f64 / counts.arrived.bytes as f64;
        let gbps = |size: Bytes, span: Duration| size.bits() as f64 / span.as_secs_f64() / 1e9;
        let fraction_of = |rate: Rate, bytes: u64| {
            Bytes::new(bytes).bits() as f64 / (rate.as_bps() as f64 * self.span.as_secs_f64())
        };
        let read = self.to.hbm.useful_read - self.from.hbm.useful_read;
        let written = self.to.hbm.useful_written - self.from.hbm.useful_written;
        let busy = self.to.hbm.busy - self.from.hbm.busy;
        let sending = (self.to.sending - self.from.sending).as_secs_f64();
        let stalled = (self.to.stalled - self.from.stalled).as_secs_f64();
        let staging = counts.dropped.of(DropCause::StagingFull);
        let sram = counts.dropped.of(DropCause::SramFull);
        let other = counts.dropped.total() - staging - sram;
        vec![
            ("loss_fraction", share(counts.dropped.total().packets)),
            ("loss_bytes_fraction", byte_share(counts.dropped.total().bytes)),
            (
                "on_chip_hit_rate",
                counts.departed_sram.packets as f64 / counts.departed().packets as f64,
            ),
            ("egress_utilization", fraction_of(self.egress_rate, counts.departed().bytes)),
            ("hbm_throughput", gbps(read + written, busy)),
            ("egress_utilization_backlogged", sending / (sending + stalled)),
            ("at_hand_rate", counts.selected_at_hand as f64 / counts.selected as f64),
            ("hbm_read_throughput", gbps(read, self.span)),
            ("hbm_write_throughput", gbps(written, self.span)),
            ("hbm_total_throughput", gbps(read + written, self.span)),
            ("hbm_busy_fraction", busy.as_secs_f64() / self.span.as_secs_f64()),
            ("loss_staging_fraction", share(staging.packets)),
            ("loss_sram_fraction", share(sram.packets)),
            ("loss_other_fraction", share(other.packets)),
            ("loss_staging_bytes_fraction", byte_share(staging.bytes)),
            ("loss_sram_bytes_fraction", byte_share(sram.bytes)),
            ("loss_other_bytes_fraction", byte_share(other.bytes)),
            ("sram_occupancy", self.sram_occupancy),
            ("moved_out_fraction", share(counts.swapped_out.packets + counts.expelled.packets)),
            ("moved_in_fraction", share(counts.swapped_in.packets)),
            ("offered_load", fraction_of(self.ingress_rate, counts.arrived.bytes)),
        ]
    }
}
