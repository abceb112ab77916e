//! The programmable calendar queue: its caller says which period an element is for and when a
//! period ends.
//!
//! Source: Sharma et al., "Programmable Calendar Queues for High-speed Packet Scheduling" (PCQ,
//! NSDI '20). `n` first-in first-out queues hold what is due in the next `n` periods, with three
//! operations: *enqueue* some periods ahead ([`push_ahead`](ProgrammableCalendar::push_ahead)),
//! *dequeue* from the current period, *rotate* to the next. A rotation closes the current queue to
//! arrivals and serves what is left in it before anything else; once empty, it becomes the queue of
//! the period after the last. So an element's priority rises while it waits, which no fixed rank
//! can express.
//!
//! When periods end is the [`Advance`] rule: when nothing is left in one (periods of a virtual
//! clock, as in fair queueing), or at the caller's word (periods of time, as in a leaky bucket,
//! where nothing leaves before it is due).
//!
//! Open, and chosen here: a rotation asked for while one is under way is refused, since there is
//! one queue of highest priority to drain. [`push`](ApproximateQueue::push) gives each period an
//! interval of ranks and finds the one that holds the rank, late ranks in the current period; the
//! granularity may change as the calendar turns, for the periods that are opened from then on, so
//! no element changes its period. An empty calendar under [`Advance::WhenEmpty`] meets a rank
//! beyond its horizon as [`CalendarQueue`](crate::CalendarQueue) does. Packets are not
//! recirculated: the multi-level calendar that moves them between granularities (gearbox §2.4) is
//! another structure.
//!
//! Complexity: a push finds its period in O(log n), a pop passes over empty periods one by one, at
//! most `n`. Memory: 40 bytes per queue, and per element as [`Fifos`].

use alloc::vec::Vec;
use core::fmt;

use super::fifos::Fifos;
use super::{ApproximateQueue, Pushed, ShapeError};
use crate::ranked::{Reason, Rejected};

/// When the current period of a [`ProgrammableCalendar`] ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advance {
    /// When nothing is left in it, at the next pop.
    #[default]
    WhenEmpty,
    /// When the caller rotates; until then nothing of a later period leaves.
    ByCaller,
}

/// The queue closed by the last rotation still holds something: pop that first, then rotate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationPending {
    /// How many elements it holds.
    pub waiting: usize,
}

impl fmt::Display for RotationPending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.waiting;
        write!(f, "{waiting} elements of the period that ended still wait; pop them, then rotate")
    }
}

impl core::error::Error for RotationPending {}

/// An [`ApproximateQueue`] that serves one period at a time.
///
/// ```
/// use forebay_pifo::approximate::{Advance, ApproximateQueue, ProgrammableCalendar};
///
/// // Four slots of time, the caller's clock turns them.
/// let mut queue = ProgrammableCalendar::new(4, 10, 100, Advance::ByCaller)?;
/// queue.push_ahead(1, 0, "tomorrow")?;
/// assert_eq!(queue.pop(), None);
/// queue.rotate()?;
/// assert_eq!(queue.pop(), Some((0, "tomorrow")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ProgrammableCalendar<T> {
    fifos: Fifos<T>,
    /// The first rank of each queue's period.
    starts: Vec<u128>,
    /// The first rank after the last period.
    end: u128,
    granularity: u64,
    advance: Advance,
    /// The queue of the current period.
    head: usize,
    /// Whether the queue before the head is closed and not yet empty.
    draining: bool,
}

crate::debug_in_one_line!([T] ProgrammableCalendar<T> as ApproximateQueue);

impl<T> ProgrammableCalendar<T> {
    /// An empty calendar of `queues` periods of `granularity` ranks each, from rank 0, for up to
    /// `capacity` elements.
    ///
    /// # Errors
    /// [`ShapeError`] unless there are 2 to 2^20 queues (one drains while another fills), a place,
    /// and a rank in a period.
    pub fn new(
        queues: usize,
        granularity: u64,
        capacity: usize,
        advance: Advance,
    ) -> Result<Self, ShapeError> {
        ShapeError::check(capacity, queues, 2)?;
        if granularity == 0 {
            return Err(ShapeError::NoGranularity);
        }
        let start = |period: usize| period as u128 * u128::from(granularity);
        Ok(ProgrammableCalendar {
            fifos: Fifos::shared(queues, capacity)?,
            starts: (0..queues).map(start).collect(),
            end: start(queues),
            granularity,
            advance,
            head: 0,
            draining: false,
        })
    }

