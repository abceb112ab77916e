use alloc::boxed::Box;

use forebay_parameters::{Choice, Configure};

use super::{HybridPolicy, HybridShape, Move, MoveRoom, Placement, Pressure};
use crate::descriptor::Descriptor;
use crate::threshold::{ALPHA, Alpha, Comparison};
use crate::view::BufferView;

/// Where Dynamic Threshold admits, the packet goes to SRAM; where it would drop, to HBM.
pub(super) fn place(alpha: Alpha, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
    let (length, free) = (buffer.queues().length(arriving.queue), buffer.sram_free());
    let cells = buffer.cells(arriving.packet.size);
    if alpha.admits(Comparison::Before, length, cells, free) {
        Placement::Sram
    } else {
        Placement::Hbm
    }
}

/// Parameters of [`DtHybrid`].
#[derive(Clone, Copy, Debug, PartialEq, Configure)]
pub struct DtHybridConfig {
    /// Threshold factor of every queue.
    #[parameter(kind = ALPHA, default = Alpha::power_of_two(0))]
    #[parameter(assumed = "the customary value", sensitivity = "themis/sensitivity-dt-alpha")]
    pub alpha: Alpha,
}

/// DT-Hybrid (themis §6.3): Dynamic Threshold over the SRAM, its drops redirected to HBM. A packet is
/// admitted to SRAM while its queue is shorter than α times the free SRAM ([`Comparison::Before`]).
#[derive(Clone, Copy, Debug)]
pub struct DtHybrid {
    alpha: Alpha,
}

impl DtHybrid {
    /// With the threshold factor of `config`.
    #[must_use]
    pub fn new(config: DtHybridConfig) -> Self {
        DtHybrid { alpha: config.alpha }
    }
}

/// The choice `dt-hybrid`.
pub(super) fn choice() -> Choice<dyn HybridPolicy> {
    let build =
        |config: &DtHybridConfig, _: &HybridShape| Ok(Box::new(DtHybrid::new(*config)) as _);
    Choice::new(
        "dt-hybrid",
        "what Dynamic Threshold would drop goes to HBM",
        DtHybridConfig::default(),
        build,
    )
    .labelled("DT-Hybrid")
}

impl HybridPolicy for DtHybrid {
    fn place(&mut self, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
        place(self.alpha, buffer, arriving)
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
