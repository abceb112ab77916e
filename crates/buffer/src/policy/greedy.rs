use forebay_pifo::TieredQueue;

use super::{Move, MoveRoom, Placement, Policy, Pressure};
use crate::buffer::{Arriving, Buffer};

/// Greedy-Hybrid (themis §6.3): packets go to SRAM; to HBM only when the SRAM has too few free cells.
/// Once in, a packet neither moves nor is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct GreedyHybrid;

impl<Q: TieredQueue> Policy<Q> for GreedyHybrid {
    fn place(&mut self, _buffer: &Buffer<Q>, _arriving: &Arriving) -> Placement {
        Placement::Near
    }

    fn near_full(&mut self, _buffer: &Buffer<Q>, _arriving: &Arriving) -> Pressure {
        Pressure::Divert
    }

    fn staging_full(&mut self, _buffer: &Buffer<Q>, _arriving: &Arriving) -> Pressure {
        Pressure::DropArriving
    }

    fn next_move(&mut self, _buffer: &Buffer<Q>, _room: MoveRoom) -> Option<Move> {
        None
    }
}
