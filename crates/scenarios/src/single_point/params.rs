//! The parameters of the single-point experiments and where each comes from. Those of the switch
//! are the engine's.

use forebay_parameters::{Configure, Kind, Source, Walk, Word};
use forebay_workload::{InputDiscipline, SizeDistribution};

use forebay_switch::{Catalogue, HybridConfig};
use forebay_units::{Duration, Rate};

use crate::switches::{RANK, Rank, hybrid_part};

/// Where packets come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub(super) enum Packets {
    Poisson,
    PriorityMix,
    Capture,
}

/// Everything a run needs.
#[derive(Clone, Debug, Configure)]
pub struct SinglePointSetup {
    /// Where packets come from: Poisson flows, two priority classes, or a capture file.
    #[parameter(source = SETUP, name = "workload.source")]
    pub(super) packets: Packets,
    /// Input links.
    #[parameter(source = SETUP, name = "workload.inputs", range = 1..=1024)]
    pub(super) inputs: u16,
    /// Rate of each input link.
    #[parameter(source = SETUP, name = "workload.input_rate")]
    pub(super) input_rate: Rate,
    /// Offered share of the inputs' total rate.
    #[parameter(source = SETUP, name = "workload.load", range = 0.001..=1.0)]
    pub(super) load: f64,
    /// Bytes of a packet; a flow's last one is the remainder, and captured ones are cut to it.
    #[parameter(name = "workload.packet_bytes", range = 64..=9216)]
    #[parameter(
        assumed = "the paper names no packet size; Ethernet's",
        sensitivity = "themis/sensitivity-packet-size"
    )]
    pub(super) packet_bytes: u32,
    /// A CSV file of size_bytes,cum_prob to use instead of a built-in distribution.
    #[parameter(
        name = "workload.flow_size_file",
        kind = Kind::Path,
        when = self.packets == Packets::Poisson,
    )]
    #[parameter(assumed = "none: the built-in distribution")]
    pub(super) flow_size_file: String,
    /// Flow sizes: a built-in distribution.
    #[parameter(
        name = "workload.flow_sizes",
        kind = Kind::Choice(&SizeDistribution::BUILTIN),
        when = self.packets == Packets::Poisson && self.flow_size_file.is_empty(),
    )]
    #[parameter(source = SETUP)]
    pub(super) flow_sizes: String,
    /// How flows that are active at one input share its link.
    #[parameter(name = "workload.input_discipline", when = self.packets == Packets::Poisson)]
    #[parameter(
        assumed = "UDP senders hand a whole flow to their link",
        sensitivity = "themis/sensitivity-discipline"
    )]
    pub(super) discipline: InputDiscipline,
    /// How long Poisson flows have been arriving at the inputs when the run begins.
    #[parameter(name = "run.lead", when = self.packets == Packets::Poisson)]
    #[parameter(
        assumed = "inputs that begin empty would offer less than their load for tens of ms"
    )]
    pub(super) lead: Duration,
    /// High-priority packets for every low-priority one (priority-mix).
    #[parameter(
        name = "workload.high_per_low",
        range = 1..=1000,
        when = self.packets == Packets::PriorityMix,
    )]
    #[parameter(paper = "themis App. C")]
    pub(super) high_per_low: u32,
    /// The pcap or pcapng file to replay (capture).
    #[parameter(
        name = "workload.capture",
        kind = Kind::Path,
        when = self.packets == Packets::Capture,
    )]
    #[parameter(assumed = "none: the source is not a capture")]
    pub(super) capture: String,
    /// Rate of the output link.
    #[parameter(name = "switch.egress_rate")]
    #[parameter(
        assumed = "not stated; HBM throughput above the offered rate at load 0.2 needs an output \
                   far slower than 320 Gb/s",
        sensitivity = "themis/sensitivity-egress"
    )]
    pub egress_rate: Rate,
    #[parameter(part, by = |switch, walk| walk_switch(switch, &self.catalogue, walk))]
    pub(super) switch: HybridConfig,
    /// If above zero, the swap-in watermark is this much below the swap-out watermark.
    #[parameter(name = "policy.watermark_gap", range = 0.0..=1.0, only = self.has_watermarks())]
    #[parameter(paper = "themis §6.3.1, co-tuning")]
    pub(super) watermark_gap: f64,
    /// Simulated time before measuring begins.
    #[parameter(name = "run.warm_up")]
    #[parameter(
        assumed = "not stated; the SRAM fills in well under 1 ms",
        sensitivity = "themis/sensitivity-span"
    )]
    pub warm_up: Duration,
    /// Simulated time measured.
    #[parameter(
        assumed = "not stated",
        sensitivity = "themis/sensitivity-span",
        name = "run.span"
    )]
    pub span: Duration,
    /// Samples of occupancy over the measured span.
    #[parameter(assumed = "enough for a picture", name = "run.samples", range = 0..=10_000)]
    pub samples: u64,
    #[parameter(skip)]
    pub(super) catalogue: Catalogue,
}

const SETUP: Source = Source::paper("themis §6.3.1");

/// Shows the switch, its rank first.
fn walk_switch(switch: &mut HybridConfig, catalogue: &Catalogue, walk: &mut dyn Walk) {
    walk.field(&RANK, &mut Rank { choice: &mut switch.rank, catalogue });
    hybrid_part(switch, walk, &["largest_packet", "mark_above"]);
}
