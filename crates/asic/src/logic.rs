//! Comparators, and the longest chain of gates in one cycle.
//!
//! Source: clubheap §2.2 counts comparators, O(N) in linear structures and O(log N) in heaps, and
//! gives a comparator a latency of O(log log P). The rest is a guide, not a timing model: every
//! comparator costs one gate level and the depth of a tree over its bits, every find-first-set,
//! selection and broadcast the depth of a tree over its inputs. Wires are not counted, except as a
//! broadcast.

use alloc::vec::Vec;

use crate::memory::address_bits;

/// Comparators of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparators {
    /// What they compare.
    pub what: &'static str,
    /// How many there are.
    pub count: u128,
    /// Bits of each operand.
    pub width: u128,
}

/// What a signal passes in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Registers or cells that the operand is sent to at once.
    pub broadcast: u128,
    /// Comparators one after the other.
    pub comparators: u32,
    /// Bits of each.
    pub width: u128,
    /// Bits of the bitmap whose first set bit is found; 1 for none.
    pub find_first: u128,
    /// Inputs of the selection that follows; 1 for none.
    pub select: u128,
}

impl Path {
    /// One comparator and nothing around it.
    pub(crate) fn comparing(width: u128) -> Self {
        Path { broadcast: 1, comparators: 1, width, find_first: 1, select: 1 }
    }

    /// Levels of two-input gates, as a rough guide.
    #[must_use]
    pub fn gate_levels(&self) -> u32 {
        address_bits(self.broadcast)
            + self.comparators * (1 + address_bits(self.width))
            + address_bits(self.find_first)
            + address_bits(self.select)
    }

    /// The longer of two; the other one on a tie.
    pub(crate) fn or_longer(self, other: Path) -> Path {
        if self.gate_levels() > other.gate_levels() { self } else { other }
    }
}

/// The logic of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logic {
    /// Its comparators by kind.
    pub comparators: Vec<Comparators>,
    /// Its longest path in one cycle.
    pub path: Path,
    /// The most levels that one signal reaches in one cycle: 1 where levels talk to their
    /// neighbours only.
    pub span: u32,
}

impl Logic {
    /// The number of comparators of all kinds.
    #[must_use]
    pub fn comparator_count(&self) -> u128 {
        self.comparators.iter().map(|kind| kind.count).sum()
    }

    /// The bits that all comparators compare: a guide to their area.
    #[must_use]
    pub fn compared_bits(&self) -> u128 {
        self.comparators.iter().map(|kind| kind.count * kind.width).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_adds_up() {
        let bare = Path::comparing(16);
        assert_eq!(bare.gate_levels(), 5);
        let full = Path { broadcast: 4096, find_first: 8, select: 3, ..bare };
        assert_eq!(full.gate_levels(), 12 + 5 + 3 + 2);
        assert_eq!(bare.or_longer(full), full);
    }
}
