//! Weighted fair queueing over an exact ranked queue: the ideal that the approximations are compared with.
//!
//! Source: gearbox §2.1, §4.1.1 ("an ideal PIFO-based WFQ scheduler"). The rank is the departure time, the
//! smallest leaves first, equal ones in order of arrival.
//!
//! Open, and chosen here: the system time is the departure time of the packet that left last, the
//! self-clocked virtual time (Golestani). It is what Gearbox's system time becomes as its intervals shrink
//! to nothing, so that the two differ by granularity alone. When full, it refuses what arrives.
//!
//! Complexity: that of the queue. Memory: 8 bytes a flow, and the queue's.

use forebay_pifo::{ExactQueue, RankedQueue};
use forebay_units::{Bytes, Time};

use super::room::{Limits, Room};
use super::virtual_time::{VirtualTime, VirtualUnit};
use crate::DropCause;
use crate::Packet;
use crate::flow_table::FlowTable;
use crate::scheduler::{PacketScheduler, Weights};

/// Parameters of [`PifoWfq`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PifoConfig {
    /// Bytes of a unit of virtual time.
    pub unit: VirtualUnit,
    /// Bits of fraction that a rank keeps of a departure time in units, 0 to 16. Default 16: exact. A
    /// queue for a bounded range of ranks needs fewer.
    pub fraction: u32,
    /// Flows whose departure time is remembered. Default 2^20.
    pub flows: u32,
    /// The most that may wait.
    pub limits: Limits,
}

impl Default for PifoConfig {
    fn default() -> Self {
        PifoConfig {
            unit: VirtualUnit::default(),
            fraction: VirtualTime::FRACTION,
            flows: 1 << 20,
            limits: Limits::default(),
        }
    }
}

/// Weighted fair queueing in exact order, over the ranked queue `Q`.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::{PifoConfig, PifoWfq};
/// use forebay_sched::scheduler::{PacketScheduler, Weights};
/// use forebay_units::Time;
///
/// let mut wfq = PifoWfq::exact(&PifoConfig::default(), Weights::new(1, vec![3, 1])?);
/// for tag in 0..8 {
///     let packet = Packet { flow: tag / 4, size: 1500, tag, ..Packet::default() };
///     wfq.enqueue(Time::ZERO, packet).map_err(|cause| cause.to_string())?;
/// }
/// let flows: Vec<u32> =
///     core::iter::from_fn(|| wfq.dequeue(Time::ZERO)).map(|packet| packet.flow).collect();
/// assert_eq!(flows, [0, 0, 0, 1, 0, 1, 1, 1]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PifoWfq<Q> {
    queue: Q,
    weights: Weights,
    unit: VirtualUnit,
    shift: u32,
    departures: FlowTable<VirtualTime>,
    room: Room,
    now: VirtualTime,
}

forebay_pifo::debug_in_one_line!(
    [Q: RankedQueue<Rank = u64, Item = Packet> + Send] PifoWfq<Q>,
    |queue| { len: queue.len(), bytes: queue.bytes() }
);

impl PifoWfq<ExactQueue<u64, Packet>> {
    /// Over an interval heap.
    #[must_use]
    pub fn exact(config: &PifoConfig, weights: Weights) -> Self {
        PifoWfq::over(ExactQueue::new(config.limits.packets as usize), config, weights)
    }
}

impl<Q: RankedQueue<Rank = u64, Item = Packet>> PifoWfq<Q> {
    /// Over `queue`, which should be empty and first-in first-out within a rank.
    #[must_use]
    pub fn over(queue: Q, config: &PifoConfig, weights: Weights) -> Self {
        PifoWfq {
            queue,
            weights,
            unit: config.unit,
            shift: VirtualTime::FRACTION.saturating_sub(config.fraction),
            departures: FlowTable::new(config.flows as usize),
            room: Room::new(config.limits),
            now: VirtualTime::ZERO,
        }
    }

    /// The system time: the departure time of the packet that left last.
    #[must_use]
    pub fn system_time(&self) -> VirtualTime {
        self.now
    }

    /// The departure time that `packet` would get if it arrived now.
    #[inline]
    #[must_use]
    pub fn departure(&self, packet: &Packet) -> VirtualTime {
        let parts = self.unit.parts(u64::from(packet.size), self.weights.of(packet.flow));
        self.now.max(self.departures.get(packet.flow)).after(parts)
    }
}

impl<Q: RankedQueue<Rank = u64, Item = Packet> + Send> PacketScheduler for PifoWfq<Q> {
    #[inline]
    fn enqueue(&mut self, _now: Time, packet: Packet) -> Result<(), DropCause> {
        self.room.check(&packet)?;
        let departure = self.departure(&packet);
        let pushed = self.queue.push(departure.parts() >> self.shift, packet);
        pushed.map_err(|rejected| rejected.reason)?;
        *self.departures.of(packet.flow) = departure;
        self.room.enter(&packet);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time) -> Option<Packet> {
        let (rank, packet) = self.queue.pop_min()?;
        self.now = self.now.max(VirtualTime::from_parts(rank << self.shift));
        self.room.leave(&packet);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.room.bytes()
    }
}