    /// Periods opened from now on hold `granularity` ranks.
    ///
    /// # Errors
    /// [`ShapeError::NoGranularity`] if it is zero.
    pub fn set_granularity(&mut self, granularity: u64) -> Result<(), ShapeError> {
        if granularity == 0 {
            return Err(ShapeError::NoGranularity);
        }
        self.granularity = granularity;
        Ok(())
    }

    /// The number of periods an element can be for now: one less than there are queues while one
    /// drains.
    #[must_use]
    pub fn periods(&self) -> usize {
        self.fifos.queues() - usize::from(self.draining)
    }

    /// The largest rank that has a period now.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        u64::try_from(self.end - 1).unwrap_or(u64::MAX)
    }

    /// Adds an element `ahead` periods after the current one; it keeps `rank` but is not placed by
    /// it.
    ///
    /// # Errors
    /// [`Rejected`], with the element, if the calendar is full or has no such period.
    pub fn push_ahead(&mut self, ahead: usize, rank: u64, item: T) -> Result<(), Rejected<u64, T>> {
        if ahead >= self.periods() {
            let reason = Reason::BeyondHorizon { last: self.horizon() };
            return Err(Rejected { rank, item, reason });
        }
        self.fifos.push(self.queue(ahead), rank, item)
    }

    /// Ends the current period.
    ///
    /// # Errors
    /// [`RotationPending`] if what the last rotation closed is not served yet.
    pub fn rotate(&mut self) -> Result<(), RotationPending> {
        if self.draining {
            return Err(RotationPending { waiting: self.fifos.len_in(self.closed()) });
        }
        self.head = self.queue(1);
        self.draining = true;
        self.reopen();
        Ok(())
    }

    /// The queue of the period `ahead` of the current one.
    fn queue(&self, ahead: usize) -> usize {
        (self.head + ahead) % self.fifos.queues()
    }

    /// The queue before the head.
    fn closed(&self) -> usize {
        self.queue(self.fifos.queues() - 1)
    }

    /// Makes the closed queue that of the period after the last, if it is empty.
    fn reopen(&mut self) {
        let closed = self.closed();
        if self.draining && self.fifos.len_in(closed) == 0 {
            self.starts[closed] = self.end;
            self.end = self.end.saturating_add(u128::from(self.granularity));
            self.draining = false;
        }
    }

    /// How many periods ahead `rank` is due; a late one is due now.
    fn ahead(&self, rank: u128) -> usize {
        let (mut low, mut high) = (0, self.periods());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.starts[self.queue(middle)] <= rank { low = middle } else { high = middle }
        }
        low
    }

    /// Moves every period up until the last holds `rank`, which is beyond the horizon.
    fn reach(&mut self, rank: u128) {
        let granularity = u128::from(self.granularity);
        let up = (rank + 1 - self.end).div_ceil(granularity) * granularity;
        self.end += up;
        for start in &mut self.starts {
            *start += up;
        }
    }
}

impl<T> ApproximateQueue for ProgrammableCalendar<T> {
    type Item = T;

    fn push(&mut self, rank: u64, item: T) -> Pushed<T> {
        let wide = u128::from(rank);
        if wide >= self.end {
            if self.advance == Advance::ByCaller || self.fifos.len() > 0 {
                let reason = Reason::BeyondHorizon { last: self.horizon() };
                return Err(Rejected { rank, item, reason });
            }
            self.reach(wide);
        }
        self.fifos.push(self.queue(self.ahead(wide)), rank, item).map(|()| None)
    }

    fn pop(&mut self) -> Option<(u64, T)> {
        if self.draining {
            let taken = self.fifos.pop(self.closed());
            self.reopen();
            return taken;
        }
        if self.advance == Advance::WhenEmpty && self.fifos.len() > 0 {
            // An empty queue reopens at once, so no rotation is refused.
            while self.fifos.len_in(self.head) == 0 && self.rotate().is_ok() {}
        }
        self.fifos.pop(self.head)
    }

    fn len(&self) -> usize {
        self.fifos.len()
    }

    fn capacity(&self) -> usize {
        self.fifos.capacity()
    }
}
