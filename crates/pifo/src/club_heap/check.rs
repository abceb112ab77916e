//! Whether a clustered heap is one: its definition, its corollaries, its fields and its free lists.
//!
//! Source: the definition and Corollaries 1 and 2 of clubheap §3.1, the difference field of §4.2,
//! the pointers and free lists of §4.4. Tests call it after every operation. O(n) time, O(groups)
//! memory.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::cluster::Slot;
use super::forest::{Forest, Stage};
use super::level::{NULL, View};

/// The first thing found wrong with a clustered heap, with the level (the root's is 1) and the
/// node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClubFault {
    /// The elements of a cluster are out of order, or not those that its count says.
    Cluster {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Where: the node on its level.
        node: usize,
    },
    /// An element does not lie where its ancestors' clusters allow it.
    Order {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Where: the node on its level.
        node: usize,
    },
    /// Corollary 1: a node that is not full has a child that is not empty.
    NotCompact {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Where: the node on its level.
        node: usize,
    },
    /// Corollary 2: a level has more non-empty nodes than its bound.
    Population {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Its non-empty nodes.
        nodes: usize,
    },
    /// A difference field is not the difference of the counts.
    Balance {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Where: the node on its level.
        node: usize,
    },
    /// A pointer is set where there are no children, or null or shared where there are.
    Pointer {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Where: the node on its level.
        node: usize,
    },
    /// A group is neither in use nor free, or both, or the level has more groups than its size.
    FreeList {
        /// Where: the level, 0 at the root.
        level: usize,
        /// Where: the group of siblings on its level.
        group: usize,
    },
    /// A count of elements is wrong.
    Length {
        /// How many elements the levels hold, counted one by one.
        found: usize,
    },
}

impl fmt::Display for ClubFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ClubFault::Cluster { level, node } => {
                write!(f, "the cluster of node {node} at level {level} is not sorted and compact")
            }
            ClubFault::Order { level, node } => {
                write!(
                    f,
                    "node {node} at level {level} holds an element beyond its ancestors' bounds"
                )
            }
            ClubFault::NotCompact { level, node } => {
                write!(f, "node {node} at level {level} is not full and has children")
            }
            ClubFault::Population { level, nodes } => {
                write!(f, "level {level} has {nodes} non-empty nodes, more than Corollary 2 allows")
            }
            ClubFault::Balance { level, node } => {
                write!(f, "the difference field of node {node} at level {level} is wrong")
            }
            ClubFault::Pointer { level, node } => {
                write!(f, "the pointer of node {node} at level {level} is wrong")
            }
            ClubFault::FreeList { level, group } => {
                write!(f, "group {group} at level {level} is neither in use nor free, or both")
            }
            ClubFault::Length { found } => write!(f, "the counts miss the {found} elements found"),
        }
    }
}

impl core::error::Error for ClubFault {}

/// What a walk has seen of one level.
#[derive(Clone)]
struct Seen {
    /// Non-empty nodes.
    nodes: usize,
    /// How often each group was met, in use or free.
    groups: Vec<u8>,
}

/// The ranks that a subtree must lie between.
type Bounds<R> = (Option<R>, Option<R>);

impl<R: Copy + Ord, T, S: Stage<R, T>, const WAYS: usize> Forest<R, T, S, WAYS> {
    /// Checks everything that the head comment names.
    pub(super) fn check(&self) -> Result<(), ClubFault> {
        let unseen = |groups| Seen { nodes: 0, groups: vec![0; groups] };
        let mut seen: Vec<Seen> =
            self.levels().iter().map(|level| unseen(level.groups())).collect();
        let mut found = 0;
        for partition in 0..self.geometry().partitions() {
            let ends = self.head(partition).unwrap_or_default();
            let root = self.root(partition);
            meet(&mut seen[0], root, ClubFault::Pointer { level: 1, node: partition })?;
            let here = self.walk(0, root, ends, (None, None), &mut seen)?;
            if here != self.len_in(partition) {
                return Err(ClubFault::Length { found: here });
            }
            found += here;
        }
        if found != self.len() || found != self.iter().count() {
            return Err(ClubFault::Length { found });
        }
        self.check_levels(&mut seen)
    }

