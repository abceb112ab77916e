//! SP-PIFO: strict-priority queues whose bounds follow the ranks that arrive.
//!
//! Source: Alcoz, Dietmüller, Vanbever, "SP-PIFO: Approximating Push-In First-Out Behaviors using
//! Strict-Priority Queues" (NSDI '20). Every queue has a bound; the first queue is served first.
//! For an arriving rank the bounds are scanned from the queue served last up to the one served
//! first, and the element joins the first queue whose bound is not above its rank.
//! - *Push-up*: the bound of the queue it joins becomes its rank, so that what comes later with a
//!   smaller rank goes to a queue served earlier.
//! - *Push-down*: if the rank is below every bound it joins the queue served first, where larger
//!   ranks may wait: an inversion. Its cost, the first bound less the rank, is taken off every
//!   bound.
//!
//! Bounds begin at zero, and both rules keep them in order and not negative.
//!
//! Open: whether an element that finds its queue full moves the bounds. Here it does: they are set
//! where the element is mapped, before the queue is met. Every queue has places of its own, as in
//! the paper's 8 queues of 10 packets.
//!
//! Complexity: O(queues) for a push, one bitmap search for a pop. Memory: 24 bytes per queue, and
//! per element as [`Fifos`]. Elements of one flow may leave out of order where its ranks fall
//! (gearbox §5).

use alloc::vec;
use alloc::vec::Vec;

use super::fifos::Fifos;
use super::{ApproximateQueue, Pushed, ShapeError};

/// An [`ApproximateQueue`] of strict-priority queues with adaptive bounds.
///
/// ```
/// use forebay_pifo::approximate::{ApproximateQueue, SpPifo};
///
/// let mut queue = SpPifo::new(2, 10)?;
/// queue.push(5, "a")?; // bounds 0, 5
/// queue.push(3, "b")?; // bounds 3, 5
/// queue.push(7, "c")?; // bounds 3, 7
/// assert_eq!(queue.bounds(), [3, 7]);
/// queue.push(1, "d")?; // below all: bounds fall by 2
/// assert_eq!(queue.bounds(), [1, 5]);
///
/// let served: Vec<u64> = core::iter::from_fn(|| queue.pop()).map(|(rank, _)| rank).collect();
/// assert_eq!(served, [3, 1, 5, 7]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SpPifo<T> {
    fifos: Fifos<T>,
    /// Smallest first: the bound of each queue, the queue served first leading.
    bounds: Vec<u64>,
}

crate::debug_in_one_line!([T] SpPifo<T> as ApproximateQueue);

impl<T> SpPifo<T> {
    /// `queues` empty queues of `places` elements each.
    ///
    /// # Errors
    /// [`ShapeError`] unless there are 1 to 2^20 queues, each with a place.
    pub fn new(queues: usize, places: usize) -> Result<Self, ShapeError> {
        ShapeError::check(places, queues, 1)?;
        Ok(SpPifo { fifos: Fifos::separate(queues, places)?, bounds: vec![0; queues] })
    }

    /// The bounds, that of the queue served first leading; never decreasing.
    #[must_use]
    pub fn bounds(&self) -> &[u64] {
        &self.bounds
    }

    /// The number of elements in queue `number`; zero if there is no such queue.
    #[must_use]
    pub fn len_in(&self, number: usize) -> usize {
        self.fifos.len_in(number)
    }

    /// The queue for `rank`; the bounds learn from it.
    fn map(&mut self, rank: u64) -> usize {
        if let Some(queue) = self.bounds.iter().rposition(|&bound| rank >= bound) {
            self.bounds[queue] = rank;
            return queue;
        }
        let cost = self.bounds[0] - rank;
        for bound in &mut self.bounds {
            *bound -= cost;
        }
        0
    }
}

impl<T> ApproximateQueue for SpPifo<T> {
    type Item = T;

    fn push(&mut self, rank: u64, item: T) -> Pushed<T> {
        let queue = self.map(rank);
        self.fifos.push(queue, rank, item).map(|()| None)
    }

    fn pop(&mut self) -> Option<(u64, T)> {
        self.fifos.pop(self.fifos.first()?)
    }

    fn len(&self) -> usize {
        self.fifos.len()
    }

    fn capacity(&self) -> usize {
        self.fifos.capacity()
    }
}
