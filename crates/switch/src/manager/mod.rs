//! The traffic manager: a buffer of SRAM and HBM, a rank function and the memories' bandwidth.
//!
//! Every packet gets a rank (`forebay-sched`), one ranked queue per output port orders all that
//! waits (`forebay-pifo`), a policy decides which memory it waits in (`forebay-buffer`), and every
//! byte that moves takes its time on an SRAM port or in the HBM (`forebay-mem`). Arrivals and
//! departures come first on the SRAM ports; swaps and expulsions take what is left and can be
//! interrupted (themis §4.3, occamy §4.3).
//!
//! ```
//! use forebay_buffer::policies;
//! use forebay_pifo::TieredExact;
//! use forebay_sched::{Packet, ShortestFlowFirst};
//! use forebay_switch::manager::{ManagerConfig, TrafficManager};
//! use forebay_units::Time;
//!
//! let config = ManagerConfig::default();
//! let themis = policies().named("themis")?.clone();
//! let rank = Box::new(ShortestFlowFirst);
//! let mut tm = TrafficManager::new(&config, &themis, rank, |_| Ok(TieredExact::new()))?;
//! let packet = |flow, flow_size| Packet { flow, flow_size, size: 1500, ..Packet::default() };
//! tm.enqueue(Time::ZERO, 0, packet(1, 90_000));
//! tm.enqueue(Time::ZERO, 0, packet(2, 3_000));
//! let first = tm.dequeue(Time::ZERO, 0).expect("two packets wait");
//! assert_eq!(first.packet.flow, 2); // the shortest flow first
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrivals;
mod config;
mod counters;
mod departures;
mod hbm_path;
mod model;
mod moves;
mod outcome;
mod port;
mod sram_path;
mod transfers;

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_buffer::onchip::PauseCall;
use forebay_buffer::{AuditError, Buffer, BufferConfig, HbmGeometry, HbmLayout, HybridPolicy};
use forebay_mem::StripedDevice;
use forebay_parameters::{Choice, ParameterError};
use forebay_pifo::TieredQueue;
use forebay_sched::{Packet, Quantizer, RankFunction};
use forebay_units::Time;

pub use config::{HbmOrder, ManagerConfig, QueueBy, Reads, StagingWrites};
pub use counters::ManagerCounters;
use hbm_path::HbmPath;
pub use outcome::{Departure, Loss, Verdict};
use port::Port;
use sram_path::SramPath;

/// More than one call gives up in any but degenerate configurations; beyond it the list grows.
const LOSSES: usize = 512;

/// A switch's traffic manager over ranked queues of type `Q`.
pub struct TrafficManager<Q> {
    buffer: Buffer<Q>,
    policy: Box<dyn HybridPolicy>,
    /// Whether the policy stores packets in HBM by batches.
    batches: bool,
    rank: Box<dyn RankFunction>,
    quantizer: Quantizer,
    queue_by: QueueBy,
    ports: Vec<Port>,
    hbm: HbmPath,
    write_port: SramPath,
    read_port: SramPath,
    hbm_order: HbmOrder,
    staging_writes: StagingWrites,
    /// A port waits for a staged packet of a batch that is not whole.
    staged_is_due: bool,
    largest_packet: u32,
    write_forwarding: bool,
    fetch_batches: bool,
    fetch_reserve: u32,
    move_bytes: u64,
    /// Bytes under way in each direction.
    moving_out: u64,
    moving_in: u64,
    counters: ManagerCounters,
    losses: Vec<Loss>,
}

