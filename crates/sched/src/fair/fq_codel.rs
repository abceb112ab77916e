//! FQ-CoDel: deficit round robin over hashed queues, new ones first, with CoDel in each.
//!
//! Source: RFC 8290 §4. A flow's queue is chosen by a hash. A queue that becomes active joins the
//! list of *new* queues with a quantum of credit, which is served before the list of *old* ones;
//! without credit it gets another quantum and goes to the end of the old list; empty, it leaves the
//! old list, or goes from the new list to the old one first, so that it cannot come back to be new
//! at once. What a queue gives up has passed its [`codel`](super::CodelConfig).
//!
//! When more is held than may be, packets are dropped from the head of the queue with the most
//! bytes, up to half of them, at most 64 (RFC 8290 §4.1); the arrival is accepted. Weights are not
//! part of it.
//!
//! Open, and chosen here: the hash (see `hash`), with a seed as parameter; rounds in which no queue
//! has credit are granted at once, as in DRR.
//!
//! Complexity: O(1) per packet while a quantum covers a largest packet; O(queues) at an overflow.
//! Memory: 88 bytes a queue and 48 a packet, and as much for each dropped packet that the caller
//! has not taken: while it leaves as many as may wait, arrivals are refused.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure, Size};
use forebay_units::{Bytes, Time};

use super::active_list::ActiveList;
use super::codel::{Codel, CodelConfig, Timed};
use super::drr::{DrrConfig, check_quantum};
use super::fifos::Fifos;
use super::hash::spread;
use super::room::{Limits, Room};
use crate::DropCause;
use crate::Packet;
use crate::scheduler::{PacketScheduler, SchedulerShape};

/// The most packets that one overflow drops (RFC 8290 §4.1).
const BATCH: u32 = 64;

/// Parameters of [`FqCodel`].
///
/// ```
/// use forebay_sched::fair::FqCodelConfig;
///
/// assert_eq!(FqCodelConfig::default().limits.packets, 10_240);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct FqCodelConfig {
    /// The most that may wait (RFC 8290 §5.2.3).
    #[parameter(part, default = Limits { packets: 10_240, ..Limits::default() })]
    pub limits: Limits,
    /// Bytes of credit per round, at least 1 (RFC 8290 §5.2.4: an Ethernet frame).
    #[parameter(declared = DrrConfig::QUANTUM, default = 1514, with = Size)]
    pub quantum: u32,
    /// Queues over which flows are hashed.
    ///
    /// RFC 8290 §5.2.1.
    #[parameter(name = "hashed_queues", range = 1..=1 << 20, default = 1024)]
    #[parameter(assumed = "that of Linux")]
    pub queues: u32,
    /// Chooses the hash of flows.
    #[parameter(assumed = "any", name = "hash_seed", range = 0.., default = 0)]
    pub seed: u64,
    /// CoDel in every queue.
    #[parameter(part)]
    pub codel: CodelConfig,
}

/// The choice `fq-codel`, with the limits of all schedulers.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    Choice::new(
        "fq-codel",
        "deficit round robin over hashed queues, each kept short by CoDel; no weights",
        FqCodelConfig { limits: Limits::default(), ..FqCodelConfig::default() },
        |config: &FqCodelConfig, shape: &SchedulerShape| {
            check_quantum(config.quantum)?;
            let limits = config.limits.within(shape.buffer)?;
            Ok(Box::new(FqCodel::new(&FqCodelConfig { limits, ..*config })) as _)
        },
    )
    .labelled("FQ-CoDel")
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    credit: i64,
    codel: Codel,
    is_listed: bool,
}

/// What is held, and what was dropped after it had been accepted.
#[derive(Clone, Debug)]
struct Ledger {
    room: Room,
    dropped: VecDeque<(Packet, DropCause)>,
}

impl Ledger {
    fn drop(&mut self, packet: Packet, cause: DropCause) {
        self.room.leave(&packet);
        self.dropped.push_back((packet, cause));
    }
}

/// Fair queueing over hashed queues that keep their waits short.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::{FqCodel, FqCodelConfig};
/// use forebay_sched::scheduler::PacketScheduler;
/// use forebay_units::Time;
///
/// let mut queue = FqCodel::new(&FqCodelConfig::default());
/// for flow in [1, 1, 1, 2] {
///     let packet = Packet { flow, size: 1500, ..Packet::default() };
///     assert!(queue.enqueue(Time::ZERO, packet).is_ok());
/// }
/// let flows: Vec<u32> =
///     core::iter::from_fn(|| queue.dequeue(Time::ZERO)).map(|packet| packet.flow).collect();
/// assert_eq!(flows, [1, 1, 2, 1]);
/// ```
#[derive(Clone)]
pub struct FqCodel {
    config: FqCodelConfig,
    fifos: Fifos<Timed>,
    queues: Vec<Queue>,
    new: ActiveList,
    old: ActiveList,
    ledger: Ledger,
    now: Time,
}

