//! PIEO: push-in extract-out. A list by rank from which the smallest *eligible* element leaves.
//!
//! Source: PIEO (Shrivastav, SIGCOMM 2019) as thesis §4.4.1 describes it: `2 √N` sublists of `√N`
//! elements by rank, eligibility predicates, ranges of flows (`a <= f <= b`) as logical PIEOs, four
//! cycles per operation (§4.6). An element is a flow, which waits at most once, with a rank and the
//! time from which it may be sent. The rules by which elements move between sublists are deduced in
//! the file `sublists`.
//!
//! The papers leave open:
//! - Both halves of a predicate at once. Per sublist the hardware can tell the smallest send time
//!   and the range of flows, so a sublist may pass both filters though no one element does. Then
//!   the next one that passes is read, at the price of one more sublist. With a range that covers
//!   every flow, the sublist found first always holds the element.
//! - Ties. A new element goes behind all of its rank, and moves keep the order: first-in first-out.
//! - Time. It is an unsigned number of the caller's unit, such as a virtual time.
//!
//! Complexity: O(√N) for every operation that moves an element, plus O(√N) per sublist that passes
//! the filter in vain. Memory: a rank, two eight-byte times, a four-byte flow and an item per
//! element; four bytes per flow; about 100 bytes for each of the `2 √N` sublists. Lists grow as
//! elements arrive.

mod queue;
mod sublists;

use core::fmt;
use core::ops::Range;

use super::shape::{HardwareShapeError, MAX_HARDWARE_ELEMENTS, check_capacity};
use sublists::Sublists;

pub use queue::PieoQueue;

/// What waits in a [`Pieo`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieoElement<R, T> {
    /// The flow it stands for; waits at most once.
    pub flow: u32,
    /// The smaller, the sooner, among those that are eligible.
    pub rank: R,
    /// The first time at which it may leave, in the caller's unit.
    pub send_time: u64,
    /// What the caller keeps with it.
    pub item: T,
}

/// Which elements may leave: those whose time has come, of a range of flows.
///
/// ```
/// use forebay_pifo::Eligible;
///
/// let all = Eligible::at(1_000);
/// let tenant = Eligible::at(1_000).among(64..128);
/// assert_eq!((all.flows.end, tenant.flows), (u32::MAX, 64..128));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eligible {
    /// The time now; elements with a later send time wait on.
    pub now: u64,
    /// The flows asked for: a logical PIEO.
    pub flows: Range<u32>,
}

impl Eligible {
    /// Every flow, at the time `now`.
    #[must_use]
    pub fn at(now: u64) -> Self {
        Eligible { now, flows: 0..u32::MAX }
    }

    /// The same of `flows` only.
    #[must_use]
    pub fn among(self, flows: Range<u32>) -> Self {
        Eligible { flows, ..self }
    }

    #[inline]
    fn admits<R, T>(&self, element: &PieoElement<R, T>) -> bool {
        element.send_time <= self.now && self.flows.contains(&element.flow)
    }
}

/// An element that a [`Pieo`] would not take, given back, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieoRefused<R, T> {
    /// What was refused, for the caller to keep or to drop.
    pub element: PieoElement<R, T>,
    /// Why it was not taken.
    pub reason: PieoReason,
}

/// Why an enqueue was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieoReason {
    /// As many elements wait as may.
    Full {
        /// The list's capacity.
        capacity: usize,
    },
    /// The flow waits already.
    Waits,
    /// There is no such flow.
    NoSuchFlow {
        /// The number of flows.
        flows: usize,
    },
}

impl<R, T> fmt::Display for PieoRefused<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flow = self.element.flow;
        match self.reason {
            PieoReason::Full { capacity } => write!(
                f,
                "flow {flow} refused: the list holds its {capacity} elements; dequeue one first"
            ),
            PieoReason::Waits => write!(
                f,
                "flow {flow} refused: it waits already; dequeue it first, by `dequeue_flow`"
            ),
            PieoReason::NoSuchFlow { flows } => write!(
                f,
                "flow {flow} refused: there are {flows} flows, numbered from 0; name one of them"
            ),
        }
    }
}

impl<R: fmt::Debug, T: fmt::Debug> core::error::Error for PieoRefused<R, T> {}

