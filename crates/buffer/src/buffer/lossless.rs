//! Lossless classes: their packets find room on chip, in headroom if nowhere else, and are never
//! given up.
//!
//! A packet of such a class is charged to the input that it came through for as long as it takes
//! cells of the SRAM: what is in staging or in HBM costs an input nothing, so a buffer that writes
//! fast enough calls for no pause. Headroom is cells of the SRAM that nothing else may take, and a
//! descriptor for each, so whatever arrives until a pause is obeyed is stored.

use alloc::boxed::Box;

use forebay_pifo::TieredQueue;
use forebay_sched::{DropCause, Packet};

use super::Buffer;
use crate::cells::CellCount;
use crate::descriptor::Descriptor;
use crate::onchip::ingress::{Ingress, Room};
use crate::onchip::{IngressConfig, PauseCall};

impl<Q: TieredQueue> Buffer<Q> {
    /// The same empty buffer with lossless classes. Headroom is taken from the SRAM: what of it
    /// does not fit is not there.
    #[must_use]
    pub fn with_lossless(self, config: &IngressConfig) -> Self {
        let headroom = u32::try_from(config.headroom_cells()).unwrap_or(u32::MAX);
        let headroom = headroom.min(self.cells.capacity());
        let config = IngressConfig { headroom_pool: Some(headroom), ..config.clone() };
        let ingress = Some(Box::new(Ingress::new(&config)));
        Buffer { ingress, headroom, reserve: headroom, ..self }
    }

    /// Whether any class must not lose packets.
    #[must_use]
    #[inline]
    pub fn has_lossless(&self) -> bool {
        self.ingress.is_some()
    }

    /// Whether a packet is of a class that must not be lost.
    #[must_use]
    #[inline]
    pub fn protects(&self, packet: &Packet) -> bool {
        self.ingress.as_ref().is_some_and(|ingress| ingress.protects(packet.class.into()))
    }

    /// Whether an arriving packet of a lossless class finds room on chip beside headroom.
    #[must_use]
    pub fn finds_pool(&self, arriving: &Descriptor) -> bool {
        self.room(arriving) == Ok(Room::Shared)
    }

    /// Whether the staging buffer, and what it leads to, has room for an arriving packet.
    #[must_use]
    pub fn finds_staging(&self, arriving: &Descriptor) -> bool {
        self.descriptors.left() > self.reserve && self.staging.fits(arriving.packet.size)
    }

    fn room(&self, arriving: &Descriptor) -> Result<Room, DropCause> {
        let Packet { input, class, size, .. } = arriving.packet;
        let ingress = self.ingress.as_ref().ok_or(DropCause::Impossible)?;
        let has_descriptor = self.descriptors.left() > self.reserve;
        let free = if has_descriptor { self.sram_free() } else { 0 };
        ingress.room(input, class.into(), self.cells(size), free)
    }

    /// Stores an [arriving](Buffer::arriving) packet of a lossless class in SRAM: in headroom if it
    /// finds no room beside it, which calls for a pause.
    ///
    /// # Errors
    /// The cause for which it must be dropped instead: headroom is too small.
    pub fn arrive_lossless(&mut self, arriving: &Descriptor) -> Result<u32, DropCause> {
        let Packet { input, class, size, .. } = arriving.packet;
        if size > self.largest_packet {
            return Err(DropCause::Impossible);
        }
        let (room, cells) = (self.room(arriving), self.cells(size));
        let stored = room.and_then(|room| Ok((room, self.store(arriving)?)));
        let Some(ingress) = &mut self.ingress else { return Err(DropCause::Impossible) };
        match stored {
            Ok((room, id)) => {
                ingress.add(input, class.into(), cells, room);
                self.reserve = self.headroom - ingress.headroom().0;
                Ok(id)
            }
            Err(cause) => {
                ingress.refused(input, class.into());
                Err(cause)
            }
        }
    }

    /// Charges a packet that comes back from HBM.
    #[inline]
    pub(super) fn charge_pool(&mut self, id: u32, cells: u32) {
        let Some(ingress) = &mut self.ingress else { return };
        let Packet { input, class, .. } = self.descriptors[id].packet;
        if ingress.protects(class.into()) {
            ingress.add(input, class.into(), cells, Room::Shared);
        }
    }

    /// Frees the cells of a packet.
    #[inline]
    pub(super) fn free_cells(&mut self, id: u32) {
        let cells = core::mem::replace(&mut self.descriptors[id].cells, CellCount::NONE);
        self.cells.give_back(cells);
        if self.ingress.is_some() {
            self.uncharge(id, cells.cells());
        }
    }

    #[cold]
    fn uncharge(&mut self, id: u32, cells: u32) {
        let Packet { input, class, .. } = self.descriptors[id].packet;
        let Some(ingress) = &mut self.ingress else { return };
        if ingress.protects(class.into()) {
            ingress.remove(input, class.into(), cells);
            self.reserve = self.headroom - ingress.headroom().0;
        }
        ingress.resume(self.cells.free() - self.reserve);
    }

    /// The next thing that a neighbour is to be told, oldest first; `None` if all is told.
    pub fn next_pause_call(&mut self) -> Option<PauseCall> {
        self.ingress.as_mut()?.next_call()
    }

    /// Cells of headroom in use now, and the most that were at once.
    #[must_use]
    pub fn headroom(&self) -> (u32, u32) {
        self.ingress.as_ref().map_or((0, 0), |ingress| ingress.headroom())
    }
}