impl<Q: TieredQueue> TrafficManager<Q> {
    /// A traffic manager with an empty buffer under `policy` (one of [`forebay_buffer::policies`],
    /// or a caller's own), whose packets get their ranks from `rank`; `queue` builds the ranked
    /// queue of each port.
    ///
    /// # Errors
    /// The parameter that does not fit.
    pub fn new(
        config: &ManagerConfig,
        policy: &Choice<dyn HybridPolicy>,
        rank: Box<dyn RankFunction>,
        queue: impl FnMut(u16) -> Result<Q, ParameterError>,
    ) -> Result<Self, ParameterError> {
        config.validate()?;
        let policy = policy.build(&config.shape())?;
        let batches = policy.batches();
        let layout =
            if batches { HbmLayout::Batches } else { HbmLayout::Packets(config.slot_order) };
        let geometry = &config.hbm.geometry;
        let rows = u64::from(geometry.rows)
            * u64::from(geometry.bank_groups)
            * u64::from(geometry.banks_per_group);
        let buffer = BufferConfig {
            sram: config.sram - config.staging,
            cell: config.cell,
            staging: config.staging,
            queues: config.queues,
            descriptors: config.descriptors,
            hbm: HbmGeometry {
                rows: rows.min(u64::from(u32::MAX)) as u32,
                columns: geometry.columns().min(u64::from(u16::MAX)) as u16,
                column_bytes: geometry.stripe_bytes().get() as u32,
            },
            layout,
            largest_packet: config.largest_packet,
        };
        let ranked = (0..config.ports).map(queue).collect::<Result<Vec<Q>, ParameterError>>()?;
        let device = StripedDevice::new(&config.hbm, &config.controller)?;
        // Moves of single packets of at least 64 B.
        let moves = (config.move_bytes.get() / 64).min(4096) as usize + 2;
        let fetches = config.read_window * usize::from(config.ports);
        let mut buffer = Buffer::new(&buffer, ranked);
        if let Some(ingress) = &config.ingress {
            buffer = buffer.with_lossless(ingress);
        }
        let fetch_reserve = (config.fetch_reserve * f64::from(buffer.sram_capacity())) as u32;
        Ok(TrafficManager {
            buffer,
            policy,
            batches,
            rank,
            quantizer: config.quantizer,
            queue_by: config.queue_by,
            ports: (0..config.ports).map(|_| Port::new(config.read_window)).collect(),
            hbm: HbmPath::new(device, &config.hbm, fetches, 2 * moves),
            // The rest of every batch that a departure reads comes in here too.
            write_port: SramPath::new(config.cell_time(), moves + fetches + 64),
            read_port: SramPath::new(config.cell_time(), moves),
            hbm_order: config.hbm_order,
            staging_writes: if batches { config.staging_writes } else { StagingWrites::Merged },
            staged_is_due: false,
            largest_packet: config.largest_packet,
            write_forwarding: config.write_forwarding,
            fetch_batches: config.fetch_batches,
            fetch_reserve,
            move_bytes: config.move_bytes.get(),
            moving_out: 0,
            moving_in: 0,
            counters: ManagerCounters::default(),
            losses: Vec::with_capacity(LOSSES),
        })
    }

    /// A packet arrives for `port` (all of its bytes are there). O(1) for bucket queues.
    ///
    /// An unknown port counts as port 0.
    pub fn enqueue(&mut self, now: Time, port: u16, packet: Packet) -> Verdict {
        self.accept(now, port, &packet)
    }

    /// As [`TrafficManager::enqueue`]: for whoever needs the packet afterwards, without a copy.
    #[inline]
    pub(crate) fn accept(&mut self, now: Time, port: u16, packet: &Packet) -> Verdict {
        self.losses.clear();
        let port = if usize::from(port) < self.ports.len() { port } else { 0 };
        let rank = self.quantizer.bucket(self.rank.rank(now, packet));
        self.counters.arrived.count(packet.size);
        let by = match self.queue_by {
            QueueBy::Flow => packet.flow,
            QueueBy::Input => u32::from(packet.input),
            QueueBy::Class => u32::from(packet.class),
            QueueBy::Port => u32::from(port),
        };
        let queue = by % self.buffer.queues().count();
        let arriving = self.buffer.arriving(now, port, queue, *packet, rank);
        let verdict = self.admit(&arriving);
        if !matches!(verdict, Verdict::Dropped(_)) {
            self.ports[usize::from(port)].bytes += u64::from(packet.size);
        }
        self.pump(now);
        verdict
    }

