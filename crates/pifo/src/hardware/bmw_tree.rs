//! BMW-Tree: a multi-way heap that an insertion keeps balanced.
//!
//! Source: BMW-Tree (Yao et al., SIGCOMM 2023) as clubheap §2.2 and Table 1 place it ("an
//! insertion-balanced multi-way heap") and thesis Fig. 4.8 draws it: a node has M elements, and
//! each element has a counter and a subtree of its own. The papers at hand say no more; what
//! follows is the known algorithm.
//!
//! - A counter holds the elements of its subtree, its own element included; zero means a vacant
//!   place.
//! - push: the element goes to the place with the smallest counter, the leftmost if equal. A vacant
//!   place takes it. An occupied one keeps the smaller and sends the other into its subtree. The
//!   subtrees of a node are of one size, so there is room below as long as there is room at all.
//! - pop: the smallest element of the root leaves, the leftmost if equal; the smallest of its
//!   subtree takes its place, and so on down. Every counter on the way goes down by one.
//! - replace: the papers give its cycles, not its steps. We pop and then push (the trait's own
//!   replace): an element that took the popped one's place and sank would not go to the lightest
//!   subtree.
//!
//! R-BMW keeps everything in registers, RPU-BMW in one SRAM per level; the tree and its answers are
//! the same, so both are this type. Cycles: RPU-BMW takes a push every 2, a pop every 3 and a
//! replace every 3 (clubheap §1); R-BMW a replace every 2 (clubheap Table 1). Thesis §4.6 counts 1
//! for a push and 2 for a pop, for BMW-Tree without saying which. No logical partitions: each would
//! need a subtree of its own (thesis §4.4.1).
//!
//! Complexity: M comparisons per level, `log_M` levels. Capacity with L levels:
//! `M + M^2 + ... + M^L`. Memory: a rank, an item, a mark and a four-byte counter per place. Ties
//! leave in no stated order.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::shape::{HardwareShapeError, MAX_HARDWARE_ELEMENTS, whole_levels};
use crate::ranked::{Elements, RankedQueue, Reason, Rejected};

/// The widest node that [`BmwTree`] models; clubheap §6.3 compares a 4-way tree.
pub const MAX_TREE_WAYS: usize = 64;

/// A [`RankedQueue`] that is the BMW-Tree of the literature, R-BMW and RPU-BMW alike.
///
/// ```
/// use forebay_pifo::{BmwTree, RankedQueue};
///
/// let mut tree: BmwTree<u32, &str> = BmwTree::new(4, 4_096)?;
/// assert_eq!((tree.capacity(), tree.levels()), (5_460, 6));
/// tree.push(20, "later")?;
/// tree.push(10, "sooner")?;
/// assert_eq!(tree.pop_min(), Some((10, "sooner")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct BmwTree<R, T> {
    /// Nodes in breadth-first order, `ways` places each. The subtree of place `p` is node `p + 1`.
    places: Vec<Option<(R, T)>>,
    /// Per place, the elements of its subtree and itself.
    counters: Vec<u32>,
    ways: usize,
    levels: usize,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug, T] BmwTree<R, T> as RankedQueue);

impl<R: Copy + Ord, T> BmwTree<R, T> {
    /// An empty tree of nodes with `ways` elements and as many whole levels as `capacity` elements
    /// need.
    ///
    /// # Errors
    /// [`HardwareShapeError::Ways`] unless `2 <= ways <= 64`; [`HardwareShapeError::Capacity`] if
    /// `capacity` is zero or its whole levels would have more than [`MAX_HARDWARE_ELEMENTS`]
    /// places.
    pub fn new(ways: usize, capacity: usize) -> Result<Self, HardwareShapeError> {
        if !(2..=MAX_TREE_WAYS).contains(&ways) {
            return Err(HardwareShapeError::Ways { asked: ways, most: MAX_TREE_WAYS });
        }
        let (levels, total) = whole_levels(capacity, ways, ways, MAX_HARDWARE_ELEMENTS)?;
        let places = (0..total).map(|_| None).collect();
        Ok(BmwTree { places, counters: alloc::vec![0; total], ways, levels })
    }

    /// The elements of a node.
    #[must_use]
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// The number of levels: stages of the pipeline.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// The places of the root.
    #[inline]
    fn root(&self) -> Range<usize> {
        0..self.ways
    }

