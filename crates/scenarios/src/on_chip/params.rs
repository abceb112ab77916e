//! The parameters of the on-chip experiments and where each comes from.

use forebay_parameters::{Choice, Chosen, Configure, Kind, Parameter, Size, Source, Walk};

use forebay_buffer::onchip::{OnChipPolicy, says};
use forebay_sched::RankFunction;
use forebay_sched::port::PortScheduler;
use forebay_switch::Catalogue;
use forebay_units::{Bytes, Duration, Rate};

use crate::switches::{RANK, Rank, policy_part, scheduler_part};

/// Everything a run needs.
#[derive(Clone, Debug, Configure)]
pub struct OnChipSetup {
    /// Queues that long-lived traffic keeps congested from the beginning.
    #[parameter(source = TESTBED, name = "workload.background_queues", range = 0..=512)]
    pub(super) background_queues: u16,
    /// Rate of the sender to each of them.
    #[parameter(source = TESTBED, name = "workload.background_rate")]
    pub(super) background_rate: Rate,
    /// Queues that get a burst.
    #[parameter(source = TESTBED, name = "workload.burst_queues", range = 1..=512)]
    pub(super) burst_queues: u16,
    /// Senders of each burst (its incast degree).
    #[parameter(source = TESTBED, name = "workload.burst_senders", range = 1..=4096)]
    pub(super) burst_senders: u32,
    /// Rate at which each of them sends.
    #[parameter(name = "workload.burst_rate")]
    #[parameter(
        assumed = "the link has 100 Gb/s, but DT with alpha 1 adjusts in time (Fig. 10c) only \
                   below 30 Gb/s (Eq. 3)",
        sensitivity = "occamy/sensitivity-burst-rate"
    )]
    pub(super) burst_rate: Rate,
    /// Size of each burst, all its senders together.
    #[parameter(name = "workload.burst_bytes")]
    #[parameter(assumed = "as much as the buffer: every scheme reaches its limit")]
    pub(super) burst_bytes: Bytes,
    /// When the bursts begin.
    #[parameter(name = "workload.burst_start")]
    #[parameter(assumed = "the long-lived queue is at its threshold after 200 us")]
    pub(super) burst_start: Duration,
    /// Bytes of a packet; a sender's last one is the remainder.
    #[parameter(name = "workload.packet_bytes", range = 64..=9216)]
    #[parameter(
        assumed = "not stated; Ethernet's",
        sensitivity = "occamy/sensitivity-packet-size"
    )]
    pub(super) packet_bytes: u32,
    /// Whether the congested queues are at the burst's own port, below it in priority (buffer
    /// choking, §3.1), rather than at ports of their own.
    #[parameter(source = TESTBED, name = "workload.share_port")]
    pub(super) share_port: bool,
    /// What `switch.scheduler` says, where a port has several queues.
    #[parameter(part, when = self.share_port && self.background_queues > 0)]
    #[parameter(by = |scheduler, walk| walk_scheduler(scheduler, &self.catalogue, walk))]
    pub(super) scheduler: Choice<dyn PortScheduler>,
    /// What `switch.rank` says, where the policy reads ranks.
    #[parameter(part, by = |rank, walk| walk_rank(rank, &self.catalogue, walk))]
    pub(super) rank: Option<Choice<dyn RankFunction>>,
    /// Rate of each output port.
    #[parameter(source = TESTBED, name = "switch.port_rate")]
    pub port_rate: Rate,
    /// The packet memory.
    #[parameter(name = "switch.buffer")]
    #[parameter(
        assumed = "the testbed's is not stated; that of §3.1",
        sensitivity = "occamy/sensitivity-buffer"
    )]
    pub(super) buffer: Bytes,
    /// Bytes per cell of the memory.
    #[parameter(paper = "occamy §5.3", name = "switch.cell", kind = Kind::Bytes, with = Size)]
    pub cell: u32,
    /// Bandwidth at which cells can be read, departures and head drops together.
    #[parameter(name = "switch.memory_rate", only = says(&self.policy, |one| one.expels()))]
    #[parameter(
        assumed = "the capacity of the testbed's chip (§6.1); memory serves just that",
        sensitivity = "occamy/sensitivity-memory"
    )]
    pub(super) memory_rate: Rate,
    /// Buffer that only each burst's queue can use.
    #[parameter(assumed = "the paper reserves none", name = "switch.burst_reserved")]
    pub(super) burst_reserved: Bytes,
    /// Buffer that only each congested queue can use.
    #[parameter(assumed = "the paper reserves none", name = "switch.background_reserved")]
    pub(super) background_reserved: Bytes,
    /// Threshold factor of every queue; fair_share_reached is measured by it under every scheme.
    #[parameter(paper = "occamy Fig. 11 (d)", name = "policy.alpha", kind = ALPHA)]
    pub(super) alpha: f64,
    /// Threshold factor of the bursts' queues, which fair_share_reached is measured by under every
    /// scheme; 0: alpha.
    #[parameter(source = TESTBED, name = "policy.burst_alpha", kind = OWN_ALPHA)]
    pub(super) burst_alpha: f64,
    /// Threshold factor of every queue under Occamy; 0: that of the other schemes.
    #[parameter(name = "policy.occamy_alpha", kind = OWN_ALPHA, only = self.is_occamy())]
    #[parameter(source = TESTBED)]
    pub(super) occamy_alpha: f64,
    #[parameter(part, by = |policy, walk| policy_part(policy, walk, "alpha"))]
    pub(super) policy: Choice<dyn OnChipPolicy>,
    /// Simulated time.
    #[parameter(
        assumed = "the burst is over and its queue well below its peak",
        name = "run.span"
    )]
    pub span: Duration,
    /// Samples of queue lengths over the simulated time.
    #[parameter(assumed = "enough for a picture", name = "run.samples", range = 0..=10_000)]
    pub samples: u64,
    #[parameter(skip)]
    pub(super) catalogue: Catalogue,
}

/// The senders' flows have no sizes that a rank could go by.
const ARRIVAL: Source =
    Source::assumed("arrival order, so that the last to come is expelled first");

fn walk_rank(
    rank: &mut Option<Choice<dyn RankFunction>>,
    catalogue: &Catalogue,
    walk: &mut dyn Walk,
) {
    if let Some(choice) = rank {
        let declared = Parameter { source: ARRIVAL, ..RANK };
        walk.field(&declared, &mut Rank { choice, catalogue });
        walk.part("rank.", choice);
    }
}

const SCHEDULER: Parameter = Parameter::new(
    "switch.scheduler",
    Kind::Text,
    Source::paper("occamy §3.1"),
    "Which queue of a port sends next, where a port has several; the burst's is the first.",
);

fn walk_scheduler(
    scheduler: &mut Choice<dyn PortScheduler>,
    catalogue: &Catalogue,
    walk: &mut dyn Walk,
) {
    let among = catalogue.port_schedulers();
    walk.field(&SCHEDULER, &mut Chosen { choice: scheduler, among });
    scheduler_part(scheduler, catalogue, walk);
}

const TESTBED: Source = Source::paper("occamy §6.1");
const ALPHA: Kind = Kind::Float { min: 0.001, max: 1024.0 };
const OWN_ALPHA: Kind = Kind::Float { min: 0.0, max: 1024.0 };
