//! Deficit round robin per flow, with an active list.
//!
//! Source: Shreedhar and Varghese, "Efficient fair queuing using deficit round-robin" (gearbox's
//! [26]). The flows that have packets stand in a list; the first gets its quantum (by weight) on
//! its visit, sends while its deficit covers its head, and goes to the end of the list; an emptied
//! flow leaves it and loses its deficit.
//!
//! Open, and chosen here: a round in which no flow could send, which a quantum below a packet's
//! size makes possible, is not walked again and again: the rounds that the nearest flow needs are
//! granted to all in one pass over the list.
//!
//! Complexity: O(1) while a quantum covers a largest packet; O(active flows) per packet at worst.
//! Memory: 36 bytes a flow, up to the largest flow number seen, and 36 a packet.

use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure, Kind, ParameterError, Size};
use forebay_units::{Bytes, Time};

use super::active_list::ActiveList;
use super::fifos::Fifos;
use super::room::{Limits, Room};
use crate::DropCause;
use crate::Packet;
use crate::flow_table::{FLOWS, MAX_FLOWS};
use crate::scheduler::{PacketScheduler, Weights, weighted};

/// Parameters of [`Drr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct DrrConfig {
    /// Flows that have a queue of their own; larger numbers share them.
    #[parameter(declared = FLOWS, default = 1 << 20)]
    pub flows: u32,
    /// Bytes per weight and round.
    ///
    /// At least 1.
    #[parameter(kind = Kind::Bytes, with = Size, default = 1500)]
    #[parameter(assumed = "a frame of Ethernet, so that every visit sends")]
    pub quantum: u32,
    /// The most that may wait.
    #[parameter(skip)]
    pub limits: Limits,
}

/// A quantum with which rounds get on.
pub(super) fn check_quantum(quantum: u32) -> Result<(), ParameterError> {
    if quantum == 0 { Err(DrrConfig::QUANTUM.refuse("give at least 1 byte")) } else { Ok(()) }
}

/// The choice `drr`.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    weighted(
        "drr",
        "deficit round robin: bytes in proportion to weights, flow by flow",
        DrrConfig { quantum: 1514, ..DrrConfig::default() },
        |config: &DrrConfig, limits, weights| {
            check_quantum(config.quantum)?;
            Ok(Drr::new(&DrrConfig { limits, ..*config }, weights))
        },
    )
    .labelled("DRR")
}

/// Bytes in proportion to weights, flow by flow.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::{Drr, DrrConfig};
/// use forebay_sched::scheduler::{PacketScheduler, Weights};
/// use forebay_units::Time;
///
/// let mut drr = Drr::new(&DrrConfig::default(), Weights::new(1, vec![3, 1])?);
/// for tag in 0..8 {
///     let packet = Packet { flow: tag / 4, size: 1500, tag, ..Packet::default() };
///     drr.enqueue(Time::ZERO, packet).map_err(|cause| cause.to_string())?;
/// }
/// let flows: Vec<u32> =
///     core::iter::from_fn(|| drr.dequeue(Time::ZERO)).map(|packet| packet.flow).collect();
/// assert_eq!(flows, [0, 0, 0, 1, 0, 1, 1, 1]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Drr {
    weights: Weights,
    quantum: u64,
    flows: u32,
    queues: Fifos<Packet>,
    deficits: Vec<u64>,
    active: ActiveList,
    /// Whether the first of the list has had its quantum on this visit.
    granted: bool,
    room: Room,
}

forebay_pifo::debug_in_one_line!([] Drr, |queue| { len: queue.len(), bytes: queue.bytes() });

impl Drr {
    /// No packets, no flows.
    #[must_use]
    pub fn new(config: &DrrConfig, weights: Weights) -> Self {
        Drr {
            weights,
            quantum: u64::from(config.quantum.max(1)),
            flows: config.flows.clamp(1, MAX_FLOWS as u32),
            queues: Fifos::new(0),
            deficits: Vec::new(),
            active: ActiveList::default(),
            granted: false,
            room: Room::new(config.limits),
        }
    }

