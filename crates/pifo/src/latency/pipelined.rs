//! A ranked queue behind a pipeline.
//!
//! Source: BBQ's pipeline (thesis §4.3): operations start in order, one after the other, and take
//! effect in that order; what a pop found is known `latency` cycles after it was issued. So the
//! order among operations is that of a queue without a pipeline, and only the answers are late
//! (§4.5.1).
//!
//! Complexity: that of the queue, and one slot of memory per cycle of latency.

use alloc::collections::VecDeque;
use core::fmt;

use crate::ranked::{RankedQueue, Rejected};

/// Stages of a BBQ pipeline over `levels` levels of bitmaps: 7 + 4 (D − 1) (thesis §4.3.1).
#[must_use]
pub const fn bbq_stages(levels: u32) -> u32 {
    7_u32.saturating_add(levels.saturating_sub(1).saturating_mul(4))
}

/// A [`RankedQueue`] that answers a pop `latency` cycles after it was asked.
///
/// Per cycle: [`answer`](Self::answer) once, then pushes and at most one [`request`](Self::request)
/// that counts (a second one in the same cycle is not taken).
///
/// ```
/// use forebay_pifo::{BucketQueue, Pipelined};
///
/// let mut queue = Pipelined::new(BucketQueue::<&str>::new(64, 8)?, 2);
/// queue.push(5, "a")?;
/// queue.request();
/// assert_eq!(queue.answer(), None); // one cycle later: still under way
/// assert_eq!(queue.answer(), Some(Some((5, "a"))));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct Pipelined<Q: RankedQueue> {
    queue: Q,
    /// What each of the last `latency` cycles asked for, the oldest first; the last is this
    /// cycle's.
    under_way: VecDeque<Option<Found<Q>>>,
}

/// What a pop found: an element or nothing.
type Found<Q> = Option<(<Q as RankedQueue>::Rank, <Q as RankedQueue>::Item)>;

impl<Q: RankedQueue + Clone> Clone for Pipelined<Q>
where
    Q::Item: Clone,
{
    fn clone(&self) -> Self {
        Pipelined { queue: self.queue.clone(), under_way: self.under_way.clone() }
    }
}

impl<Q: RankedQueue + fmt::Debug> fmt::Debug for Pipelined<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipelined")
            .field("queue", &self.queue)
            .field("latency", &self.latency())
            .finish_non_exhaustive()
    }
}

impl<Q: RankedQueue> Pipelined<Q> {
    /// Puts `queue` behind a pipeline of `latency` cycles; zero is taken as one, the least that a
    /// clocked circuit needs.
    #[must_use]
    pub fn new(queue: Q, latency: u16) -> Self {
        let under_way = (0..latency.max(1)).map(|_| None).collect();
        Pipelined { queue, under_way }
    }

    /// Cycles from a request to its answer.
    #[must_use]
    pub fn latency(&self) -> usize {
        self.under_way.len()
    }

    /// Begins a cycle. `Some` if a request was issued `latency` cycles ago: `Some(None)` if the
    /// queue was empty then.
    pub fn answer(&mut self) -> Option<Found<Q>> {
        self.under_way.push_back(None);
        self.under_way.pop_front().flatten()
    }

    /// Asks for the smallest element; the answer comes `latency` cycles later. `false`, and nothing
    /// is asked, if this cycle has asked already.
    pub fn request(&mut self) -> bool {
        match self.under_way.back_mut() {
            Some(slot @ None) => {
                *slot = Some(self.queue.pop_min());
                true
            }
            _ => false,
        }
    }

    /// Adds an element; requests issued from now on see it.
    ///
    /// # Errors
    /// As the queue's own push.
    pub fn push(&mut self, rank: Q::Rank, item: Q::Item) -> Result<(), Rejected<Q::Rank, Q::Item>> {
        self.queue.push(rank, item)
    }

    /// The queue itself, without what is under way.
    #[must_use]
    pub fn queue(&self) -> &Q {
        &self.queue
    }

    /// The elements on their way out.
    pub fn under_way(&self) -> impl Iterator<Item = (Q::Rank, &Q::Item)> {
        self.under_way.iter().flatten().flatten().map(|(rank, item)| (*rank, item))
    }

    /// The number of elements waiting or on their way out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queue.len() + self.under_way().count()
    }

    /// Whether nothing waits and nothing is on its way out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
