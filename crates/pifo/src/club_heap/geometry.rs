//! How large each level of a ClubHeap is: pure arithmetic, without building one.
//!
//! Source: clubheap §3.1 (Corollary 2, Fig. 3) and §4.4. With clusters of `K`, `N` elements, `M`
//! logical PIFOs and `W` ways, level `L` (the root's is 1) needs at most
//!
//! - **B2** = `M · W^(L-1)` nodes, the complete trees, and
//! - **B1** = `N / (K · (1 - W^-(L-1)) / (W - 1) + 1)` nodes: a non-empty node has full ancestors,
//!   and `n` nodes have at least `n / W^i` ancestors `i` levels above. (`W = 2` is the formula of
//!   the paper.)
//!
//! The published level size is `S_L = min(B1, B2)`.
//!
//! **What is rounded, and why it is not B1.** Memory is given out in sibling groups, since siblings
//! share an address, and a group takes all its nodes when one of them is not empty. So B1, a count
//! of non-empty nodes, is not enough: 20 logical PIFOs of three elements with `K = 2` use 20 pairs
//! at level 2, where `B1 / 2 = 15`. The argument of Corollary 2 counts groups as well. The parents
//! of `g` non-empty groups are `g` full nodes at level `L - 1`, under at least `g / W^(i-1)` full
//! nodes at level `L - i`; so `N >= g + K · g · (1 + 1/W + … + 1/W^(L-2))`, and
//!
//! - **groups** = `N / (K · W · (1 - W^-(L-1)) / (W - 1) + 1)`, rounded down, or `M · W^(L-2)` if
//!   smaller.
//!
//! That is at most `1 + 1 / (1 + K)` times B1 for two ways, and never too few: it bounds every
//! state that holds at most `N` elements. Level 1 has `M` roots, found by number, even where
//! `N < M`.
//!
//! Depth: the least `D` with `K · (W^D - 1) / (W - 1) >= N`. Any one PIFO may hold all `N`: a
//! subtree of `d` levels never holds more than `C(d) = K · (W^d - 1) / (W - 1)` elements, because a
//! push enters the child with the fewest, and of `W` children with at most `W · C(d-1) - 1`
//! elements one has less than `C(d-1)`.

use alloc::vec::Vec;
use core::fmt;

/// The largest number of elements of one ClubHeap.
pub const MAX_CLUB_ELEMENTS: usize = 1 << 26;

/// The largest number of logical PIFOs of one ClubHeap.
pub const MAX_CLUB_PARTITIONS: usize = 1 << 16;

/// The most elements in a cluster: every operation scans one.
pub const MAX_CLUSTER: usize = 1 << 10;

/// The largest number of children of a node.
pub const MAX_CLUB_WAYS: usize = 16;

/// The parameters of a ClubHeap, known to be possible.
///
/// ```
/// use forebay_pifo::ClubGeometry;
///
/// // Fig. 3: K = 2 and N = 2^16 - 2 make 15 levels; 16 logical PIFOs.
/// let geometry = ClubGeometry::new(2, (1 << 16) - 2, 16, 2)?;
/// let levels = geometry.level_sizes();
/// assert_eq!(levels.len(), 15);
/// assert_eq!((levels[14].b1, levels[14].b2), (21_845, 16 << 14));
/// # Ok::<(), forebay_pifo::ClubError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClubGeometry {
    cluster: usize,
    capacity: usize,
    partitions: usize,
    ways: usize,
}

/// The size of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelSize {
    /// The level's number; that of the roots is 1.
    pub level: usize,
    /// B1: the most nodes that can hold something at once (Corollary 2).
    pub b1: usize,
    /// B2: the nodes of complete trees; `usize::MAX` if they are more.
    pub b2: usize,
    /// The sibling groups that the level has room for; at level 1 every root is its own.
    pub groups: usize,
    /// The nodes of a group.
    pub siblings: usize,
    /// Whether groups are given out from a free list; else their address follows from the parent's.
    pub dynamic: bool,
}

