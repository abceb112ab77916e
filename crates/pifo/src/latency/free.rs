//! The latency-free queue: a small sorted queue in front of a large pipelined one.
//!
//! Source: latency-free BBQ (thesis §4.5.1, Fig. 4.12). A new element goes to the front queue; one
//! that no longer fits leaks, the largest first, to the back queue. Every pop takes the smallest of
//! the front at once and asks the back for its smallest, which joins the front when it arrives.
//! Theorem 4: while the front holds `k > p` elements, `p` the latency of the back in cycles, the
//! `k − p` smallest of all are always in the front, so a pop is exact and immediate.
//!
//! Left open by the thesis, and chosen here:
//! - Within a cycle the pop comes first, then the push, then the answer of the back joins. So a pop
//!   and push of one cycle is a *replace*, and an answer can be popped one cycle after it arrived.
//!   This is the slowest order that the theorem allows: with `k = p` it fails (a test shows it).
//! - A cycle without a pop asks the back for nothing; neither does a pop that found nothing.
//! - The back gets two operations per cycle and the front four, as the thesis budgets them by
//!   clocking both at twice the rate. [`Cycle`] counts them.
//! - An element that leaked and came back stands behind those of its rank that came meanwhile:
//!   exact in rank, not first-in first-out within one. Push pairs of rank and arrival where that
//!   matters.
//!
//! Complexity: that of the two queues; O(k) in software for a sorted array of `k`. Memory: both,
//! and `p` slots.

use core::fmt;

use super::Pipelined;
use crate::ranked::{DoubleEnded, RankedQueue, Reason, Rejected};

/// A large pipelined queue whose latency cannot be seen.
///
/// ```
/// use forebay_pifo::{ExactQueue, LatencyFree, Pipelined, ShiftRegister};
///
/// let back = Pipelined::new(ExactQueue::new(1_000), 4);
/// let mut queue = LatencyFree::new(ShiftRegister::new(5)?, back)?;
/// queue.step(false, Some((7_u32, "a")));
/// queue.step(false, Some((3, "b")));
/// assert_eq!(queue.step(true, None).popped, Some((3, "b")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LatencyFree<F, B>
where
    F: DoubleEnded,
    B: RankedQueue<Rank = F::Rank, Item = F::Item>,
{
    front: F,
    back: Pipelined<B>,
}

impl<F, B> Clone for LatencyFree<F, B>
where
    F: DoubleEnded + Clone,
    B: RankedQueue<Rank = F::Rank, Item = F::Item> + Clone,
    F::Item: Clone,
{
    fn clone(&self) -> Self {
        LatencyFree { front: self.front.clone(), back: self.back.clone() }
    }
}

/// What one cycle did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle<R, T> {
    /// The smallest of all that waited, if a pop was asked for and anything waited.
    pub popped: Option<(R, T)>,
    /// The pushed element, given back, if it could not be taken.
    pub refused: Option<Rejected<R, T>>,
    /// Operations on the front queue in this cycle; at most 4.
    pub front_operations: u8,
    /// Operations on the back queue in this cycle; at most 2.
    pub back_operations: u8,
}

/// The front queue is too small to hide the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyFreeError {
    /// Elements that the front queue holds.
    pub front: usize,
    /// Cycles from a request to the back queue to its answer.
    pub latency: usize,
}

impl fmt::Display for LatencyFreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LatencyFreeError { front, latency } = self;
        write!(
            f,
            "a front queue of {front} elements cannot hide {latency} cycles; give it at least {}",
            latency.saturating_add(1)
        )
    }
}

impl core::error::Error for LatencyFreeError {}

impl<F, B> LatencyFree<F, B>
where
    F: DoubleEnded,
    B: RankedQueue<Rank = F::Rank, Item = F::Item>,
{
    /// Puts `front` before `back`; both should be empty and accept the same ranks.
    ///
    /// # Errors
    /// If the front holds no more elements than the back takes cycles (Theorem 4).
    pub fn new(front: F, back: Pipelined<B>) -> Result<Self, LatencyFreeError> {
        let queue = Self::new_unchecked(front, back);
        let (front, latency) = (queue.front.capacity(), queue.back.latency());
        if front > latency { Ok(queue) } else { Err(LatencyFreeError { front, latency }) }
    }

    /// The same without Theorem 4's condition, to see what its absence costs: pops may then miss
    /// elements that are on their way.
    #[must_use]
    pub fn new_unchecked(front: F, back: Pipelined<B>) -> Self {
        LatencyFree { front, back }
    }

    /// One cycle: a pop if `pop`, then a push of `push`, then the answer of the back queue joins.
    pub fn step(&mut self, pop: bool, push: Option<(F::Rank, F::Item)>) -> Cycle<F::Rank, F::Item> {
        let mut done =
            Cycle { popped: None, refused: None, front_operations: 0, back_operations: 0 };
        let answer = self.back.answer().flatten();
        if pop {
            done.popped = self.front.pop_min();
            done.front_operations += 1;
            if done.popped.is_some() {
                self.back.request();
                done.back_operations += 1;
            }
        }
        if let Some((rank, item)) = push {
            match self.check(rank, usize::from(answer.is_some())) {
                Ok(()) => self.admit(rank, item, &mut done),
                Err(reason) => done.refused = Some(Rejected { rank, item, reason }),
            }
        }
        if let Some((rank, item)) = answer {
            self.admit(rank, item, &mut done);
        }
        done
    }

    /// Whether an element of this rank can be taken, while `arriving` are between the queues.
    fn check(&self, rank: F::Rank, arriving: usize) -> Result<(), Reason> {
        self.front.check_rank(rank)?;
        self.back.queue().check_rank(rank)?;
        let capacity = self.capacity();
        if self.len() + arriving < capacity { Ok(()) } else { Err(Reason::Full { capacity }) }
    }

    /// Into the front queue; the largest leaks if it is full.
    fn admit(&mut self, rank: F::Rank, item: F::Item, done: &mut Cycle<F::Rank, F::Item>) {
        let leaked = self.leak(&rank, done);
        done.front_operations += 1;
        let refused = match self.front.push(rank, item) {
            Ok(()) => leaked,
            Err(rejected) => Some((rejected.rank, rejected.item)),
        };
        if let Some((rank, item)) = refused {
            done.back_operations += 1;
            done.refused = self.back.push(rank, item).err().or(done.refused.take());
        }
    }

    /// Takes the largest of a full front queue, unless the newcomer is larger still.
    fn leak(
        &mut self,
        newcomer: &F::Rank,
        done: &mut Cycle<F::Rank, F::Item>,
    ) -> Option<(F::Rank, F::Item)> {
        let full = self.front.len() >= self.front.capacity();
        let (largest, _) = self.front.peek_max()?;
        if !full || *newcomer >= largest {
            return None;
        }
        done.front_operations += 1;
        self.front.pop_max()
    }

    /// The front queue: the smallest elements.
    #[must_use]
    pub fn front(&self) -> &F {
        &self.front
    }

    /// The back queue: all others, behind a pipeline.
    #[must_use]
    pub fn back(&self) -> &Pipelined<B> {
        &self.back
    }

    /// The number of elements in both queues or on their way between them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.front.len() + self.back.len()
    }

    /// Whether nothing waits anywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest number of elements that may wait at once: what the back queue can hold, so that
    /// a leak always finds room.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.back.queue().capacity()
    }
}
