//! What policies see of a hybrid buffer: the same whatever its ranked queues are.

use forebay_pifo::{TieredEntry, TieredQueue};
use forebay_units::Bytes;

use crate::buffer::Buffer;
use crate::descriptor::Descriptor;
use crate::hbm::HbmSpace;
use crate::queues::Queues;
use crate::staging::Staging;

/// What a [`HybridPolicy`](crate::HybridPolicy) reads of a [`Buffer`], which can do no more with it
/// than look. All is O(1) but the three that ask every port, which are O(ports).
pub trait BufferView {
    /// SRAM cells in use, those of packets on their way in or out included, headroom not.
    fn sram_used(&self) -> u32;
    /// SRAM cells that will be in use once the moves out that are under way have ended.
    fn sram_staying(&self) -> u32;
    /// SRAM cells in all, headroom not included.
    fn sram_capacity(&self) -> u32;
    /// Bytes per SRAM cell.
    fn cell(&self) -> Bytes;
    /// SRAM cells that a packet of `bytes` takes.
    fn cells(&self, bytes: u32) -> u32;
    /// How many cells each accounting queue holds.
    fn queues(&self) -> &Queues;
    /// The HBM's space.
    fn hbm(&self) -> &HbmSpace;
    /// What waits to be written to HBM.
    fn staging(&self) -> &Staging;
    /// A packet's descriptor.
    fn descriptor(&self, id: u32) -> &Descriptor;
    /// Packets waiting for `port`, which exists; those on their way out of it not counted.
    fn waiting(&self, port: u16) -> usize;
    /// The packet with the smallest rank off chip (in HBM or bound for it), over all ports.
    fn smallest_hbm(&self) -> Option<TieredEntry>;
    /// The packet with the smallest rank on chip, over all ports.
    fn smallest_sram(&self) -> Option<TieredEntry>;
    /// The packet with the largest rank on chip, over all ports.
    fn largest_sram(&self) -> Option<TieredEntry>;

    /// SRAM cells not in use.
    fn sram_free(&self) -> u32 {
        self.sram_capacity() - self.sram_used()
    }
}

impl<Q: TieredQueue> BufferView for Buffer<Q> {
    fn sram_used(&self) -> u32 {
        self.sram_used()
    }

    fn sram_staying(&self) -> u32 {
        self.sram_staying()
    }

    fn sram_capacity(&self) -> u32 {
        self.sram_capacity()
    }

    fn cell(&self) -> Bytes {
        self.cell()
    }

    fn cells(&self, bytes: u32) -> u32 {
        self.cells(bytes)
    }

    fn queues(&self) -> &Queues {
        self.queues()
    }

    fn hbm(&self) -> &HbmSpace {
        self.hbm()
    }

    fn staging(&self) -> &Staging {
        self.staging()
    }

    fn descriptor(&self, id: u32) -> &Descriptor {
        self.descriptor(id)
    }

    fn waiting(&self, port: u16) -> usize {
        self.waiting(port)
    }

    fn smallest_hbm(&self) -> Option<TieredEntry> {
        self.smallest_hbm()
    }

    fn smallest_sram(&self) -> Option<TieredEntry> {
        self.smallest_sram()
    }

    fn largest_sram(&self) -> Option<TieredEntry> {
        self.largest_sram()
    }
}
