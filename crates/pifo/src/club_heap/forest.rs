//! The levels of all logical PIFOs, and the one pass down through them.
//!
//! Source: clubheap §4.1 and §4.3 (Figs 5 to 8). A level does READ (find the node), CMP (the
//! [`Stage::compare`] of the structure) and WRITE (its new outer element goes to the level above).
//! In hardware each level does this for another operation in the same cycle; here one operation
//! goes through all levels in turn, which gives the same states, because every level sees all
//! operations in the same order. A no-op ends the pass as soon as it has made room for a new child.
//!
//! The paper's READ takes a group whenever the pointer is null, before it is known whether an
//! element will come, and a no-op that finds both siblings empty gives it back. Here a group is
//! taken when an element comes. What is left after the operation is the same. A static level (roots
//! are one) gets the memory of a group when it first has something to store, since what is in a
//! head or in the parent needs none.
//!
//! Complexity: O(depth · (W + K)) moves and O(depth · (W + log K)) comparisons for every operation.

use alloc::vec::Vec;

use super::cluster::{Element, Slot};
use super::geometry::{ClubGeometry, LevelSize};
use super::level::{Level, NULL, Node};
use crate::ranked::{Reason, Rejected, Replaced};

/// An end of a cluster, and the place of its element among those that a parent keeps for a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Min = 0,
    Max = 1,
}

/// An element taken from a subtree, and the operation that fills its place.
pub(super) type Taken<R, T, O> = (Element<R, T>, O);

/// What one level's CMP sends out.
pub(super) struct Step<R, T, O> {
    /// Upwards (`new_min`): the outer element that replaces the one taken from the parent.
    pub new_end: Option<(End, Element<R, T>)>,
    /// Downwards (`select_child` and `op`).
    pub down: Option<(usize, O)>,
}

impl<R, T, O> Step<R, T, O> {
    /// Nothing is left to do.
    #[inline]
    pub(super) fn settled() -> Self {
        Step { new_end: None, down: None }
    }
}

/// The rule of a clustered heap: what its nodes keep, and its CMP stage.
pub(super) trait Stage<R: Copy + Ord, T> {
    /// The outer elements of a cluster that are kept in the parent.
    const ENDS: usize;

    /// An operation on its way down. Its effect on the node's outer elements has been done by the
    /// parent.
    type Op;

    /// Brings an element to a subtree of which `ends` are the outer elements.
    fn push(ends: &mut [Slot<R, T>], element: Element<R, T>) -> Self::Op;

    /// Takes the smallest element of a subtree and brings another to it, or gives the other back if
    /// the subtree is empty.
    fn replace(
        ends: &mut [Slot<R, T>],
        element: Element<R, T>,
    ) -> Result<Taken<R, T, Self::Op>, Element<R, T>>;

    /// Whether an operation brings an element that the node, or one below it, must store. If not, a
    /// node without memory can do it.
    fn stores(op: &Self::Op) -> bool;

    /// Does an operation on one node.
    fn compare(node: Node<'_, R, T>, op: Self::Op) -> Step<R, T, Self::Op>;

    /// Between which ranks of a full cluster, given without its outer elements, its children must
    /// lie.
    fn between(cluster: &[Slot<R, T>]) -> (Option<R>, Option<R>);
}

/// A clustered heap for each logical PIFO over shared levels.
#[derive(Clone)]
pub(super) struct Forest<R, T, S, const WAYS: usize> {
    geometry: ClubGeometry,
    /// The outer elements of the roots: the head registers above level 1.
    heads: Vec<Slot<R, T>>,
    /// Where each root is in the memory of level 1; none until it has something to store.
    roots: Vec<u32>,
    lens: Vec<u32>,
    len: usize,
    levels: Vec<Level<R, T>>,
    stage: core::marker::PhantomData<S>,
}

impl<R: Copy + Ord, T, S: Stage<R, T>, const WAYS: usize> Forest<R, T, S, WAYS> {
    /// An empty forest; `geometry` is for `WAYS`.
    pub(super) fn new(geometry: ClubGeometry) -> Self {
        let (sizes, rest) = (geometry.level_sizes(), geometry.cluster() - S::ENDS);
        let bottom = sizes.len();
        let level = |size: LevelSize| match size.level {
            leaf if leaf == bottom => Level::new(size, rest, 0, 0),
            _ => Level::new(size, rest, S::ENDS * WAYS, WAYS - 1),
        };
        let mut heads = Vec::new();
        heads.resize_with(geometry.partitions() * S::ENDS, || None);
        Forest {
            lens: alloc::vec![0; geometry.partitions()],
            len: 0,
            heads,
            roots: alloc::vec![NULL; geometry.partitions()],
            levels: sizes.into_iter().map(level).collect(),
            geometry,
            stage: core::marker::PhantomData,
        }
    }

    pub(super) fn geometry(&self) -> &ClubGeometry {
        &self.geometry
    }