    /// When something will next happen inside: a transfer ends. `None` if nothing is under way.
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> Option<Time> {
        let next = self.due();
        (next < Time::MAX).then_some(next)
    }

    /// As [`TrafficManager::next_event`], [`Time::MAX`] for none: asked several times per event.
    #[inline]
    fn due(&self) -> Time {
        let hbm = self.hbm.device.next_event().unwrap_or(Time::MAX);
        hbm.min(self.read_port.due()).min(self.write_port.due())
    }

    /// Lets everything happen that is due until `now`, in time order.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        self.losses.clear();
        loop {
            let at = self.due();
            if at > now || at == Time::MAX {
                return;
            }
            let hbm = &mut self.hbm;
            hbm.device.advance(at, &mut |completion| hbm.completed.push(completion));
            // The end of one completes no other.
            for index in 0..self.hbm.completed.len() {
                self.end_transfer(at, self.hbm.completed[index].id as u32);
            }
            self.hbm.completed.clear();
            while let Some(transaction) = self.read_port.finish(at) {
                self.hbm.moves.push_back((at, transaction));
            }
            while let Some(transaction) = self.write_port.finish(at) {
                self.end_move_in(transaction);
            }
            self.pump(at);
        }
    }

    /// Bytes that wait for `port`.
    #[must_use]
    #[inline]
    pub fn waiting(&self, port: u16) -> u64 {
        self.ports.get(usize::from(port)).map_or(0, |port| port.bytes)
    }

    /// Packets that wait for `port`, those selected for departure included.
    #[must_use]
    pub fn backlog(&self, port: u16) -> usize {
        self.ports
            .get(usize::from(port))
            .map_or(0, |selected| selected.len() + self.buffer.waiting(port))
    }

    /// The next thing that a neighbour is to be told, if classes are lossless.
    pub(crate) fn next_pause_call(&mut self) -> Option<PauseCall> {
        self.buffer.next_pause_call()
    }

    /// What has happened so far.
    #[must_use]
    pub fn counters(&self) -> &ManagerCounters {
        &self.counters
    }

    /// Packets lost during the last call after they had been accepted before, in order. The
    /// arriving packet is not among them: its fate is the call's answer.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// The buffer, to look at.
    #[must_use]
    pub fn buffer(&self) -> &Buffer<Q> {
        &self.buffer
    }

    /// The policy, to look at.
    #[must_use]
    pub fn policy(&self) -> &dyn HybridPolicy {
        self.policy.as_ref()
    }

    /// The HBM, for its statistics.
    #[must_use]
    pub fn hbm(&self) -> &StripedDevice {
        &self.hbm.device
    }

    /// Conservation: every packet that arrived is queued, sent or dropped with a cause, and every
    /// counter agrees with the packets it counts. O(packets); for tests.
    ///
    /// # Errors
    /// The first disagreement.
    pub fn audit(&self) -> Result<(), AuditError> {
        self.buffer.audit()?;
        let queued = self.buffer.live_descriptors().filter(|(_, d)| !d.departed).count() as u64;
        let gone = self.counters.departed().packets + self.counters.dropped.total().packets;
        AuditError::unless_same(
            "packets that arrived",
            queued + gone,
            self.counters.arrived.packets,
        )
    }

    /// Begins whatever can begin: background moves, then HBM transactions while the HBM takes them.
    fn pump(&mut self, now: Time) {
        self.begin_moves(now);
        while self.hbm.device.has_room() && self.submit_next(now) {}
    }

    fn lose(&mut self, loss: Loss) {
        self.counters.dropped.count(loss.cause, loss.packet.size);
        self.ports[usize::from(loss.port)].bytes -= u64::from(loss.packet.size);
        self.losses.push(loss);
    }
}
