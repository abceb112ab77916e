//! The calendar queue of approximate fair queueing: a ring of first-in first-out queues, one per
//! round.
//!
//! Source: Sharma et al., "Approximating Fair Queueing on Reconfigurable Switches" (AFQ, NSDI '18),
//! and the single-level calendars CQ-1, CQ-10 and CQ-100 that Gearbox is compared with (gearbox
//! §2.2, §2.3, Table 2). A rank is a finish time in bytes; a round is `granularity` of them. With
//! `n` queues, an element joins the queue of its round; a round `n` or more ahead of the one being
//! served has no queue and the element is dropped; a round already over joins the one being served.
//! Only the queue of the current round is served; when it is empty the calendar rotates to the
//! next. The counters per flow that give a packet its finish round belong to the rank function.
//!
//! Open, and chosen here: the calendar rotates as late as possible, when a pop finds its round
//! empty, so that what still arrives for that round is not late. A calendar in which nothing waits
//! and which meets a rank beyond its horizon moves on, as little as needed: AFQ counts finish
//! rounds from the current one and never meets this, but a rank function with a clock of its own
//! would be shut out for ever. All queues share the places, as the queues of a switch port share
//! its buffer.
//!
//! Exact up to the granularity while ranks are never below the round being served and stay within
//! the horizon; ranks that do not advance all end in the current round, which is then one first-in
//! first-out queue.
//!
//! Complexity: O(1) and a bitmap search (one word up to 64 queues). Memory: as [`Fifos`].

use super::fifos::Fifos;
use super::{ApproximateQueue, Pushed, ShapeError};
use crate::ranked::{Reason, Rejected};

/// An [`ApproximateQueue`] for ranks that advance: a first-in first-out queue per round of fixed
/// length.
///
/// ```
/// use forebay_pifo::approximate::{ApproximateQueue, CalendarQueue};
///
/// let mut queue = CalendarQueue::new(4, 10, 100)?; // ranks 0 to 39
/// queue.push(25, "a")?;
/// queue.push(9, "b")?;
/// queue.push(3, "c")?; // the round of 9, behind it
/// assert!(queue.push(40, "d").is_err());
/// assert_eq!(queue.pop(), Some((9, "b")));
/// assert_eq!(queue.pop(), Some((3, "c")));
/// assert_eq!(queue.pop(), Some((25, "a")));
/// assert_eq!(queue.round(), 2);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CalendarQueue<T> {
    fifos: Fifos<T>,
    granularity: u64,
    /// The round being served.
    round: u64,
}

crate::debug_in_one_line!([T] CalendarQueue<T> as ApproximateQueue);

impl<T> CalendarQueue<T> {
    /// An empty calendar of `queues` rounds of `granularity` ranks each, at round 0, for up to
    /// `capacity` elements.
    ///
    /// # Errors
    /// [`ShapeError`] unless there are 1 to 2^20 queues, a place, and a rank in a round.
    pub fn new(queues: usize, granularity: u64, capacity: usize) -> Result<Self, ShapeError> {
        ShapeError::check(capacity, queues, 1)?;
        if granularity == 0 {
            return Err(ShapeError::NoGranularity);
        }
        Ok(CalendarQueue { fifos: Fifos::shared(queues, capacity)?, granularity, round: 0 })
    }

    /// The round being served: what a rank function of fair queueing counts from.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The largest rank that has a queue now.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        let rounds = u128::from(self.round) + self.fifos.queues() as u128;
        let last = rounds.saturating_mul(u128::from(self.granularity)) - 1;
        u64::try_from(last).unwrap_or(u64::MAX)
    }

    /// The queue of a round.
    fn queue(&self, round: u64) -> usize {
        (round % self.fifos.queues() as u64) as usize
    }
}

impl<T> ApproximateQueue for CalendarQueue<T> {
    type Item = T;

    fn push(&mut self, rank: u64, item: T) -> Pushed<T> {
        let round = (rank / self.granularity).max(self.round);
        let furthest = self.fifos.queues() as u64 - 1;
        if round - self.round > furthest {
            if self.fifos.len() > 0 {
                let reason = Reason::BeyondHorizon { last: self.horizon() };
                return Err(Rejected { rank, item, reason });
            }
            self.round = round - furthest;
        }
        self.fifos.push(self.queue(round), rank, item).map(|()| None)
    }

    fn pop(&mut self) -> Option<(u64, T)> {
        let (queues, current) = (self.fifos.queues(), self.queue(self.round));
        let next = self.fifos.first_round(current)?;
        self.round += ((next + queues - current) % queues) as u64;
        self.fifos.pop(next)
    }

    fn len(&self) -> usize {
        self.fifos.len()
    }

    fn capacity(&self) -> usize {
        self.fifos.capacity()
    }
}
