//! What policies see of a hybrid buffer: the same whatever its ranked queues are.

use forebay_pifo::{Entry, TieredQueue};
use forebay_units::Bytes;

use crate::buffer::Buffer;
use crate::descriptor::Descriptor;
use crate::far::FarSpace;
use crate::queues::Queues;
use crate::staging::Staging;

/// What a [`Policy`](crate::Policy) reads of a [`Buffer`], which can do no more with it than look. All is O(1) but
/// the two that ask every port, which are O(ports).
pub trait BufferView {
    /// SRAM cells in use, those of packets on their way in or out included.
    fn near_used(&self) -> u32;
    /// SRAM cells that will be in use once the moves out that are under way have ended.
    fn near_staying(&self) -> u32;
    /// SRAM cells in all.
    fn near_capacity(&self) -> u32;
    /// Bytes per SRAM cell.
    fn cell(&self) -> Bytes;
    /// SRAM cells that a packet of `bytes` takes.
    fn cells(&self, bytes: u32) -> u32;
    /// The accounting queues.
    fn queues(&self) -> &Queues;
    /// The HBM's space.
    fn far(&self) -> &FarSpace;
    /// The staging buffer.
    fn staging(&self) -> &Staging;
    /// A packet's descriptor.
    fn descriptor(&self, id: u32) -> &Descriptor;
    /// Packets waiting for `port`, which exists; those on their way out of it not counted.
    fn waiting(&self, port: u16) -> usize;
    /// The packet with the smallest rank off chip (in HBM or bound for it), over all ports.
    fn smallest_far(&self) -> Option<Entry>;
    /// The packet with the largest rank on chip, over all ports.
    fn largest_near(&self) -> Option<Entry>;

    /// SRAM cells not in use.
    fn near_free(&self) -> u32 {
        self.near_capacity() - self.near_used()
    }
}

impl<Q: TieredQueue> BufferView for Buffer<Q> {
    fn near_used(&self) -> u32 {
        self.near_used()
    }

    fn near_staying(&self) -> u32 {
        self.near_staying()
    }

    fn near_capacity(&self) -> u32 {
        self.near_capacity()
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

    fn far(&self) -> &FarSpace {
        self.far()
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

    fn smallest_far(&self) -> Option<Entry> {
        self.smallest_far()
    }

    fn largest_near(&self) -> Option<Entry> {
        self.largest_near()
    }
}
