//! The rolling window in two halves: ranks that grow without bound over a fixed number of buckets.
//!
//! Source: thesis §4.5.2 (after Eiffel's circular FFS queue). Two logical partitions of one bucket
//! queue, the primary over `[base, base + P)` and the secondary over `[base + P, base + 2P)`; when
//! the primary is empty the window advances by `P` and the two change places.
//!
//! When exactly it advances is left open by the source. Here: only when a pop finds the primary
//! empty and the secondary not, or when a push would otherwise lie beyond the window. Advancing as
//! soon as the primary empties would put an element that arrives next, with a rank just above the
//! one served last, below the window. As it is, a caller that never pushes a rank below the last
//! one it popped, nor `P` or more above it, always gets exact order.
//!
//! Complexity: as the bucket queue, with at most two searches. Memory: that of `2P` buckets.

use super::store::BucketStore;
use super::window::{Beyond, WindowPolicy, window_queue};
use crate::bitmap::{GeometryError, Subtree};

/// A [`RankedQueue`](crate::RankedQueue) for ranks that advance, in constant time; see also
/// [`CircularWindow`](crate::CircularWindow), which is exact over twice the span with the same
/// memory.
///
/// ```
/// use forebay_pifo::{RankedQueue, RollingWindow, WindowPolicy};
///
/// // Two halves of 64 ranks; the window moves on as the ranks do.
/// let mut queue: RollingWindow<&str> = RollingWindow::new(64, 100, WindowPolicy::default())?;
/// queue.push(100, "a")?;
/// assert_eq!(queue.pop_min(), Some((100, "a")));
/// queue.push(160, "b")?;
/// assert_eq!(queue.window(), (64, 191));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RollingWindow<T, const W: usize = 64> {
    store: BucketStore<T, W>,
    halves: [Subtree; 2],
    /// Which half is the primary, 0 or 1.
    primary: usize,
    /// The first rank of the primary.
    base: u64,
    /// Ranks per half: `P`.
    span: usize,
    policy: WindowPolicy,
}

impl<T, const W: usize> RollingWindow<T, W> {
    /// An empty window over ranks `0 .. 2 · span` for up to `capacity` elements.
    ///
    /// # Errors
    /// [`GeometryError`] unless `1 <= 2 · span <= 2^20` and half the window is whole bits of one
    /// bitmap (with a power of two it always is).
    pub fn new(span: usize, capacity: usize, policy: WindowPolicy) -> Result<Self, GeometryError> {
        let store = BucketStore::new(span.saturating_mul(2), capacity)?;
        let halves = [store.subtree(0, 2)?, store.subtree(1, 2)?];
        Ok(RollingWindow { store, halves, primary: 0, base: 0, span, policy })
    }

    /// The smallest and the largest rank the window holds now.
    #[must_use]
    pub fn window(&self) -> (u64, u64) {
        (self.base, self.base.saturating_add(2 * self.span as u64 - 1))
    }

    /// How it was built.
    #[cfg(feature = "serde")]
    pub(crate) fn shape(&self) -> (usize, WindowPolicy) {
        (self.span, self.policy)
    }

    /// Moves an empty window so that it begins at `rank`.
    #[cfg(feature = "serde")]
    pub(crate) fn begin_at(&mut self, rank: u64) {
        self.base = rank;
    }

    /// The first rank of a half.
    #[inline]
    fn start(&self, half: usize) -> u64 {
        self.base.saturating_add(if half == self.primary { 0 } else { self.span as u64 })
    }

    #[inline]
    fn rank(&self, bucket: usize) -> u64 {
        let half = bucket / self.span;
        self.start(half).saturating_add((bucket - half * self.span) as u64)
    }

    /// The bucket of an `offset` from the base, below `2P`.
    #[inline]
    fn bucket(&self, offset: u64) -> usize {
        let shifted = offset as usize + self.primary * self.span;
        if shifted >= 2 * self.span { shifted - 2 * self.span } else { shifted }
    }

    fn advance(&mut self) {
        self.base += self.span as u64;
        self.primary = 1 - self.primary;
    }

    /// Advances towards a `rank` beyond the window as far as empty halves allow.
    #[cold]
    fn reach(&mut self, rank: u64) {
        let span = self.span as u64;
        if rank < self.base {
            return;
        }
        if self.store.len() == 0 {
            // Nothing to keep: skip whole halves at once. `rank` is at least `2P` above the base.
            self.base += ((rank - self.base) / span - 1) * span;
        } else if self.store.first_under(self.halves[self.primary]).is_none()
            && (rank - self.base < 3 * span || self.policy.beyond == Beyond::LastBucket)
        {
            self.advance();
        }
    }

    #[inline]
    fn first(&self) -> Option<usize> {
        let [primary, secondary] = [self.primary, 1 - self.primary].map(|half| self.halves[half]);
        self.store.first_under(primary).or_else(|| self.store.first_under(secondary))
    }

    #[inline]
    fn last(&self) -> Option<usize> {
        let [primary, secondary] = [self.primary, 1 - self.primary].map(|half| self.halves[half]);
        self.store.last_under(secondary).or_else(|| self.store.last_under(primary))
    }

    /// What is served from the secondary makes it the primary.
    #[inline]
    fn served(&mut self, bucket: usize) {
        if bucket / self.span != self.primary {
            self.advance();
        }
    }
}

window_queue!(RollingWindow);
