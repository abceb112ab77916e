//! Who holds how much: an account per queue and per shared pool, and the view of them that policies
//! read.
//!
//! All sizes are in cells, which is what the memory runs out of; a packet's last cell may be part
//! empty. A queue fills its reservation first; only what it holds beyond that is charged to its
//! pool, and only that do policies see. O(1) operations. Memory: 56 bytes a queue.

use forebay_sched::{Packet, Tally};

/// What a queue holds and has seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    /// Cells it holds, those of its reservation included.
    cells: u32,
    reserved: u32,
    packets: u32,
    pool: u16,
    bytes: u64,
    arrived: Tally,
    departed: Tally,
}

impl Account {
    pub(super) fn new(pool: u16, reserved: u32) -> Self {
        Account { pool, reserved, ..Account::default() }
    }

    /// That of a queue whose packets are charged to their inputs: it takes nothing of its pool.
    pub(super) fn lossless() -> Self {
        Account::new(0, u32::MAX)
    }

    /// Cells that it holds of its pool.
    #[must_use]
    #[inline]
    pub const fn shared(&self) -> u32 {
        self.cells.saturating_sub(self.reserved)
    }

    /// Cells that it holds, its own included.
    #[must_use]
    pub const fn cells(&self) -> u32 {
        self.cells
    }

    /// Cells that only it can use; `u32::MAX` of a lossless queue, which its pool does not limit.
    #[must_use]
    pub const fn reserved(&self) -> u32 {
        self.reserved
    }

    /// The pool it draws on.
    #[must_use]
    pub const fn pool(&self) -> u16 {
        self.pool
    }

    /// Packets that it holds.
    #[must_use]
    pub const fn packets(&self) -> u32 {
        self.packets
    }

    /// Bytes of those packets.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets that were sent to it, dropped ones included.
    #[must_use]
    pub const fn arrived(&self) -> Tally {
        self.arrived
    }

    /// Packets that were dequeued from it.
    #[must_use]
    pub const fn departed(&self) -> Tally {
        self.departed
    }

    /// Packets lost, on arrival or later: what neither departed nor is held.
    #[must_use]
    pub fn lost(&self) -> Tally {
        let held = Tally { packets: self.packets.into(), bytes: self.bytes };
        self.arrived - self.departed - held
    }

    #[inline]
    pub(super) fn arrive(&mut self, packet: &Packet) {
        self.arrived.count(packet.size);
    }

    #[inline]
    pub(super) fn depart(&mut self, packet: &Packet) {
        self.departed.count(packet.size);
    }

    /// Cells of the pool that `cells` more would take.
    #[inline]
    pub(super) const fn charge(&self, cells: u32) -> u32 {
        (self.cells + cells).saturating_sub(self.reserved) - self.shared()
    }

    /// Adds a packet; returns the cells it takes from the pool.
    #[inline]
    pub(super) fn add(&mut self, packet: &Packet, cells: u32) -> u32 {
        let charge = self.charge(cells);
        self.cells += cells;
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        charge
    }

    /// Removes a packet; returns the cells it gives back to the pool.
    #[inline]
    pub(super) fn remove(&mut self, packet: &Packet, cells: u32) -> u32 {
        let before = self.shared();
        self.cells -= cells;
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
        before - self.shared()
    }
}

/// A shared pool's size and use, in cells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolLevel {
    pub(super) capacity: u32,
    pub(super) used: u32,
}

/// A shared pool as its policy sees it. Queue numbers are those of the whole buffer; queues of
/// other pools exist but the policy is never asked about them.
#[derive(Clone, Copy, Debug)]
pub struct PoolView<'a> {
    pub(super) queues: &'a [Account],
    pub(super) level: &'a PoolLevel,
}

impl PoolView<'_> {
    /// Cells in all: B.
    #[must_use]
    #[inline]
    pub const fn capacity(&self) -> u32 {
        self.level.capacity
    }

    /// Cells in use: the sum of the lengths of its queues.
    #[must_use]
    #[inline]
    pub const fn used(&self) -> u32 {
        self.level.used
    }

    /// Cells not in use.
    #[must_use]
    #[inline]
    pub const fn free(&self) -> u32 {
        self.level.capacity - self.level.used
    }

    /// Length of `queue`: the cells it holds of the pool.
    #[must_use]
    #[inline]
    pub fn length(&self, queue: u32) -> u32 {
        self.queues[queue as usize].shared()
    }

    /// The whole account of `queue`, what it holds of its reservation included.
    #[must_use]
    #[inline]
    pub fn account(&self, queue: u32) -> &Account {
        &self.queues[queue as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_fills_first_and_empties_last() {
        assert_eq!(size_of::<Account>(), 56);
        let mut account = Account::new(0, 5);
        let packet = Packet { size: 800, ..Packet::default() };
        assert_eq!(account.add(&packet, 4), 0);
        assert_eq!(account.charge(4), 3);
        assert_eq!(account.add(&packet, 4), 3);
        assert_eq!((account.shared(), account.cells(), account.bytes()), (3, 8, 1600));
        assert_eq!(account.remove(&packet, 4), 3);
        assert_eq!(account.remove(&packet, 4), 0);
        assert_eq!(account.packets(), 0);
    }
}
