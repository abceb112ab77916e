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
//! wherever its data is, `drop_sram` throws it away. Nothing here knows about time or bandwidth: the
//! traffic manager decides when each transition happens.

use alloc::vec::Vec;

use forebay_pifo::{Tier, TieredEntry, TieredQueue};
use forebay_sched::{DropCause, Packet, Rank};
use forebay_units::{Bytes, Time};

use crate::cells::{CellList, CellPool};
use crate::descriptor::{Descriptor, Descriptors, NONE, PacketState};
use crate::hbm::{HbmGeometry, HbmLayout, HbmSpace};
use crate::queues::Queues;
use crate::staging::Staging;

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
    /// The HBM.
    pub hbm: HbmGeometry,
    /// How packets find their place in HBM.
    pub layout: HbmLayout,
    /// The largest packet, in bytes; larger ones are dropped.
    pub largest_packet: u32,
}

/// What became of a staged packet for which the HBM had no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstaged {
    /// It was lost at this port.
    Dropped(u16, Packet),
    /// Its port was waiting for it and now has it.
    HandedOver(u32),
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
        }
    }

    // ---- What policies and the traffic manager read -------------------------------------------

    /// SRAM cells in use, those of packets on their way in or out included.
    #[must_use]
    pub fn sram_used(&self) -> u32 {
        self.cells.used()
    }

    /// SRAM cells that will be in use once the moves out that are under way have ended.
    #[must_use]
    pub fn sram_staying(&self) -> u32 {
        self.cells.used() - self.leaving
    }

    /// SRAM cells in all.
    #[must_use]
    pub fn sram_capacity(&self) -> u32 {
        self.cells.capacity()
    }

    /// SRAM cells not in use.
    #[must_use]
    pub fn sram_free(&self) -> u32 {
        self.cells.free()
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
        self.cells.cells_for(size) <= self.cells.free()
    }

    /// The accounting queues.
    #[must_use]
    pub fn queues(&self) -> &Queues {
        &self.queues
    }

    /// The HBM's space.
    #[must_use]
    pub fn hbm(&self) -> &HbmSpace {
        &self.hbm
    }

    /// The staging buffer.
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
            return None; // What is off chip is staged or has a place in HBM: no need to ask every port.
        }
        self.ranked.iter().filter_map(|q| q.peek_min_in(Tier::Hbm)).min_by_key(|e| e.rank)
    }

    /// The packet with the largest rank on chip, over all ports.
    #[must_use]
    pub fn largest_sram(&self) -> Option<TieredEntry> {
        self.ranked.iter().filter_map(|q| q.peek_max_in(Tier::Sram)).max_by_key(|e| e.rank)
    }

    // ---- Arrival ------------------------------------------------------------------------------

    /// The descriptor of a packet that arrives for `port`, in the accounting queue `queue` (less than
    /// [`BufferConfig::queues`]), as the policy sees it: its data is nowhere yet. A `rank` beyond what the
    /// port's ranked queue knows counts as its largest.
    #[must_use]
    #[inline]
    pub fn arriving(
        &self,
        now: Time,
        port: u16,
        queue: u32,
        packet: Packet,
        rank: u64,
    ) -> Descriptor {
        let rank = Rank::new(rank.min(self.ranked[usize::from(port)].max_rank()));
        Descriptor { packet, rank, arrived: now, port, queue, ..Descriptor::default() }
    }

    /// Stores an [arriving](Buffer::arriving) packet in SRAM.
    ///
    /// # Errors
    /// The cause for which it must be dropped instead; the buffer is unchanged.
    pub fn arrive_sram(&mut self, arriving: &Descriptor) -> Result<u32, DropCause> {
        self.check(arriving)?;
        let cells = self
            .cells
            .take(self.cells.cells_for(arriving.packet.size))
            .ok_or(DropCause::SramFull)?;
        let id = self.insert(arriving, PacketState::Sram, cells, Tier::Sram)?;
        self.queues.push_back(&mut self.descriptors, id);
        Ok(id)
    }

    /// Puts an [arriving](Buffer::arriving) packet into the staging buffer, bound for HBM.
    ///
    /// # Errors
    /// The cause for which it must be dropped instead; the buffer is unchanged.
    pub fn arrive_hbm(&mut self, arriving: &Descriptor) -> Result<u32, DropCause> {
        self.check(arriving)?;
        if !self.staging.fits(arriving.packet.size) {
            return Err(DropCause::StagingFull);
        }
        let id = self.insert(arriving, PacketState::Staged, CellList::EMPTY, Tier::Hbm)?;
        self.staging.push_back(&mut self.descriptors, id);
        Ok(id)
    }

    fn check(&self, arriving: &Descriptor) -> Result<(), DropCause> {
        if arriving.packet.size > self.largest_packet {
            return Err(DropCause::Impossible);
        }
        if !self.descriptors.has_free() {
            return Err(DropCause::NoDescriptor);
        }
        Ok(())
    }

    fn insert(
        &mut self,
        arriving: &Descriptor,
        state: PacketState,
        cells: CellList,
        tier: Tier,
    ) -> Result<u32, DropCause> {
        let Some(id) = self.descriptors.take(*arriving) else {
            self.cells.give_back(cells);
            return Err(DropCause::NoDescriptor);
        };
        let descriptor = &mut self.descriptors[id];
        descriptor.state = state;
        descriptor.cells = cells;
        let queue = &mut self.ranked[usize::from(arriving.port)];
        if queue.push(tier, arriving.rank.get(), id).is_err() {
            self.descriptors.give_back(id);
            self.cells.give_back(cells);
            return Err(DropCause::NoDescriptor);
        }
        Ok(id)
    }

    // ---- Departure and loss -------------------------------------------------------------------

    /// Takes the packet with the smallest rank at `port` out of the rank order: it will depart next.
    pub fn commit(&mut self, port: u16) -> Option<u32> {
        let id = self.ranked[usize::from(port)].pop_min()?.id;
        self.descriptors[id].committed = true;
        if self.descriptors[id].state == PacketState::Sram {
            self.queues.remove(&mut self.descriptors, id);
        }
        Some(id)
    }

    /// Hands a committed packet to its port although its data is on its way to HBM (write forwarding).
    pub fn forward(&mut self, id: u32) {
        self.descriptors[id].forwarded = true;
    }

    /// Lets a committed packet go. Its memory is free at once, except while its data is being written
    /// to HBM: then at the end of that write.
    pub fn depart(&mut self, id: u32) -> Packet {
        let packet = self.descriptors[id].packet;
        match self.descriptors[id].state {
            PacketState::Sram => {
                self.cells.give_back(self.descriptors[id].cells);
                self.descriptors.give_back(id);
            }
            PacketState::Fetched => self.descriptors.give_back(id),
            _ => self.descriptors[id].departed = true,
        }
        packet
    }

    /// Drops the on-chip packet with the largest rank (the latest of them), over all ports. Returns its
    /// port and the packet.
    pub fn drop_largest_sram(&mut self) -> Option<(u16, Packet)> {
        let id = self.largest_sram()?.id;
        let Descriptor { port, packet, .. } = self.descriptors[id];
        self.ranked[usize::from(port)].remove(id);
        if self.descriptors[id].state == PacketState::Sram {
            self.queues.remove(&mut self.descriptors, id);
            self.cells.give_back(self.descriptors[id].cells);
            self.descriptors.give_back(id);
        } else {
            // On its way in from HBM: its cells are filled before they can be freed.
            self.descriptors[id].departed = true;
        }
        Some((port, packet))
    }

    // ---- Staging to HBM -----------------------------------------------------------------------

    /// Takes the packet that has waited longest in staging and begins its write into `batch` (or into
    /// a slot of its own). `None` if nothing waits, it does not fit in the batch, or the HBM is full.
    pub fn begin_write(&mut self, batch: Option<u32>) -> Option<u32> {
        let id = self.staging.front()?;
        let size = self.descriptors[id].packet.size;
        match batch {
            Some(batch) if !self.hbm.fits(batch, size) => return None,
            Some(batch) => self.hbm.append(&mut self.descriptors, batch, id),
            None => self.descriptors[id].hbm = self.hbm.take_slot(size)?,
        }
        self.staging.pop_front(&mut self.descriptors);
        self.descriptors[id].state = PacketState::StagedWriting;
        Some(id)
    }

    /// Drops staged packets that departed before their write began (write forwarding).
    pub fn skip_departed_staged(&mut self) {
        while let Some(id) = self.staging.front() {
            if !self.descriptors[id].departed {
                return;
            }
            self.staging.pop_front(&mut self.descriptors);
            self.staging.release(self.descriptors[id].packet.size);
            self.descriptors.give_back(id);
        }
    }

    /// Takes the packet that has waited longest out of staging because the HBM has no room for it:
    /// drops it, or, if its port waits for it, hands it over as if it had been fetched.
    pub fn unstage_front(&mut self) -> Option<Unstaged> {
        let id = self.staging.pop_front(&mut self.descriptors)?;
        let descriptor = self.descriptors[id];
        self.staging.release(descriptor.packet.size);
        if descriptor.committed {
            self.descriptors[id].state = PacketState::Fetched;
            return Some(Unstaged::HandedOver(id));
        }
        self.ranked[usize::from(descriptor.port)].remove(id);
        self.descriptors.give_back(id);
        Some(Unstaged::Dropped(descriptor.port, descriptor.packet))
    }

    // ---- SRAM to HBM --------------------------------------------------------------------------

    /// Begins moving the on-chip packet `id` into `batch` (or into a slot of its own). `false`, and
    /// nothing changes, if it is not at rest on chip or finds no room.
    pub fn begin_move_out(&mut self, id: u32, batch: Option<u32>) -> bool {
        if self.descriptors[id].state != PacketState::Sram || self.descriptors[id].committed {
            return false;
        }
        let size = self.descriptors[id].packet.size;
        let slot = match batch {
            Some(batch) if !self.hbm.fits(batch, size) => return false,
            Some(_) => None,
            None => match self.hbm.take_slot(size) {
                None => return false,
                slot => slot,
            },
        };
        self.queues.remove(&mut self.descriptors, id);
        match (batch, slot) {
            (Some(batch), _) => self.hbm.append(&mut self.descriptors, batch, id),
            (None, Some(slot)) => self.descriptors[id].hbm = slot,
            (None, None) => {}
        }
        let descriptor = &mut self.descriptors[id];
        descriptor.state = PacketState::MovingOut;
        self.leaving += descriptor.cells.cells();
        self.ranked[usize::from(descriptor.port)].relocate(id, Tier::Hbm);
        true
    }

    /// Ends the HBM write of `id` (from staging or from SRAM): its data is in HBM and its on-chip
    /// memory is free. If its port got it meanwhile, its place in HBM is free as well, and if it
    /// departed it is gone altogether. Returns whether its port waits for it.
    pub fn end_write(&mut self, id: u32) -> bool {
        match self.descriptors[id].state {
            PacketState::StagedWriting => self.staging.release(self.descriptors[id].packet.size),
            PacketState::MovingOut => {
                let cells = core::mem::replace(&mut self.descriptors[id].cells, CellList::EMPTY);
                self.leaving -= cells.cells();
                self.cells.give_back(cells);
            }
            _ => return false,
        }
        if self.descriptors[id].departed {
            self.hbm.release(&mut self.descriptors, id);
            self.descriptors.give_back(id);
            return false;
        }
        if self.descriptors[id].forwarded {
            self.hbm.release(&mut self.descriptors, id);
            self.descriptors[id].state = PacketState::Fetched;
            return false;
        }
        self.descriptors[id].state = PacketState::Hbm;
        self.descriptors[id].committed
    }

    // ---- HBM to SRAM and to the port ----------------------------------------------------------

    /// Begins moving `id` from HBM into SRAM. `false`, and nothing changes, if it is not at rest in
    /// HBM or finds no cells.
    pub fn begin_move_in(&mut self, id: u32) -> bool {
        let descriptor = &self.descriptors[id];
        if descriptor.state != PacketState::Hbm || descriptor.committed {
            return false;
        }
        let Some(cells) = self.cells.take(self.cells.cells_for(descriptor.packet.size)) else {
            return false;
        };
        let descriptor = &mut self.descriptors[id];
        descriptor.cells = cells;
        descriptor.state = PacketState::MovingIn;
        self.ranked[usize::from(descriptor.port)].relocate(id, Tier::Sram);
        true
    }

    /// Ends the move of `id` into SRAM. Returns whether its port waits for it.
    pub fn end_move_in(&mut self, id: u32) -> bool {
        self.hbm.release(&mut self.descriptors, id);
        if self.descriptors[id].departed {
            self.cells.give_back(self.descriptors[id].cells);
            self.descriptors.give_back(id);
            return false;
        }
        self.descriptors[id].state = PacketState::Sram;
        if self.descriptors[id].committed {
            return true;
        }
        self.queues.push_back(&mut self.descriptors, id);
        false
    }

    /// Begins reading a committed packet from HBM for its departure.
    pub fn begin_fetch(&mut self, id: u32) {
        self.descriptors[id].state = PacketState::Fetching;
    }

    /// Ends the read of `id`: its place in HBM is free.
    pub fn end_fetch(&mut self, id: u32) {
        self.hbm.release(&mut self.descriptors, id);
        self.descriptors[id].state = PacketState::Fetched;
    }

    /// Opens a batch in HBM; `None` if the HBM is full.
    pub fn open_batch(&mut self) -> Option<u32> {
        self.hbm.open_batch()
    }

    /// No more packets will join `batch`.
    pub fn close_batch(&mut self, batch: u32) {
        self.hbm.close_batch(batch);
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
