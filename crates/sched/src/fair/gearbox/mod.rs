//! Gearbox: weighted fair queueing from a few first-in first-out queues.
//!
//! Source: Gao, Dalleggio, Xu, Chao, "Gearbox: A Hierarchical Packet Scheduler for Approximate
//! Weighted Fair Queuing" (NSDI '22), all of §3, §4.2's sets A and B, App. A's step-down FIFOs.
//! What it leaves open and what we choose stands in `docs/gearbox.md`; each choice is a field of
//! [`GearboxConfig`].
//!
//! A packet's departure time decides its level: near ones go to fine levels, far ones to coarse
//! levels, so that the discrepancy between the time a packet leaves and the time it should stays
//! below the delay it expects. Every level serves its current FIFO in proportion, directly; nothing
//! is moved between levels.
//!
//! Complexity: O(levels) per packet, whatever the number of flows and packets. Memory: some
//! 150 bytes a level, 32 a FIFO, 16 a flow (8 more for remaining sizes), 32 a packet. Limits: 16
//! levels of 64 FIFOs a set; those of [`VirtualTime`].

mod auto;
mod choice;
mod config;
mod divisor;
mod error;
mod hardware;
mod level;

use alloc::vec::Vec;

use forebay_units::{Bytes, Time};

pub use self::auto::WeightRange;
pub(super) use self::choice::choices;
pub use self::config::{
    DepartureTime, GearboxConfig, LevelConfig, LevelPlacement, MAX_FIFOS, MAX_LEVELS, Rounding,
};
pub use self::error::GearboxError;
pub use self::hardware::{
    Enqueued, FIFO_DESCRIPTORS, FIFOS, FLOWS, GearboxCore, GearboxCoreConfig, GearboxDescriptor,
    LEVELS,
};
use self::level::Level;
use super::fifos::Fifos;
use super::room::Room;
use super::virtual_time::VirtualTime;
use crate::DropCause;
use crate::Packet;
use crate::flow_table::FlowTable;
use crate::scheduler::{PacketScheduler, Weights};

/// Packets of a FIFO that lie together.
const BLOCK: usize = 16;
/// So many packets before one of it is served, a flow's state is asked for: it is in the cache by
/// then.
const AHEAD: u32 = 8;

/// What Gearbox remembers of a flow: with many flows each packet waits for it to come from memory,
/// so that all of it lies in one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Flow {
    /// The departure time of its last packet.
    departure: VirtualTime,
    /// Its weight; 0 until its first packet has come.
    weight: u32,
    /// The level of its last packet.
    level: u8,
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The virtual time at which it is to depart.
    pub departure: VirtualTime,
    /// The level that serves it, from 0.
    pub level: usize,
    /// Its interval at that level.
    interval: u64,
    /// Whether it joins the split step-down FIFO of the level above.
    pub stepped_down: bool,
}

/// Weighted fair queueing from a few first-in first-out queues.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::gearbox::{Gearbox, GearboxConfig};
/// use forebay_sched::scheduler::{PacketScheduler, Weights};
/// use forebay_units::Time;
///
/// let mut config = GearboxConfig::default();
/// config.unit.total_weight = 4;
/// let mut gearbox = Gearbox::new(&config, Weights::new(1, vec![3, 1])?)?;
/// for tag in 0..8 {
///     let packet = Packet { flow: tag / 4, size: 1500, tag, ..Packet::default() };
///     gearbox.enqueue(Time::ZERO, packet).map_err(|cause| cause.to_string())?;
/// }
/// // Three packets of flow 0 for each of flow 1.
/// let flows: Vec<u32> =
///     core::iter::from_fn(|| gearbox.dequeue(Time::ZERO)).map(|packet| packet.flow).collect();
/// assert_eq!(flows, [0, 0, 0, 1, 0, 1, 1, 1]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Gearbox {
    config: GearboxConfig,
    weights: Weights,
    levels: Vec<Level>,
    fifos: Fifos<Packet, BLOCK>,
    flows: FlowTable<Flow>,
    /// Bytes of a flow that have arrived, for remaining sizes; a flow whose bytes are complete
    /// begins anew.
    arrived: FlowTable<u64>,
    room: Room,
    /// The system time: the unit being served.
    unit: u64,
}

