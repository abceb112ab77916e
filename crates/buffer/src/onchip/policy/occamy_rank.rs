//! Occamy that expels the packet of largest rank of the queue whose turn it is, rather than the head: the
//! packet that the scheduler wants least (the youngest of several). Not in the paper; it joins Occamy's
//! choice of queue with the order that Themis drops in (themis §4.3). It supposes that packets carry ranks:
//! if all are equal it drops from the tail.
//!
//! O(log packets) per packet by an ordered set. Memory: 12 to 20 bytes a queue and about 40 a packet.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::over_allocated::{OccamyConfig, OverAllocated};
use super::{Admission, Policy, PoolShape, Removal, Victim};
use crate::buffer::Arriving;
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::Pool;

/// Queue, rank, arrival number, id.
type Place = (u32, u64, u64, u32);

/// Dynamic Threshold, and drop of the largest rank from over-allocated queues in turn.
#[derive(Clone, Debug)]
pub struct OccamyRank {
    over: OverAllocated,
    order: BTreeSet<Place>,
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
            order: BTreeSet::new(),
            arrivals: Vec::new(),
            next_arrival: 0,
        }
    }

    fn place(&self, id: u32, packet: &Descriptor) -> Place {
        (packet.queue, packet.rank.get(), self.arrivals[id as usize], id)
    }
}

impl Policy for OccamyRank {
    fn admit(&mut self, pool: Pool<'_>, arriving: &Arriving, cells: u32) -> Admission {
        self.over.admit(pool, arriving, cells)
    }

    fn threshold(&self, pool: Pool<'_>, queue: u32) -> Option<u32> {
        self.over.threshold(pool, queue)
    }

    fn next_expulsion(&mut self, pool: Pool<'_>) -> Option<Victim> {
        let queue = self.over.in_turn(pool)?;
        let of_queue = (queue, 0, 0, 0)..=(queue, u64::MAX, u64::MAX, u32::MAX);
        let (_, _, _, id) = self.order.range(of_queue).next_back()?;
        Some(Victim::Packet(*id))
    }

    fn enqueued(&mut self, pool: Pool<'_>, id: u32, packet: &Descriptor) {
        self.over.update(pool, packet.queue);
        if self.arrivals.len() <= id as usize {
            self.arrivals.resize(id as usize + 1, 0);
        }
        self.arrivals[id as usize] = self.next_arrival;
        self.next_arrival += 1;
        self.order.insert(self.place(id, packet));
    }

    fn removed(&mut self, pool: Pool<'_>, id: u32, packet: &Descriptor, how: Removal) {
        self.over.update(pool, packet.queue);
        self.order.remove(&self.place(id, packet));
        if how == Removal::Expelled {
            self.over.expelled(packet.queue);
        }
    }
}
