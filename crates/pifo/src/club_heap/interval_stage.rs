//! The CMP stage of the interval ClubHeap: one level's part in serving the smallest and the
//! largest.
//!
//! Source: ours, from clubheap §4.3 and the interval heap (van Leeuwen and Wood, 1993). A cluster
//! of `K` elements is sorted; of a full one the first `K / 2` are the low part, the others the high
//! part, and everything below lies between the two. Taken are the first or the last element; what
//! refills the low part is the smallest of the children, the high part their largest. Both are kept
//! here, so a level needs no more than its own node: the argument of clubheap §3.2 holds at each
//! end, with `K / 2` in place of `K`. Hence `K >= 4`.
//!
//! A subtree of one element shows it in either place, as its smallest and its largest; where a
//! place is empty the rest of the cluster is empty.
//!
//! A classic interval heap fills a vacancy with the last leaf, which then may have to sink on one
//! side, cross over, and rise on the other. Here vacancies move down and elements up by one level
//! each, so one pass is enough.
//!
//! Complexity per level: a push two comparisons with the cluster and two with a child, a pop
//! `W - 1` comparisons of children, a replace all of these; each two shifts of less than `K`
//! elements.

use super::balance::{fewest, gained, lost};
use super::cluster::{Cluster, Element, Slot};
use super::forest::{End, Stage, Step, Taken};
use super::level::{Node, largest_child, smallest_child};

/// Clusters that give up their smallest and their largest.
#[derive(Clone, Copy)]
pub(super) struct BothEnds;

/// An operation on its way down.
pub(super) enum Op<R, T> {
    /// All is done, but the node may be new.
    Nothing,
    /// This element is in the subtree from now on, neither its smallest nor its largest.
    Push(Element<R, T>),
    /// The element at that end has been taken.
    Pop(End),
    /// The smallest has been taken, and this element is in the subtree from now on, not its
    /// largest.
    Replace(Element<R, T>),
}

impl BothEnds {
    /// Takes the smallest element of a subtree.
    #[inline]
    pub(super) fn pop_min<R, T>(ends: &mut [Slot<R, T>]) -> Option<Taken<R, T, Op<R, T>>> {
        let slot = ends.iter_mut().find(|slot| slot.is_some())?;
        Some((slot.take()?, Op::Pop(End::Min)))
    }

    /// Takes the largest element of a subtree.
    #[inline]
    pub(super) fn pop_max<R, T>(ends: &mut [Slot<R, T>]) -> Option<Taken<R, T, Op<R, T>>> {
        let slot = ends.iter_mut().rev().find(|slot| slot.is_some())?;
        Some((slot.take()?, Op::Pop(End::Max)))
    }
}

impl<R: Copy + Ord, T> Stage<R, T> for BothEnds {
    const ENDS: usize = 2;
    type Op = Op<R, T>;

    #[inline]
    fn push(ends: &mut [Slot<R, T>], mut element: Element<R, T>) -> Op<R, T> {
        let [min, max] = ends else { return Op::Push(element) }; // not reached: ENDS = 2
        match (min.as_mut(), max.as_mut()) {
            (Some(low), Some(high)) => {
                if element.rank < low.rank {
                    core::mem::swap(low, &mut element);
                } else if element.rank > high.rank {
                    core::mem::swap(high, &mut element);
                }
                return Op::Push(element);
            }
            (None, None) => *min = Some(element),
            (Some(one), None) | (None, Some(one)) => {
                if element.rank < one.rank {
                    core::mem::swap(one, &mut element);
                }
                let smaller = min.take().or_else(|| max.take());
                (*min, *max) = (smaller, Some(element));
            }
        }
        Op::Nothing
    }

    #[inline]
    fn replace(
        ends: &mut [Slot<R, T>],
        mut element: Element<R, T>,
    ) -> Result<Taken<R, T, Op<R, T>>, Element<R, T>> {
        let Some((popped, _)) = BothEnds::pop_min(ends) else { return Err(element) };
        if let Some(Some(max)) = ends.last_mut()
            && element.rank > max.rank
        {
            core::mem::swap(max, &mut element);
        }
        Ok((popped, Op::Replace(element)))
    }

    #[inline]
    fn stores(op: &Op<R, T>) -> bool {
        matches!(op, Op::Push(_))
    }

    #[inline]
    fn compare(node: Node<'_, R, T>, op: Op<R, T>) -> Step<R, T, Op<R, T>> {
        match op {
            Op::Nothing => Step::settled(),
            Op::Push(element) => push(node, element),
            Op::Pop(End::Min) => pop_min(node),
            Op::Pop(End::Max) => pop_max(node),
            Op::Replace(element) => replace(node, element),
        }
    }

