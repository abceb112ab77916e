//! The state of a hybrid buffer: descriptors, cells, HBM space, staging, and the rank order of all
//! that waits, kept consistent by a handful of transitions.
//!
//! A packet's life, as [`PacketState`]s (letters are the transitions below):
//!
//! ```text
//! arrive_sram ─► Sram ──begin_move_out─► MovingOut ─┐end_write
//! arrive_hbm ──► Staged ─begin_write─► StagedWriting ┴──────► Hbm ─begin_move_in─► MovingIn ─► Sram
//!                                                              └─begin_fetch─► Fetching ─► Fetched
//! ```
//!
//! `commit` takes the packet with the smallest rank out of the order, `depart` lets it go from
//! wherever its data is, `drop_sram` throws it away. Nothing here knows about time or bandwidth:
//! the traffic manager decides when each transition happens.

mod arrivals;
mod departures;
mod lossless;
mod transfers;

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_pifo::{Tier, TieredEntry, TieredQueue};
use forebay_units::Bytes;

use crate::cells::CellPool;
use crate::descriptor::{Descriptor, Descriptors, NONE};
use crate::hbm::{HbmGeometry, HbmLayout, HbmSpace};
use crate::onchip::ingress::Ingress;
use crate::queues::Queues;
use crate::staging::Staging;
pub use transfers::Unstaged;

/// Sizes of a hybrid buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferConfig {
    /// SRAM for packet data, staging not included.
    pub sram: Bytes,
    /// Bytes per SRAM cell.
    pub cell: Bytes,
    /// Size of the staging buffer.
    pub staging: Bytes,
    /// Accounting queues.
    pub queues: u32,
    /// Packet descriptors: the most packets at once.
    pub descriptors: u32,
    /// Rows and columns of the HBM, and what a column holds.
    pub hbm: HbmGeometry,
    /// How packets find their place in HBM.
    pub layout: HbmLayout,
    /// The largest packet, in bytes; larger ones are dropped.
    pub largest_packet: u32,
}

/// A hybrid buffer over one ranked queue per output port.
pub struct Buffer<Q> {
    pub(crate) descriptors: Descriptors,
    pub(crate) cells: CellPool,
    pub(crate) queues: Queues,
    pub(crate) hbm: HbmSpace,
    pub(crate) staging: Staging,
    pub(crate) ranked: Vec<Q>,
    pub(crate) largest_packet: u32,
    /// Cells of packets that are on their way out of SRAM.
    pub(crate) leaving: u32,
    /// Which inputs hold how much of the SRAM, if classes are lossless.
    pub(crate) ingress: Option<Box<Ingress>>,
    /// Cells of SRAM that are set aside for what arrives after a pause was called for.
    headroom: u32,
    /// Those of them that are free.
    reserve: u32,
}

impl<Q: TieredQueue> Buffer<Q> {
    /// An empty buffer; `ranked` holds one empty queue per output port.
    #[must_use]
    pub fn new(config: &BufferConfig, ranked: Vec<Q>) -> Self {
        Buffer {
            descriptors: Descriptors::new(config.descriptors),
            cells: CellPool::new(config.sram, config.cell),
            queues: Queues::new(config.queues),
            hbm: HbmSpace::new(
                config.hbm,
                config.layout,
                config.largest_packet,
                config.descriptors,
            ),
            staging: Staging::new(config.staging.get()),
            ranked,
            largest_packet: config.largest_packet,
            leaving: 0,
            ingress: None,
            headroom: 0,
            reserve: 0,
        }
    }

    /// SRAM cells in use, those of packets on their way in or out included, headroom not.
    #[must_use]
    pub fn sram_used(&self) -> u32 {
        self.cells.used() - (self.headroom - self.reserve)
    }

    /// SRAM cells that will be in use once the moves out that are under way have ended.
    #[must_use]
    pub fn sram_staying(&self) -> u32 {
        self.sram_used().saturating_sub(self.leaving)
    }

    /// SRAM cells in all, headroom not included.
    #[must_use]
    pub fn sram_capacity(&self) -> u32 {
        self.cells.capacity() - self.headroom
    }

    /// SRAM cells not in use, headroom not included.
    #[must_use]
    pub fn sram_free(&self) -> u32 {
        self.cells.free() - self.reserve
    }

    /// Bytes per SRAM cell.
    #[must_use]
    pub fn cell(&self) -> Bytes {
        self.cells.cell()
    }

    /// Cells of SRAM that a packet of `size` bytes takes.
    #[must_use]
    pub fn cells(&self, size: u32) -> u32 {
        self.cells.cells_for(size)
    }

    /// Whether a packet of `size` bytes finds free cells now.
    #[must_use]
    pub fn sram_fits(&self, size: u32) -> bool {
        self.cells.cells_for(size) <= self.sram_free()
    }

    /// How many cells each accounting queue holds.
    #[must_use]
    pub fn queues(&self) -> &Queues {
        &self.queues
    }

    /// The HBM's space.
    #[must_use]
    pub fn hbm(&self) -> &HbmSpace {
        &self.hbm
    }

    /// What waits to be written to HBM.
    #[must_use]
    pub fn staging(&self) -> &Staging {
        &self.staging
    }

    /// A packet's descriptor.
    #[must_use]
    pub fn descriptor(&self, id: u32) -> &Descriptor {
        &self.descriptors[id]
    }

    /// All live descriptors, for audits. O(descriptors ever used).
    pub fn live_descriptors(&self) -> impl Iterator<Item = (u32, &Descriptor)> {
        self.descriptors.iter()
    }

    /// Packets that hold a descriptor.
    #[must_use]
    pub fn live(&self) -> u32 {
        self.descriptors.live()
    }

    /// Packets waiting for `port`, committed ones not counted.
    #[must_use]
    pub fn waiting(&self, port: u16) -> usize {
        self.ranked[usize::from(port)].len()
    }

    /// The ranked queue of `port`.
    #[must_use]
    pub fn ranked(&self, port: u16) -> &Q {
        &self.ranked[usize::from(port)]
    }

    /// The packet with the smallest rank off chip (in HBM or bound for it), over all ports.
    #[must_use]
    pub fn smallest_hbm(&self) -> Option<TieredEntry> {
        if self.staging.front().is_none() && self.hbm.used_units() == 0 {
            // What is off chip is staged or has a place in HBM: no need to ask every port.
            return None;
        }
        self.ranked.iter().filter_map(|q| q.peek_min_in(Tier::Hbm)).min_by_key(|e| e.rank)
    }

    /// The packet with the smallest rank on chip, over all ports.
    #[must_use]
    pub fn smallest_sram(&self) -> Option<TieredEntry> {
        self.ranked.iter().filter_map(|q| q.peek_min_in(Tier::Sram)).min_by_key(|e| e.rank)
    }

    /// The packet with the largest rank on chip, over all ports.
    #[must_use]
    pub fn largest_sram(&self) -> Option<TieredEntry> {
        self.ranked.iter().filter_map(|q| q.peek_max_in(Tier::Sram)).max_by_key(|e| e.rank)
    }

    /// The next packet of a transfer or of the staging buffer after `id`.
    #[must_use]
    pub fn linked(&self, id: u32) -> Option<u32> {
        let link = self.descriptors[id].link;
        (link != NONE).then_some(link)
    }

    /// Makes `next` (or nothing) follow `id` in a transfer.
    pub fn link(&mut self, id: u32, next: Option<u32>) {
        self.descriptors[id].link = next.unwrap_or(NONE);
    }
}