    /// The places of the node below `place`; none below the last level.
    #[inline]
    fn below(&self, place: usize) -> Range<usize> {
        let first = ((place + 1) * self.ways).min(self.places.len());
        first..(first + self.ways).min(self.places.len())
    }

    /// The place of the smallest element of a node, the leftmost if equal.
    #[inline]
    fn smallest(&self, node: Range<usize>) -> Option<usize> {
        let ranks = node.filter_map(|place| Some((self.places[place].as_ref()?.0, place)));
        ranks.min_by_key(|&(rank, _)| rank).map(|(_, place)| place)
    }

    /// The place of a node under which the fewest elements are, the leftmost if equal.
    #[inline]
    fn lightest(&self, node: Range<usize>) -> Option<usize> {
        node.min_by_key(|&place| self.counters[place])
    }

    fn is_full(&self) -> bool {
        self.len() == self.places.len()
    }
}

impl<R: Copy + Ord, T> RankedQueue for BmwTree<R, T> {
    type Rank = R;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        if self.is_full() {
            return Err(Rejected {
                rank,
                item,
                reason: Reason::Full { capacity: self.capacity() },
            });
        }
        let mut carried = (rank, item);
        let mut node = self.root();
        while let Some(place) = self.lightest(node) {
            self.counters[place] += 1;
            let slot = &mut self.places[place];
            if slot.as_ref().is_none_or(|kept| carried.0 < kept.0) {
                let Some(larger) = slot.replace(carried) else { break };
                carried = larger;
            }
            node = self.below(place);
        }
        Ok(())
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        let mut vacated = self.smallest(self.root())?;
        let popped = self.places[vacated].take();
        self.counters[vacated] -= 1;
        while let Some(place) = self.smallest(self.below(vacated)) {
            self.places[vacated] = self.places[place].take();
            self.counters[place] -= 1;
            vacated = place;
        }
        popped
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        let place = self.smallest(self.root())?;
        self.places[place].as_ref().map(|(rank, item)| (*rank, item))
    }

    /// The sum of the root's counters.
    #[inline]
    fn len(&self) -> usize {
        self.counters[self.root()].iter().map(|&count| count as usize).sum()
    }

    fn capacity(&self) -> usize {
        self.places.len()
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.places.iter().flatten().map(|(rank, item)| (*rank, item)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::checks::{drive, steps};
    use proptest::prelude::*;

    /// Every element no larger than those below it, every counter the sum of those below and
    /// itself.
    fn assert_holds(tree: &BmwTree<u8, u32>) {
        for (place, slot) in tree.places.iter().enumerate() {
            let below = tree.below(place);
            let sum: u32 = tree.counters[below.clone()].iter().sum();
            assert_eq!(tree.counters[place], sum + u32::from(slot.is_some()), "place {place}");
            for child in tree.places[below].iter().flatten() {
                assert!(slot.as_ref().is_some_and(|parent| parent.0 <= child.0), "place {place}");
            }
        }
    }

    proptest! {
        #[test]
        fn counters_and_order_hold(ways in 2usize..6, capacity in 1usize..40, steps in steps()) {
            drive(BmwTree::new(ways, capacity).unwrap(), &steps, assert_holds);
        }

        #[test]
        fn insertions_alone_keep_subtrees_balanced(ranks in prop::collection::vec(any::<u8>(), 1..84)) {
            let mut tree = BmwTree::new(4, 84).unwrap();
            for rank in ranks {
                tree.push(rank, 0_u32).unwrap();
                let root = &tree.counters[tree.root()];
                let (least, most) = (root.iter().min(), root.iter().max());
                prop_assert!(most <= least.map(|least| least + 1).as_ref());
            }
        }
    }

    #[test]
    fn impossible_shapes_are_refused() {
        for asked in [0, 1, MAX_TREE_WAYS + 1] {
            let refused = BmwTree::<u8, ()>::new(asked, 10).err();
            assert_eq!(refused, Some(HardwareShapeError::Ways { asked, most: MAX_TREE_WAYS }));
        }
        let most = 64 + 64 * 64 + 64 * 64 * 64;
        let refused = BmwTree::<u8, ()>::new(64, most + 1).err();
        assert_eq!(refused, Some(HardwareShapeError::Capacity { asked: most + 1, most }));
    }
}
