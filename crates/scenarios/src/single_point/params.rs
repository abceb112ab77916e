//! The parameters of the single-point experiments and where each comes from. Those of the switch are the engine's.

use forebay_parameters::{Configure, Kind, Parameter, Source, Walk, Word};
use forebay_workload::{Discipline, SizeDistribution};

use super::setup::{Packets, SinglePointSetup};
use crate::switches::{Rank, hybrid_part};

const SETUP: Source = Source::paper("themis §6.3.1");

impl Word for Packets {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("poisson", Packets::Poisson),
        ("priority-mix", Packets::PriorityMix),
        ("capture", Packets::Capture),
    ];
}

const SOURCE: Parameter = Parameter::new(
    "workload.source",
    Kind::of::<Packets>(),
    SETUP,
    "Where packets come from: Poisson flows, two priority classes, or a capture file.",
);
const INPUTS: Parameter =
    Parameter::new("workload.inputs", Kind::Int { min: 1, max: 1024 }, SETUP, "Input links.");
const INPUT_RATE: Parameter =
    Parameter::new("workload.input_rate", Kind::Rate, SETUP, "Rate of each input link.");
const LOAD: Parameter = Parameter::new(
    "workload.load",
    Kind::Float { min: 0.001, max: 1.0 },
    SETUP,
    "Offered share of the inputs' total rate.",
);
pub(super) const FLOW_SIZES: Parameter = Parameter::new(
    "workload.flow_sizes",
    Kind::Choice(&SizeDistribution::BUILTIN),
    SETUP,
    "Flow sizes: a built-in distribution.",
);
pub(super) const FLOW_SIZE_FILE: Parameter = Parameter::new(
    "workload.flow_size_file",
    Kind::Path,
    Source::assumed("none: the built-in distribution"),
    "A CSV file of size_bytes,cum_prob to use instead of a built-in distribution.",
);
const PACKET_BYTES: Parameter = Parameter::new(
    "workload.packet_bytes",
    Kind::Int { min: 64, max: 9216 },
    Source::shown("the paper names no packet size; Ethernet's", "themis/sensitivity-packet-size"),
    "Bytes of a packet; a flow's last one is the remainder, and captured ones are cut to it.",
);
const INPUT_DISCIPLINE: Parameter = Parameter::new(
    "workload.input_discipline",
    Kind::of::<Discipline>(),
    Source::shown("UDP senders hand a whole flow to their link", "themis/sensitivity-discipline"),
    "How flows that are active at one input share its link.",
);
const HIGH_PER_LOW: Parameter = Parameter::new(
    "workload.high_per_low",
    Kind::Int { min: 1, max: 1000 },
    Source::paper("themis App. C"),
    "High-priority packets for every low-priority one (priority-mix).",
);
pub(super) const CAPTURE: Parameter = Parameter::new(
    "workload.capture",
    Kind::Path,
    Source::assumed("none: the source is not a capture"),
    "The pcap or pcapng file to replay (capture).",
);
const EGRESS_RATE: Parameter = Parameter::new(
    "switch.egress_rate",
    Kind::Rate,
    Source::shown(
        "not stated; HBM throughput above the offered rate at load 0.2 needs an output far slower than 320 Gb/s",
        "themis/sensitivity-egress",
    ),
    "Rate of the output link.",
);
const RANK: Parameter = Parameter::new(
    "switch.rank",
    Kind::Text,
    SETUP,
    "The scheduler's rank function, or a rule such as class * 100.",
);
const WATERMARK_GAP: Parameter = Parameter::new(
    "policy.watermark_gap",
    Kind::Float { min: 0.0, max: 1.0 },
    Source::paper("themis §6.3.1, co-tuning"),
    "If above zero, the swap-in watermark is this much below the swap-out watermark.",
);
const LEAD: Parameter = Parameter::new(
    "run.lead",
    Kind::Duration,
    Source::assumed("inputs that begin empty would offer less than their load for tens of ms"),
    "How long Poisson flows have been arriving at the inputs when the run begins.",
);
const WARM_UP: Parameter = Parameter::new(
    "run.warm_up",
    Kind::Duration,
    Source::shown("not stated; the SRAM fills in well under 1 ms", "themis/sensitivity-span"),
    "Simulated time before measuring begins.",
);
const SPAN: Parameter = Parameter::new(
    "run.span",
    Kind::Duration,
    Source::shown("not stated", "themis/sensitivity-span"),
    "Simulated time measured.",
);
const SAMPLES: Parameter = Parameter::new(
    "run.samples",
    Kind::Int { min: 0, max: 10_000 },
    Source::assumed("enough for a picture"),
    "Samples of occupancy over the measured span.",
);

impl Configure for SinglePointSetup {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&SOURCE, &mut self.packets);
        let shown = |of: Packets| self.packets == of || walk.wants_all();
        let [poisson, mix, capture] =
            [Packets::Poisson, Packets::PriorityMix, Packets::Capture].map(shown);
        walk.field(&INPUTS, &mut self.inputs);
        walk.field(&INPUT_RATE, &mut self.input_rate);
        walk.field(&LOAD, &mut self.load);
        walk.field(&PACKET_BYTES, &mut self.packet_bytes);
        if poisson {
            walk.field(&FLOW_SIZES, &mut self.flow_sizes);
            walk.field(&FLOW_SIZE_FILE, &mut self.flow_size_file);
            walk.field(&INPUT_DISCIPLINE, &mut self.discipline);
            walk.field(&LEAD, &mut self.lead);
        }
        if mix {
            walk.field(&HIGH_PER_LOW, &mut self.high_per_low);
        }
        if capture {
            walk.field(&CAPTURE, &mut self.capture);
        }
        walk.field(&EGRESS_RATE, &mut self.egress_rate);
        let rank = &mut Rank { choice: &mut self.switch.rank, catalogue: &self.catalogue };
        walk.field(&RANK, rank);
        hybrid_part(&mut self.switch, walk, &["largest_packet", "mark_above"]);
        if self.has_watermarks() {
            walk.field(&WATERMARK_GAP, &mut self.watermark_gap);
        }
        walk.field(&WARM_UP, &mut self.warm_up);
        walk.field(&SPAN, &mut self.span);
        walk.field(&SAMPLES, &mut self.samples);
    }
}
