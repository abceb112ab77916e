use forebay_pifo::TieredQueue;

use super::{Move, MoveRoom, Placement, Policy, Pressure};
use crate::buffer::{Arriving, Buffer};

/// The dynamic threshold T = α · (free SRAM), in cells (Choudhury and Hahne; occamy Eq. 1).
pub(super) fn threshold<Q: TieredQueue>(alpha: f64, buffer: &Buffer<Q>) -> u32 {
    // `as` saturates: an α beyond the capacity is no threshold at all.
    (alpha * f64::from(buffer.near_free())) as u32
}

/// Where Dynamic Threshold admits, the packet goes to SRAM; where it would drop, to HBM.
pub(super) fn place<Q: TieredQueue>(
    alpha: f64,
    buffer: &Buffer<Q>,
    arriving: &Arriving,
) -> Placement {
    if buffer.queues().length(arriving.queue) < threshold(alpha, buffer) {
        Placement::Near
    } else {
        Placement::Far
    }
}

/// DT-Hybrid (themis §6.3): Dynamic Threshold over the SRAM, its drops redirected to HBM. A packet is
/// admitted to SRAM while its queue is shorter than α times the free SRAM.
#[derive(Clone, Copy, Debug)]
pub struct DtHybrid {
    alpha: f64,
}

impl DtHybrid {
    /// With threshold factor `alpha`.
    #[must_use]
    pub fn new(alpha: f64) -> Self {
        DtHybrid { alpha }
    }
}

impl<Q: TieredQueue> Policy<Q> for DtHybrid {
    fn place(&mut self, buffer: &Buffer<Q>, arriving: &Arriving) -> Placement {
        place(self.alpha, buffer, arriving)
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
