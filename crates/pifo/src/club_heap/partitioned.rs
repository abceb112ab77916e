//! Logical PIFOs over the levels of one ClubHeap.
//!
//! Source: clubheap §2.1, §3.1 (the forest) and §4.4. Each logical PIFO has a root of its own,
//! found by its number; below the levels where the trees would need more than the elements can
//! fill, all share the groups of a level. Any of them may hold all elements.
//!
//! Complexity and memory: see the folder's head comment; eight bytes per logical PIFO for its count
//! and the place of its root, besides the element in its head register.

use super::forest::Forest;
use super::stage::Smallest;
use super::{ClubError, ClubFault, ClubGeometry};
use crate::ranked::{PartitionedQueue, Rejected, Replaced};

/// A [`PartitionedQueue`] as ClubHeap builds it.
///
/// ```
/// use forebay_pifo::{PartitionedClubHeap, PartitionedQueue};
///
/// // 256 ports, and room for 10,000 packets in whatever mixture.
/// let mut queue: PartitionedClubHeap<u64, u32> = PartitionedClubHeap::new(16, 10_000, 256)?;
/// queue.push_in(7, u64::MAX, 1)?;
/// queue.push_in(8, 3, 2)?;
/// assert_eq!(queue.pop_min_in(7), Some((u64::MAX, 1)));
/// assert_eq!(queue.pop_min_in(7), None);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PartitionedClubHeap<R, T, const WAYS: usize = 2> {
    forest: Forest<R, T, Smallest, WAYS>,
}

crate::debug_in_one_line!(
    [R: Copy + Ord + core::fmt::Debug, T, const WAYS: usize] PartitionedClubHeap<R, T, WAYS> as PartitionedQueue
);

impl<R: Copy + Ord, T, const WAYS: usize> PartitionedClubHeap<R, T, WAYS> {
    /// An empty queue of `partitions` logical PIFOs, with clusters of `cluster`, for up to
    /// `capacity` elements in all.
    ///
    /// # Errors
    /// [`ClubError`] as [`ClubGeometry::new`].
    pub fn new(cluster: usize, capacity: usize, partitions: usize) -> Result<Self, ClubError> {
        let geometry = ClubGeometry::new(cluster, capacity, partitions, WAYS)?;
        Ok(PartitionedClubHeap { forest: Forest::new(geometry) })
    }

    /// The parameters it was built with.
    #[must_use]
    pub fn geometry(&self) -> &ClubGeometry {
        self.forest.geometry()
    }

    /// Checks the definition, the corollaries, every field and the free lists; O(n), for tests.
    ///
    /// # Errors
    /// The first [`ClubFault`] found; there is none unless this type is wrong.
    pub fn check(&self) -> Result<(), ClubFault> {
        self.forest.check()
    }
}

impl<R: Copy + Ord, T, const WAYS: usize> PartitionedQueue for PartitionedClubHeap<R, T, WAYS> {
    type Rank = R;
    type Item = T;

    fn partitions(&self) -> usize {
        self.forest.geometry().partitions()
    }

    fn push_in(&mut self, partition: usize, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        self.forest.push(partition, rank, item)
    }

    fn pop_min_in(&mut self, partition: usize) -> Option<(R, T)> {
        self.forest.pop(partition, Smallest::pop)
    }

    fn peek_min_in(&self, partition: usize) -> Option<(R, &T)> {
        self.forest.smallest(partition)
    }

    fn replace_in(&mut self, partition: usize, rank: R, item: T) -> Replaced<R, T> {
        self.forest.replace(partition, rank, item)
    }

    fn len_in(&self, partition: usize) -> usize {
        self.forest.len_in(partition)
    }

    fn len(&self) -> usize {
        self.forest.len()
    }

    fn capacity(&self) -> usize {
        self.forest.geometry().capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups with memory, level by level.
    fn groups<const WAYS: usize>(queue: &PartitionedClubHeap<u64, u64, WAYS>) -> usize {
        queue.forest.levels().iter().map(|level| level.groups()).sum()
    }

    #[test]
    fn a_high_number_reserves_nothing_for_those_below() {
        let mut queue = PartitionedClubHeap::<u64, u64>::new(1024, 4096, 1 << 16).unwrap();
        let last = queue.partitions() - 1;
        // One element waits in the head register, whatever is done with it.
        queue.push_in(last, 1, 1).unwrap();
        assert_eq!(queue.replace_in(last, 2, 2).popped, Some((1, 1)));
        assert_eq!(queue.pop_min_in(last), Some((2, 2)));
        assert_eq!((groups(&queue), queue.check()), (0, Ok(())));
        // A full root and its head, and the smallest of a child beside it: one root.
        for rank in 0..1025 {
            queue.push_in(last, rank, rank).unwrap();
        }
        assert_eq!((queue.forest.levels()[0].groups(), queue.check()), (1, Ok(())));
        for rank in 0..1025 {
            assert_eq!(queue.pop_min_in(last), Some((rank, rank)));
        }
        assert_eq!(queue.check(), Ok(()));
    }

    #[test]
    fn static_levels_below_the_root_grow_with_use() {
        // 16 PIFOs and much room: the upper levels are static.
        let mut queue = PartitionedClubHeap::<u64, u64, 3>::new(2, 10_000, 16).unwrap();
        assert!(!queue.geometry().level_sizes()[2].dynamic);
        for rank in 0..40 {
            queue.push_in(15, rank, rank).unwrap();
            assert_eq!(queue.check(), Ok(()));
        }
        assert!(groups(&queue) <= 20, "a group for every two elements at most");
    }
}
