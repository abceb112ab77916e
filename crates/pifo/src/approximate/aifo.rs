//! AIFO: one first-in first-out queue that admits what an ideal PIFO would keep.
//!
//! Source: Yu et al., "Programmable Packet Scheduling with a Single Queue" (SIGCOMM '21). With `C`
//! places of which `c` are taken, and the last `W` ranks in a window, an arriving rank is admitted
//! if
//!
//! ```text
//! quantile(rank) <= 1 / (1 - k) * (C - c) / C
//! ```
//!
//! So a queue that fills leaves its places to ever smaller ranks, and `k` is the share of the
//! places that anyone may take: up to `c = k C` the right side is 1 or more. Order within the queue
//! is that of arrival; what AIFO approximates is which elements are served, not when (clubheap §7).
//!
//! Open, and chosen here: the quantile is the share of the window that is strictly smaller, so
//! equal ranks fare alike; an arrival enters the window before it is judged, admitted or not; a
//! window that is not full yet counts what it has, and an empty one admits. Named parameters, in
//! [`AifoConfig`]: the window, one of how many arrivals enters it (the paper samples to look back
//! further), and `k`.
//!
//! Complexity: O(log W) expected for a push, O(1) for a pop. Memory: 96 bytes per rank in the
//! window, and per element as [`Fifos`].

use alloc::collections::VecDeque;

use super::fifos::Fifos;
use super::rank_counts::RankCounts;
use super::{ApproximateQueue, Pushed, ShapeError};
use crate::ranked::{Reason, Rejected};

/// Parameters of [`Aifo`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AifoConfig {
    /// `W`: how many ranks the window holds. Default 128 (ours).
    pub window: usize,
    /// `k`, at least 0 and below 1: the share of the places that is free to all ranks. Default 0.1
    /// (ours).
    pub burst: f64,
    /// One of so many arrivals enters the window. Default 1: all.
    pub sample_every: usize,
}

impl Default for AifoConfig {
    fn default() -> Self {
        AifoConfig { window: 128, burst: 0.1, sample_every: 1 }
    }
}

/// An [`ApproximateQueue`] that decides who enters and keeps the order of arrival.
///
/// ```
/// use forebay_pifo::approximate::{Aifo, AifoConfig, ApproximateQueue};
///
/// let mut queue = Aifo::new(4, AifoConfig { burst: 0.0, ..AifoConfig::default() })?;
/// queue.push(10, "a")?;
/// queue.push(20, "b")?; // larger than half of the window, three places of four are free
/// assert!(queue.push(30, "c").is_err()); // larger than two thirds, half of the places are free
/// queue.push(5, "d")?;
/// assert_eq!(queue.pop(), Some((10, "a")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Aifo<T> {
    fifo: Fifos<T>,
    config: AifoConfig,
    /// The ranks of the window, oldest first.
    recent: VecDeque<u64>,
    counts: RankCounts,
    /// Arrivals since one entered the window.
    skipped: usize,
}

crate::debug_in_one_line!([T] Aifo<T> as ApproximateQueue);

impl<T> Aifo<T> {
    /// An empty queue for up to `capacity` elements.
    ///
    /// # Errors
    /// [`ShapeError`] if there is no place, no window, or `burst` is not in `0.0 .. 1.0`.
    pub fn new(capacity: usize, config: AifoConfig) -> Result<Self, ShapeError> {
        ShapeError::check(capacity, 1, 1)?;
        let AifoConfig { window, burst, sample_every } = config;
        if window == 0 || sample_every == 0 {
            return Err(ShapeError::NoWindow { window, sample_every });
        }
        if !(0.0..1.0).contains(&burst) {
            return Err(ShapeError::Burst(burst));
        }
        Ok(Aifo {
            fifo: Fifos::shared(1, capacity)?,
            config,
            recent: VecDeque::new(),
            counts: RankCounts::new(),
            skipped: sample_every - 1, // the first arrival enters the window
        })
    }

    /// Lets the window see `rank`.
    fn observe(&mut self, rank: u64) {
        self.skipped += 1;
        if self.skipped < self.config.sample_every {
            return;
        }
        self.skipped = 0;
        if self.recent.len() >= self.config.window
            && let Some(oldest) = self.recent.pop_front()
        {
            self.counts.remove(oldest);
        }
        self.recent.push_back(rank);
        self.counts.insert(rank);
    }

    /// Why the admission rule refuses `rank`, if it does.
    fn refusal(&self, rank: u64) -> Option<Reason> {
        let (capacity, window) = (self.fifo.capacity(), self.recent.len());
        let free = capacity - self.fifo.len();
        let smaller = self.counts.below(rank).count;
        // The condition above without its divisions: an empty window admits.
        let wanted = smaller as f64 * capacity as f64 * (1.0 - self.config.burst);
        let admitted = wanted <= free as f64 * window as f64;
        (!admitted).then_some(Reason::NotAdmitted { smaller, window, free, capacity })
    }
}

impl<T> ApproximateQueue for Aifo<T> {
    type Item = T;

    fn push(&mut self, rank: u64, item: T) -> Pushed<T> {
        self.observe(rank);
        match self.refusal(rank) {
            Some(reason) => Err(Rejected { rank, item, reason }),
            None => self.fifo.push(0, rank, item).map(|()| None),
        }
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
