//! Start-time fair queueing: packets in order of their start tags; the virtual time is the start
//! tag of the packet in service.
//!
//! Source: gearbox §2.1 for tags; the rule for the clock is Goyal, Vin and Cheng's. While nothing
//! waits, time stands at the largest finish tag that was sent. Between two backlogged flows f and g
//! the bytes sent, each divided by its weight, never differ by more than Lmax/w_f + Lmax/w_g,
//! whatever the rate of the port does: the property that inner nodes of a tree need.
//!
//! It needs the feedback of [`RankFunction::departed`], as `scfq` does. Arithmetic and limits: see
//! `virtual_time.rs`.
//!
//! Complexity: O(1). Memory: 16 bytes a flow.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::choice::Reads;
use super::tagged_flows::TaggedFlows;
use super::{RankConfig, RankFunction};
use crate::virtual_time::VirtualTime;
use crate::{Packet, Rank};

/// Rank = start tag on the virtual time of the packet in service.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{RankConfig, StartTimeFairQueueing}};
/// use forebay_units::Time;
///
/// let mut stfq = StartTimeFairQueueing::new(&RankConfig::default());
/// let packet = Packet { size: 1500, ..Packet::default() };
/// assert_eq!(stfq.rank(Time::ZERO, &packet).get(), 0);
/// assert_eq!(stfq.rank(Time::ZERO, &packet).get(), 1500 << 12);
/// ```
#[derive(Clone, Debug)]
pub struct StartTimeFairQueueing {
    flows: TaggedFlows,
}

impl StartTimeFairQueueing {
    /// With `flows` and `weights` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        StartTimeFairQueueing { flows: TaggedFlows::new(config) }
    }
}

impl RankFunction for StartTimeFairQueueing {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        let (start, _) = self.flows.stamp(packet);
        self.flows.clock.rank(start)
    }

    fn departed(&mut self, _now: Time, packet: &Packet, rank: Rank) {
        let start = self.flows.clock.tag(rank);
        let finish = VirtualTime::after(start, packet.size, self.flows.weight(packet));
        self.flows.clock.advance(start, finish);
        self.flows.left();
    }

    fn dropped(&mut self, _packet: &Packet, _rank: Rank) {
        self.flows.left();
    }

    fn refused(&mut self, packet: &Packet, _rank: Rank) {
        self.flows.unstamp(packet);
    }
}

/// The choice `stfq`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "start-time fair queueing: start tag, by the clock of the packet in service";
    config.choice(
        "stfq",
        "STFQ",
        about,
        &[Reads::Weights, Reads::Flows],
        StartTimeFairQueueing::new,
    )
}