forebay_pifo::debug_in_one_line!([] FqCodel, |queue| { len: queue.len(), bytes: queue.bytes() });

impl FqCodel {
    /// Empty queues.
    #[must_use]
    pub fn new(config: &FqCodelConfig) -> Self {
        let queues = config.queues.clamp(1, 1 << 20);
        let quantum = config.quantum.max(1);
        FqCodel {
            config: FqCodelConfig { queues, quantum, ..*config },
            fifos: Fifos::new(queues as usize),
            queues: vec![Queue::default(); queues as usize],
            new: ActiveList::default(),
            old: ActiveList::default(),
            ledger: Ledger { room: Room::new(config.limits), dropped: VecDeque::new() },
            now: Time::ZERO,
        }
    }

    /// Drops from the head of the queue with the most bytes.
    #[cold]
    fn shed(&mut self) {
        let fattest = (0..self.fifos.queues()).max_by_key(|queue| self.fifos.bytes(*queue));
        let Some(queue) = fattest else { return };
        let half = self.fifos.bytes(queue) / 2;
        for _ in 0..BATCH {
            let Some(timed) = self.fifos.pop(queue) else { return };
            self.ledger.drop(timed.packet, DropCause::QueueFull);
            if self.fifos.bytes(queue) <= half {
                return;
            }
        }
    }

    /// Looks at every listed queue at most twice: once new, once old.
    fn round(&mut self) -> Option<Packet> {
        for _ in 0..=2 * self.new.len() + self.old.len() {
            let is_new = self.new.first().is_some();
            let queue = self.new.first().or_else(|| self.old.first())?;
            if self.queues[queue].credit <= 0 {
                self.queues[queue].credit += i64::from(self.config.quantum);
                self.take_from_list(is_new);
                self.old.append(queue);
                continue;
            }
            let ledger = &mut self.ledger;
            let taken = self.queues[queue].codel.dequeue(
                &self.config.codel,
                self.now,
                (&mut self.fifos, queue),
                |packet| ledger.drop(packet, DropCause::Early),
            );
            if let Some(timed) = taken {
                self.queues[queue].credit -= i64::from(timed.packet.size);
                self.ledger.room.leave(&timed.packet);
                return Some(timed.packet);
            }
            self.take_from_list(is_new);
            if is_new {
                self.old.append(queue);
            } else {
                self.queues[queue].is_listed = false;
            }
        }
        None
    }

    fn take_from_list(&mut self, is_new: bool) {
        if is_new {
            self.new.remove_first()
        } else {
            self.old.remove_first()
        };
    }

    /// Grants the rounds in which no queue has credit, all but the last.
    #[cold]
    fn skip_rounds(&mut self) {
        let quantum = i64::from(self.config.quantum);
        let missing = |queue: usize| (-self.queues[queue].credit).max(0) / quantum;
        let rounds = self.old.iter().map(missing).min().unwrap_or(0);
        let mut next = self.old.first();
        while let Some(queue) = next {
            self.queues[queue].credit += rounds * quantum;
            next = self.old.after(queue);
        }
    }
}

impl PacketScheduler for FqCodel {
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        self.now = self.now.max(now);
        let most = self.config.limits.bytes.get();
        let untaken = self.ledger.dropped.len() >= self.config.limits.packets as usize;
        if untaken || u64::from(packet.size) > most {
            return Err(DropCause::QueueFull); // nothing that is shed could make room
        }
        let queue = spread(packet.flow, self.config.seed, self.queues.len());
        self.fifos.push(queue, Timed { packet, since: self.now });
        self.ledger.room.enter(&packet);
        let state = &mut self.queues[queue];
        if !state.is_listed {
            state.is_listed = true;
            state.credit = i64::from(self.config.quantum);
            self.new.append(queue);
        }
        while self.ledger.room.is_exceeded() {
            self.shed();
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.now = self.now.max(now);
        while !self.ledger.room.is_empty() {
            if let Some(packet) = self.round() {
                return Some(packet);
            }
            self.skip_rounds();
        }
        None
    }

    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        self.ledger.dropped.pop_front()
    }

    fn len(&self) -> usize {
        self.ledger.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.ledger.room.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_packets_that_nobody_takes_are_bounded() {
        let limits = Limits { packets: 10, ..Limits::default() };
        let mut queue = FqCodel::new(&FqCodelConfig { limits, ..FqCodelConfig::default() });
        let packet = Packet { size: 1500, ..Packet::default() };
        let taken = (0..1000).filter(|_| queue.enqueue(Time::ZERO, packet).is_ok()).count();
        let dropped = core::iter::from_fn(|| queue.take_dropped()).count();
        assert!(dropped <= 20 && taken == dropped + queue.len(), "{taken} {dropped}");
        assert_eq!(queue.enqueue(Time::ZERO, packet), Ok(()), "taken, so there is room again");
    }
}
