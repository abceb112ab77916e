//! Least attained service: rank = bytes of the flow that came before this packet.
//!
//! Source: the scheduler that favours short flows without knowing their sizes; a common one, which
//! none of the papers defines it. What a flow will have been served when a packet is at its head is
//! what came before the packet, so the rank is known on arrival and rises along a flow, which keeps
//! its order. Sizes are not looked at, so nothing tells that a flow has ended: service is
//! remembered for good, and a flow number that is used again goes on from there.
//!
//! Complexity: O(1). Memory: 8 bytes a flow.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::choice::Reads;
use super::{RankConfig, RankFunction};
use crate::flow_table::FlowTable;
use crate::{Packet, Rank};

/// Rank = the flow's bytes before this packet.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{LeastAttainedService, RankConfig}};
/// use forebay_units::Time;
///
/// let mut las = LeastAttainedService::new(&RankConfig::default());
/// let packet = Packet { size: 1000, ..Packet::default() };
/// assert_eq!(las.rank(Time::ZERO, &packet).get(), 0);
/// assert_eq!(las.rank(Time::ZERO, &packet).get(), 1000);
/// ```
#[derive(Clone, Debug)]
pub struct LeastAttainedService {
    attained: FlowTable<u64>,
}

impl LeastAttainedService {
    /// With `flows` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        LeastAttainedService { attained: FlowTable::new(config.flows) }
    }
}

impl RankFunction for LeastAttainedService {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        let attained = self.attained.of(packet.flow);
        let rank = *attained;
        *attained = rank.saturating_add(u64::from(packet.size));
        Rank::new(rank)
    }

    fn refused(&mut self, packet: &Packet, rank: Rank) {
        *self.attained.of(packet.flow) = rank.get(); // what came before is the rank itself
    }
}

/// The choice `las`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "least attained service: the flow's bytes that came before";
    config.choice("las", "LAS", about, &[Reads::Flows], LeastAttainedService::new)
}
