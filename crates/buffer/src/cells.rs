//! On-chip cells: the cell pointer memory of a shared-memory buffer (themis App. D, occamy §2.1).
//!
//! Packet data is cut into fixed-size cells. A packet's cells are a linked list in the cell pointer
//! memory; the free cells are another. Taking n cells is n pointer reads; giving a packet back is one
//! splice, whatever its length. 4 bytes of pointer memory per cell.

use alloc::vec::Vec;

use forebay_units::Bytes;

const END: u32 = u32::MAX;

/// A packet's cells: the ends of its list in the cell pointer memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellList {
    head: u32,
    tail: u32,
    cells: u32,
}

impl CellList {
    /// No cells: the packet's data is not on chip.
    pub const EMPTY: CellList = CellList { head: END, tail: END, cells: 0 };

    /// How many cells the list holds.
    #[must_use]
    pub const fn cells(self) -> u32 {
        self.cells
    }
}

/// The cells of the on-chip memory and the list of free ones.
#[derive(Clone, Debug)]
pub struct CellPool {
    cell: Bytes,
    next: Vec<u32>,
    free_head: u32,
    free: u32,
}

impl CellPool {
    /// A memory of `capacity` bytes in cells of `cell` bytes (a remainder is unused).
    ///
    /// Capacities are limited to 2^32 − 1 cells; a zero cell gives an empty pool.
    #[must_use]
    pub fn new(capacity: Bytes, cell: Bytes) -> Self {
        let cells =
            capacity.get().checked_div(cell.get()).unwrap_or(0).min(u64::from(END) - 1) as u32;
        let mut next: Vec<u32> = (1..=cells).collect();
        if let Some(last) = next.last_mut() {
            *last = END;
        }
        CellPool { cell, next, free_head: if cells == 0 { END } else { 0 }, free: cells }
    }

    /// Cells that `size` bytes occupy.
    #[must_use]
    #[inline]
    pub fn cells_for(&self, size: u32) -> u32 {
        // Cells are small: the division in 32 bits is half as long, and every packet needs it thrice.
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
        self.next.len() as u32
    }

    /// Cells not in use.
    #[must_use]
    pub fn free(&self) -> u32 {
        self.free
    }

    /// Cells in use.
    #[must_use]
    pub fn used(&self) -> u32 {
        self.capacity() - self.free
    }

    /// Takes `cells` cells, or nothing if fewer are free. O(cells).
    pub fn take(&mut self, cells: u32) -> Option<CellList> {
        if cells > self.free {
            return None;
        }
        if cells == 0 {
            return Some(CellList::EMPTY);
        }
        let head = self.free_head;
        let mut tail = head;
        for _ in 1..cells {
            tail = self.next[tail as usize];
        }
        self.free_head = self.next[tail as usize];
        self.next[tail as usize] = END;
        self.free -= cells;
        Some(CellList { head, tail, cells })
    }

    /// Gives a packet's cells back. O(1).
    pub fn give_back(&mut self, list: CellList) {
        if list.cells == 0 {
            return;
        }
        self.next[list.tail as usize] = self.free_head;
        self.free_head = list.head;
        self.free += list.cells;
    }

    /// The cells of a packet, in order (audits). Ends after as many as the list claims, or at its end.
    pub fn chain(&self, list: CellList) -> impl Iterator<Item = u32> {
        self.walk(list.head, list.cells)
    }

    /// The free cells, in order (audits).
    pub fn free_chain(&self) -> impl Iterator<Item = u32> {
        self.walk(self.free_head, self.free)
    }

    fn walk(&self, head: u32, cells: u32) -> impl Iterator<Item = u32> {
        let mut at = head;
        (0..cells).map_while(move |_| {
            let cell = at;
            at = *self.next.get(cell as usize)?;
            Some(cell)
        })
    }

    /// Walks the free list and says whether it is acyclic and as long as the counter says (tests).
    #[must_use]
    pub fn free_list_is_sound(&self) -> bool {
        let mut seen = 0;
        let mut at = self.free_head;
        while at != END && seen <= self.free {
            seen += 1;
            at = self.next[at as usize];
        }
        seen == self.free && at == END
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
        assert_eq!(pool.take(2), None);
        let b = pool.take(1).unwrap();
        assert_eq!(pool.free(), 0);
        assert!(pool.free_list_is_sound());
        pool.give_back(a);
        pool.give_back(b);
        pool.give_back(CellList::EMPTY);
        assert_eq!(pool.free(), 4);
        assert!(pool.free_list_is_sound());
    }

    #[test]
    fn degenerate_pools_are_empty() {
        assert_eq!(CellPool::new(Bytes::ZERO, Bytes::new(256)).take(1), None);
        assert_eq!(CellPool::new(Bytes::new(1 << 20), Bytes::ZERO).capacity(), 0);
    }
}
