use alloc::boxed::Box;

use forebay_parameters::Choice;

use super::{HybridPolicy, HybridShape, Move, MoveRoom, Placement, Pressure};
use crate::descriptor::Descriptor;
use crate::view::BufferView;

/// Greedy-Hybrid (themis §6.3): packets go to SRAM; to HBM only when the SRAM has too few free cells.
/// Once in, a packet neither moves nor is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct GreedyHybrid;

/// The choice `greedy-hybrid`.
pub(super) fn choice() -> Choice<dyn HybridPolicy> {
    let build = |(): &(), _: &HybridShape| Ok(Box::new(GreedyHybrid) as _);
    Choice::new("greedy-hybrid", "SRAM while it has room, then HBM; nothing moves", (), build)
        .labelled("Greedy-Hybrid")
}

impl HybridPolicy for GreedyHybrid {
    fn place(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Placement {
        Placement::Sram
    }

    fn sram_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::Divert
    }

    fn staging_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropArriving
    }

    fn next_move(&mut self, _buffer: &dyn BufferView, _room: MoveRoom) -> Option<Move> {
        None
    }
}