    fn between(cluster: &[Slot<R, T>]) -> (Option<R>, Option<R>) {
        let rank = |at: usize| cluster.get(at)?.as_ref().map(|element| element.rank);
        let low = low_part(cluster.len());
        (rank(low - 1), rank(low))
    }
}

/// Of a full cluster's `rest` elements without the outer two, how many are in the low part:
/// `K / 2 - 1`.
#[inline]
fn low_part(rest: usize) -> usize {
    rest / 2
}

/// The outer elements of `child`.
#[inline]
fn of<R, T>(ends: &mut [Slot<R, T>], child: usize) -> &mut [Slot<R, T>] {
    &mut ends[2 * child..2 * child + 2]
}

/// Puts an element into the high part, which begins at place `high`, if it belongs there, and takes
/// out the one that must lie below instead.
#[inline]
fn below_high<R: Copy + Ord, T>(
    cluster: &mut Cluster<'_, R, T>,
    high: usize,
    element: Element<R, T>,
) -> Element<R, T> {
    if cluster.rank(high).is_some_and(|min| element.rank > min) {
        cluster.exchange(high, element)
    } else {
        element
    }
}

/// Keeps what belongs to either part; the rest goes to the child with the fewest.
#[inline]
fn push<R: Copy + Ord, T>(
    mut node: Node<'_, R, T>,
    element: Element<R, T>,
) -> Step<R, T, Op<R, T>> {
    if !node.cluster.is_full() {
        node.cluster.insert(element);
        return Step::settled();
    }
    let low = low_part(node.cluster.len()); // at least 1: K >= 4
    let element = if node.cluster.rank(low - 1).is_some_and(|max| element.rank < max) {
        node.cluster.exchange(low - 1, element)
    } else {
        below_high(&mut node.cluster, low, element)
    };
    let child = fewest(node.differences);
    gained(node.differences, child);
    let op = BothEnds::push(of(node.ends, child), element);
    Step { new_end: None, down: Some((child, op)) }
}

/// Gives up the first element; the smallest of the children joins the low part.
#[inline]
fn pop_min<R: Copy + Ord, T>(mut node: Node<'_, R, T>) -> Step<R, T, Op<R, T>> {
    let new_end = node.cluster.remove(0).map(|min| (End::Min, min));
    let down = smallest_child(node.ends, 2).and_then(|(child, _)| {
        let taken = BothEnds::pop_min(of(node.ends, child))?;
        Some(raise(&mut node, child, taken))
    });
    Step { new_end, down }
}

/// Gives up the last element; the largest of the children joins the high part.
#[inline]
fn pop_max<R: Copy + Ord, T>(mut node: Node<'_, R, T>) -> Step<R, T, Op<R, T>> {
    let new_end = node.cluster.remove_last().map(|max| (End::Max, max));
    let down = largest_child(node.ends, 2).and_then(|(child, _)| {
        let taken = BothEnds::pop_max(of(node.ends, child))?;
        Some(raise(&mut node, child, taken))
    });
    Step { new_end, down }
}

/// Moves an element taken from `child` into the cluster.
#[inline]
fn raise<R: Copy + Ord, T>(
    node: &mut Node<'_, R, T>,
    child: usize,
    (raised, op): Taken<R, T, Op<R, T>>,
) -> (usize, Op<R, T>) {
    node.cluster.insert(raised);
    lost(node.differences, child);
    (child, op)
}

/// Settles the new element here if it is smaller than all below; else the smallest below rises, and
/// the new element, or the one it displaces from the high part, takes its place. Subtrees keep
/// their sizes.
#[inline]
fn replace<R: Copy + Ord, T>(
    mut node: Node<'_, R, T>,
    element: Element<R, T>,
) -> Step<R, T, Op<R, T>> {
    let (element, down) = match smallest_child(node.ends, 2) {
        Some((child, rank)) if rank <= element.rank => {
            let high = low_part(node.cluster.len());
            let element = below_high(&mut node.cluster, high, element);
            match BothEnds::replace(of(node.ends, child), element) {
                Ok((raised, op)) => (raised, Some((child, op))),
                Err(element) => (element, None), // not reached: the child has just shown an element
            }
        }
        _ => (element, None),
    };
    let min = node.cluster.exchange_first(element);
    Step { new_end: Some((End::Min, min)), down }
}
