//! Transfers between the memories: from staging and SRAM to HBM, from HBM to SRAM and to a port.

use forebay_pifo::{Tier, TieredQueue};
use forebay_sched::Packet;

use super::Buffer;
use crate::descriptor::PacketState;

/// What became of a staged packet for which the HBM had no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unstaged {
    /// It was lost at this port.
    Dropped(u16, Packet),
    /// Its port was waiting for it and now has it.
    HandedOver(u32),
}

impl<Q: TieredQueue> Buffer<Q> {
    // ---- Staging to HBM -----------------------------------------------------------------------

    /// Takes the packet that has waited longest in staging and begins its write into `batch` (or
    /// into a slot of its own). `None` if nothing waits, it does not fit in the batch, or the HBM
    /// is full.
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

    /// Takes a packet out of staging because the HBM has no room: the one that has waited longest
    /// is dropped, or, if its port waits for it, handed over as if it had been fetched. One that
    /// must not be lost stays; then the first behind it that a port waits for is handed over, since
    /// the HBM may get no room before that has left. O(packets in staging) in that case.
    pub fn unstage(&mut self) -> Option<Unstaged> {
        let front = &self.descriptors[self.staging.front()?];
        if !front.committed && self.protects(&front.packet) {
            return self.unstage_behind().map(Unstaged::HandedOver);
        }
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

    /// Hands over the first packet in staging that a port waits for; those that have departed
    /// before it are gone.
    #[cold]
    fn unstage_behind(&mut self) -> Option<u32> {
        loop {
            let id = self.staging.take_first(&mut self.descriptors, |one| one.committed)?;
            self.staging.release(self.descriptors[id].packet.size);
            if !self.descriptors[id].departed {
                self.descriptors[id].state = PacketState::Fetched;
                return Some(id);
            }
            self.descriptors.give_back(id);
        }
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
                self.leaving -= self.descriptors[id].cells.cells();
                self.free_cells(id);
            }
            PacketState::Free
            | PacketState::Sram
            | PacketState::Staged
            | PacketState::Hbm
            | PacketState::MovingIn
            | PacketState::Fetching
            | PacketState::Fetched => return false,
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
        let size = descriptor.packet.size;
        if !self.sram_fits(size) {
            return false;
        }
        let Some(cells) = self.cells.take(self.cells.cells_for(size)) else { return false };
        self.charge_pool(id, cells.cells());
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
            self.free_cells(id);
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
}
