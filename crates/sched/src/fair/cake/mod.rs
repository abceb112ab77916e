//! CAKE: FQ-CoDel's successor for access links.
//!
//! Sources: Høiland-Jørgensen, Täht and Morton, "Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways", LANMAN 2018; thresholds and defaults as in the manual tc-cake(8).
//!
//! - *Flows* have queues of their own by an eight-way set-associative hash ([`places`]), and take
//!   turns as in FQ-CoDel ([`rounds`](super::rounds)).
//! - *Queues* are kept short by [`cobalt`], which remembers a flow for a while after its last
//!   packet.
//! - *Classes* are tins: each has flows of its own and priority over others while it sends less
//!   than its threshold, a part of the link. Of tins beyond their thresholds, the one that reached
//!   its own first is next.
//! - *Overflow:* the head of the queue with the most bytes is dropped, until the rest fits; its
//!   COBALT is told.
//!
//! Not here: the shaper (ports and links have rates of their own) and its overheads; fairness among
//! hosts (a scheduler sees flows, not addresses); the filter of acknowledgements, which is off by
//! default.
//!
//! Open, and chosen here: a new flow that is empty waits once in the old list, as in FQ-CoDel, so
//! that it cannot be new at every packet. Class 0 is the highest, as everywhere in this project:
//! with `diffserv3` it is Voice, 1 Best Effort, all others Bulk; with `diffserv4` Voice, Video,
//! Best Effort, Bulk. BLUE's draws are numbered hashes of the seed.
//!
//! Complexity: O(1) per packet, amortised; O(queues) for each packet dropped at an overflow.
//! Memory: 110 bytes a queue and 48 a packet, and as much for each dropped packet that the caller
//! has not taken: while it leaves as many as may wait, arrivals are refused.

mod cobalt;
mod places;
mod tin;

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure, ParameterError, Source, Word};
use forebay_units::{Bytes, Rate, Time};

use super::codel::CodelConfig;
use super::fq_codel::FqCodelConfig;
use super::hash::spread;
use super::ledger::Ledger;
use super::room::Limits;
use crate::DropCause;
use crate::Packet;
use crate::scheduler::{PacketScheduler, SchedulerShape};
use tin::Tin;

const PAPER: Source = Source::paper("Piece of CAKE (LANMAN 2018) §III");

/// Which classes have a tin of their own, and up to which part of the link they have priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Tins {
    /// One for all.
    #[default]
    #[word = "besteffort"]
    BestEffort,
    /// Voice (a quarter), Best Effort, Bulk (a sixteenth).
    Diffserv3,
    /// Voice (a quarter), Video (a half), Best Effort, Bulk (a sixteenth).
    Diffserv4,
}

impl Tins {
    /// The threshold of each tin as a divisor of the link's rate, in order of classes.
    const fn divisors(self) -> &'static [u64] {
        match self {
            Tins::BestEffort => &[1],
            Tins::Diffserv3 => &[4, 1, 16],
            Tins::Diffserv4 => &[4, 2, 1, 16],
        }
    }
}

/// Parameters of [`Cake`].
///
/// ```
/// use forebay_sched::fair::CakeConfig;
///
/// assert_eq!((CakeConfig::default().queues, CakeConfig::default().ways), (1024, 8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct CakeConfig {
    /// The most that may wait.
    #[parameter(part, default = Limits::default())]
    pub limits: Limits,
    /// Which classes have a tin of their own: besteffort (one for all), diffserv3 or diffserv4.
    #[parameter(assumed = "classes have to be named first", default = Tins::default())]
    pub tins: Tins,
    /// Queues over which flows are hashed, in each tin.
    #[parameter(declared = FqCodelConfig::QUEUES, default = 1024)]
    pub queues: u32,
    /// Queues of a set, among which a flow finds one that nobody uses.
    #[parameter(source = PAPER, name = "hash_ways", range = 1..=1 << 10, default = 8)]
    pub ways: u32,
    /// Chooses the hash of flows and BLUE's draws.
    #[parameter(declared = FqCodelConfig::SEED, default = 0)]
    pub seed: u64,
    /// COBALT's target and interval in every queue.
    #[parameter(part)]
    pub codel: CodelConfig,
}

/// The choice `cake`.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    Choice::new(
        "cake",
        "flow queues that seldom collide, each kept short by COBALT; tins by class, no weights",
        CakeConfig::default(),
        |config: &CakeConfig, shape: &SchedulerShape| {
            let limits = config.limits.within(shape.buffer)?;
            let cake = Cake::new(&CakeConfig { limits, ..*config }, shape.link_rate)?;
            Ok(Box::new(cake) as _)
        },
    )
    .labelled("CAKE")
}

