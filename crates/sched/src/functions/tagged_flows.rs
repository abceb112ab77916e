//! What self-clocked and start-time fair queueing share: the last finish tag of every flow, and a
//! virtual time that the packets themselves drive.
//!
//! Complexity: O(1). Memory: 16 bytes a flow.

use super::RankConfig;
use crate::Packet;
use crate::flow_table::FlowTable;
use crate::scheduler::Weights;
use crate::virtual_time::VirtualTime;

/// Start and finish tags of packets, flow by flow.
#[derive(Clone, Debug)]
pub(super) struct TaggedFlows {
    weights: Weights,
    last_finish: FlowTable<u128>,
    pub(super) clock: VirtualTime,
    /// Packets that were tagged and have not left.
    waiting: usize,
    /// The finish tag that the flow of the last packet had before it.
    before: u128,
}

impl TaggedFlows {
    /// With `flows` and `weights` of `config`.
    pub(super) fn new(config: &RankConfig) -> Self {
        TaggedFlows {
            weights: config.weights.clone(),
            last_finish: FlowTable::new(config.flows),
            clock: VirtualTime::new(1),
            waiting: 0,
            before: 0,
        }
    }

    /// The start and the finish tag of an arriving packet.
    pub(super) fn stamp(&mut self, packet: &Packet) -> (u128, u128) {
        self.waiting += 1;
        let weight = self.weight(packet);
        let last_finish = self.last_finish.of(packet.flow);
        let start = self.clock.start(*last_finish);
        self.before = *last_finish;
        *last_finish = VirtualTime::after(start, packet.size, weight);
        (start, *last_finish)
    }

    /// The packet that was stamped last is not held: its flow is where it was.
    pub(super) fn unstamp(&mut self, packet: &Packet) {
        *self.last_finish.of(packet.flow) = self.before;
        self.left();
    }

    /// Flows that share state share the weight of the first of them.
    pub(super) fn weight(&self, packet: &Packet) -> u32 {
        self.weights.of(self.last_finish.entry_of(packet.flow))
    }

    /// A packet left, for the wire or not.
    pub(super) fn left(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
        if self.waiting == 0 {
            self.clock.idle();
        }
    }
}