forebay_pifo::debug_in_one_line!([] Gearbox, |queue| { len: queue.len(), bytes: queue.bytes() });

impl Gearbox {
    /// An empty Gearbox at system time 0.
    ///
    /// # Errors
    /// [`GearboxError`] if the configuration breaks a rule.
    pub fn new(config: &GearboxConfig, weights: Weights) -> Result<Self, GearboxError> {
        config.check()?;
        let mut levels: Vec<Level> = Vec::new();
        let mut first = 0;
        for (number, level) in config.levels.iter().enumerate() {
            let set = u64::from(level.fifos);
            let is_top = number + 1 == config.levels.len();
            let sets = if is_top || config.placement == LevelPlacement::Algorithm1 { 1 } else { 2 };
            let mut built = Level::new(level.granularity, set, sets, first);
            first += (set * sets) as usize;
            if config.step_down && !is_top {
                built.add_front(first);
                first += level.fifos as usize;
            }
            levels.push(built);
        }
        Ok(Gearbox {
            weights,
            levels,
            fifos: Fifos::new(first),
            flows: FlowTable::new(config.flows as usize),
            arrived: FlowTable::new(config.flows as usize),
            room: Room::new(config.limits),
            unit: 0,
            config: config.clone(),
        })
    }

    /// The system time t_s: the beginning of the unit being served.
    #[must_use]
    pub fn system_time(&self) -> VirtualTime {
        VirtualTime::from_units(self.unit)
    }

    /// Where `packet` would go if it arrived now. O(levels).
    ///
    /// # Errors
    /// Why it would be refused.
    #[inline]
    pub fn place(&self, packet: &Packet) -> Result<Placed, DropCause> {
        self.room.check(packet)?;
        let flow = self.flows.get(packet.flow);
        let departure = self.departure(&flow, packet);
        let lowest = if self.config.level_memory { usize::from(flow.level) } else { 0 };
        let placed = match self.config.placement {
            LevelPlacement::PingPong => self.place_in_sets(departure, lowest),
            LevelPlacement::Algorithm1 => self.place_by_algorithm1(departure, lowest),
        };
        let placed = placed.ok_or(DropCause::Horizon)?;
        match self.config.fifo_packets {
            Some(most) if self.fifos.len(self.fifo(&placed)) >= most => Err(DropCause::QueueFull),
            _ => Ok(placed),
        }
    }

    /// The departure time of a packet that arrives now.
    #[inline]
    fn departure(&self, flow: &Flow, packet: &Packet) -> VirtualTime {
        let (now, unit) = (self.system_time(), self.config.unit);
        match self.config.departure {
            DepartureTime::FinishTime => {
                let parts = unit.parts(u64::from(packet.size), self.weight(flow, packet));
                now.max(flow.departure).after(parts)
            }
            DepartureTime::ShortestRemaining => {
                let remaining = packet.flow_size.saturating_sub(self.arrived.get(packet.flow));
                let parts = unit.parts(remaining, self.weight(flow, packet));
                let last = VirtualTime::from_units(self.unit.saturating_add(self.config.horizon()));
                now.after(parts).min(last).max(flow.departure)
            }
        }
    }

    /// The weight of the packet's flow, which shares its state with others if there are more than
    /// entries.
    #[inline]
    fn weight(&self, flow: &Flow, packet: &Packet) -> u32 {
        let own = flow.weight > 0 && self.flows.entry_of(packet.flow) == packet.flow;
        if own { flow.weight } else { self.weights.of(packet.flow) }
    }

