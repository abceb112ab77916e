//! Packet descriptors: the packet descriptor (PD) memory of the traffic manager (themis App. D).

use alloc::vec::Vec;
use core::hint::black_box;

use forebay_sched::{Packet, Rank};
use forebay_units::Time;

use crate::cells::CellCount;

/// "No descriptor": the end of every list.
pub const NONE: u32 = u32::MAX;

/// Where a packet's data is. Exactly one holds at any time, and every transition is in the traffic
/// manager's hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PacketState {
    /// The descriptor is free.
    #[default]
    Free,
    /// In SRAM cells.
    Sram,
    /// In the staging buffer, waiting for an HBM write.
    Staged,
    /// In the staging buffer, its HBM write under way.
    StagedWriting,
    /// In SRAM cells, being written to HBM (swap-out or expulsion).
    MovingOut,
    /// In HBM.
    Hbm,
    /// In HBM, being read into SRAM cells (swap-in).
    MovingIn,
    /// In HBM, being read for departure.
    Fetching,
    /// Read from HBM, waiting in the port's read window.
    Fetched,
}

/// A packet's contiguous place in HBM: columns of one row, the same in every pseudo channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct HbmAddress {
    /// Row number over all banks (see [`crate::HbmSpace`]).
    pub row: u32,
    /// First column (one minimum access in every pseudo channel).
    pub column: u16,
    /// Number of columns.
    pub columns: u16,
}

/// What the buffer remembers of one packet.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// The packet as it arrived.
    pub packet: Packet,
    /// Its scheduling rank, as the ranked queue orders it.
    pub rank: Rank,
    /// When it arrived.
    pub arrived: Time,
    /// The output port that it waits for.
    pub port: u16,
    /// Its buffer-accounting queue.
    pub queue: u32,
    /// Where its data is.
    pub state: PacketState,
    /// Selected for departure by its port; no longer in the ranked queue.
    pub committed: bool,
    /// Handed to its port from on-chip memory although it is on its way to HBM (write forwarding).
    pub forwarded: bool,
    /// Left the buffer while its data was still being written to HBM.
    pub departed: bool,
    /// Its cells in SRAM, if any.
    pub cells: CellCount,
    /// Its place in HBM, if any.
    pub hbm: HbmAddress,
    /// Its batch in HBM ([`NONE`] for packets stored one by one).
    pub batch: u32,
    /// Neighbours in the list of the packet's accounting queue (SRAM) or batch (HBM).
    pub next: u32,
    /// See [`Descriptor::next`].
    pub prev: u32,
    /// Next packet in the staging buffer or in an HBM transfer.
    pub link: u32,
}

impl Default for Descriptor {
    fn default() -> Self {
        Descriptor {
            packet: Packet::default(),
            rank: Rank::default(),
            arrived: Time::ZERO,
            port: 0,
            queue: 0,
            state: PacketState::Free,
            committed: false,
            forwarded: false,
            departed: false,
            cells: CellCount::NONE,
            hbm: HbmAddress::default(),
            batch: NONE,
            next: NONE,
            prev: NONE,
            link: NONE,
        }
    }
}

/// So many descriptors take little room, however many memories there are.
const FEW: u32 = 1 << 12;
/// So many descriptors are soon copied.
const SOME: u32 = 1 << 16;

/// What stays for others where descriptors ask for much at once, in bytes.
const OTHERS: usize = 96 << 20;

/// The descriptor memory: a fixed number of descriptors and a free list through them. O(1)
/// operations; memory is touched only as descriptors are first used.
#[derive(Clone, Debug)]
pub struct Descriptors {
    entries: Vec<Descriptor>,
    limit: u32,
    free_head: u32,
    live: u32,
}

impl Descriptors {
    /// At most `limit` packets at once.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        let limit = limit.min(NONE - 1);
        let mut entries = Vec::new();
        // Address space only; if the host refuses that much at once, the memory grows as it is
        // used. Those of middling size grow all the same: thousands of them would use up what a
        // process may address.
        let at_once = if limit > SOME { limit } else { limit.min(FEW) };
        // Not the last that a process may address: others could not grow beside it.
        let mut others: Vec<u8> = Vec::new();
        if limit <= SOME || others.try_reserve_exact(OTHERS).is_ok() {
            let _ = entries.try_reserve_exact(at_once as usize);
        }
        // Without it a compiler may leave out memory that nobody uses.
        black_box(&others);
        Descriptors { entries, limit, free_head: NONE, live: 0 }
    }

    /// Packets that have a descriptor.
    #[must_use]
    pub fn live(&self) -> u32 {
        self.live
    }

    /// Whether another packet finds a descriptor.
    #[must_use]
    pub fn has_free(&self) -> bool {
        self.live < self.limit
    }

    /// How many more packets find a descriptor.
    #[must_use]
    pub fn left(&self) -> u32 {
        self.limit - self.live
    }

    /// Takes a descriptor, `None` if all are in use.
    pub fn take(&mut self, descriptor: Descriptor) -> Option<u32> {
        if !self.has_free() {
            return None;
        }
        self.live += 1;
        if self.free_head == NONE {
            self.entries.push(descriptor);
            return Some(self.entries.len() as u32 - 1);
        }
        let id = self.free_head;
        let entry = &mut self.entries[id as usize];
        self.free_head = entry.link;
        *entry = descriptor;
        Some(id)
    }

    /// Gives a descriptor back.
    pub fn give_back(&mut self, id: u32) {
        let entry = &mut self.entries[id as usize];
        entry.state = PacketState::Free;
        entry.link = self.free_head;
        self.free_head = id;
        self.live -= 1;
    }

    /// Whether `id` is a packet's.
    #[must_use]
    pub fn is_live(&self, id: u32) -> bool {
        self.entries.get(id as usize).is_some_and(|entry| entry.state != PacketState::Free)
    }

    /// The packet behind `id` in its queue's list.
    #[must_use]
    pub fn next(&self, id: u32) -> Option<u32> {
        let next = self[id].next;
        (next != NONE).then_some(next)
    }

    /// Live descriptors with their ids, for audits. O(descriptors ever used).
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Descriptor)> {
        (0..).zip(&self.entries).filter(|(_, descriptor)| descriptor.state != PacketState::Free)
    }
}

impl core::ops::Index<u32> for Descriptors {
    type Output = Descriptor;
    fn index(&self, id: u32) -> &Descriptor {
        &self.entries[id as usize]
    }
}

impl core::ops::IndexMut<u32> for Descriptors {
    fn index_mut(&mut self, id: u32) -> &mut Descriptor {
        &mut self.entries[id as usize]
    }
}
