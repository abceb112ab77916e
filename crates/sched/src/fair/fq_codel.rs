//! FQ-CoDel: deficit round robin over hashed queues, new ones first, with CoDel in each.
//!
//! Source: RFC 8290 §4. A flow's queue is chosen by a hash. Queues take turns as
//! [`rounds`](super::rounds) says. What a queue gives up has passed its
//! [`codel`](super::CodelConfig), which marks packets of flows that understand marks.
//!
//! When more is held than may be, packets are dropped from the head of the queue with the most
//! bytes, up to half of them, at most 64 (RFC 8290 §4.1); the arrival is accepted. Weights are not
//! part of it.
//!
//! Open, and chosen here: the hash (see `hash`), with a seed as parameter.
//!
//! Complexity: O(1) per packet while a quantum covers a largest packet; O(queues) at an overflow.
//! Memory: 88 bytes a queue and 48 a packet, and as much for each dropped packet that the caller
//! has not taken: while it leaves as many as may wait, arrivals are refused.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure, Size};
use forebay_units::{Bytes, Time};

use super::codel::{Codel, CodelConfig, Timed};
use super::drr::{DrrConfig, check_quantum};
use super::fifos::Fifos;
use super::hash::spread;
use super::ledger::Ledger;
use super::room::Limits;
use super::rounds::Rounds;
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
    /// RFC 8290 §5.2.5.
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
    codels: Vec<Codel>,
    rounds: Rounds,
    ledger: Ledger,
    now: Time,
}

forebay_pifo::debug_in_one_line!([] FqCodel, |queue| { len: queue.len(), bytes: queue.bytes() });

impl FqCodel {
    /// Empty queues.
    #[must_use]
    pub fn new(config: &FqCodelConfig) -> Self {
        let queues = config.queues.clamp(1, 1 << 20);
        FqCodel {
            config: *config,
            fifos: Fifos::new(queues as usize),
            codels: vec![Codel::default(); queues as usize],
            rounds: Rounds::new(queues as usize, config.quantum),
            ledger: Ledger::new(config.limits),
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
}

impl PacketScheduler for FqCodel {
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        self.now = self.now.max(now);
        self.ledger.admit(&packet)?;
        let queue = spread(packet.flow, self.config.seed, self.codels.len());
        self.fifos.push(queue, Timed { packet, since: self.now });
        self.ledger.room.enter(&packet);
        self.rounds.join(queue);
        while self.ledger.room.is_exceeded() {
            self.shed();
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.now = self.now.max(now);
        // Whose turn it is next is not decided before something waits.
        if self.ledger.room.len() == 0 {
            return None;
        }
        while let Some(queue) = self.rounds.turn() {
            let ledger = &mut self.ledger;
            let taken = self.codels[queue].dequeue(
                &self.config.codel,
                self.now,
                (&mut self.fifos, queue),
                |packet| ledger.drop(packet, DropCause::Early),
            );
            if let Some(timed) = taken {
                self.rounds.sent(queue, timed.packet.size);
                self.ledger.room.leave(&timed.packet);
                return Some(timed.packet);
            }
            self.rounds.emptied(queue);
        }
        None
    }

    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        self.ledger.take_dropped()
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
