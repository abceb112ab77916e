//! The parameters of the single-point experiments and where each comes from.

use std::sync::LazyLock;

use forebay_lab::DefaultSource::{self, Paper};
use forebay_lab::{Kind, ParamSpec, PolicyInfo, assumed, param, shown};
use forebay_workload::SizeDistribution;

use crate::engine_policies;

/// The schemes that themis §6.3 compares: those of the engine.
pub static POLICIES: LazyLock<Vec<PolicyInfo>> =
    LazyLock::new(|| engine_policies(forebay_buffer::policies()));

const SETUP: DefaultSource = Paper("themis §6.3.1");
const LOAD: Kind = Kind::Float { min: 0.001, max: 1.0 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 1.0 };
const ALPHA: Kind = Kind::Float { min: 0.001, max: 1024.0 };

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "workload.source",
        Kind::Choice(&["poisson", "priority-mix", "capture"]),
        "poisson",
        SETUP,
        "Where packets come from: Poisson flows, two priority classes, or a capture file.",
    ),
    param("workload.inputs", Kind::Int { min: 1, max: 1024 }, "32", SETUP, "Input links."),
    param("workload.input_rate", Kind::Rate, "50 Gb/s", SETUP, "Rate of each input link."),
    param("workload.load", LOAD, "0.8", SETUP, "Offered share of the inputs' total rate."),
    param(
        "workload.flow_sizes",
        Kind::Choice(&SizeDistribution::BUILTIN),
        "websearch",
        SETUP,
        "Flow sizes: a built-in distribution.",
    ),
    param(
        "workload.flow_size_file",
        Kind::Path,
        "",
        assumed("none: the built-in distribution"),
        "A CSV file of size_bytes,cum_prob to use instead of a built-in distribution.",
    ),
    param(
        "workload.packet_bytes",
        Kind::Int { min: 64, max: 9216 },
        "1500",
        shown("the paper names no packet size; Ethernet's", "themis/sensitivity-packet-size"),
        "Bytes of a packet; a flow's last one is the remainder, and captured ones are cut to it.",
    ),
    param(
        "workload.input_discipline",
        Kind::Choice(&["fifo", "round-robin"]),
        "fifo",
        shown("UDP senders hand a whole flow to their link", "themis/sensitivity-discipline"),
        "How flows that are active at one input share its link.",
    ),
    param(
        "workload.high_per_low",
        Kind::Int { min: 1, max: 1000 },
        "4",
        Paper("themis App. C"),
        "High-priority packets for every low-priority one (priority-mix).",
    ),
    param(
        "workload.capture",
        Kind::Path,
        "",
        assumed("none: the source is not a capture"),
        "The pcap or pcapng file to replay (capture).",
    ),
    param(
        "switch.egress_rate",
        Kind::Rate,
        "100 Gb/s",
        shown(
            "not stated; HBM throughput above the offered rate at load 0.2 needs an output far \
             slower than 320 Gb/s",
            "themis/sensitivity-egress",
        ),
        "Rate of the output link.",
    ),
    param(
        "switch.rank",
        Kind::Choice(&["sff", "fifo", "strict-priority"]),
        "sff",
        SETUP,
        "The scheduler's rank function.",
    ),
    param(
        "switch.ranked_queue",
        Kind::Choice(&["buckets", "exact"]),
        "buckets",
        Paper("themis §5.3"),
        "Two-tier bucket queue over quantized ranks, or an exact one over raw ranks.",
    ),
    param(
        "switch.rank_bits",
        Kind::Int { min: 1, max: 14 },
        "10",
        shown(
            "keeps flow sizes apart to 0.1 % within 2^15 buckets",
            "themis/sensitivity-rank-bits",
        ),
        "Bits of a rank kept after the leading one when it is quantized.",
    ),
    param(
        "switch.read_window",
        Kind::Int { min: 1, max: 4096 },
        "8",
        shown("the paper states no prefetch depth", "themis/sensitivity-read-window"),
        "Packets that the port selects ahead while it waits for the HBM.",
    ),
    param(
        "switch.queue_by",
        Kind::Choice(&["flow", "input", "class", "port"]),
        "flow",
        shown("themis §3.1 speaks of one queue per flow", "themis/sensitivity-queue-by"),
        "What makes a queue for the thresholds of DT and Occamy.",
    ),
    param(
        "switch.queues",
        Kind::Int { min: 1, max: 1 << 20 },
        "1024",
        assumed("more than the flows that are active at once"),
        "Accounting queues; flows are spread over them.",
    ),
    param(
        "switch.descriptors",
        Kind::Int { min: 1, max: 1 << 24 },
        "16777216",
        assumed("more than the HBM holds packets of 1500 B"),
        "Packet descriptors: packets that can be buffered at once.",
    ),
    param(
        "switch.write_forwarding",
        Kind::Bool,
        "false",
        shown(
            "packets directed to DRAM are written and read back in the paper's account",
            "themis/sensitivity-write-forwarding",
        ),
        "Whether a packet whose data is on its way to HBM can leave from on-chip memory.",
    ),
    param("sram.capacity", Kind::Bytes, "5 MB", SETUP, "On-chip packet memory, staging included."),
    param(
        "sram.cell",
        Kind::Bytes,
        "256 B",
        assumed("usual for shared-memory switches"),
        "Bytes per SRAM cell.",
    ),
    param(
        "sram.port_rate",
        Kind::Rate,
        "3.2 Tb/s",
        assumed("twice the inputs' total rate, so that residual bandwidth exists (themis §4.3)"),
        "Rate of the SRAM's write port and, independently, of its read port.",
    ),
    param(
        "sram.staging",
        Kind::Bytes,
        "64 KiB",
        shown("four batches, the same for every scheme", "themis/sensitivity-staging"),
        "Buffer in front of the HBM, taken from the SRAM; Themis's temporary buffer.",
    ),
    param(
        "hbm.rows",
        Kind::Int { min: 1, max: 1 << 20 },
        "65536",
        shown("the part of App. A; the capacity used is not stated", "themis/sensitivity-hbm-rows"),
        "Rows per bank; 65,536 make 16 GiB.",
    ),
    param(
        "hbm.scheduling",
        Kind::Choice(&["in-order", "fr-fcfs"]),
        "in-order",
        shown(
            "not stated; serial service matches the baselines' band",
            "themis/sensitivity-reordering",
        ),
        "How the HBM controller orders commands.",
    ),
    param(
        "hbm.lookahead",
        Kind::Int { min: 0, max: 63 },
        "1",
        shown(
            "not stated; serial service matches the baselines' band",
            "themis/sensitivity-lookahead",
        ),
        "Bursts whose rows an in-order controller opens early (queue depth - 1 of fr-fcfs).",
    ),
    param(
        "hbm.page",
        Kind::Choice(&["open", "closed"]),
        "open",
        shown("successive packets rarely share a row", "themis/sensitivity-page"),
        "Whether a row stays open after a burst.",
    ),
    param(
        "hbm.order",
        Kind::Choice(&["fcfs", "reads-first"]),
        "fcfs",
        shown("not stated; the plain choice", "themis/sensitivity-order"),
        "Which burst gets the HBM next.",
    ),
    param(
        "hbm.layout",
        Kind::Choice(&["scattered", "sequential"]),
        "scattered",
        shown("the free list of a buffer long in use", "themis/sensitivity-layout"),
        "Where the baselines' successive packets lie in HBM.",
    ),
    param(
        "hbm.refresh",
        Kind::Choice(&["off", "all-bank", "per-bank"]),
        "off",
        shown("the paper's 24 us leaves no room for it", "themis/sensitivity-refresh"),
        "Refresh.",
    ),
    param(
        "hbm.write_to_read",
        Kind::Choice(&["command", "jedec"]),
        "command",
        Paper("themis App. A"),
        "Whether tWTR counts from the write command or from the end of its data.",
    ),
    param(
        "hbm.t_ccd_l",
        Kind::Int { min: 1, max: 64 },
        "4",
        Paper("themis App. A"),
        "Clocks between column commands to one bank group (tCCD_L).",
    ),
    param(
        "policy.dt_alpha",
        ALPHA,
        "1",
        shown("the customary value", "themis/sensitivity-dt-alpha"),
        "Threshold factor of DT-Hybrid.",
    ),
    param(
        "policy.occamy_alpha",
        ALPHA,
        "8",
        Paper("occamy §4.4"),
        "Threshold factor of Occamy-Hybrid.",
    ),
    param("policy.swap_in_watermark", SHARE, "0.5", SETUP, "Themis swaps in below it."),
    param("policy.swap_out_watermark", SHARE, "0.8", SETUP, "Themis swaps out above it."),
    param(
        "policy.watermark_gap",
        SHARE,
        "0",
        Paper("themis §6.3.1, co-tuning"),
        "If above zero, the swap-in watermark is this much below the swap-out watermark.",
    ),
    param(
        "policy.move_bytes",
        Kind::Bytes,
        "16 KiB",
        shown("one batch; every scheme does well with it", "themis/sensitivity-moves"),
        "Swaps or expulsions begin while fewer bytes are under way in their direction.",
    ),
    param(
        "policy.fetch_batches",
        Kind::Bool,
        "true",
        shown(
            "themis §4.1: all DRAM operations are in units of batches",
            "themis/sensitivity-fetch-batches",
        ),
        "Whether a departure from HBM under Themis brings the rest of its batch into SRAM.",
    ),
    param(
        "policy.fetch_reserve",
        SHARE,
        "0.1",
        shown("half of what lies above the swap-out watermark", "themis/sensitivity-fetch-reserve"),
        "SRAM share that the rest of such a batch leaves free for arrivals.",
    ),
    param(
        "policy.strict_drop_order",
        Kind::Bool,
        "true",
        shown("themis §4.3 states the order in its summary", "themis/sensitivity-drop-order"),
        "Whether Themis, with its staging buffer full, drops a larger rank from SRAM instead.",
    ),
    param(
        "run.lead",
        Kind::Duration,
        "100 ms",
        assumed("inputs that begin empty would offer less than their load for tens of ms"),
        "How long Poisson flows have been arriving at the inputs when the run begins.",
    ),
    param(
        "run.warm_up",
        Kind::Duration,
        "5 ms",
        shown("not stated; the SRAM fills in well under 1 ms", "themis/sensitivity-span"),
        "Simulated time before measuring begins.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "20 ms",
        shown("not stated", "themis/sensitivity-span"),
        "Simulated time measured.",
    ),
    param(
        "run.samples",
        Kind::Int { min: 0, max: 10_000 },
        "100",
        assumed("enough for a picture"),
        "Samples of occupancy over the measured span.",
    ),
];
