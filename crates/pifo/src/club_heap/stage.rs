//! The CMP stage of ClubHeap: what one level does with an operation.
//!
//! Source: clubheap §4.3. The functions here and the combinational logic of the hardware correspond: the
//! node in, the operation in, the node out, `new_min` upwards, the next operation downwards. The parent
//! keeps the smallest element of the cluster, so a pop has been done by the time it arrives, and what is
//! left is to fill the vacancy.
//!
//! Complexity per level: a push one comparison at the end of the cluster and one with a child, a pop `W - 1`
//! comparisons of children, a replace both; each a shift of less than `K` elements.

use super::balance::{fewest, gained, lost};
use super::cluster::{Element, Slot};
use super::forest::{End, Stage, Step, Taken};
use super::level::{Node, smallest_child};

/// Clusters that give up their smallest: ClubHeap as published.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smallest;

/// An operation on its way down.
#[derive(Debug)]
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

/// Settles the new element here if it is smaller than all children; else it takes the place of a child's
/// smallest, which rises. Subtrees keep their sizes.
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
