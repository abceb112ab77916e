//! Arrivals: a packet gets a descriptor, its place, and its rank in the order of its port.

use forebay_pifo::{Tier, TieredQueue};
use forebay_sched::{DropCause, Packet, Rank};
use forebay_units::Time;

use super::Buffer;
use crate::cells::CellCount;
use crate::descriptor::{Descriptor, PacketState};

impl<Q: TieredQueue> Buffer<Q> {
    /// The descriptor of a packet that arrives for `port`, in the accounting queue `queue` (less
    /// than [`BufferConfig::queues`](super::BufferConfig::queues)), as the policy sees it: its data
    /// is nowhere yet. A `rank` beyond what the port's ranked queue knows counts as its largest.
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
        if !self.sram_fits(arriving.packet.size) {
            return Err(DropCause::SramFull);
        }
        self.store(arriving)
    }

    /// Stores a packet in SRAM, in whichever part of it that has room.
    pub(super) fn store(&mut self, arriving: &Descriptor) -> Result<u32, DropCause> {
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
        let id = self.insert(arriving, PacketState::Staged, CellCount::NONE, Tier::Hbm)?;
        self.staging.push_back(&mut self.descriptors, id);
        Ok(id)
    }

    fn check(&self, arriving: &Descriptor) -> Result<(), DropCause> {
        if arriving.packet.size > self.largest_packet {
            return Err(DropCause::Impossible);
        }
        // A packet in headroom takes a cell or more, and a descriptor.
        if self.descriptors.left() <= self.reserve {
            return Err(DropCause::NoDescriptor);
        }
        Ok(())
    }

    fn insert(
        &mut self,
        arriving: &Descriptor,
        state: PacketState,
        cells: CellCount,
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
}
