//! A hybrid policy: small packets wait in SRAM, large ones in HBM, whatever else waits.
//!
//! A small packet costs the HBM as much as a large one, and there are more of them. O(1) a packet,
//! no memory of its own.

use forebay::buffer::{BufferView, Descriptor, HybridPolicy, HybridShape, Placement};
use forebay::prelude::*;

/// Its parameter, which is all that it needs.
#[derive(Clone, Configure)]
struct SizeSplit {
    /// Packets of up to so many bytes wait in SRAM.
    #[parameter(assumed = "acknowledgements and requests")]
    #[parameter(default = Bytes::new(300))]
    small: Bytes,
}

impl HybridPolicy for SizeSplit {
    fn place(&mut self, _buffer: &dyn BufferView, arriving: &Descriptor) -> Placement {
        if u64::from(arriving.packet.size) <= self.small.get() {
            Placement::Sram
        } else {
            Placement::Hbm
        }
    }

    fn moves(&self) -> bool {
        false
    }

    fn reads_queues(&self) -> bool {
        false
    }
}

/// The choice `size-split`.
pub(crate) fn choice() -> Choice<dyn HybridPolicy> {
    let about = "small packets in SRAM, large ones in HBM";
    let build = |own: &SizeSplit, _: &HybridShape| Ok(Box::new(own.clone()) as _);
    Choice::new("size-split", about, SizeSplit::default(), build).labelled("Size split")
}
