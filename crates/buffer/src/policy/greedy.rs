use forebay_parameters::Choice;

use super::scheme::choice_of;
use super::{HybridPolicy, Placement};
use crate::descriptor::Descriptor;
use crate::view::BufferView;

/// Greedy-Hybrid (themis §6.3): packets go to SRAM; to HBM only when the SRAM has too few free
/// cells. Once in, a packet neither moves nor is dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct GreedyHybrid;

/// The choice `greedy-hybrid`.
pub(super) fn choice() -> Choice<dyn HybridPolicy> {
    choice_of(
        "greedy-hybrid",
        "Greedy-Hybrid",
        "SRAM while it has room, then HBM; nothing moves",
        |(): &(), _| GreedyHybrid,
    )
    .prefixed("greedy")
}

impl HybridPolicy for GreedyHybrid {
    fn moves(&self) -> bool {
        false
    }

    fn reads_queues(&self) -> bool {
        false
    }

    fn place(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Placement {
        Placement::Sram
    }
}
