//! The memory of one level: nodes in sibling groups, given out by address or from a free list.
//!
//! Source: clubheap §4.2 (Fig. 6) and §4.4 (Figs 8, 9). A node is one word: its cluster without the
//! outer elements, then the outer elements of each of its children, then differences and a pointer.
//! The free list is a stack threaded through the pointer of the first node of each free group.
//!
//! Where the paper says that bottom nodes need no pointer, they need one as soon as their own level
//! has a free list. Hardware links the whole memory at reset; here a level grows when it is first
//! used, to at most its size in [`ClubGeometry`](super::ClubGeometry), so that an empty heap is
//! small. A fresh group is taken when the stack is empty, which gives the addresses that an
//! ascending stack would give.
//!
//! Hardware computes the address of a group of a static level. Here it is a pointer as well, set
//! when the group first stores something and kept for good, so that a high number reserves nothing
//! for those below.
//!
//! Complexity: allocation, release and addressing O(1); growth amortized. Memory: per node
//! `K - ends + ends · W` slots, `W - 1` differences and eight bytes.

use alloc::vec::Vec;

use super::cluster::{Cluster, Slot};
use super::geometry::LevelSize;

/// No group.
pub(super) const NULL: u32 = u32::MAX;

/// What a node has besides elements and differences.
#[derive(Clone, Copy)]
struct Fields {
    filled: u32,
    /// The group of its children; in a free group's first node, the next free group.
    pointer: u32,
}

/// A node as the CMP stage sees it.
pub(super) struct Node<'a, R, T> {
    /// The cluster without its outer elements.
    pub cluster: Cluster<'a, R, T>,
    /// The outer elements of each child's cluster, child by child; none at the bottom.
    pub ends: &'a mut [Slot<R, T>],
    pub differences: &'a mut [i32],
}

impl<R, T> Node<'_, R, T> {
    /// What a node that stores nothing amounts to, for operations that bring nothing to store.
    #[inline]
    pub(super) fn bare(filled: &mut u32) -> Node<'_, R, T> {
        let cluster = Cluster { slots: &mut [], filled };
        Node { cluster, ends: &mut [], differences: &mut [] }
    }
}

/// A node as a reader sees it.
pub(super) struct View<'a, R, T> {
    /// The slots of the cluster without its outer elements.
    pub cluster: &'a [Slot<R, T>],
    /// How many of them should hold something.
    pub filled: usize,
    /// The outer elements of each child's cluster.
    pub ends: &'a [Slot<R, T>],
    pub differences: &'a [i32],
}

impl<R, T> View<'_, R, T> {
    /// A node without memory.
    pub(super) const BARE: Self = View { cluster: &[], filled: 0, ends: &[], differences: &[] };
}

/// One level.
#[derive(Clone)]
pub(super) struct Level<R, T> {
    slots: Vec<Slot<R, T>>,
    fields: Vec<Fields>,
    differences: Vec<i32>,
    /// Slots of a node for its cluster.
    cluster: usize,
    /// Slots of a node for its children's outer elements.
    ends: usize,
    /// Difference fields of a node.
    balance: usize,
    size: LevelSize,
    free: u32,
}

impl<R, T> Level<R, T> {
    /// An empty level. `cluster` and `ends` are slots per node; `balance` is its difference fields.
    pub(super) fn new(size: LevelSize, cluster: usize, ends: usize, balance: usize) -> Self {
        Level {
            slots: Vec::new(),
            fields: Vec::new(),
            differences: Vec::new(),
            cluster,
            ends,
            balance,
            size,
            free: NULL,
        }
    }

    pub(super) fn size(&self) -> &LevelSize {
        &self.size
    }

    /// Groups that have been in use so far.
    pub(super) fn groups(&self) -> usize {
        self.fields.len() / self.size.siblings
    }

    /// The address of a node in `group`.
    #[inline]
    pub(super) fn address(&self, group: usize, sibling: usize) -> usize {
        group * self.size.siblings + sibling
    }

    #[cold]
    fn grow(&mut self, nodes: usize) {
        self.slots.resize_with(nodes * (self.cluster + self.ends), || None);
        self.fields.resize(nodes, Fields { filled: 0, pointer: NULL });
        self.differences.resize(nodes * self.balance, 0);
    }