    pub(super) fn levels(&self) -> &[Level<R, T>] {
        &self.levels
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The elements of a partition; zero if there is no such partition.
    pub(super) fn len_in(&self, partition: usize) -> usize {
        self.lens.get(partition).map_or(0, |&len| len as usize)
    }

    /// The outer elements of a partition.
    #[inline]
    pub(super) fn head(&self, partition: usize) -> Option<&[Slot<R, T>]> {
        self.heads.chunks_exact(S::ENDS).nth(partition)
    }

    /// Where the root of a partition is; none while it stores nothing.
    pub(super) fn root(&self, partition: usize) -> Option<usize> {
        let &root = self.roots.get(partition)?;
        (root != NULL).then_some(root as usize)
    }

    /// The smallest element of a partition.
    #[inline]
    pub(super) fn smallest(&self, partition: usize) -> Option<(R, &T)> {
        let element = self.head(partition)?.iter().flatten().next()?;
        Some((element.rank, &element.item))
    }

    /// The largest element of a partition, where the outer elements include it.
    #[inline]
    pub(super) fn largest(&self, partition: usize) -> Option<(R, &T)> {
        let element = self.head(partition)?.iter().rev().flatten().next()?;
        Some((element.rank, &element.item))
    }

    /// Every element once.
    pub(super) fn iter(&self) -> impl Iterator<Item = (R, &T)> {
        let below = self.levels.iter().flat_map(Level::slots);
        self.heads.iter().chain(below).flatten().map(|element| (element.rank, &element.item))
    }

    pub(super) fn push(
        &mut self,
        partition: usize,
        rank: R,
        item: T,
    ) -> Result<(), Rejected<R, T>> {
        let reason = if partition >= self.lens.len() {
            Reason::NoSuchPartition { partitions: self.lens.len() }
        } else if self.len >= self.geometry.capacity() {
            Reason::Full { capacity: self.geometry.capacity() }
        } else {
            let op = S::push(self.head_mut(partition), Element { rank, item });
            self.descend(partition, op);
            self.lens[partition] += 1;
            self.len += 1;
            return Ok(());
        };
        Err(Rejected { rank, item, reason })
    }

    /// Takes an element as `pop` takes it from the outer elements of a subtree.
    pub(super) fn pop(
        &mut self,
        partition: usize,
        pop: impl FnOnce(&mut [Slot<R, T>]) -> Option<Taken<R, T, S::Op>>,
    ) -> Option<(R, T)> {
        if partition >= self.lens.len() {
            return None;
        }
        let (popped, op) = pop(self.head_mut(partition))?;
        self.descend(partition, op);
        self.lens[partition] -= 1;
        self.len -= 1;
        Some((popped.rank, popped.item))
    }

    /// A pop of the smallest and a push in one pass.
    pub(super) fn replace(&mut self, partition: usize, rank: R, item: T) -> Replaced<R, T> {
        let element = Element { rank, item };
        let replaced = match partition < self.lens.len() {
            true => S::replace(self.head_mut(partition), element),
            false => Err(element),
        };
        match replaced {
            Ok((popped, op)) => {
                self.descend(partition, op);
                Replaced { popped: Some((popped.rank, popped.item)), pushed: Ok(()) }
            }
            Err(Element { rank, item }) => {
                Replaced { popped: None, pushed: self.push(partition, rank, item) }
            }
        }
    }

    #[inline]
    fn head_mut(&mut self, partition: usize) -> &mut [Slot<R, T>] {
        &mut self.heads[partition * S::ENDS..(partition + 1) * S::ENDS]
    }

    /// Takes `op` down from the root of `partition`.
    fn descend(&mut self, partition: usize, mut op: S::Op) {
        // Of a root, the partition takes the place of the child; it has no parent.
        let (mut parent, mut child) = (0, partition);
        for level in 0..self.levels.len() {
            let Some(node) = self.read(level, parent, child, S::stores(&op)) else {
                let step = S::compare(Node::bare(&mut 0), op);
                self.write(level, parent, child, step.new_end);
                return; // there is nothing below
            };
            let step = S::compare(self.levels[level].node(node), op);
            self.write(level, parent, child, step.new_end);
            let Some((next_child, next_op)) = step.down else { return };
            (parent, child, op) = (node, next_child, next_op);
        }
    }

    /// READ: the address of a node, with a group for it if it is the first of its siblings to be
    /// used. None on a static level where nothing has been stored and nothing `stores` now.
    #[inline]
    fn read(&mut self, level: usize, parent: usize, child: usize, stores: bool) -> Option<usize> {
        let (above, below) = self.levels.split_at_mut(level);
        let (above, this) = (above.last_mut(), &mut below[0]);
        let (group, sibling) = match &above {
            None => (self.roots[child], 0),
            Some(above) => (above.pointer(parent), child),
        };
        if group != NULL {
            return Some(this.address(group as usize, sibling));
        }
        if !stores && !this.size().dynamic {
            return None;
        }
        let group = this.allocate();
        match above {
            None => self.roots[child] = group,
            Some(above) => above.set_pointer(parent, group),
        }
        Some(this.address(group as usize, sibling))
    }

    /// WRITE: the new outer element of a node goes to its parent; siblings that are now all empty
    /// give their group back.
    #[inline]
    fn write(
        &mut self,
        level: usize,
        parent: usize,
        child: usize,
        new_end: Option<(End, Element<R, T>)>,
    ) {
        // A root has no siblings: of all heads, only its own partition's are looked at.
        let (ends, first) = match level {
            0 => (self.head_mut(child), 0),
            _ => (self.levels[level - 1].ends_mut(parent), child * S::ENDS),
        };
        if let Some((end, element)) = new_end {
            ends[first + end as usize] = Some(element);
            return;
        }
        if !self.levels[level].size().dynamic {
            return; // as every root is
        }
        let above = &mut self.levels[level - 1];
        if above.ends_mut(parent).iter().all(Option::is_none) {
            let group = above.pointer(parent);
            above.set_pointer(parent, NULL);
            self.levels[level].release(group);
        }
    }
}