impl LevelSize {
    /// The published size `S_L = min(B1, B2)`, in nodes.
    #[must_use]
    pub fn published(&self) -> usize {
        self.b1.min(self.b2)
    }

    /// The nodes that the level has room for, in whole groups.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.groups * self.siblings
    }
}

impl ClubGeometry {
    /// Clusters of `cluster` elements, `capacity` elements in all, `partitions` logical PIFOs,
    /// `ways` children to a node.
    ///
    /// # Errors
    /// [`ClubError`] if a number is beyond its limits: clusters of 2 to 2^10, up to 2^26 elements,
    /// 1 to 2^16 partitions, 2 to 16 ways.
    pub fn new(
        cluster: usize,
        capacity: usize,
        partitions: usize,
        ways: usize,
    ) -> Result<Self, ClubError> {
        if !(2..=MAX_CLUSTER).contains(&cluster) {
            return Err(ClubError::Cluster { asked: cluster, least: 2 });
        }
        if capacity > MAX_CLUB_ELEMENTS {
            return Err(ClubError::Capacity { asked: capacity });
        }
        if !(1..=MAX_CLUB_PARTITIONS).contains(&partitions) {
            return Err(ClubError::Partitions { asked: partitions });
        }
        if !(2..=MAX_CLUB_WAYS).contains(&ways) {
            return Err(ClubError::Ways { asked: ways });
        }
        Ok(ClubGeometry { cluster, capacity, partitions, ways })
    }

    /// K, the elements of a full node.
    #[must_use]
    pub fn cluster(&self) -> usize {
        self.cluster
    }

    /// N, the elements in all.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// M, the logical PIFOs.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.partitions
    }

    /// The children of a node.
    #[must_use]
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// The levels that it takes for one logical PIFO to hold all elements; at least 1.
    #[must_use]
    pub fn depth(&self) -> usize {
        let (mut depth, mut row, mut held) = (1, self.cluster, self.cluster);
        while held < self.capacity {
            row *= self.ways;
            held += row;
            depth += 1;
        }
        depth
    }

    /// The size of every level, from the roots down; O(depth).
    #[must_use]
    pub fn level_sizes(&self) -> Vec<LevelSize> {
        (1..=self.depth()).map(|level| self.level_size(level)).collect()
    }

    fn level_size(&self, level: usize) -> LevelSize {
        // Everything is multiplied by (W - 1) · W^(L-1). The products stay far below 2^64: a level
        // of the tree has at most W · N nodes.
        let ways = self.ways as u64;
        let row = ways.pow(level as u32 - 1);
        let elements = self.capacity as u64 * (ways - 1) * row;
        let above = self.cluster as u64 * (row - 1);
        let b1 = (elements / (above + (ways - 1) * row)) as usize;
        let b2 = self.partitions as u64 * row;
        // Complete trees may have more nodes than a small machine can count; what is built has not.
        let countable = |nodes: u64| usize::try_from(nodes).unwrap_or(usize::MAX);
        if level == 1 {
            let (b2, groups) = (countable(b2), self.partitions);
            return LevelSize { level, b1, b2, groups, siblings: 1, dynamic: false };
        }
        let in_trees = b2 / ways;
        let by_elements = elements / (ways * above + (ways - 1) * row);
        LevelSize {
            level,
            b1,
            b2: countable(b2),
            groups: countable(in_trees.min(by_elements)), // at most N
            siblings: self.ways,
            dynamic: by_elements < in_trees,
        }
    }
}

/// Why a ClubHeap cannot have the shape asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClubError {
    /// Clusters are too small to free consecutive operations from each other, or too large.
    Cluster {
        /// The size asked for.
        asked: usize,
        /// The least that this structure can do with.
        least: usize,
    },
    /// More elements than [`MAX_CLUB_ELEMENTS`].
    Capacity {
        /// The number asked for.
        asked: usize,
    },
    /// No logical PIFOs, or more than [`MAX_CLUB_PARTITIONS`].
    Partitions {
        /// The number asked for.
        asked: usize,
    },
    /// Fewer than two children to a node, or more than [`MAX_CLUB_WAYS`].
    Ways {
        /// The number asked for.
        asked: usize,
    },
}

