//! The ranked queue for ranks of any width: nothing is quantized, at the price of comparisons.
//!
//! It is the queue to use where a bucket per rank is impossible (64-bit virtual finish times,
//! pairs) and approximate order is not acceptable. Structure: an interval heap, kept stable by
//! arrival numbers.
//!
//! Complexity: push and pops O(log n), peeks O(1). Memory: an element with its rank and an
//! eight-byte arrival number.

use alloc::boxed::Box;

use crate::interval::{IntervalHeap, Untracked};
use crate::ranked::{DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};
use crate::waiting::Waiting;

/// A [`RankedQueue`] over any rank that has an order, smallest and largest in logarithmic time.
///
/// ```
/// use forebay_pifo::{ExactQueue, RankedQueue};
///
/// let mut queue = ExactQueue::new(usize::MAX);
/// queue.push((3_u64, 1_u32), "late")?;
/// queue.push((3, 0), "early")?;
/// assert_eq!(queue.pop_min(), Some(((3, 0), "early")));
/// # Ok::<(), forebay_pifo::Rejected<(u64, u32), &str>>(())
/// ```
#[derive(Clone)]
pub struct ExactQueue<R, T> {
    heap: IntervalHeap<Waiting<R, T>>,
    arrivals: u64,
    capacity: usize,
}

crate::debug_in_one_line!([R: Copy + Ord + core::fmt::Debug, T] ExactQueue<R, T> as RankedQueue);

impl<R: Copy + Ord, T> ExactQueue<R, T> {
    /// An empty queue for up to `capacity` elements; memory is taken as they arrive.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        ExactQueue { heap: IntervalHeap::with_capacity(0), arrivals: 0, capacity }
    }

    /// Every element in order of service; O(n log n).
    #[cfg(feature = "serde")]
    pub(crate) fn in_order(&self) -> alloc::vec::Vec<(R, &T)> {
        let mut all: alloc::vec::Vec<_> = self.heap.iter().collect();
        all.sort_unstable();
        all.into_iter().map(|waiting| (waiting.rank, &waiting.item)).collect()
    }
}

impl<R: Copy + Ord, T> RankedQueue for ExactQueue<R, T> {
    type Rank = R;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        if self.heap.len() >= self.capacity {
            let reason = Reason::Full { capacity: self.capacity };
            return Err(Rejected { rank, item, reason });
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.heap.push(Waiting { rank, arrival, item }, &mut Untracked);
        Ok(())
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        self.heap.pop_min(&mut Untracked).map(|waiting| (waiting.rank, waiting.item))
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        self.heap.min().map(|waiting| (waiting.rank, &waiting.item))
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.heap.iter().map(|waiting| (waiting.rank, &waiting.item)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, T> FifoTies for ExactQueue<R, T> {}

impl<R: Copy + Ord, T> DoubleEnded for ExactQueue<R, T> {
    #[inline]
    fn pop_max(&mut self) -> Option<(R, T)> {
        self.heap.pop_max(&mut Untracked).map(|waiting| (waiting.rank, waiting.item))
    }

    #[inline]
    fn peek_max(&self) -> Option<(R, &T)> {
        self.heap.max().map(|waiting| (waiting.rank, &waiting.item))
    }
}