    /// A group from the free list, or a fresh one.
    #[inline]
    pub(super) fn allocate(&mut self) -> u32 {
        let group = self.free;
        if group == NULL {
            let fresh = self.groups();
            debug_assert!(fresh < self.size.groups, "the bound on groups is wrong");
            self.grow(self.address(fresh + 1, 0));
            return fresh as u32; // fits: at most W · N nodes
        }
        let first = self.address(group as usize, 0);
        self.free = core::mem::replace(&mut self.fields[first].pointer, NULL);
        group
    }

    /// Puts a group, all empty, on the free list.
    #[inline]
    pub(super) fn release(&mut self, group: u32) {
        let first = self.address(group as usize, 0);
        self.fields[first].pointer = self.free;
        self.free = group;
    }

    /// The free groups, from the top of the stack; at most as many as there are.
    pub(super) fn free_groups(&self) -> impl Iterator<Item = usize> {
        let next = |&group: &u32| {
            let first = self.address(group as usize, 0);
            Some(self.fields.get(first)?.pointer).filter(|&next| next != NULL)
        };
        let top = Some(self.free).filter(|&group| group != NULL);
        core::iter::successors(top, next).map(|group| group as usize).take(self.groups() + 1)
    }

    #[inline]
    pub(super) fn pointer(&self, node: usize) -> u32 {
        self.fields[node].pointer
    }

    #[inline]
    pub(super) fn set_pointer(&mut self, node: usize, group: u32) {
        self.fields[node].pointer = group;
    }

    /// The node at an address that has been reached.
    #[inline]
    pub(super) fn node(&mut self, node: usize) -> Node<'_, R, T> {
        let word = self.cluster + self.ends;
        let (slots, ends) = self.slots[node * word..(node + 1) * word].split_at_mut(self.cluster);
        Node {
            cluster: Cluster { slots, filled: &mut self.fields[node].filled },
            ends,
            differences: &mut self.differences[node * self.balance..(node + 1) * self.balance],
        }
    }

    /// The outer elements of the children of `node`.
    #[inline]
    pub(super) fn ends_mut(&mut self, node: usize) -> &mut [Slot<R, T>] {
        let word = self.cluster + self.ends;
        &mut self.slots[node * word + self.cluster..(node + 1) * word]
    }

    /// The node at an address that has been reached, to look at.
    pub(super) fn look(&self, node: usize) -> View<'_, R, T> {
        let word = self.cluster + self.ends;
        let (cluster, ends) = self.slots[node * word..(node + 1) * word].split_at(self.cluster);
        View {
            cluster,
            filled: self.fields[node].filled as usize,
            ends,
            differences: &self.differences[node * self.balance..(node + 1) * self.balance],
        }
    }

    /// Every slot of every node.
    pub(super) fn slots(&self) -> core::slice::Iter<'_, Slot<R, T>> {
        self.slots.iter()
    }
}

/// The child whose smallest element is the smallest; the leftmost of several, none if all are
/// empty. `each` is the number of outer elements kept per child.
#[inline]
pub(super) fn smallest_child<R: Copy + Ord, T>(
    ends: &[Slot<R, T>],
    each: usize,
) -> Option<(usize, R)> {
    let children = ends.chunks_exact(each).enumerate();
    let smallest = |(child, ends): (usize, &[Slot<R, T>])| {
        ends.iter().flatten().next().map(|element| (child, element.rank))
    };
    children.filter_map(smallest).min_by_key(|&(_, rank)| rank)
}

/// The child whose largest element is the largest; none if all are empty.
#[inline]
pub(super) fn largest_child<R: Copy + Ord, T>(
    ends: &[Slot<R, T>],
    each: usize,
) -> Option<(usize, R)> {
    let children = ends.chunks_exact(each).enumerate();
    let largest = |(child, ends): (usize, &[Slot<R, T>])| {
        ends.iter().rev().flatten().next().map(|element| (child, element.rank))
    };
    children.filter_map(largest).max_by_key(|&(_, rank)| rank)
}
