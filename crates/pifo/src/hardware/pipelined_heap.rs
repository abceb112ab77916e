//! The pipelined heap: a complete binary heap whose insertions and deletions both run from the root
//! down.
//!
//! Source: Pipelined Heap (Ioannou and Katevenis, ToN 2007) as clubheap §2.2 and Table 1 place it:
//! a complete binary heap, logical partitions, a global bus to all levels, 2 cycles per replace.
//! The rest is the known algorithm, written down here:
//! - insert: the new size, written in binary without its leading one, is the path from the root to
//!   the first free place. Each node on the path keeps the smaller element and hands on the other.
//! - delete: the root leaves. The element at the last place comes over the global bus to the root
//!   and sinks, changing places with its smaller child, the left one if equal.
//! - replace: the new element takes the root's place and sinks. The size stays.
//!
//! Logical partitions: the papers at hand say that it has them (clubheap Table 1) and that a
//! tree-like queue must map each statically to its own part of the memory (thesis §4.4.1). So each
//! logical queue has a tree of its own over the shared levels and a size register. A push meets
//! [`Reason::Full`] with the partition's share as soon as that share is used, even while others
//! have room.
//!
//! Complexity: one visit per level, `ceil(log2(n + 1))` levels; peek constant. Capacity:
//! `2^levels - 1` per logical queue. Memory: a rank, an item and a mark per node. Ties leave in no
//! stated order.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::forest::{Forest, Node};
use super::shape::{HardwareShapeError, MAX_HARDWARE_ELEMENTS, check_partitions, whole_levels};
use crate::ranked::{Elements, PartitionedQueue, RankedQueue, Reason, Rejected, Replaced};

/// The pipelined heap of the literature as a [`PartitionedQueue`]: a fixed share for each logical
/// queue.
///
/// ```
/// use forebay_pifo::{PartitionedPipelinedHeap, PartitionedQueue};
///
/// let mut heaps: PartitionedPipelinedHeap<u32, &str> = PartitionedPipelinedHeap::new(8, 100)?;
/// assert_eq!((heaps.share(), heaps.capacity()), (127, 8 * 127));
/// heaps.push_in(3, 20, "later")?;
/// heaps.push_in(3, 10, "sooner")?;
/// assert_eq!(heaps.pop_min_in(0), None);
/// assert_eq!(heaps.pop_min_in(3), Some((10, "sooner")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PartitionedPipelinedHeap<R, T> {
    trees: Forest<R, T>,
    /// The elements of each logical queue.
    sizes: Vec<usize>,
    share: usize,
}

crate::debug_in_one_line!([R: Copy + Ord, T] PartitionedPipelinedHeap<R, T> as PartitionedQueue);

/// The place that is number `place`, counted from 1, of the tree `tree` in breadth-first order.
#[inline]
fn node_at(tree: usize, place: usize) -> Node {
    let level = place.ilog2();
    Node { level: level as usize, index: (tree << level) + place - (1 << level) }
}

impl<R: Copy + Ord, T> PartitionedPipelinedHeap<R, T> {
    /// Empty heaps, one for each of `partitions` logical queues, each of as many whole levels as
    /// `share` elements need.
    ///
    /// # Errors
    /// [`HardwareShapeError::Partitions`] or [`HardwareShapeError::Capacity`] unless both are at
    /// least 1 and all shares together, rounded up, have at most [`MAX_HARDWARE_ELEMENTS`] places.
    pub fn new(partitions: usize, share: usize) -> Result<Self, HardwareShapeError> {
        check_partitions(partitions)?;
        let (levels, share) = whole_levels(share, 1, 2, MAX_HARDWARE_ELEMENTS / partitions)?;
        let trees = Forest::new(partitions, levels);
        Ok(PartitionedPipelinedHeap { trees, sizes: alloc::vec![0; partitions], share })
    }

    /// The most elements that one logical queue may hold.
    #[must_use]
    pub fn share(&self) -> usize {
        self.share
    }

    /// The number of levels: stages of the pipeline.
    #[must_use]
    pub fn levels(&self) -> usize {
        (self.share + 1).ilog2() as usize
    }

    /// Carries an element from the root of `tree` to its first free place, which exists.
    #[inline]
    fn insert(&mut self, tree: usize, mut element: (R, T)) {
        self.sizes[tree] += 1;
        let place = self.sizes[tree];
        let (mut node, depth) = (Node::root(tree), place.ilog2() as usize);
        while let Some(carried) = self.trees.offer(node, element) {
            let goes_right = place >> (depth - node.level - 1) & 1 == 1;
            (node, element) = (node.child(goes_right), carried);
        }
    }
}

impl<R: Copy + Ord, T> PartitionedQueue for PartitionedPipelinedHeap<R, T> {
    type Rank = R;
    type Item = T;

    fn partitions(&self) -> usize {
        self.sizes.len()
    }

    #[inline]
    fn push_in(&mut self, partition: usize, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        let reason = match self.sizes.get(partition) {
            None => Reason::NoSuchPartition { partitions: self.partitions() },
            Some(&size) if size == self.share => Reason::Full { capacity: self.share },
            Some(_) => {
                self.insert(partition, (rank, item));
                return Ok(());
            }
        };
        Err(Rejected { rank, item, reason })
    }

