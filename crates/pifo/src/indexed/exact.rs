//! Ids under ranks of any type.
//!
//! Structure: an interval heap that tells an array where each id stands. Complexity: peeks and
//! `rank_of` O(1), the rest O(log n). Memory: a rank and 12 bytes, padded, per queued id, and
//! 4 bytes per id.

use alloc::vec::Vec;

use super::IndexedQueue;
use crate::interval::{IntervalHeap, Positions};
use crate::ranked::Reason;
use crate::tiered::{MAX_ID, PushError, grow_for};
use crate::waiting::Waiting;

/// The position of an id that is not queued; no heap grows so large.
const NOWHERE: u32 = u32::MAX;

/// Where each id stands in the heap.
#[derive(Clone, Default)]
struct Places(Vec<u32>);

impl<R: Ord> Positions<Waiting<R, u32>> for Places {
    #[inline]
    fn moved(&mut self, element: &Waiting<R, u32>, index: usize) {
        self.0[element.item as usize] = index as u32; // fits: at most 2^26 ids
    }
}

/// An [`IndexedQueue`] over any rank that has an order, in logarithmic time.
///
/// ```
/// use forebay_pifo::{IndexedExact, IndexedQueue};
///
/// let mut timers = IndexedExact::new();
/// timers.push(1_700_000_000_123_u64, 0)?;
/// timers.push(1_700_000_000_456, 1)?;
/// assert_eq!(timers.remove(0), Some(1_700_000_000_123)); // cancelled
/// assert_eq!(timers.peek_min(), Some((1_700_000_000_456, 1)));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct IndexedExact<R> {
    heap: IntervalHeap<Waiting<R, u32>>,
    places: Places,
    arrivals: u64,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug] IndexedExact<R> as IndexedQueue);

impl<R: Copy + Ord> Default for IndexedExact<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Copy + Ord> IndexedExact<R> {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty queue that allocates nothing while ids stay below `ids`.
    #[must_use]
    pub fn with_capacity(ids: u32) -> Self {
        let ids = ids.min(MAX_ID + 1) as usize;
        let places = Places(Vec::with_capacity(ids));
        IndexedExact { heap: IntervalHeap::with_capacity(ids), places, arrivals: 0 }
    }

    fn place(&self, id: u32) -> Option<usize> {
        let place = *self.places.0.get(id as usize)?;
        (place != NOWHERE).then_some(place as usize)
    }
}

impl<R: Copy + Ord> IndexedQueue for IndexedExact<R> {
    type Rank = R;

    fn push(&mut self, rank: R, id: u32) -> Result<(), PushError> {
        grow_for(&mut self.places.0, id, NOWHERE)?;
        if self.place(id).is_some() {
            return Err(PushError::AlreadyQueued { id });
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.heap.push(Waiting { rank, arrival, item: id }, &mut self.places);
        Ok(())
    }

    fn check_rank(&self, _: R) -> Result<(), Reason> {
        Ok(())
    }

    fn peek_min(&self) -> Option<(R, u32)> {
        self.heap.min().map(|waiting| (waiting.rank, waiting.item))
    }

    fn peek_max(&self) -> Option<(R, u32)> {
        self.heap.max().map(|waiting| (waiting.rank, waiting.item))
    }

    fn remove(&mut self, id: u32) -> Option<R> {
        let place = self.place(id)?;
        let waiting = self.heap.remove(place, &mut self.places)?;
        self.places.0[id as usize] = NOWHERE;
        Some(waiting.rank)
    }

    fn rank_of(&self, id: u32) -> Option<R> {
        self.heap.get(self.place(id)?).map(|waiting| waiting.rank)
    }

    fn len(&self) -> usize {
        self.heap.len()
    }
}