    /// Checks the subtree of `node`, if it has memory, with the outer elements `ends`; counts its
    /// elements.
    fn walk(
        &self,
        level: usize,
        address: Option<usize>,
        ends: &[Slot<R, T>],
        bounds: Bounds<R>,
        seen: &mut [Seen],
    ) -> Result<usize, ClubFault> {
        let view = address.map_or(View::BARE, |node| self.levels()[level].look(node));
        let View { cluster, filled, ends: children, differences } = view;
        let node = address.unwrap_or_default();
        seen[level].nodes += usize::from(ends.iter().any(Option::is_some));
        let ranks = ranks(ends, cluster, filled, level, node)?;
        let inside = |&rank: &R| {
            bounds.0.is_none_or(|low| low <= rank) && bounds.1.is_none_or(|high| rank <= high)
        };
        if !ranks.iter().all(inside) {
            return Err(ClubFault::Order { level: level + 1, node });
        }
        let childless = children.iter().all(Option::is_none);
        if !childless && ranks.len() < self.geometry().cluster() {
            return Err(ClubFault::NotCompact { level: level + 1, node });
        }
        let mut counts = vec![0; WAYS];
        if !children.is_empty() {
            let group = self.children_of(level, node, childless)?;
            meet(&mut seen[level + 1], group, ClubFault::Pointer { level: level + 1, node })?;
            let full = cluster.len() == filled;
            let inner = if full { S::between(cluster) } else { (None, None) };
            for (child, ends) in children.chunks_exact(S::ENDS).enumerate() {
                let address = group.map(|group| self.levels()[level + 1].address(group, child));
                counts[child] = self.walk(level + 1, address, ends, inner, seen)?;
            }
        }
        if balanced(differences, &counts) {
            Ok(ranks.len() + counts.iter().sum::<usize>())
        } else {
            Err(ClubFault::Balance { level: level + 1, node })
        }
    }

    /// The group of a node's children. On a dynamic level there is one if and only if there are
    /// children.
    fn children_of(
        &self,
        level: usize,
        node: usize,
        childless: bool,
    ) -> Result<Option<usize>, ClubFault> {
        let group = match self.levels()[level].pointer(node) {
            NULL => None,
            group => Some(group as usize),
        };
        if self.levels()[level + 1].size().dynamic && group.is_none() != childless {
            return Err(ClubFault::Pointer { level: level + 1, node });
        }
        Ok(group)
    }

    /// Corollary 2, the sizes, and that every group handed out is in use or on the free list.
    fn check_levels(&self, seen: &mut [Seen]) -> Result<(), ClubFault> {
        for (level, seen) in self.levels().iter().zip(seen) {
            let size = level.size();
            if seen.nodes > size.b1 || seen.nodes > size.b2 {
                return Err(ClubFault::Population { level: size.level, nodes: seen.nodes });
            }
            let fault = |group| ClubFault::FreeList { level: size.level, group };
            if seen.groups.len() > size.groups {
                return Err(fault(size.groups));
            }
            for group in level.free_groups() {
                match seen.groups.get_mut(group) {
                    Some(met) if *met == 0 => *met = 1,
                    _ => return Err(fault(group)),
                }
            }
            if let Some(lost) = seen.groups.iter().position(|&met| met != 1) {
                return Err(fault(lost));
            }
        }
        Ok(())
    }
}

/// Marks a group as in use, once.
fn meet(seen: &mut Seen, group: Option<usize>, fault: ClubFault) -> Result<(), ClubFault> {
    let Some(group) = group else { return Ok(()) };
    match seen.groups.get_mut(group) {
        Some(met) if *met == 0 => *met = 1,
        _ => return Err(fault),
    }
    Ok(())
}

/// Whether the difference fields are those of the counts.
fn balanced(differences: &[i32], counts: &[usize]) -> bool {
    let Some((&first, others)) = counts.split_first() else { return true };
    let agrees = |(&difference, &count): (&i32, &usize)| {
        i64::from(difference) == first as i64 - count as i64
    };
    differences.iter().zip(others).all(agrees)
}

/// The ranks of a node, its outer elements included, in order.
fn ranks<R: Copy + Ord, T>(
    ends: &[Slot<R, T>],
    slots: &[Slot<R, T>],
    filled: usize,
    level: usize,
    node: usize,
) -> Result<Vec<R>, ClubFault> {
    let min = ends.first().into_iter();
    let max = ends.get(1).into_iter();
    let ranks: Vec<R> = min.chain(slots).chain(max).flatten().map(|element| element.rank).collect();
    // A cluster whose outer elements are not all there has no others.
    let compact = slots.iter().take(filled).flatten().count() == filled
        && slots.iter().flatten().count() == filled
        && (filled == 0 || ends.iter().all(Option::is_some));
    if compact && ranks.is_sorted() {
        Ok(ranks)
    } else {
        Err(ClubFault::Cluster { level: level + 1, node })
    }
}
