//! Exact queues among the approximate ones, so that what is compared with can be driven the same
//! way.
//!
//! [`PushOut`] is the ideal that SP-PIFO (NSDI '20) and AIFO (SIGCOMM '21) are held against: a full
//! PIFO drops the largest rank it knows of, which is the arriving one or one that waits.
//! [`RefuseWhenFull`] orders as well but refuses what arrives when it is full: exact scheduling
//! without admission.
//!
//! Open: which of equal largest ranks goes. Here the latest: the arriving one, so that what was
//! admitted is never lost to an equal. Complexity: that of the queue inside, once; a push that
//! pushes out costs a `pop_max` more. Memory: that of the queue inside.

use super::{ApproximateQueue, Pushed};
use crate::ranked::{DoubleEnded, RankedQueue, Reason, Rejected};

/// An exact queue that drops its largest rank when it is full: the ideal PIFO.
///
/// ```
/// use forebay_pifo::approximate::{ApproximateQueue, PushOut};
/// use forebay_pifo::ExactQueue;
///
/// let mut queue = PushOut::new(ExactQueue::new(usize::MAX), 2);
/// queue.push(9, "a")?;
/// queue.push(5, "b")?;
/// assert_eq!(queue.push(1, "c")?, Some((9, "a")));
/// assert!(queue.push(5, "d").is_err()); // no better than what waits
/// assert_eq!(queue.pop(), Some((1, "c")));
/// # Ok::<(), forebay_pifo::Rejected<u64, &str>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PushOut<Q> {
    queue: Q,
    capacity: usize,
}

impl<Q: DoubleEnded<Rank = u64>> PushOut<Q> {
    /// Keeps up to `capacity` elements in `queue`, which needs a place more: the arriving element
    /// is in before the largest is out. So a smaller `queue` limits the capacity to one less than
    /// its own.
    #[must_use]
    pub fn new(queue: Q, capacity: usize) -> Self {
        let capacity = capacity.min(queue.capacity().saturating_sub(1));
        PushOut { queue, capacity }
    }
}

impl<Q: DoubleEnded<Rank = u64>> ApproximateQueue for PushOut<Q> {
    type Item = Q::Item;

    fn push(&mut self, rank: u64, item: Q::Item) -> Pushed<Q::Item> {
        let full = self.queue.len() >= self.capacity;
        let larger_waits = || self.queue.peek_max().is_some_and(|(largest, _)| largest > rank);
        if full && !larger_waits() {
            let reason = Reason::Full { capacity: self.capacity };
            return Err(Rejected { rank, item, reason });
        }
        self.queue.push(rank, item)?;
        Ok(if full { self.queue.pop_max() } else { None })
    }

    fn pop(&mut self) -> Option<(u64, Q::Item)> {
        self.queue.pop_min()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}

/// An exact queue as it is: it refuses what arrives when it is full.
///
/// ```
/// use forebay_pifo::approximate::{ApproximateQueue, RefuseWhenFull};
/// use forebay_pifo::BucketQueue;
///
/// let mut queue = RefuseWhenFull::new(BucketQueue::<&str>::new(100, 2)?);
/// queue.push(9, "a")?;
/// queue.push(5, "b")?;
/// assert!(queue.push(1, "c").is_err());
/// assert_eq!(queue.pop(), Some((5, "b")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RefuseWhenFull<Q> {
    queue: Q,
}

impl<Q: RankedQueue<Rank = u64>> RefuseWhenFull<Q> {
    /// Takes part with `queue` as it is.
    #[must_use]
    pub fn new(queue: Q) -> Self {
        RefuseWhenFull { queue }
    }
}

impl<Q: RankedQueue<Rank = u64>> ApproximateQueue for RefuseWhenFull<Q> {
    type Item = Q::Item;

    fn push(&mut self, rank: u64, item: Q::Item) -> Pushed<Q::Item> {
        self.queue.push(rank, item).map(|()| None)
    }

    fn pop(&mut self) -> Option<(u64, Q::Item)> {
        self.queue.pop_min()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }
}