/// Flow queues in tins, kept short.
///
/// ```
/// use forebay_sched::Packet;
/// use forebay_sched::fair::{Cake, CakeConfig};
/// use forebay_sched::scheduler::PacketScheduler;
/// use forebay_units::{Rate, Time};
///
/// let mut cake = Cake::new(&CakeConfig::default(), Rate::from_bps(20_000_000))?;
/// for flow in [1, 1, 1, 2] {
///     let packet = Packet { flow, size: 1500, ..Packet::default() };
///     assert!(cake.enqueue(Time::ZERO, packet).is_ok());
/// }
/// let flows: Vec<u32> =
///     core::iter::from_fn(|| cake.dequeue(Time::ZERO)).map(|packet| packet.flow).collect();
/// // A turn is 610 bytes on so slow a link, so a packet takes some.
/// assert_eq!(flows, [1, 2, 1, 1]);
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct Cake {
    tins: Vec<Tin>,
    ledger: Ledger,
    seed: u64,
    draws: u32,
    now: Time,
}

forebay_pifo::debug_in_one_line!([] Cake, |queue| { len: queue.len(), bytes: queue.bytes() });

impl Cake {
    /// Empty queues in front of a link of this rate.
    ///
    /// # Errors
    /// The link is too slow for thresholds: it sends less than 16 bits a second.
    pub fn new(config: &CakeConfig, link_rate: Rate) -> Result<Self, ParameterError> {
        let divisors = config.tins.divisors();
        if link_rate.as_bps() < 16 {
            return Err(ParameterError::value("rate", "give at least 16 b/s"));
        }
        let rate = |divisor: &u64| Rate::from_bps(link_rate.as_bps() / divisor);
        Ok(Cake {
            tins: divisors
                .iter()
                .map(|divisor| Tin::new(config, rate(divisor), *divisor == 1))
                .collect(),
            ledger: Ledger::new(config.limits),
            seed: config.seed,
            draws: 0,
            now: Time::ZERO,
        })
    }

    /// The first tin that holds something and has sent less than its threshold; if all have sent
    /// more, the one that may again first. Best Effort, which may send all, does not stand before
    /// Bulk while that is below its threshold, or Bulk would starve.
    fn next_tin(&self) -> Option<usize> {
        let waiting = || (0..self.tins.len()).filter(|tin| !self.tins[*tin].is_empty());
        let priority = |tin: &usize| (self.tins[*tin].is_whole(), *tin);
        let within = waiting().filter(|tin| self.tins[*tin].due() <= self.now);
        within.min_by_key(priority).or_else(|| waiting().min_by_key(|tin| self.tins[*tin].due()))
    }

    /// Drops from the head of the queue with the most bytes.
    #[cold]
    fn shed(&mut self) {
        let Some(tin) = self.tins.iter_mut().max_by_key(|tin| tin.longest().1) else { return };
        let (queue, _) = tin.longest();
        if let Some(packet) = tin.shed(queue, self.now) {
            self.ledger.drop(packet, DropCause::QueueFull);
        }
    }
}

impl PacketScheduler for Cake {
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        self.now = self.now.max(now);
        self.ledger.admit(&packet)?;
        let tin = usize::from(packet.class).min(self.tins.len() - 1);
        self.tins[tin].enqueue(self.now, packet);
        self.ledger.room.enter(&packet);
        while self.ledger.room.is_exceeded() {
            self.shed();
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.now = self.now.max(now);
        let tin = self.next_tin()?;
        let (seed, draws, ledger) = (self.seed, &mut self.draws, &mut self.ledger);
        let draw = || {
            *draws = draws.wrapping_add(1);
            spread(*draws, seed, cobalt::CERTAIN as usize) as u32
        };
        let drop = |packet| ledger.drop(packet, DropCause::Early);
        // What is last in a queue is never dropped, so a tin that is not empty gives a packet.
        let packet = self.tins[tin].dequeue(self.now, draw, drop)?;
        self.ledger.room.leave(&packet);
        Some(packet)
    }

    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        self.ledger.take_dropped()
    }

    fn reads_class(&self) -> bool {
        self.tins.len() > 1
    }

    fn reads_rate(&self) -> bool {
        true
    }

    fn len(&self) -> usize {
        self.ledger.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.ledger.room.bytes()
    }
}

#[cfg(test)]
mod tests;
