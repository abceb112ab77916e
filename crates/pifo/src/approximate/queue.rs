//! What every approximate queue can do, and why one cannot have the shape asked for.
//!
//! An approximate queue is driven like a PIFO (clubheap §1), by ranks of which smaller should leave
//! first, but promises no order: its parts are first-in first-out queues that existing switches
//! have. So it is not a [`RankedQueue`](crate::RankedQueue). How far it strays is measured, by
//! [`Comparison`](crate::Comparison).

use alloc::boxed::Box;
use core::fmt;

use crate::bitmap::{GeometryError, MAX_BUCKETS};
use crate::ranked::Rejected;

/// What a push answers: nothing, the element that left to make room, or the refused one.
pub type Pushed<T> = Result<Option<(u64, T)>, Rejected<u64, T>>;

/// A bounded queue that tries to serve small ranks first.
pub trait ApproximateQueue {
    /// What waits.
    type Item;

    /// Adds an element. Answers with the one that left to make room for it, where the queue is of
    /// the kind that pushes out.
    ///
    /// # Errors
    /// [`Rejected`], with the element, if it is not admitted. Unlike an exact queue, one that
    /// adapts to the ranks it sees may have learnt from the refused one.
    fn push(&mut self, rank: u64, item: Self::Item) -> Pushed<Self::Item>;

    /// Takes the element that the queue serves next, with its rank; nothing if none waits or, in a
    /// calendar that its caller rotates, none is due.
    fn pop(&mut self) -> Option<(u64, Self::Item)>;

    /// The number of elements that wait.
    fn len(&self) -> usize;

    /// Whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest number of elements that may wait at once.
    fn capacity(&self) -> usize;
}

impl<T> fmt::Debug for dyn ApproximateQueue<Item = T> + Send + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApproximateQueue")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}

impl<Q: ApproximateQueue + ?Sized> ApproximateQueue for Box<Q> {
    type Item = Q::Item;

    fn push(&mut self, rank: u64, item: Q::Item) -> Pushed<Q::Item> {
        (**self).push(rank, item)
    }

    fn pop(&mut self) -> Option<(u64, Q::Item)> {
        (**self).pop()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn capacity(&self) -> usize {
        (**self).capacity()
    }
}

/// Why an approximate queue cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeError {
    /// The number of first-in first-out queues is out of range.
    Queues {
        /// The number asked for.
        asked: usize,
        /// The smallest number that the structure works with.
        least: usize,
    },
    /// A queue would have no place for an element.
    NoPlaces {
        /// Places in all.
        capacity: usize,
        /// The queues that would share them.
        queues: usize,
    },
    /// A period of a calendar would hold no rank.
    NoGranularity,
    /// The window of recent ranks has no length, or would never see one.
    NoWindow {
        /// Its length in ranks.
        window: usize,
        /// One of so many ranks enters it.
        sample_every: usize,
    },
    /// The burst parameter is not in `0.0 .. 1.0`.
    Burst(f64),
}

impl ShapeError {
    /// The shape of `queues` queues with `capacity` places in all, if it is possible.
    pub(super) fn check(capacity: usize, queues: usize, least: usize) -> Result<(), ShapeError> {
        if !(least..=MAX_BUCKETS).contains(&queues) {
            return Err(ShapeError::Queues { asked: queues, least });
        }
        if capacity == 0 {
            return Err(ShapeError::NoPlaces { capacity, queues });
        }
        Ok(())
    }
}

impl From<GeometryError> for ShapeError {
    fn from(error: GeometryError) -> Self {
        let (GeometryError::Buckets { asked } | GeometryError::Partitions { asked, .. }) = error;
        ShapeError::Queues { asked, least: 1 }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Queues { asked, least } => {
                write!(f, "{asked} first-in first-out queues; ask for {least} to {MAX_BUCKETS}")
            }
            ShapeError::NoPlaces { capacity, queues } => write!(
                f,
                "{queues} queues with a capacity of {capacity} in all have no place for an \
                 element; ask for at least one place in each"
            ),
            ShapeError::NoGranularity => {
                write!(f, "a granularity of 0 gives a period no rank; ask for at least 1")
            }
            ShapeError::NoWindow { window, sample_every } => write!(
                f,
                "a window of {window} ranks, one of {sample_every} sampled, sees none; both must \
                 be at least 1"
            ),
            ShapeError::Burst(burst) => {
                write!(f, "the burst parameter is {burst}; it must be at least 0 and below 1")
            }
        }
    }
}

impl core::error::Error for ShapeError {}
