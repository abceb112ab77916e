//! On-chip cells: the cell data memory of a shared-memory buffer, and how much of it packets hold
//! (themis App. D, occamy §2.1).
//!
//! Packet data is cut into fixed-size cells. In hardware a packet's cells are a list in the cell
//! pointer memory, and so are the free ones; any cell is as good as any other, and what the lists
//! cost in time follows from their lengths (`onchip::MemoryConfig`). Nothing is stored here, so
//! that lengths are all that is kept: following pointers is what a program would wait for longest.
//! O(1), and no memory.

use forebay_units::Bytes;

/// The largest number of cells, plus one.
const END: u32 = u32::MAX;

/// A packet's cells: how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellCount(u32);

impl CellCount {
    /// No cells: the packet's data is not on chip.
    pub const NONE: CellCount = CellCount(0);

    /// How many cells there are.
    #[must_use]
    #[inline]
    pub const fn cells(self) -> u32 {
        self.0
    }
}

/// The cells of the on-chip memory: how many there are, and how many of them are free.
#[derive(Clone, Debug)]
pub struct CellPool {
    cell: Bytes,
    capacity: u32,
    free: u32,
}

impl CellPool {
    /// A memory of `capacity` bytes in cells of `cell` bytes (a remainder is unused).
    ///
    /// Capacities are limited to 2^32 − 2 cells; a zero cell gives an empty pool.
    #[must_use]
    pub fn new(capacity: Bytes, cell: Bytes) -> Self {
        let cells = capacity.get().checked_div(cell.get()).unwrap_or(0);
        let cells = cells.min(u64::from(END) - 1) as u32;
        CellPool { cell, capacity: cells, free: cells }
    }

    /// Cells that `size` bytes occupy.
    #[must_use]
    #[inline]
    pub fn cells_for(&self, size: u32) -> u32 {
        // Cells are small: the division in 32 bits is half as long, and every packet needs it
        // thrice.
        match u32::try_from(self.cell.get()) {
            Ok(0) => 0,
            Ok(cell) => size.div_ceil(cell),
            Err(_) => u32::from(size > 0),
        }
    }

    /// Bytes per cell.
    #[must_use]
    pub fn cell(&self) -> Bytes {
        self.cell
    }

    /// Cells in all.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Cells not in use.
    #[must_use]
    pub fn free(&self) -> u32 {
        self.free
    }

    /// Cells in use.
    #[must_use]
    pub fn used(&self) -> u32 {
        self.capacity - self.free
    }

    /// Takes `cells` cells, or nothing if fewer are free.
    #[inline]
    pub fn take(&mut self, cells: u32) -> Option<CellCount> {
        self.free = self.free.checked_sub(cells)?;
        Some(CellCount(cells))
    }

    /// Gives back cells that were [taken](CellPool::take).
    #[inline]
    pub fn give_back(&mut self, cells: CellCount) {
        self.free += cells.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_taken_whole_or_not_at_all() {
        let mut pool = CellPool::new(Bytes::new(1100), Bytes::new(256));
        assert_eq!((pool.capacity(), pool.cells_for(257), pool.cells_for(0)), (4, 2, 0));
        let a = pool.take(3).unwrap();
        assert_eq!((pool.take(2), pool.free()), (None, 1));
        let b = pool.take(1).unwrap();
        assert_eq!((a.cells(), b.cells(), pool.free(), pool.used()), (3, 1, 0, 4));
        pool.give_back(a);
        pool.give_back(b);
        pool.give_back(CellCount::NONE);
        assert_eq!(pool.free(), 4);
    }

    #[test]
    fn degenerate_pools_are_empty() {
        assert_eq!(CellPool::new(Bytes::ZERO, Bytes::new(256)).take(1), None);
        assert_eq!(CellPool::new(Bytes::new(1 << 20), Bytes::ZERO).capacity(), 0);
    }
}