    /// The lowest level from `lowest` on whose sets hold the departure time.
    #[inline]
    fn place_in_sets(&self, departure: VirtualTime, lowest: usize) -> Option<Placed> {
        let unit = departure.units();
        for (number, level) in self.levels.iter().enumerate().skip(lowest) {
            let interval = level.interval(unit);
            if interval < level.end(self.unit) {
                return Some(self.step_down(Placed {
                    departure,
                    level: number,
                    interval,
                    stepped_down: false,
                }));
            }
        }
        None
    }

    /// The same place, or if it is a step-down FIFO, the part of it (App. A).
    #[inline]
    fn step_down(&self, placed: Placed) -> Placed {
        if !self.config.step_down || placed.level == 0 {
            return placed;
        }
        let is_step_down = self.levels[placed.level].is_step_down(placed.interval);
        let level = placed.level - 1;
        if !is_step_down || !self.levels[level].has_front() {
            return placed;
        }
        let interval = self.levels[level].interval(placed.departure.units());
        Placed { level, interval, stepped_down: true, ..placed }
    }

    /// Algorithm 1 as it is printed; a FIFO a whole turn ahead is the one being served.
    fn place_by_algorithm1(&self, departure: VirtualTime, lowest: usize) -> Option<Placed> {
        let ahead = departure.units().saturating_sub(self.unit);
        for (number, level) in self.levels.iter().enumerate().skip(lowest) {
            if ahead.div_ceil(level.granularity()) <= level.set() {
                let turned = (ahead / level.granularity()) % level.ring();
                let interval = level.interval(self.unit) + turned;
                return Some(Placed { departure, level: number, interval, stepped_down: false });
            }
        }
        None
    }

    /// The FIFO of a place.
    #[inline]
    fn fifo(&self, placed: &Placed) -> usize {
        let level = &self.levels[placed.level];
        if placed.stepped_down {
            level.front_fifo(placed.interval)
        } else {
            level.fifo(placed.interval)
        }
    }

    /// Puts `packet` in its place.
    #[inline]
    fn commit(&mut self, placed: Placed, packet: Packet) {
        let fifo = self.fifo(&placed);
        self.fifos.push(fifo, packet);
        let level = &mut self.levels[placed.level];
        if placed.stepped_down {
            level.joined_front(placed.interval);
        } else {
            level.joined(placed.interval);
        }
        let entry = self.flows.entry_of(packet.flow);
        let flow = self.flows.of(packet.flow);
        flow.departure = placed.departure;
        flow.level = placed.level as u8;
        if flow.weight == 0 {
            flow.weight = self.weights.of(entry);
        }
        if self.config.departure == DepartureTime::ShortestRemaining {
            let arrived = self.arrived.of(packet.flow);
            *arrived = arrived.saturating_add(u64::from(packet.size));
            if *arrived >= packet.flow_size {
                *arrived = 0; // complete, so that its number can be used again
            }
        }
        self.room.enter(&packet);
    }
}

impl PacketScheduler for Gearbox {
    fn enqueue(&mut self, _now: Time, packet: Packet) -> Result<(), DropCause> {
        let placed = self.place(&packet)?;
        self.commit(placed, packet);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time) -> Option<Packet> {
        let mut first = None;
        for (number, level) in self.levels.iter().enumerate() {
            let Some(head) = level.head(&self.fifos, self.unit, self.config.rounding) else {
                continue;
            };
            if first.is_none_or(|(_, earliest): (usize, level::Head)| head.due < earliest.due) {
                first = Some((number, head));
            }
            if head.due == self.unit {
                break; // no coarser level can be due earlier
            }
        }
        let (number, head) = first?;
        let packet = self.fifos.pop(head.fifo)?;
        self.unit = head.due;
        self.levels[number].served(head, packet.size, self.fifos.is_empty(head.fifo));
        self.room.leave(&packet);
        if self.flows.is_large()
            && let Some(packet) = self.fifos.ahead(head.fifo, AHEAD)
        {
            // Its next packet is often soon to come, as where windows pace flows.
            self.flows.prefetch(packet.flow);
        }
        Some(packet)
    }

    fn len(&self) -> usize {
        self.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.room.bytes()
    }
}