impl fmt::Display for ClubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ClubError::Cluster { asked, least } => write!(
                f,
                "clusters of {asked} do not make a ClubHeap: ask for {least} to {MAX_CLUSTER} \
                 (with one element at an end of a node, the next pop must wait for the level below)"
            ),
            ClubError::Capacity { asked } => write!(
                f,
                "a ClubHeap cannot hold {asked} elements: ask for at most {MAX_CLUB_ELEMENTS}"
            ),
            ClubError::Partitions { asked } => write!(
                f,
                "a ClubHeap cannot have {asked} logical PIFOs: ask for 1 to {MAX_CLUB_PARTITIONS}"
            ),
            ClubError::Ways { asked } => {
                write!(f, "a node cannot have {asked} children: ask for 2 to {MAX_CLUB_WAYS}")
            }
        }
    }
}

impl core::error::Error for ClubError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn published_bounds_of_figure_three() {
        let levels = ClubGeometry::new(2, (1 << 16) - 2, 1, 2).unwrap().level_sizes();
        assert_eq!(levels.len(), 15);
        // One logical PIFO: the complete tree is the tighter bound down to the last level but one.
        assert!(levels[..14].iter().all(|size| !size.dynamic && size.nodes() == size.b2));
        // N / (2 · (1 - 1/2) + 1) at level 2, towards N / 3 below.
        assert_eq!(levels[1].b1, 65_534 / 2);
        assert_eq!(levels[14].b1, 21_845);
        assert!(levels.windows(2).all(|pair| pair[0].b1 >= pair[1].b1));
    }

    #[test]
    fn sibling_pairs_need_more_than_b1() {
        let size = ClubGeometry::new(2, 60, 20, 2).unwrap().level_sizes()[1];
        assert_eq!((size.b1, size.b2, size.published()), (30, 40, 30));
        assert_eq!((size.groups, size.nodes(), size.dynamic), (20, 40, false));
        // One logical PIFO more, and the trees are the looser bound.
        let size = ClubGeometry::new(2, 60, 21, 2).unwrap().level_sizes()[1];
        assert_eq!((size.groups, size.dynamic), (20, true));
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let refused = |k, n, m, w| ClubGeometry::new(k, n, m, w).unwrap_err();
        for cluster in [0, 1, MAX_CLUSTER + 1, usize::MAX] {
            assert_eq!(refused(cluster, 9, 1, 2), ClubError::Cluster { asked: cluster, least: 2 });
        }
        assert_eq!(refused(2, usize::MAX, 1, 2), ClubError::Capacity { asked: usize::MAX });
        assert_eq!(refused(2, 9, 0, 2), ClubError::Partitions { asked: 0 });
        assert_eq!(refused(2, 9, 1 << 17, 2), ClubError::Partitions { asked: 1 << 17 });
        assert_eq!(refused(2, 9, 1, 1), ClubError::Ways { asked: 1 });
    }

    proptest! {
        #[test]
        fn sizes_are_ordered_as_the_bounds_say(
            cluster in 2usize..=MAX_CLUSTER,
            capacity in 0usize..=MAX_CLUB_ELEMENTS,
            partitions in 1usize..=1 << 16,
            ways in 2usize..=MAX_CLUB_WAYS,
        ) {
            let levels =
                ClubGeometry::new(cluster, capacity, partitions, ways).unwrap().level_sizes();
            // Depth is enough for one PIFO that holds everything, and one level less is not.
            let held = |depth: usize| (0..depth).map(|d| cluster * ways.pow(d as u32)).sum::<usize>();
            prop_assert!(held(levels.len()) >= capacity);
            prop_assert!(levels.len() == 1 || held(levels.len() - 1) < capacity);
            for pair in levels.windows(2) {
                // Once pointers are worth their bits they stay so.
                prop_assert!(!pair[0].dynamic || pair[1].dynamic);
            }
            for size in &levels[1..] {
                prop_assert!(size.groups <= size.b1 && size.nodes() <= size.b2);
                prop_assert!(size.nodes() + size.siblings > size.published());
            }
        }
    }
}
