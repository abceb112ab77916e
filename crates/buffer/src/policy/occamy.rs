use forebay_parameters::{Choice, Configure};

use super::scheme::choice_of;
use super::{HybridPolicy, Move, MoveRoom, Placement, dt};
use crate::descriptor::Descriptor;
use crate::threshold::{ALPHA, Alpha};
use crate::view::BufferView;

/// Parameters of [`OccamyHybrid`].
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct OccamyHybridConfig {
    /// Threshold factor of every queue.
    #[parameter(paper = "occamy §4.4", kind = ALPHA, default = Alpha::power_of_two(3))]
    pub alpha: Alpha,
}

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
    /// With the threshold factor of `config`.
    #[must_use]
    pub fn new(config: OccamyHybridConfig) -> Self {
        OccamyHybrid { alpha: config.alpha, next: 0 }
    }
}

/// The choice `occamy-hybrid`.
pub(super) fn choice() -> Choice<dyn HybridPolicy> {
    choice_of(
        "occamy-hybrid",
        "Occamy-Hybrid",
        "what Occamy would drop, at admission or by expulsion, goes to HBM",
        |config: &OccamyHybridConfig, _| OccamyHybrid::new(*config),
    )
    .prefixed("occamy")
}

impl HybridPolicy for OccamyHybrid {
    fn place(&mut self, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
        dt::place(self.alpha, buffer, arriving)
    }

    fn next_move(&mut self, buffer: &dyn BufferView, room: MoveRoom) -> Option<Move> {
        if !room.outward {
            return None;
        }
        let threshold = self.alpha.threshold(buffer.sram_free());
        let queue = buffer.queues().next_longer(threshold, self.next)?;
        self.next = queue + 1;
        Some(Move::Expel { queue })
    }
}
