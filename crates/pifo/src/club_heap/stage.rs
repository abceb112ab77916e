//! The CMP stage of ClubHeap: what one level does with an operation.
//!
//! Source: clubheap §4.3. The functions here and the combinational logic of the hardware
//! correspond: the node in, the operation in, the node out, `new_min` upwards, the next operation
//! downwards. The parent keeps the smallest element of the cluster, so a pop has been done by the
//! time it arrives, and what is left is to fill the vacancy.
//!
//! Complexity per level: a push one comparison at the end of the cluster and one with a child, a
//! pop `W - 1` comparisons of children, a replace both; each a shift of less than `K` elements.

use super::balance::{fewest, gained, lost};
use super::cluster::{Element, Slot};
use super::forest::{End, Stage, Step, Taken};
use super::level::{Node, smallest_child};

/// Clusters that give up their smallest: ClubHeap as published.
#[derive(Clone, Copy)]
pub(super) struct Smallest;

/// An operation on its way down.
pub(super) enum Op<R, T> {
    /// The paper's push of +∞: all is done, but the node may be new.
    Nothing,
    /// This element is in the subtree from now on, and not its smallest.
    Push(Element<R, T>),
    /// The smallest has been taken.
    Pop,
    /// The smallest has been taken, and this element is in the subtree from now on.
    Replace(Element<R, T>),
}

impl Smallest {
    /// Takes the smallest element of a subtree.
    #[inline]
    pub(super) fn pop<R, T>(ends: &mut [Slot<R, T>]) -> Option<Taken<R, T, Op<R, T>>> {
        Some((ends.first_mut()?.take()?, Op::Pop))
    }
}

impl<R: Copy + Ord, T> Stage<R, T> for Smallest {
    const ENDS: usize = 1;
    type Op = Op<R, T>;

    #[inline]
    fn push(ends: &mut [Slot<R, T>], element: Element<R, T>) -> Op<R, T> {
        match &mut ends[0] {
            None => {
                ends[0] = Some(element);
                Op::Nothing
            }
            Some(min) if element.rank < min.rank => Op::Push(core::mem::replace(min, element)),
            Some(_) => Op::Push(element),
        }
    }

    #[inline]
    fn replace(
        ends: &mut [Slot<R, T>],
        element: Element<R, T>,
    ) -> Result<Taken<R, T, Op<R, T>>, Element<R, T>> {
        match ends[0].take() {
            Some(min) => Ok((min, Op::Replace(element))),
            None => Err(element),
        }
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
            Op::Pop => pop(node),
            Op::Replace(element) => replace(node, element),
        }
    }

    fn between(cluster: &[Slot<R, T>]) -> (Option<R>, Option<R>) {
        (cluster.iter().flatten().next_back().map(|max| max.rank), None)
    }
}

/// Keeps the smaller elements; the largest goes to the child with the fewest.
#[inline]
fn push<R: Copy + Ord, T>(
    mut node: Node<'_, R, T>,
    mut element: Element<R, T>,
) -> Step<R, T, Op<R, T>> {
    if !node.cluster.is_full() {
        node.cluster.insert(element);
        return Step::settled();
    }
    let last = node.cluster.len() - 1; // K >= 2
    if node.cluster.rank(last).is_some_and(|max| element.rank < max) {
        element = node.cluster.exchange(last, element);
    }
    let child = fewest(node.differences);
    gained(node.differences, child);
    let op = Smallest::push(&mut node.ends[child..=child], element);
    Step { new_end: None, down: Some((child, op)) }
}

/// Gives up the first element; the smaller child's fills the end of the cluster.
#[inline]
fn pop<R: Copy + Ord, T>(mut node: Node<'_, R, T>) -> Step<R, T, Op<R, T>> {
    let new_end = node.cluster.remove_first().map(|min| (End::Min, min));
    let down = smallest_child(node.ends, 1).and_then(|(child, _)| {
        let (raised, op) = Smallest::pop(&mut node.ends[child..=child])?;
        node.cluster.insert(raised);
        lost(node.differences, child);
        Some((child, op))
    });
    Step { new_end, down }
}

/// Settles the new element here if it is smaller than all children; else it takes the place of a
/// child's smallest, which rises. Subtrees keep their sizes.
#[inline]
fn replace<R: Copy + Ord, T>(
    mut node: Node<'_, R, T>,
    element: Element<R, T>,
) -> Step<R, T, Op<R, T>> {
    let (element, down) = match smallest_child(node.ends, 1) {
        Some((child, rank)) if rank <= element.rank => {
            match Smallest::replace(&mut node.ends[child..=child], element) {
                Ok((raised, op)) => (raised, Some((child, op))),
                Err(element) => (element, None), // not reached: the child has just shown an element
            }
        }
        _ => (element, None),
    };
    let min = node.cluster.exchange_first(element);
    Step { new_end: Some((End::Min, min)), down }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::club_heap::cluster::Cluster;
    use alloc::vec;
    use alloc::vec::Vec;

    /// A node of two ways and `K = 3` and what one operation makes of it: the cluster without its
    /// smallest, the children's smallest, the difference, `new_min`, and the child that is entered.
    type After = (Vec<u32>, [Option<u32>; 2], i32, Option<u32>, Option<usize>);

    fn slot(rank: u32) -> Slot<u32, ()> {
        Some(Element { rank, item: () })
    }

    fn compare(cluster: [u32; 2], children: [Option<u32>; 2], op: Op<u32, ()>) -> After {
        let (mut slots, mut filled, mut difference) = (cluster.map(slot), 2, [0]);
        let mut ends = children.map(|rank| rank.and_then(slot));
        let node = Node {
            cluster: Cluster { slots: &mut slots, filled: &mut filled },
            ends: &mut ends,
            differences: &mut difference,
        };
        let Step { new_end, down } = Smallest::compare(node, op);
        let ranks = |slots: &[Slot<u32, ()>]| slots.iter().flatten().map(|e| e.rank).collect();
        let child = ends.map(|slot| slot.map(|element| element.rank));
        let new_min = new_end.map(|(_, element)| element.rank);
        (ranks(&slots), child, difference[0], new_min, down.map(|(child, _)| child))
    }

    /// The root of the paper's Fig. 4, as far as its text tells: 2 (and 3) behind 1, with 4 and 5
    /// below.
    #[test]
    fn one_level_does_what_the_hardware_does() {
        let (cluster, children) = ([2, 3], [Some(4), Some(5)]);
        let element = |rank| Element { rank, item: () };
        let done = |op| compare(cluster, children, op);
        // 4 rises as 2 is given up; the left child's place waits for the level below.
        assert_eq!(done(Op::Pop), (vec![3, 4], [None, Some(5)], -1, Some(2), Some(0)));
        // 2 stays, 3 goes down and is smaller than the left child's 4, which goes further.
        let pushed = (vec![2, 2], [Some(3), Some(5)], 1, None, Some(0));
        assert_eq!(done(Op::Push(element(2))), pushed);
        // A replace by a smaller rank than both children's ends here; else it goes on below.
        let ended = (vec![3, 3], children, 0, Some(2), None);
        assert_eq!(done(Op::Replace(element(3))), ended);
        let on = (vec![3, 4], [None, Some(5)], 0, Some(2), Some(0));
        assert_eq!(done(Op::Replace(element(9))), on);
        // Nothing below: the first child is new, and is entered to make room for it.
        let first = (vec![2, 3], [Some(8), None], 1, None, Some(0));
        assert_eq!(compare(cluster, [None, None], Op::Push(element(8))), first);
    }
}
