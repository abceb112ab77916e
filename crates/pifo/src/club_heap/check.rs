//! Whether a clustered heap is one: its definition, its corollaries, its fields and its free lists.
//!
//! Source: the definition and Corollaries 1 and 2 of clubheap §3.1, the difference field of §4.2, the
//! pointers and free lists of §4.4. Tests call it after every operation. O(n) time, O(groups) memory.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::cluster::Slot;
use super::forest::{Forest, Stage};
use super::level::{NULL, View};

/// The first thing found wrong with a clustered heap, with the level (the root's is 1) and the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClubFault {
    /// The elements of a cluster are out of order, or not those that its count says.
    Cluster {
        /// The level.
        level: usize,
        /// The node.
        node: usize,
    },
    /// An element does not lie where its ancestors' clusters allow it.
    Order {
        /// The level.
        level: usize,
        /// The node.
        node: usize,
    },
    /// Corollary 1: a node that is not full has a child that is not empty.
    NotCompact {
        /// The level.
        level: usize,
        /// The node.
        node: usize,
    },
    /// Corollary 2: a level has more non-empty nodes than its bound.
    Population {
        /// The level.
        level: usize,
        /// Its non-empty nodes.
        nodes: usize,
    },
    /// A difference field is not the difference of the counts.
    Balance {
        /// The level.
        level: usize,
        /// The node.
        node: usize,
    },
    /// A pointer is set where there are no children, or null or shared where there are.
    Pointer {
        /// The level.
        level: usize,
        /// The node.
        node: usize,
    },
    /// A group is neither in use nor free, or both, or the level has more groups than its size.
    FreeList {
        /// The level.
        level: usize,
        /// The group.
        group: usize,
    },
    /// A count of elements is wrong.
    Length {
        /// The elements found.
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
#[derive(Clone, Debug)]
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
            let here = self.walk(0, partition, ends, (None, None), &mut seen)?;
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

    /// Checks the subtree of `node` with the outer elements `ends` and counts its elements.
    fn walk(
        &self,
        level: usize,
        node: usize,
        ends: &[Slot<R, T>],
        bounds: Bounds<R>,
        seen: &mut [Seen],
    ) -> Result<usize, ClubFault> {
        let outer = ends.iter().flatten().count();
        if self.levels()[level].groups() * self.levels()[level].size().siblings <= node {
            // Never reached: a root of nothing.
            let fault = ClubFault::Pointer { level: level + 1, node };
            return if outer == 0 { Ok(0) } else { Err(fault) };
        }
        let View { cluster, filled, ends: children, differences } = self.levels()[level].look(node);
        seen[level].nodes += usize::from(outer > 0);
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
        let group = self.children_of(level, node, childless)?;
        let mut counts = vec![0; WAYS];
        if let Some(group) = group.filter(|_| !childless) {
            self.meet(level, node, group, seen)?;
            let inner = S::between(&cluster[..filled]);
            for (child, ends) in children.chunks_exact(S::ENDS).enumerate() {
                let address = self.levels()[level + 1].address(group, child);
                counts[child] = self.walk(level + 1, address, ends, inner, seen)?;
            }
        }
        let differs = |(&difference, &count): (&i32, &usize)| {
            i64::from(difference) != counts[0] as i64 - count as i64
        };
        if differences.iter().zip(&counts[1..]).any(differs) {
            return Err(ClubFault::Balance { level: level + 1, node });
        }
        Ok(ranks.len() + counts.iter().sum::<usize>())
    }

    /// The group of a node's children, or none at the bottom and where the pointer is null.
    fn children_of(
        &self,
        level: usize,
        node: usize,
        childless: bool,
    ) -> Result<Option<usize>, ClubFault> {
        let Some(below) = self.levels().get(level + 1) else { return Ok(None) };
        if !below.size().dynamic {
            return Ok(Some(node));
        }
        match self.levels()[level].pointer(node) {
            NULL if childless => Ok(None),
            group if group != NULL && !childless => Ok(Some(group as usize)),
            _ => Err(ClubFault::Pointer { level: level + 1, node }),
        }
    }

    /// Marks a group as in use, once.
    fn meet(
        &self,
        level: usize,
        node: usize,
        group: usize,
        seen: &mut [Seen],
    ) -> Result<(), ClubFault> {
        match seen[level + 1].groups.get_mut(group) {
            Some(0) => {
                seen[level + 1].groups[group] = 1;
                Ok(())
            }
            _ => Err(ClubFault::Pointer { level: level + 1, node }),
        }
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
            if !size.dynamic {
                continue;
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
