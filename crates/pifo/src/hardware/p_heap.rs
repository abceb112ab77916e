//! P-Heap: a binary heap whose insertions travel from the root down, so that a stage per level may
//! work on an operation each.
//!
//! Source: P-Heap (Bhagwan and Lin, INFOCOM 2000) as clubheap §2.2 and Table 1 place it: a heap,
//! scalable in elements and ranks, no logical partitions, 6 cycles per replace (two of its own long
//! cycles, each three memory cycles: clubheap footnote 4). The papers at hand say no more; what
//! follows is the known algorithm, written down here.
//!
//! Every node counts the vacancies of its subtree. A *token* carries an operation down, one per
//! level:
//! - enqueue: each node on the way counts one vacancy less. A vacant node takes the element. An
//!   occupied one keeps the smaller and sends the other on: left if there is a vacancy there, else
//!   right.
//! - dequeue: the root leaves. Each vacated node takes the smaller of its children, left if equal.
//!   Each node on the way counts one vacancy more. Where no child is left, the hole stays.
//!
//! So a hole never has an element below it, but occupied nodes need not be contiguous at the
//! bottom. We chose *replace* to be one pass: the new element takes the root's place and sinks; no
//! count changes.
//!
//! Complexity: one visit per level, `ceil(log2(n + 1))` levels; peek constant. Capacity:
//! `2^levels - 1`. Memory: a rank, an item, a mark and a four-byte count per node. Ties leave in no
//! stated order.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::forest::{Forest, Node};
use super::shape::{HardwareShapeError, MAX_HARDWARE_ELEMENTS, whole_levels};
use crate::ranked::{Elements, RankedQueue, Reason, Rejected, Replaced};

/// A [`RankedQueue`] that is the P-Heap of the literature.
///
/// ```
/// use forebay_pifo::{PHeap, RankedQueue};
///
/// let mut heap: PHeap<u32, &str> = PHeap::new(1_000)?;
/// assert_eq!((heap.capacity(), heap.levels()), (1_023, 10));
/// heap.push(20, "later")?;
/// heap.push(10, "sooner")?;
/// assert_eq!(heap.replace(30, "last").popped, Some((10, "sooner")));
/// assert_eq!(heap.pop_min(), Some((20, "later")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PHeap<R, T> {
    tree: Forest<R, T>,
    /// Per level and node, the nodes of its subtree, itself included, that have no element.
    vacancies: Vec<Vec<u32>>,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug, T] PHeap<R, T> as RankedQueue);

/// An insertion on its way: the node that it reaches next, and what it carries.
struct Token<R, T> {
    node: Node,
    element: (R, T),
}

const ROOT: Node = Node { level: 0, index: 0 };

impl<R: Copy + Ord, T> PHeap<R, T> {
    /// An empty heap of as many whole levels as `capacity` elements need.
    ///
    /// # Errors
    /// [`HardwareShapeError::Capacity`] unless `1 <= capacity < 2^24`.
    pub fn new(capacity: usize) -> Result<Self, HardwareShapeError> {
        let (levels, _) = whole_levels(capacity, 1, 2, MAX_HARDWARE_ELEMENTS)?;
        let subtree = |level: usize| (1_u32 << (levels - level)) - 1;
        let counts = |level: usize| alloc::vec![subtree(level); 1 << level];
        let vacancies = (0..levels).map(counts).collect();
        Ok(PHeap { tree: Forest::new(1, levels), vacancies })
    }

    /// The number of levels: stages of the pipeline.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.vacancies.len()
    }

    #[inline]
    fn vacancies(&mut self, node: Node) -> &mut u32 {
        &mut self.vacancies[node.level][node.index]
    }

    /// One level of an enqueue; the token for the next level, if it goes on.
    #[inline]
    fn enqueue_step(&mut self, token: Token<R, T>) -> Option<Token<R, T>> {
        let node = token.node;
        *self.vacancies(node) -= 1;
        let element = self.tree.offer(node, token.element)?;
        let left_is_full = *self.vacancies(node.child(false)) == 0;
        Some(Token { node: node.child(left_is_full), element })
    }

    /// One level of a dequeue, which has vacated `node`; the node vacated in its place, if any.
    #[inline]
    fn dequeue_step(&mut self, node: Node) -> Option<Node> {
        *self.vacancies(node) += 1;
        let child = self.tree.smaller_child(node)?;
        self.tree.promote(node, child);
        Some(child)
    }
}

impl<R: Copy + Ord, T> RankedQueue for PHeap<R, T> {
    type Rank = R;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        if *self.vacancies(ROOT) == 0 {
            return Err(Rejected {
                rank,
                item,
                reason: Reason::Full { capacity: self.capacity() },
            });
        }
        let mut token = Some(Token { node: ROOT, element: (rank, item) });
        while let Some(arrived) = token {
            token = self.enqueue_step(arrived);
        }
        Ok(())
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        let popped = self.tree.take(ROOT)?;
        let mut vacated = Some(ROOT);
        while let Some(node) = vacated {
            vacated = self.dequeue_step(node);
        }
        Some(popped)
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        self.tree.get(ROOT).map(|(rank, item)| (*rank, item))
    }

    #[inline]
    fn replace(&mut self, rank: R, item: T) -> Replaced<R, T> {
        let popped = self.tree.take(ROOT);
        if popped.is_none() {
            return Replaced { popped, pushed: self.push(rank, item) };
        }
        self.tree.sink(ROOT, (rank, item));
        Replaced { popped, pushed: Ok(()) }
    }

    fn len(&self) -> usize {
        self.capacity() - self.vacancies[0][0] as usize
    }

    fn capacity(&self) -> usize {
        (1 << self.levels()) - 1
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.tree.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::checks::{drive, steps};
    use proptest::prelude::*;

    /// Heap order, and every count the sum of those below and of the node itself.
    fn assert_holds(heap: &PHeap<u8, u32>) {
        assert!(heap.tree.is_heap());
        for (level, counts) in heap.vacancies.iter().enumerate() {
            for (index, &count) in counts.iter().enumerate() {
                let node = Node { level, index };
                let below = |right: bool| {
                    let child = node.child(right);
                    heap.vacancies.get(child.level).map_or(0, |counts| counts[child.index])
                };
                let own = u32::from(heap.tree.get(node).is_none());
                assert_eq!(count, own + below(false) + below(true), "{node:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn counts_and_order_hold(capacity in 1usize..40, steps in steps()) {
            drive(PHeap::new(capacity).unwrap(), &steps, assert_holds);
        }
    }

    #[test]
    fn an_insertion_goes_left_where_there_is_room() {
        let mut heap = PHeap::new(7).unwrap();
        for rank in 1..=4 {
            heap.push(rank, 0_u32).unwrap();
        }
        // Depth first: 1 at the root, 2 on its left, 3 and 4 below that; the right subtree is
        // untouched.
        assert_eq!(heap.vacancies, [alloc::vec![3], alloc::vec![0, 3], alloc::vec![0, 0, 1, 1]]);
    }
}
