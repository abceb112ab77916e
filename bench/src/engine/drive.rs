//! The single-point simulation, as the laboratory runs it: packets arrive at a hybrid switch, one
//! output link sends. Source: Themis §6.3.1. O(1) beside what the engine does.

use std::error::Error;

use forebay_parameters::ParameterError;
use forebay_pifo::TieredQueue;
use forebay_sched::{Packet, Quantizer, rank_function};
use forebay_switch::manager::{ManagerConfig, TrafficManager};
use forebay_switch::{InstantOrder, Links, Lost, Traffic};
use forebay_units::{Duration, Rate, Time};
use forebay_workload::PacketSource;

/// Bits of a flow size kept after the leading one when it becomes a rank.
const RANK_BITS: u32 = 10;

/// Ranks that flow sizes fall into, quantized.
pub(super) const RANKS: u64 = 1 << 15;

/// Packet descriptors; more than any run here needs.
pub(super) const DESCRIPTORS: u32 = 1 << 22;

/// The output link.
const EGRESS: [Rate; 1] = [Rate::from_gbps(100)];

/// An empty switch under `policy`, ranking by `rank`, over `queue`: that of the laboratory's
/// single-point scenario, with its default parameters.
pub(super) fn switch<Q: TieredQueue>(
    policy: &str,
    rank: &str,
    queue: impl FnMut(u16) -> Result<Q, ParameterError>,
) -> Result<TrafficManager<Q>, Box<dyn Error>> {
    let config = ManagerConfig {
        descriptors: DESCRIPTORS,
        quantizer: Quantizer::log_linear(RANK_BITS),
        ..ManagerConfig::default()
    };
    let policies = forebay_buffer::policies();
    let (policy, rank) = (policies.named(policy)?, rank_function(rank)?);
    Ok(TrafficManager::new(&config, policy, rank, queue)?)
}

/// What a simulation has come to; equal for every ranked queue that is correct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Packets that arrived.
    pub(super) arrived: u64,
    /// Packets that left from on-chip memory, and all that left.
    pub(super) departed: (u64, u64),
    /// Packets lost.
    pub(super) lost: u64,
    /// Instants at which something happened: an arrival, the end of a transfer or of a departure.
    pub(super) events: u64,
    /// When which packet left, folded.
    pub(super) checksum: u64,
}

/// A switch with one output link, fed by a source.
pub(super) struct Simulation<'a, Q, S> {
    links: Links<'a, TrafficManager<Q>, Fed<S>, Packet>,
    events: u64,
}

impl<'a, Q: TieredQueue, S: PacketSource> Simulation<'a, Q, S> {
    /// Before the first packet.
    pub(super) fn new(switch: &'a mut TrafficManager<Q>, source: S) -> Self {
        Simulation { links: Links::new(switch, &EGRESS, Fed { source, checksum: 0 }), events: 0 }
    }

    /// Lets everything happen that is due in the next `span`.
    pub(super) fn run(&mut self, span: Duration) {
        let end = self.links.now() + span;
        while self.links.step_until(end) {
            self.events += 1;
        }
    }

    /// What has happened so far.
    pub(super) fn outcome(&self) -> Outcome {
        let counters = self.links.switch().counters();
        Outcome {
            arrived: counters.arrived.packets,
            departed: (counters.departed_sram.packets, counters.departed().packets),
            lost: counters.dropped.total().packets,
            events: self.events,
            checksum: self.links.traffic.checksum,
        }
    }
}

/// The packets of a source.
struct Fed<S> {
    source: S,
    checksum: u64,
}

impl<S: PacketSource, M> Traffic<M, Packet> for Fed<S> {
    const ORDER: InstantOrder = InstantOrder::OneArrival;

    #[inline]
    fn next_at(&self) -> Option<Time> {
        self.source.next_time()
    }

    #[inline]
    fn arrive(&mut self, _: Time, _: &mut M) -> Option<(u16, Packet)> {
        let arrival = self.source.next_packet()?;
        let packet = Packet {
            size: arrival.size,
            flow: arrival.flow,
            input: arrival.input,
            class: arrival.class,
            flow_size: arrival.flow_size,
            ..Packet::default()
        };
        Some((0, packet))
    }

    #[inline]
    fn sent(&mut self, packet: &Packet, begin: Time, _: Time) {
        let told = u64::from(packet.flow) << 32 | u64::from(packet.size);
        self.checksum = (self.checksum.rotate_left(7) ^ told ^ begin.as_ps())
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn lost(&mut self, _: &Lost<Packet>, _: Time, _: &M) {}
}
