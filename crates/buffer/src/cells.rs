//! On-chip cells: the cell pointer memory of a shared-memory buffer (themis App. D, occamy §2.1).
//!
//! Packet data is cut into fixed-size cells. A packet's cells are a linked list in the cell pointer
//! memory. In hardware the free cells are one more list: taking n cells is n pointer reads, giving
//! a packet back is one splice. Following n pointers is also what a program waits for longest, so
//! this one keeps the free cells as a stack of the lists that packets gave back: a packet that
//! needs as many cells as the last one had takes its list as it is, another joins lists or cuts
//! one. Which cells a packet gets is the only difference. At most n steps to take n cells, O(1) to
//! give them back. 4 bytes a cell, and 12 for every list on the stack, of which there are at most
//! as many as cells.

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
    /// The free cells; no list is empty, and each ends with [`END`].
    lists: Vec<CellList>,
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
        let mut lists = Vec::with_capacity(cells as usize);
        if cells > 0 {
            lists.push(CellList { head: 0, tail: cells - 1, cells });
        }
        CellPool { cell, next, lists, free: cells }
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
    #[inline]
    pub fn take(&mut self, cells: u32) -> Option<CellList> {
        if let Some(list) = self.lists.pop_if(|list| list.cells == cells) {
            self.free -= cells;
            return Some(list);
        }
        self.join(cells)
    }

    /// Takes `cells` cells from one list or from several.
    fn join(&mut self, cells: u32) -> Option<CellList> {
        if cells > self.free {
            return None;
        }
        let mut taken = CellList::EMPTY;
        while taken.cells < cells {
            let list = self.lists.pop()?; // there is one: so many cells are free
            let wanted = cells - taken.cells;
            let part = if list.cells > wanted { self.cut(list, wanted) } else { list };
            if taken.cells == 0 {
                taken.head = part.head;
            } else {
                self.next[taken.tail as usize] = part.head;
            }
            taken.tail = part.tail;
            taken.cells += part.cells;
        }
        self.free -= cells;
        Some(taken)
    }

    /// The first `cells` of `list`, at least one and not all; the others stay free.
    fn cut(&mut self, list: CellList, cells: u32) -> CellList {
        let mut tail = list.head;
        for _ in 1..cells {
            tail = self.next[tail as usize];
        }
        let rest = core::mem::replace(&mut self.next[tail as usize], END);
        self.lists.push(CellList { head: rest, tail: list.tail, cells: list.cells - cells });
        CellList { head: list.head, tail, cells }
    }

    /// Gives a packet's cells back. O(1).
    pub fn give_back(&mut self, list: CellList) {
        if list.cells == 0 {
            return;
        }
        self.lists.push(list);
        self.free += list.cells;
    }

    /// The cells of a packet, in order (audits). Ends after as many as the list claims, or at its
    /// end.
    pub fn chain(&self, list: CellList) -> impl Iterator<Item = u32> {
        self.walk(list.head, list.cells)
    }

    /// The free cells, in the order in which they are taken (audits).
    pub fn free_chain(&self) -> impl Iterator<Item = u32> {
        self.lists.iter().rev().flat_map(|list| self.chain(*list))
    }

    fn walk(&self, head: u32, cells: u32) -> impl Iterator<Item = u32> {
        let mut at = head;
        (0..cells).map_while(move |_| {
            let cell = at;
            at = *self.next.get(cell as usize)?;
            Some(cell)
        })
    }

    /// Walks the free lists and says whether they are acyclic and as long as the counter says
    /// (tests).
    #[must_use]
    pub fn free_list_is_sound(&self) -> bool {
        let is_sound = |list: &CellList| {
            let walk = self.chain(*list).fold((0, END), |(cells, _), cell| (cells + 1, cell));
            walk == (list.cells, list.tail) && self.next.get(list.tail as usize) == Some(&END)
        };
        let cells = self.lists.iter().map(|list| u64::from(list.cells)).sum::<u64>();
        self.lists.iter().all(is_sound) && cells == u64::from(self.free)
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
    fn every_cell_is_in_exactly_one_list() {
        let mut pool = CellPool::new(Bytes::new(100), Bytes::new(1));
        let (mut held, mut state) = (Vec::new(), 1u32);
        for _ in 0..5000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let draw = state >> 8;
            if draw % 2 == 0 && !held.is_empty() {
                pool.give_back(held.swap_remove(draw as usize / 2 % held.len()));
            } else if let Some(list) = pool.take(draw / 2 % 12) {
                held.push(list);
            } else {
                assert!(pool.free() < draw / 2 % 12);
            }
            assert!(pool.free_list_is_sound());
            let all = held.iter().flat_map(|list| pool.chain(*list)).chain(pool.free_chain());
            let mut all: Vec<u32> = all.collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..100));
        }
    }

    #[test]
    fn degenerate_pools_are_empty() {
        assert_eq!(CellPool::new(Bytes::ZERO, Bytes::new(256)).take(1), None);
        assert_eq!(CellPool::new(Bytes::new(1 << 20), Bytes::ZERO).capacity(), 0);
    }
}