    /// What a visit gives a queue; its packets may be of several flows, of which the first counts.
    #[inline]
    fn quantum(&self, queue: usize) -> u64 {
        self.quantum * u64::from(self.weights.of(queue as u32))
    }

    /// Visits every active queue at most once, and sends from the first that can.
    #[inline]
    fn round(&mut self) -> Option<Packet> {
        for _ in 0..=self.active.len() {
            let queue = self.active.first()?;
            if !self.granted {
                self.deficits[queue] += self.quantum(queue);
                self.granted = true;
            }
            let size = self.queues.front(queue).map_or(0, |packet| u64::from(packet.size));
            if size <= self.deficits[queue] {
                return self.send(queue);
            }
            self.active.rotate();
            self.granted = false;
        }
        None
    }

    fn send(&mut self, queue: usize) -> Option<Packet> {
        let packet = self.queues.pop(queue)?;
        self.deficits[queue] -= u64::from(packet.size);
        if self.queues.is_empty(queue) {
            self.deficits[queue] = 0;
            self.active.remove_first();
            self.granted = false;
        }
        self.room.leave(&packet);
        Some(packet)
    }

    /// Grants the rounds in which no queue can send, all but the last.
    #[cold]
    fn skip_rounds(&mut self) {
        let missing = |queue: usize| {
            let size = self.queues.front(queue).map_or(0, |packet| u64::from(packet.size));
            size.saturating_sub(self.deficits[queue]).div_ceil(self.quantum(queue))
        };
        let rounds = self.active.iter().map(missing).min().unwrap_or(0).saturating_sub(1);
        let mut next = self.active.first();
        for _ in 0..self.active.len() {
            let Some(queue) = next else { return };
            self.deficits[queue] += rounds * self.quantum(queue);
            next = self.active.after(queue);
        }
    }
}

impl PacketScheduler for Drr {
    #[inline]
    fn enqueue(&mut self, _now: Time, packet: Packet) -> Result<(), DropCause> {
        self.room.check(&packet)?;
        let queue = (packet.flow % self.flows) as usize;
        self.queues.reach(queue);
        if queue >= self.deficits.len() {
            self.deficits.resize(queue + 1, 0);
        }
        if self.queues.is_empty(queue) {
            self.active.append(queue);
        }
        self.queues.push(queue, packet);
        self.room.enter(&packet);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time) -> Option<Packet> {
        self.round().or_else(|| {
            self.skip_rounds();
            self.round()
        })
    }

    fn len(&self) -> usize {
        self.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.room.bytes()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn enqueue(drr: &mut Drr, flow: u32, size: u32) {
        drr.enqueue(Time::ZERO, Packet { flow, size, ..Packet::default() }).unwrap();
    }

    fn flows(drr: &mut Drr) -> Vec<u32> {
        core::iter::from_fn(|| drr.dequeue(Time::ZERO)).map(|packet| packet.flow).collect()
    }

    #[test]
    fn an_emptied_flow_saves_nothing() {
        let mut drr = Drr::new(&DrrConfig::default(), Weights::default());
        for _ in 0..3 {
            enqueue(&mut drr, 0, 100);
            assert_eq!(flows(&mut drr), [0]);
        }
        for flow in [0, 0, 0, 1, 1, 1] {
            enqueue(&mut drr, flow, 1500);
        }
        assert_eq!(flows(&mut drr), [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn a_small_quantum_skips_rounds_without_changing_the_shares() {
        let config = DrrConfig { quantum: 1, ..DrrConfig::default() };
        let mut drr = Drr::new(&config, Weights::new(1, alloc::vec![1, 2]).unwrap());
        for flow in [0, 0, 1, 1, 1, 1] {
            enqueue(&mut drr, flow, 1_000_000);
        }
        assert_eq!(flows(&mut drr), [1, 0, 1, 1, 0, 1]);
    }
}
