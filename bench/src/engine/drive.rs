//! The single-point simulation, as the laboratory runs it: packets arrive, the output link sends, the
//! traffic manager's own events come due. Source: Themis §6.3.1. O(1) beside what the engine does.

use std::error::Error;

use forebay_parameters::ParameterError;
use forebay_pifo::TieredQueue;
use forebay_sched::{Packet, Quantizer, rank_function};
use forebay_switch::manager::{ManagerConfig, TrafficManager};
use forebay_units::{Bytes, Duration, Rate, Time};
use forebay_workload::PacketSource;

/// Bits of a flow size kept after the leading one when it becomes a rank.
const RANK_BITS: u32 = 10;

/// Ranks that flow sizes fall into, quantized.
pub(super) const RANKS: u64 = 1 << 15;

/// Packet descriptors; more than any run here needs.
pub(super) const DESCRIPTORS: u32 = 1 << 22;

/// The switch of the laboratory's single-point scenario, with its default parameters.
pub(super) fn switch() -> ManagerConfig {
    ManagerConfig {
        descriptors: DESCRIPTORS,
        quantizer: Quantizer::log_linear(RANK_BITS),
        ..ManagerConfig::default()
    }
}

/// What a simulation has come to; equal for every ranked queue that is correct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Packets that arrived.
    pub(super) arrived: u64,
    /// Packets that left.
    pub(super) departed: u64,
    /// Packets lost.
    pub(super) lost: u64,
    /// Instants at which something happened: an arrival, the end of a transfer or of a departure.
    pub(super) events: u64,
    /// When which packet left, and whether from on-chip memory, folded.
    pub(super) checksum: u64,
}

/// One switch with one output link, fed by a source.
pub(super) struct Simulation<Q, S> {
    tm: TrafficManager<Q>,
    source: S,
    egress: Rate,
    busy_until: Time,
    now: Time,
    events: u64,
    checksum: u64,
}

impl<Q: TieredQueue, S: PacketSource> Simulation<Q, S> {
    /// An empty switch under `policy`, ranking by `rank`, over `queue`.
    pub(super) fn new(
        (policy, rank): (&str, &str),
        queue: impl FnMut(u16) -> Result<Q, ParameterError>,
        source: S,
        egress: Rate,
    ) -> Result<Self, Box<dyn Error>> {
        let policies = forebay_buffer::policies();
        let (policy, rank) = (policies.named(policy)?, rank_function(rank)?);
        let tm = TrafficManager::new(&switch(), policy, rank, queue)?;
        Ok(Simulation {
            tm,
            source,
            egress,
            busy_until: Time::ZERO,
            now: Time::ZERO,
            events: 0,
            checksum: 0,
        })
    }

    /// Lets everything happen that is due in the next `span`.
    pub(super) fn run(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let arrival = self.source.next_time().unwrap_or(Time::MAX);
            let inside = self.tm.next_event().unwrap_or(Time::MAX);
            let link = if self.busy_until > self.now { self.busy_until } else { Time::MAX };
            let next = arrival.min(inside).min(link);
            if next > end {
                break;
            }
            self.now = next;
            self.events += 1;
            if inside == next {
                self.tm.advance(next);
            }
            if arrival == next
                && let Some(arrival) = self.source.next_packet()
            {
                let packet = Packet {
                    size: arrival.size,
                    flow: arrival.flow,
                    input: arrival.input,
                    class: arrival.class,
                    flow_size: arrival.flow_size,
                    tag: 0,
                };
                self.tm.enqueue(next, 0, packet);
            }
            self.send();
        }
        self.now = end;
    }

    fn send(&mut self) {
        if self.busy_until > self.now {
            return;
        }
        let Some(departure) = self.tm.dequeue(self.now, 0) else { return };
        let packet = departure.packet;
        self.busy_until = self.now + self.egress.time_for(Bytes::new(u64::from(packet.size)));
        let told =
            u64::from(packet.flow) << 32 | u64::from(packet.size) << 1 | u64::from(departure.near);
        self.checksum = (self.checksum.rotate_left(7) ^ told ^ self.now.as_ps())
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    /// What has happened so far.
    pub(super) fn outcome(&self) -> Outcome {
        let counters = self.tm.counters();
        Outcome {
            arrived: counters.arrived.packets,
            departed: counters.departed().packets,
            lost: counters.dropped.total().packets,
            events: self.events,
            checksum: self.checksum,
        }
    }
}
