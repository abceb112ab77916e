//! The parameters of the on-chip experiments and where each comes from.

use forebay_lab::DefaultSource::{self, Paper};
use forebay_lab::{Kind, ParamSpec, assumed, param, shown};

const TESTBED: DefaultSource = Paper("occamy §6.1");
const ALPHA: Kind = Kind::Float { min: 0.001, max: 1024.0 };
const OWN_ALPHA: Kind = Kind::Float { min: 0.0, max: 1024.0 };
const QUEUES: Kind = Kind::Int { min: 0, max: 512 };

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "workload.background_queues",
        QUEUES,
        "1",
        TESTBED,
        "Queues that long-lived traffic keeps congested from the beginning.",
    ),
    param(
        "workload.background_rate",
        Kind::Rate,
        "100 Gb/s",
        TESTBED,
        "Rate of the sender to each of them.",
    ),
    param(
        "workload.burst_queues",
        Kind::Int { min: 1, max: 512 },
        "1",
        TESTBED,
        "Queues that get a burst.",
    ),
    param(
        "workload.burst_senders",
        Kind::Int { min: 1, max: 4096 },
        "1",
        TESTBED,
        "Senders of each burst (its incast degree).",
    ),
    param(
        "workload.burst_rate",
        Kind::Rate,
        "28 Gb/s",
        shown(
            "the link has 100 Gb/s, but DT with alpha 1 adjusts in time (Fig. 10c) only below 30 Gb/s (Eq. 3)",
            "occamy/sensitivity-burst-rate",
        ),
        "Rate at which each of them sends.",
    ),
    param(
        "workload.burst_bytes",
        Kind::Bytes,
        "2 MB",
        assumed("as much as the buffer: every scheme reaches its limit"),
        "Size of each burst, all its senders together.",
    ),
    param(
        "workload.burst_start",
        Kind::Duration,
        "500 us",
        assumed("the long-lived queue is at its threshold after 200 us"),
        "When the bursts begin.",
    ),
    param(
        "workload.packet_bytes",
        Kind::Int { min: 64, max: 9216 },
        "1500",
        shown("not stated; Ethernet's", "occamy/sensitivity-packet-size"),
        "Bytes of a packet; a sender's last one is the remainder.",
    ),
    param(
        "workload.share_port",
        Kind::Bool,
        "false",
        TESTBED,
        "Whether the congested queues are at the burst's own port, below it in priority (buffer choking, \
         §3.1), rather than at ports of their own.",
    ),
    param(
        "switch.scheduler",
        Kind::Text,
        "strict-priority",
        Paper("occamy §3.1"),
        "Which queue of a port sends next, where a port has several; the burst's is the first.",
    ),
    param("switch.port_rate", Kind::Rate, "10 Gb/s", TESTBED, "Rate of each output port."),
    param(
        "switch.buffer",
        Kind::Bytes,
        "2 MB",
        shown("the testbed's is not stated; that of §3.1", "occamy/sensitivity-buffer"),
        "The packet memory.",
    ),
    param(
        "switch.cell",
        Kind::Bytes,
        "200 B",
        Paper("occamy §5.3"),
        "Bytes per cell of the memory.",
    ),
    param(
        "switch.memory_rate",
        Kind::Rate,
        "6.5 Tb/s",
        shown(
            "the capacity of the testbed's chip (§6.1); memory serves just that",
            "occamy/sensitivity-memory",
        ),
        "Bandwidth at which cells can be read, departures and head drops together.",
    ),
    param(
        "switch.burst_reserved",
        Kind::Bytes,
        "0 B",
        assumed("the paper reserves none"),
        "Buffer that only each burst's queue can use.",
    ),
    param(
        "switch.background_reserved",
        Kind::Bytes,
        "0 B",
        assumed("the paper reserves none"),
        "Buffer that only each congested queue can use.",
    ),
    param(
        "policy.alpha",
        ALPHA,
        "4",
        Paper("occamy Fig. 11 (d)"),
        "Threshold factor of every queue.",
    ),
    param(
        "policy.burst_alpha",
        OWN_ALPHA,
        "0",
        TESTBED,
        "Threshold factor of the bursts' queues; 0: that of every queue.",
    ),
    param(
        "policy.occamy_alpha",
        OWN_ALPHA,
        "0",
        TESTBED,
        "Threshold factor of every queue under Occamy; 0: that of the other schemes.",
    ),
    param(
        "run.span",
        Kind::Duration,
        "1500 us",
        assumed("the burst is over and its queue well below its peak"),
        "Simulated time.",
    ),
    param(
        "run.samples",
        Kind::Int { min: 0, max: 10_000 },
        "300",
        assumed("enough for a picture"),
        "Samples of queue lengths over the simulated time.",
    ),
];
