use forebay_pifo::TieredQueue;

use super::{Move, MoveRoom, Placement, Policy, Pressure};
use crate::buffer::{Arriving, Buffer};
use crate::threshold::{Alpha, Comparison};

/// Where Dynamic Threshold admits, the packet goes to SRAM; where it would drop, to HBM.
pub(super) fn place<Q: TieredQueue>(
    alpha: Alpha,
    buffer: &Buffer<Q>,
    arriving: &Arriving,
) -> Placement {
    let (length, free) = (buffer.queues().length(arriving.queue), buffer.near_free());
    let cells = buffer.cells(arriving.packet.size);
    if alpha.admits(Comparison::Before, length, cells, free) {
        Placement::Near
    } else {
        Placement::Far
    }
}

/// DT-Hybrid (themis §6.3): Dynamic Threshold over the SRAM, its drops redirected to HBM. A packet is
/// admitted to SRAM while its queue is shorter than α times the free SRAM ([`Comparison::Before`]).
#[derive(Clone, Copy, Debug)]
pub struct DtHybrid {
    alpha: Alpha,
}

impl DtHybrid {
    /// With threshold factor `alpha`.
    #[must_use]
    pub fn new(alpha: Alpha) -> Self {
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
