//! The ranked queue as plainly as it can be said: a vector kept sorted.
//!
//! It is the model that every other ranked queue is tested against. Complexity: push and pop_min
//! O(n), pop_max and the peeks O(1).

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::ranked::{DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};

/// A [`RankedQueue`] that is obviously right and slow; for tests.
///
/// ```
/// use forebay_pifo::{RankedQueue, ReferenceQueue};
///
/// let mut queue = ReferenceQueue::new(2);
/// queue.push(7, "later")?;
/// queue.push(3, "sooner")?;
/// assert_eq!(queue.push(5, "refused").map_err(|refused| refused.item), Err("refused"));
/// assert_eq!(queue.pop_min(), Some((3, "sooner")));
/// # Ok::<(), forebay_pifo::Rejected<i32, &str>>(())
/// ```
#[derive(Clone)]
pub struct ReferenceQueue<R, T> {
    /// By rank, and within a rank by arrival.
    sorted: Vec<(R, T)>,
    capacity: usize,
}

crate::debug_in_one_line!(
    [R: Copy + Ord + core::fmt::Debug, T] ReferenceQueue<R, T> as RankedQueue
);

impl<R, T> ReferenceQueue<R, T> {
    /// An empty queue for up to `capacity` elements.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        ReferenceQueue { sorted: Vec::new(), capacity }
    }
}

impl<R: Copy + Ord, T> RankedQueue for ReferenceQueue<R, T> {
    type Rank = R;
    type Item = T;

    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        if self.sorted.len() >= self.capacity {
            let reason = Reason::Full { capacity: self.capacity };
            return Err(Rejected { rank, item, reason });
        }
        let behind = self.sorted.partition_point(|(other, _)| *other <= rank);
        self.sorted.insert(behind, (rank, item));
        Ok(())
    }

    fn pop_min(&mut self) -> Option<(R, T)> {
        (!self.sorted.is_empty()).then(|| self.sorted.remove(0))
    }

    fn peek_min(&self) -> Option<(R, &T)> {
        self.sorted.first().map(|(rank, item)| (*rank, item))
    }

    fn len(&self) -> usize {
        self.sorted.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.sorted.iter().map(|(rank, item)| (*rank, item)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, T> FifoTies for ReferenceQueue<R, T> {}

impl<R: Copy + Ord, T> DoubleEnded for ReferenceQueue<R, T> {
    fn pop_max(&mut self) -> Option<(R, T)> {
        self.sorted.pop()
    }

    fn peek_max(&self) -> Option<(R, &T)> {
        self.sorted.last().map(|(rank, item)| (*rank, item))
    }
}
