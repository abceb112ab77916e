//! Weighted fair queueing over an exact ranked queue: the ideal that the approximations are
//! compared with.
//!
//! Source: gearbox §2.1, §4.1.1 ("an ideal PIFO-based WFQ scheduler"). The rank is the departure
//! time, the smallest leaves first, equal ones in order of arrival.
//!
//! Open, and chosen here: the system time is the departure time of the packet that left last, the
//! self-clocked virtual time (Golestani). It is what Gearbox's system time becomes as its intervals
//! shrink to nothing, so that the two differ by granularity alone. When full, it refuses what
//! arrives.
//!
//! Complexity: that of the queue. Memory: 8 bytes a flow, and the queue's.

use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure};
use forebay_pifo::{Beyond, CircularWindow, ExactQueue, RankedQueue, WindowPolicy};
use forebay_units::{Bytes, Time};

use super::room::{Limits, Room};
use super::virtual_time::{VirtualTime, VirtualUnit};
use crate::DropCause;
use crate::Packet;
use crate::Quantizer;
use crate::flow_table::{FLOWS, FlowTable};
use crate::functions::{RankConfig, SelfClockedFairQueueing};
use crate::rank_queue::{DropLargest, RankQueue};
use crate::scheduler::{BUCKET_RANKS, PacketScheduler, Weights, weighted};

/// Parameters of [`PifoWfq`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct PifoConfig {
    /// Flows whose departure time is remembered.
    #[parameter(declared = FLOWS, default = 1 << 20)]
    pub flows: u32,
    /// Bytes of a unit of virtual time.
    #[parameter(part)]
    pub unit: VirtualUnit,
    /// Bits of fraction that a rank keeps of a departure time in units, 0 to 16, which is exact. A
    /// queue for a bounded range of ranks needs fewer.
    #[parameter(skip, default = VirtualTime::FRACTION)]
    pub fraction: u32,
    /// The most that may wait.
    #[parameter(skip)]
    pub limits: Limits,
}

/// The choice `pifo-wfq`.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    weighted(
        "pifo-wfq",
        "weighted fair queueing in exact order of self-clocked virtual finish times",
        PifoConfig::default(),
        |config: &PifoConfig, limits, weights| {
            config.unit.check()?;
            Ok(PifoWfq::exact(&PifoConfig { limits, ..*config }, weights))
        },
    )
    .labelled("PIFO-WFQ")
}

/// The flows of a scheduler without a unit of virtual time.
#[derive(Clone, Configure)]
struct Flows {
    #[parameter(declared = FLOWS)]
    flows: u32,
}

/// The choice `pifo-wfq-drop-largest`: `scfq` is the order of `pifo-wfq`; drop-largest belongs to
/// queues of ranks.
pub(super) fn drop_largest() -> Choice<dyn PacketScheduler> {
    weighted(
        "pifo-wfq-drop-largest",
        "the same, and when full the packet that would leave last is dropped instead of the \
         arrival",
        Flows { flows: PifoConfig::default().flows },
        |own: &Flows, limits, weights| {
            let ranks = RankConfig { flows: own.flows as usize, weights, ..RankConfig::default() };
            let function = Box::new(SelfClockedFairQueueing::new(&ranks));
            let queue = ExactQueue::new(limits.packets as usize);
            let queue = RankQueue::with_overflow(function, queue, Quantizer::Identity, DropLargest);
            Ok(queue.with_byte_limit(limits.bytes))
        },
    )
    .labelled("PIFO-WFQ, drop-largest")
}

/// Parameters of `wfq-bucket`.
#[derive(Clone, Configure)]
struct BucketConfig {
    #[parameter(part)]
    pifo: PifoConfig,
    #[parameter(declared = BUCKET_RANKS)]
    ranks: u32,
}

/// The choice `wfq-bucket`.
pub(super) fn buckets() -> Choice<dyn PacketScheduler> {
    weighted(
        "wfq-bucket",
        "pifo-wfq in order of 16ths of a unit, over a bucket queue, in constant time",
        BucketConfig { pifo: PifoConfig { fraction: 4, ..PifoConfig::default() }, ranks: 1 << 16 },
        |config: &BucketConfig, limits, weights| {
            config.pifo.unit.check()?;
            let policy = WindowPolicy { beyond: Beyond::Reject, ..WindowPolicy::default() };
            let (ranks, places) = (config.ranks as usize, limits.packets as usize);
            let window = CircularWindow::new(ranks, places, policy)
                .map_err(|error| BUCKET_RANKS.refuse(error))?;
            let window: CircularWindow<Packet> = window;
            Ok(PifoWfq::over(window, &PifoConfig { limits, ..config.pifo }, weights))
        },
    )
    .labelled("WFQ, buckets")
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
