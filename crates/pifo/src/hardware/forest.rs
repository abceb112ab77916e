//! Binary trees of equal height over shared levels: the memory of the hardware heaps.
//!
//! Source: one memory per level, so that a stage of a pipeline owns it (P-Heap, Pipelined heap;
//! clubheap §2.2, §2.3). Several trees share the levels by the static mapping that thesis §4.4.1
//! describes for tree-like queues. The papers leave the addresses open. Here tree `t` has its root
//! at index `t` of level 0, and the children of index `i` are `2i` and `2i + 1` of the next level,
//! so every level is `t` runs of its width and one rule serves any number of trees.
//!
//! Complexity: a pass from a root to the bottom visits each level once. Memory: a rank, an item and
//! a mark of presence per node, occupied or not.

use alloc::vec::Vec;

/// A place in a [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub level: usize,
    pub index: usize,
}

impl Node {
    /// The root of tree number `tree`.
    #[inline]
    pub(super) fn root(tree: usize) -> Node {
        Node { level: 0, index: tree }
    }

    /// The left child, or the right one.
    #[inline]
    pub(super) fn child(self, right: bool) -> Node {
        Node { level: self.level + 1, index: 2 * self.index + usize::from(right) }
    }
}

/// Trees of which every node has a place for one element.
#[derive(Clone)]
pub(super) struct Forest<R, T> {
    levels: Vec<Vec<Option<(R, T)>>>,
}

impl<R: Copy + Ord, T> Forest<R, T> {
    pub(super) fn new(trees: usize, levels: usize) -> Self {
        let level = |number: usize| (0..trees << number).map(|_| None).collect();
        Forest { levels: (0..levels).map(level).collect() }
    }

    /// The element at `node`; nothing below the last level.
    #[inline]
    pub(super) fn get(&self, node: Node) -> Option<&(R, T)> {
        self.levels.get(node.level)?.get(node.index)?.as_ref()
    }

    /// Takes the element at `node`.
    #[inline]
    pub(super) fn take(&mut self, node: Node) -> Option<(R, T)> {
        self.levels[node.level][node.index].take()
    }

    /// One stage of an insertion: a vacant node keeps the element, an occupied one keeps the
    /// smaller of the two and hands on the other.
    #[inline]
    pub(super) fn offer(&mut self, node: Node, element: (R, T)) -> Option<(R, T)> {
        let slot = &mut self.levels[node.level][node.index];
        match slot {
            Some(kept) if kept.0 <= element.0 => Some(element),
            _ => slot.replace(element),
        }
    }

    /// The child of `node` with the smaller rank, the left one if equal; nothing if neither has an
    /// element.
    #[inline]
    pub(super) fn smaller_child(&self, node: Node) -> Option<Node> {
        let (left, right) = (node.child(false), node.child(true));
        match (self.get(left), self.get(right)) {
            (Some(a), Some(b)) if b.0 < a.0 => Some(right),
            (Some(_), _) => Some(left),
            (None, Some(_)) => Some(right),
            (None, None) => None,
        }
    }

    /// Moves the element of `child` up into its vacant parent.
    #[inline]
    pub(super) fn promote(&mut self, parent: Node, child: Node) {
        let element = self.take(child);
        self.levels[parent.level][parent.index] = element;
    }

    /// Lets `element` sink from the vacant `node`: one pass down, smaller children rise.
    #[inline]
    pub(super) fn sink(&mut self, mut node: Node, element: (R, T)) {
        while let Some(child) = self.smaller_child(node) {
            if self.get(child).is_none_or(|(rank, _)| element.0 <= *rank) {
                break;
            }
            self.promote(node, child);
            node = child;
        }
        self.levels[node.level][node.index] = Some(element);
    }

    /// Every element, level by level.
    pub(super) fn iter(&self) -> impl Iterator<Item = (R, &T)> {
        self.levels.iter().flatten().flatten().map(|(rank, item)| (*rank, item))
    }

    /// Whether no element is smaller than its parent, and none has a vacant parent.
    #[cfg(test)]
    pub(super) fn is_heap(&self) -> bool {
        let parents = self.levels.iter().enumerate().flat_map(|(level, nodes)| {
            nodes.iter().enumerate().map(move |(index, slot)| (Node { level, index }, slot))
        });
        parents.into_iter().all(|(node, slot)| {
            [false, true]
                .into_iter()
                .filter_map(|right| self.get(node.child(right)))
                .all(|child| slot.as_ref().is_some_and(|parent| parent.0 <= child.0))
        })
    }
}
