//! The parameters of the on-chip experiments and where each comes from.

use forebay_parameters::{Chosen, Configure, Kind, Parameter, Size, Source, Walk};

use super::setup::OnChipSetup;
use crate::switches::policy_part;

const TESTBED: Source = Source::paper("occamy §6.1");
const ALPHA: Kind = Kind::Float { min: 0.001, max: 1024.0 };
const OWN_ALPHA: Kind = Kind::Float { min: 0.0, max: 1024.0 };

const BACKGROUND_QUEUES: Parameter = Parameter::new(
    "workload.background_queues",
    Kind::Int { min: 0, max: 512 },
    TESTBED,
    "Queues that long-lived traffic keeps congested from the beginning.",
);
const BACKGROUND_RATE: Parameter = Parameter::new(
    "workload.background_rate",
    Kind::Rate,
    TESTBED,
    "Rate of the sender to each of them.",
);
const BURST_QUEUES: Parameter = Parameter::new(
    "workload.burst_queues",
    Kind::Int { min: 1, max: 512 },
    TESTBED,
    "Queues that get a burst.",
);
const BURST_SENDERS: Parameter = Parameter::new(
    "workload.burst_senders",
    Kind::Int { min: 1, max: 4096 },
    TESTBED,
    "Senders of each burst (its incast degree).",
);
const BURST_RATE: Parameter = Parameter::new(
    "workload.burst_rate",
    Kind::Rate,
    Source::shown(
        "the link has 100 Gb/s, but DT with alpha 1 adjusts in time (Fig. 10c) only below 30 Gb/s (Eq. 3)",
        "occamy/sensitivity-burst-rate",
    ),
    "Rate at which each of them sends.",
);
const BURST_BYTES: Parameter = Parameter::new(
    "workload.burst_bytes",
    Kind::Bytes,
    Source::assumed("as much as the buffer: every scheme reaches its limit"),
    "Size of each burst, all its senders together.",
);
const BURST_START: Parameter = Parameter::new(
    "workload.burst_start",
    Kind::Duration,
    Source::assumed("the long-lived queue is at its threshold after 200 us"),
    "When the bursts begin.",
);
const PACKET_BYTES: Parameter = Parameter::new(
    "workload.packet_bytes",
    Kind::Int { min: 64, max: 9216 },
    Source::shown("not stated; Ethernet's", "occamy/sensitivity-packet-size"),
    "Bytes of a packet; a sender's last one is the remainder.",
);
const SHARE_PORT: Parameter = Parameter::new(
    "workload.share_port",
    Kind::Bool,
    TESTBED,
    "Whether the congested queues are at the burst's own port, below it in priority (buffer choking, §3.1), \
     rather than at ports of their own.",
);
const SCHEDULER: Parameter = Parameter::new(
    "switch.scheduler",
    Kind::Text,
    Source::paper("occamy §3.1"),
    "Which queue of a port sends next, where a port has several; the burst's is the first.",
);
const PORT_RATE: Parameter =
    Parameter::new("switch.port_rate", Kind::Rate, TESTBED, "Rate of each output port.");
const BUFFER: Parameter = Parameter::new(
    "switch.buffer",
    Kind::Bytes,
    Source::shown("the testbed's is not stated; that of §3.1", "occamy/sensitivity-buffer"),
    "The packet memory.",
);
const CELL: Parameter = Parameter::new(
    "switch.cell",
    Kind::Bytes,
    Source::paper("occamy §5.3"),
    "Bytes per cell of the memory.",
);
const MEMORY_RATE: Parameter = Parameter::new(
    "switch.memory_rate",
    Kind::Rate,
    Source::shown(
        "the capacity of the testbed's chip (§6.1); memory serves just that",
        "occamy/sensitivity-memory",
    ),
    "Bandwidth at which cells can be read, departures and head drops together.",
);
const BURST_RESERVED: Parameter = Parameter::new(
    "switch.burst_reserved",
    Kind::Bytes,
    Source::assumed("the paper reserves none"),
    "Buffer that only each burst's queue can use.",
);
const BACKGROUND_RESERVED: Parameter = Parameter::new(
    "switch.background_reserved",
    Kind::Bytes,
    Source::assumed("the paper reserves none"),
    "Buffer that only each congested queue can use.",
);
const COMMON_ALPHA: Parameter = Parameter::new(
    "policy.alpha",
    ALPHA,
    Source::paper("occamy Fig. 11 (d)"),
    "Threshold factor of every queue.",
);
const BURST_ALPHA: Parameter = Parameter::new(
    "policy.burst_alpha",
    OWN_ALPHA,
    TESTBED,
    "Threshold factor of the bursts' queues; 0: that of every queue.",
);
const OCCAMY_ALPHA: Parameter = Parameter::new(
    "policy.occamy_alpha",
    OWN_ALPHA,
    TESTBED,
    "Threshold factor of every queue under Occamy; 0: that of the other schemes.",
);
const SPAN: Parameter = Parameter::new(
    "run.span",
    Kind::Duration,
    Source::assumed("the burst is over and its queue well below its peak"),
    "Simulated time.",
);
const SAMPLES: Parameter = Parameter::new(
    "run.samples",
    Kind::Int { min: 0, max: 10_000 },
    Source::assumed("enough for a picture"),
    "Samples of queue lengths over the simulated time.",
);

impl Configure for OnChipSetup {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&BACKGROUND_QUEUES, &mut self.background_queues);
        walk.field(&BACKGROUND_RATE, &mut self.background_rate);
        walk.field(&BURST_QUEUES, &mut self.burst_queues);
        walk.field(&BURST_SENDERS, &mut self.burst_senders);
        walk.field(&BURST_RATE, &mut self.burst_rate);
        walk.field(&BURST_BYTES, &mut self.burst_bytes);
        walk.field(&BURST_START, &mut self.burst_start);
        walk.field(&PACKET_BYTES, &mut self.packet_bytes);
        walk.field(&SHARE_PORT, &mut self.share_port);
        let among = self.catalogue.port_schedulers();
        walk.field(&SCHEDULER, &mut Chosen { choice: &mut self.scheduler, among });
        walk.field(&PORT_RATE, &mut self.port_rate);
        walk.field(&BUFFER, &mut self.buffer);
        walk.field(&CELL, &mut Size(&mut self.cell));
        walk.field(&MEMORY_RATE, &mut self.memory_rate);
        walk.field(&BURST_RESERVED, &mut self.burst_reserved);
        walk.field(&BACKGROUND_RESERVED, &mut self.background_reserved);
        walk.field(&COMMON_ALPHA, &mut self.alpha);
        walk.field(&BURST_ALPHA, &mut self.burst_alpha);
        if self.is_occamy() {
            walk.field(&OCCAMY_ALPHA, &mut self.occamy_alpha);
        }
        policy_part(&mut self.policy, walk, "alpha");
        walk.field(&SPAN, &mut self.span);
        walk.field(&SAMPLES, &mut self.samples);
    }
}
