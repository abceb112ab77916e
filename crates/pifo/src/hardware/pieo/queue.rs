//! A PIEO of which every element is eligible: a plain ranked queue.
//!
//! Source and limits as the parent module. Every push is a flow of its own; numbers of flows that
//! do not wait are kept on a stack. The largest is the end of the last sublist, so both ends are at
//! hand.
//!
//! Complexity: O(√N) for pushes and pops; the ends are peeked at in O(1). PIEO has no replace: it
//! is a pop and a push.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Eligible, Pieo, PieoElement};
use crate::hardware::shape::HardwareShapeError;
use crate::ranked::{DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};

/// Everything may leave: the send time of all elements is 0.
const ALWAYS: Eligible = Eligible { now: 0, flows: 0..u32::MAX };

/// A [`RankedQueue`] over a [`Pieo`] without eligibility.
///
/// ```
/// use forebay_pifo::{DoubleEnded, PieoQueue, RankedQueue};
///
/// let mut queue: PieoQueue<u32, &str> = PieoQueue::new(64)?;
/// queue.push(20, "later")?;
/// queue.push(10, "sooner")?;
/// queue.push(20, "latest")?;
/// assert_eq!(queue.pop_min(), Some((10, "sooner")));
/// assert_eq!(queue.pop_max(), Some((20, "latest")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PieoQueue<R, T> {
    list: Pieo<R, T>,
    /// Numbers of flows that do not wait.
    idle: Vec<u32>,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug, T] PieoQueue<R, T> as RankedQueue);

impl<R: Copy + Ord, T> PieoQueue<R, T> {
    /// An empty queue for up to `capacity` elements.
    ///
    /// # Errors
    /// [`HardwareShapeError::Capacity`] unless `capacity` is from 1 to
    /// [`MAX_HARDWARE_ELEMENTS`](crate::MAX_HARDWARE_ELEMENTS).
    pub fn new(capacity: usize) -> Result<Self, HardwareShapeError> {
        let list = Pieo::new(capacity, capacity)?;
        Ok(PieoQueue { list, idle: (0..capacity as u32).rev().collect() })
    }

    /// The PIEO list whose elements are all eligible.
    #[must_use]
    pub fn list(&self) -> &Pieo<R, T> {
        &self.list
    }

    #[inline]
    fn left(&mut self, element: PieoElement<R, T>) -> (R, T) {
        self.idle.push(element.flow);
        (element.rank, element.item)
    }
}

impl<R: Copy + Ord, T> RankedQueue for PieoQueue<R, T> {
    type Rank = R;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        let capacity = self.list.capacity();
        let full = |item| Err(Rejected { rank, item, reason: Reason::Full { capacity } });
        let Some(flow) = self.idle.pop() else { return full(item) };
        // Never refused: as many flows as elements, and this one does not wait.
        let refused = self.list.enqueue(PieoElement { flow, rank, send_time: 0, item });
        refused.or_else(|refused| full(refused.element.item))
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        let element = self.list.dequeue(&ALWAYS)?;
        Some(self.left(element))
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        self.list.peek(&ALWAYS).map(|element| (element.rank, &element.item))
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn capacity(&self) -> usize {
        self.list.capacity()
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.list.iter().map(|element| (element.rank, &element.item)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, T> FifoTies for PieoQueue<R, T> {}

impl<R: Copy + Ord, T> DoubleEnded for PieoQueue<R, T> {
    #[inline]
    fn pop_max(&mut self) -> Option<(R, T)> {
        let element = self.list.dequeue_last()?;
        Some(self.left(element))
    }

    #[inline]
    fn peek_max(&self) -> Option<(R, &T)> {
        self.list.peek_last().map(|element| (element.rank, &element.item))
    }
}
