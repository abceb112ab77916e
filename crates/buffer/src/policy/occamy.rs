use forebay_pifo::TieredQueue;

use super::{Move, MoveRoom, Placement, Policy, Pressure, dt};
use crate::buffer::{Arriving, Buffer};
use crate::threshold::Alpha;

/// Occamy-Hybrid (themis §6.3): Occamy over the SRAM, with what it would drop written to HBM.
///
/// Admission is Dynamic Threshold with a large α (8, occamy §4.4). Queues longer than the threshold
/// are over-allocated; their head packets are expelled round robin, with the memory bandwidth that
/// arrivals and departures leave (occamy §4.3).
#[derive(Clone, Copy, Debug)]
pub struct OccamyHybrid {
    alpha: Alpha,
    next: u32,
}

impl OccamyHybrid {
    /// With threshold factor `alpha`.
    #[must_use]
    pub fn new(alpha: Alpha) -> Self {
        OccamyHybrid { alpha, next: 0 }
    }
}

impl<Q: TieredQueue> Policy<Q> for OccamyHybrid {
    fn place(&mut self, buffer: &Buffer<Q>, arriving: &Arriving) -> Placement {
        dt::place(self.alpha, buffer, arriving)
    }

    fn near_full(&mut self, _buffer: &Buffer<Q>, _arriving: &Arriving) -> Pressure {
        Pressure::Divert
    }

    fn staging_full(&mut self, _buffer: &Buffer<Q>, _arriving: &Arriving) -> Pressure {
        Pressure::DropArriving
    }

    fn next_move(&mut self, buffer: &Buffer<Q>, room: MoveRoom) -> Option<Move> {
        if !room.outward {
            return None;
        }
        let threshold = self.alpha.threshold(buffer.near_free());
        let queue = buffer.queues().next_longer(threshold, self.next)?;
        self.next = queue + 1;
        Some(Move::Expel { queue })
    }
}
