//! Self-clocked fair queueing (Golestani): the virtual time is the finish tag of the packet in
//! service.
//!
//! Source: gearbox §2.1 for tags; Golestani's rule for the clock, which needs no fluid server. Ours
//! to choose: while nothing waits, time stands at the largest finish tag that was sent.
//!
//! It needs the feedback of [`RankFunction::departed`]: without it the clock stands still, and a
//! flow that sent much once waits behind all that sent less. Arithmetic and limits: see
//! `virtual_time.rs`.
//!
//! Complexity: O(1). Memory: 16 bytes a flow.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::choice::Reads;
use super::tagged_flows::TaggedFlows;
use super::{RankConfig, RankFunction};
use crate::{Packet, Rank};

/// Rank = finish tag on the self-clocked virtual time.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{RankConfig, SelfClockedFairQueueing}};
/// use forebay_units::Time;
///
/// let mut scfq = SelfClockedFairQueueing::new(&RankConfig::default());
/// let packet = Packet { size: 1500, ..Packet::default() };
/// let first = scfq.rank(Time::ZERO, &packet);
/// let second = scfq.rank(Time::ZERO, &packet);
/// assert_eq!(second.get(), 2 * first.get());
/// ```
#[derive(Clone, Debug)]
pub struct SelfClockedFairQueueing {
    flows: TaggedFlows,
}

impl SelfClockedFairQueueing {
    /// With `flows` and `weights` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        SelfClockedFairQueueing { flows: TaggedFlows::new(config) }
    }
}

impl RankFunction for SelfClockedFairQueueing {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        let (_, finish) = self.flows.stamp(packet);
        self.flows.clock.rank(finish)
    }

    fn departed(&mut self, _now: Time, _packet: &Packet, rank: Rank) {
        let finish = self.flows.clock.tag(rank);
        self.flows.clock.advance(finish, finish);
        self.flows.left();
    }

    fn dropped(&mut self, _packet: &Packet, _rank: Rank) {
        self.flows.left();
    }

    fn refused(&mut self, packet: &Packet, _rank: Rank) {
        self.flows.unstamp(packet);
    }
}

/// The choice `scfq`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "self-clocked fair queueing: finish tag, by the clock of the packet in service";
    config.choice(
        "scfq",
        "SCFQ",
        about,
        &[Reads::Weights, Reads::Flows],
        SelfClockedFairQueueing::new,
    )
}