    #[inline]
    fn pop_min_in(&mut self, partition: usize) -> Option<(R, T)> {
        let size = self.len_in(partition);
        if size == 0 {
            return None;
        }
        let last = self.trees.take(node_at(partition, size))?;
        self.sizes[partition] -= 1;
        let root = Node::root(partition);
        let Some(popped) = self.trees.take(root) else {
            return Some(last); // the root was the last place
        };
        self.trees.sink(root, last);
        Some(popped)
    }

    #[inline]
    fn peek_min_in(&self, partition: usize) -> Option<(R, &T)> {
        self.trees.get(Node::root(partition)).map(|(rank, item)| (*rank, item))
    }

    #[inline]
    fn replace_in(&mut self, partition: usize, rank: R, item: T) -> Replaced<R, T> {
        if self.len_in(partition) == 0 {
            return Replaced { popped: None, pushed: self.push_in(partition, rank, item) };
        }
        let root = Node::root(partition);
        let popped = self.trees.take(root);
        self.trees.sink(root, (rank, item));
        Replaced { popped, pushed: Ok(()) }
    }

    fn len_in(&self, partition: usize) -> usize {
        self.sizes.get(partition).copied().unwrap_or(0)
    }

    /// A sum over the size registers.
    fn len(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn capacity(&self) -> usize {
        self.share * self.partitions()
    }
}

/// The pipelined heap of the literature as a single [`RankedQueue`].
///
/// ```
/// use forebay_pifo::{PipelinedHeap, RankedQueue};
///
/// let mut heap: PipelinedHeap<u32, &str> = PipelinedHeap::new(1_000)?;
/// heap.push(20, "later")?;
/// heap.push(10, "sooner")?;
/// assert_eq!(heap.replace(30, "last").popped, Some((10, "sooner")));
/// assert_eq!(heap.pop_min(), Some((20, "later")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PipelinedHeap<R, T> {
    heap: PartitionedPipelinedHeap<R, T>,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug, T] PipelinedHeap<R, T> as RankedQueue);

impl<R: Copy + Ord, T> PipelinedHeap<R, T> {
    /// An empty heap of as many whole levels as `capacity` elements need.
    ///
    /// # Errors
    /// [`HardwareShapeError::Capacity`] unless `1 <= capacity < 2^24`.
    pub fn new(capacity: usize) -> Result<Self, HardwareShapeError> {
        Ok(PipelinedHeap { heap: PartitionedPipelinedHeap::new(1, capacity)? })
    }

    /// The number of levels: stages of the pipeline.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.heap.levels()
    }
}

impl<R: Copy + Ord, T> RankedQueue for PipelinedHeap<R, T> {
    type Rank = R;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        self.heap.push_in(0, rank, item)
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        self.heap.pop_min_in(0)
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        self.heap.peek_min_in(0)
    }

    #[inline]
    fn replace(&mut self, rank: R, item: T) -> Replaced<R, T> {
        self.heap.replace_in(0, rank, item)
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn capacity(&self) -> usize {
        self.heap.capacity()
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.heap.trees.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::checks::{drive, steps};
    use proptest::prelude::*;

    /// Heap order, and the first places in breadth-first order occupied, no others.
    fn assert_holds<T>(heaps: &PartitionedPipelinedHeap<u8, T>) {
        assert!(heaps.trees.is_heap());
        for (tree, &size) in heaps.sizes.iter().enumerate() {
            for place in 1..=heaps.share {
                let occupied = heaps.trees.get(node_at(tree, place)).is_some();
                assert_eq!(occupied, place <= size, "place {place} of tree {tree}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_a_complete_heap(capacity in 1usize..40, steps in steps()) {
            drive(PipelinedHeap::new(capacity).unwrap(), &steps, |queue| assert_holds(&queue.heap));
        }

        #[test]
        fn every_partition_is_a_complete_heap(
            partitions in 1usize..6,
            steps in prop::collection::vec((0usize..6, 0u8..4, any::<u8>()), 1..150),
        ) {
            let mut heaps = PartitionedPipelinedHeap::new(partitions, 5).unwrap();
            for (partition, op, rank) in steps {
                match op {
                    0 => drop(heaps.pop_min_in(partition)),
                    1 => drop(heaps.replace_in(partition, rank, ())),
                    _ => drop(heaps.push_in(partition, rank, ())),
                }
                assert_holds(&heaps);
            }
        }
    }

    #[test]
    fn a_share_ends_where_it_ends() {
        let mut heaps = PartitionedPipelinedHeap::new(2, 1).unwrap();
        heaps.push_in(0, 1_u8, ()).unwrap();
        let refused = heaps.push_in(0, 2, ()).unwrap_err();
        assert_eq!(refused.reason, Reason::Full { capacity: 1 });
        assert_eq!(heaps.push_in(1, 2, ()), Ok(()));
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let new = PartitionedPipelinedHeap::<u8, ()>::new;
        let partitions =
            |asked| HardwareShapeError::Partitions { asked, most: MAX_HARDWARE_ELEMENTS };
        assert_eq!(new(0, 1).err(), Some(partitions(0)));
        assert_eq!(new(usize::MAX, 1).err(), Some(partitions(usize::MAX)));
        let capacity = HardwareShapeError::Capacity { asked: 4, most: 3 };
        assert_eq!(new(MAX_HARDWARE_ELEMENTS / 4, 4).err(), Some(capacity));
    }
}
