//! One first-in first-out queue that refuses what arrives when it is full: no scheduling at all,
//! the bottom of every comparison (gearbox §4.1.1 has it as "drop tail").
//!
//! Complexity: O(1). Memory: as [`Fifos`], one queue.

use super::fifos::Fifos;
use super::{ApproximateQueue, Pushed, ShapeError};

/// An [`ApproximateQueue`] that ignores ranks.
///
/// ```
/// use forebay_pifo::approximate::{ApproximateQueue, DropTailQueue};
///
/// let mut queue = DropTailQueue::new(2)?;
/// queue.push(9, "first")?;
/// queue.push(1, "second")?;
/// assert!(queue.push(0, "third").is_err());
/// assert_eq!(queue.pop(), Some((9, "first")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DropTailQueue<T> {
    fifo: Fifos<T>,
}

crate::debug_in_one_line!([T] DropTailQueue<T> as ApproximateQueue);

impl<T> DropTailQueue<T> {
    /// An empty queue for up to `capacity` elements.
    ///
    /// # Errors
    /// [`ShapeError::NoPlaces`] if `capacity` is zero.
    pub fn new(capacity: usize) -> Result<Self, ShapeError> {
        ShapeError::check(capacity, 1, 1)?;
        Ok(DropTailQueue { fifo: Fifos::shared(1, capacity)? })
    }
}

impl<T> ApproximateQueue for DropTailQueue<T> {
    type Item = T;

    fn push(&mut self, rank: u64, item: T) -> Pushed<T> {
        self.fifo.push(0, rank, item).map(|()| None)
    }

    fn pop(&mut self) -> Option<(u64, T)> {
        self.fifo.pop(0)
    }

    fn len(&self) -> usize {
        self.fifo.len()
    }

    fn capacity(&self) -> usize {
        self.fifo.capacity()
    }
}
