use forebay_parameters::{Choice, Configure};

use super::scheme::choice_of;
use super::{HybridPolicy, Placement};
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

/// DT-Hybrid (themis §6.3): Dynamic Threshold over the SRAM, its drops redirected to HBM. A packet
/// is admitted to SRAM while its queue is shorter than α times the free SRAM
/// ([`Comparison::Before`]).
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
    choice_of(
        "dt-hybrid",
        "DT-Hybrid",
        "what Dynamic Threshold would drop goes to HBM",
        |config: &DtHybridConfig, _| DtHybrid::new(*config),
    )
    .prefixed("dt")
}

impl HybridPolicy for DtHybrid {
    fn moves(&self) -> bool {
        false
    }

    fn place(&mut self, buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
        place(self.alpha, buffer, arriving)
    }
}
