//! Occamy that expels the packet of largest rank of the queue whose turn it is, rather than the
//! head: the packet that the scheduler wants least (the youngest of several). Not in the paper; it
//! joins Occamy's choice of queue with the order that Themis drops in (themis §4.3). It supposes
//! that packets carry ranks: if all are equal it drops from the tail.
//!
//! O(log packets of the queue) per packet by an ordered set for each queue. Memory: about 45 bytes
//! a queue and 40 a packet.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use forebay_parameters::Choice;

use super::over_allocated::{OccamyConfig, OverAllocated};
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal, Victim};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Rank, arrival number, id.
type OrderKey = (u64, u64, u32);

/// Dynamic Threshold, and drop of the largest rank from over-allocated queues in turn.
#[derive(Clone, Debug)]
pub struct OccamyRank {
    over: OverAllocated,
    /// The packets of each queue.
    orders: Vec<BTreeSet<OrderKey>>,
    /// Arrival number of the packet with each id.
    arrivals: Vec<u64>,
    next_arrival: u64,
}

impl OccamyRank {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &OccamyConfig, shape: &PoolShape) -> Self {
        OccamyRank {
            over: OverAllocated::new(config, shape),
            orders: shape.queues.iter().map(|_| BTreeSet::new()).collect(),
            arrivals: Vec::new(),
            next_arrival: 0,
        }
    }

    fn place(&self, id: u32, packet: &Descriptor) -> OrderKey {
        (packet.rank.get(), self.arrivals[id as usize], id)
    }
}

/// The choice `occamy-rank`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of(
        "occamy-rank",
        "Occamy, by rank",
        "Occamy that drops the largest rank of the queue whose turn it is",
        OccamyRank::new,
    )
    .prefixed("occamy")
}

impl OnChipPolicy for OccamyRank {
    fn expels(&self) -> bool {
        true
    }

    fn reads_alpha(&self) -> bool {
        true
    }

    fn reads_ranks(&self) -> bool {
        true
    }

    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        self.over.admit(pool, arriving, cells)
    }

    fn threshold(&self, pool: PoolView<'_>, queue: u32) -> Option<u32> {
        self.over.threshold(pool, queue)
    }

    fn next_expulsion(&mut self, pool: PoolView<'_>) -> Option<Victim> {
        let queue = self.over.in_turn(pool)?;
        self.orders[queue as usize].last().map(|(_, _, id)| Victim::Packet(*id))
    }

    fn enqueued(&mut self, pool: PoolView<'_>, id: u32, packet: &Descriptor) {
        self.over.update(pool, packet.queue);
        if self.arrivals.len() <= id as usize {
            self.arrivals.resize(id as usize + 1, 0);
        }
        self.arrivals[id as usize] = self.next_arrival;
        self.next_arrival += 1;
        let place = self.place(id, packet);
        self.orders[packet.queue as usize].insert(place);
    }

    fn removed(&mut self, pool: PoolView<'_>, id: u32, packet: &Descriptor, how: Removal) {
        self.over.update(pool, packet.queue);
        let place = self.place(id, packet);
        self.orders[packet.queue as usize].remove(&place);
        if how == Removal::Expelled {
            self.over.expelled(packet.queue);
        }
    }
}
