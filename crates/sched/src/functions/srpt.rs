//! Shortest remaining processing time: rank = bytes of the flow that have not arrived here yet,
//! this packet included.
//!
//! Source: the remaining flow size as rank (clubheap §1; gearbox §1 names pFabric's). Where the
//! packet does not carry it, it is the size of the flow less the bytes that were seen. When a
//! flow's bytes are complete its state begins anew, so that a flow number can be used again.
//! Retransmissions count as bytes seen.
//!
//! Ranks fall along a flow, so the last packets of a flow overtake its first ones: that is the
//! rule, not an accident. Where order within a flow matters use `sff`, or one queue per flow.
//!
//! Complexity: O(1). Memory: 8 bytes a flow.

use forebay_parameters::Choice;
use forebay_units::Time;

use super::choice::Reads;
use super::{RankConfig, RankFunction};
use crate::flow_table::FlowTable;
use crate::{Packet, Rank};

/// Rank = the flow's size less its bytes seen before.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{RankConfig, ShortestRemainingFirst}};
/// use forebay_units::Time;
///
/// let mut srpt = ShortestRemainingFirst::new(&RankConfig::default());
/// let packet = Packet { size: 1000, flow_size: 2500, ..Packet::default() };
/// let ranks: Vec<u64> = (0..4).map(|_| srpt.rank(Time::ZERO, &packet).get()).collect();
/// assert_eq!(ranks, [2500, 1500, 500, 2500]); // the fourth begins another flow
/// ```
#[derive(Clone, Debug)]
pub struct ShortestRemainingFirst {
    seen: FlowTable<u64>,
    /// What had been seen of the last packet's flow before it.
    before: u64,
}

impl ShortestRemainingFirst {
    /// With `flows` of `config`.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        ShortestRemainingFirst { seen: FlowTable::new(config.flows), before: 0 }
    }
}

impl RankFunction for ShortestRemainingFirst {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        let seen = self.seen.of(packet.flow);
        self.before = *seen;
        let remaining = packet.flow_size.saturating_sub(*seen);
        let size = u64::from(packet.size);
        *seen = if remaining <= size { 0 } else { seen.saturating_add(size) };
        Rank::new(remaining)
    }

    fn refused(&mut self, packet: &Packet, _rank: Rank) {
        *self.seen.of(packet.flow) = self.before;
    }
}

/// The choice `srpt`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "shortest remaining first: the flow's bytes that have not arrived before";
    config.choice("srpt", "SRPT", about, &[Reads::Flows], ShortestRemainingFirst::new)
}