/// A list by rank that gives up its smallest eligible element, or that of a given flow.
///
/// ```
/// use forebay_pifo::{Eligible, Pieo, PieoElement};
///
/// let mut list: Pieo<u32, &str> = Pieo::new(16, 16)?;
/// list.enqueue(PieoElement { flow: 3, rank: 10, send_time: 500, item: "shaped" })?;
/// list.enqueue(PieoElement { flow: 9, rank: 20, send_time: 0, item: "ready" })?;
/// // At time 100 the smaller rank may not leave yet.
/// assert_eq!(list.dequeue(&Eligible::at(100)).map(|element| element.item), Some("ready"));
/// assert!(list.dequeue(&Eligible::at(100)).is_none());
/// assert_eq!(list.dequeue_flow(3).map(|element| element.item), Some("shaped"));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Pieo<R, T> {
    list: Sublists<R, T>,
    capacity: usize,
}

crate::debug_in_one_line!(
    [R: Copy + Ord, T] Pieo<R, T>, |list| { len: list.len(), capacity: list.capacity }
);

impl<R: Copy + Ord, T> Pieo<R, T> {
    /// An empty list for up to `capacity` elements of the flows `0 .. flows`.
    ///
    /// # Errors
    /// [`HardwareShapeError::Capacity`] or [`HardwareShapeError::Flows`] unless both are from 1 to
    /// [`MAX_HARDWARE_ELEMENTS`].
    pub fn new(capacity: usize, flows: usize) -> Result<Self, HardwareShapeError> {
        check_capacity(capacity)?;
        if !(1..=MAX_HARDWARE_ELEMENTS).contains(&flows) {
            return Err(HardwareShapeError::Flows { asked: flows, most: MAX_HARDWARE_ELEMENTS });
        }
        Ok(Pieo { list: Sublists::new(capacity, flows), capacity })
    }

    /// Adds an element, behind all of its rank.
    ///
    /// # Errors
    /// [`PieoRefused`], with the element, if the list is full, or the flow waits already or does
    /// not exist.
    pub fn enqueue(&mut self, element: PieoElement<R, T>) -> Result<(), PieoRefused<R, T>> {
        let (capacity, flows) = (self.capacity, self.list.flows());
        let reason = if element.flow as usize >= flows {
            PieoReason::NoSuchFlow { flows }
        } else if self.list.find(element.flow).is_some() {
            PieoReason::Waits
        } else if self.len() == capacity {
            PieoReason::Full { capacity }
        } else {
            self.list.insert(element);
            return Ok(());
        };
        Err(PieoRefused { element, reason })
    }

    /// Takes the smallest eligible element: the earliest of its rank.
    pub fn dequeue(&mut self, eligible: &Eligible) -> Option<PieoElement<R, T>> {
        let place = self.list.first_eligible(eligible)?;
        Some(self.list.remove(place))
    }

    /// Takes the element of `flow`, eligible or not.
    pub fn dequeue_flow(&mut self, flow: u32) -> Option<PieoElement<R, T>> {
        let place = self.list.find(flow)?;
        Some(self.list.remove(place))
    }

    /// Takes the element at the end of the list, eligible or not: the latest of the largest rank.
    pub fn dequeue_last(&mut self) -> Option<PieoElement<R, T>> {
        let place = self.list.last()?;
        Some(self.list.remove(place))
    }

    /// Shows the element that [`dequeue`](Self::dequeue) would take.
    #[must_use]
    pub fn peek(&self, eligible: &Eligible) -> Option<&PieoElement<R, T>> {
        self.list.first_eligible(eligible).map(|place| self.list.get(place))
    }

    /// Shows the element of `flow`.
    #[must_use]
    pub fn peek_flow(&self, flow: u32) -> Option<&PieoElement<R, T>> {
        self.list.find(flow).map(|place| self.list.get(place))
    }

    /// Shows the element at the end of the list.
    #[must_use]
    pub fn peek_last(&self) -> Option<&PieoElement<R, T>> {
        self.list.last().map(|place| self.list.get(place))
    }

    /// The number of elements that wait, eligible or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most elements that may wait at once.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Every element, by rank and within a rank by arrival.
    pub fn iter(&self) -> impl Iterator<Item = &PieoElement<R, T>> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests;
