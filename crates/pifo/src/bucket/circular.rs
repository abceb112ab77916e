//! The rolling window as a circle: a rank's bucket is the rank modulo the number of buckets.
//!
//! Source: an alternative to the two halves of thesis §4.5.2 that a processor can afford and that
//! gets twice the span out of the same buckets: `P` buckets hold any set of ranks whose largest and
//! smallest differ by less than `P`, wherever they lie. The window `[base, base + P)` follows the
//! elements: a pop moves its base up to the rank served, a push beyond it up to the smallest rank
//! that waits, and a push below it down, as far as the largest rank that waits allows.
//!
//! Complexity: a search starts at the leaf word of the base, so it reads one word where ranks are
//! dense, and at most twice the levels, less one, where it must climb and descend again; wrapping
//! adds one search more. Memory: that of `P` buckets.

use super::store::BucketStore;
use super::window::{WindowPolicy, window_queue};
use crate::bitmap::GeometryError;

/// A [`RankedQueue`](crate::RankedQueue) for ranks that advance, in constant time, exact while the
/// ranks that wait span less than the window.
///
/// ```
/// use forebay_pifo::{CircularWindow, DoubleEnded, RankedQueue, WindowPolicy};
///
/// // Virtual finish times grow for ever; at any moment they lie within 4096 of each other.
/// let mut queue: CircularWindow<u32> = CircularWindow::new(4096, 100, WindowPolicy::default())?;
/// let mut now = 0;
/// for packet in 0..10_000 {
///     queue.push(now + 4_095, packet)?;
///     queue.push(now + 7, packet)?;
///     now = queue.pop_min().map_or(now, |(rank, _)| rank);
///     queue.pop_max();
/// }
/// assert!(now > 60_000);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CircularWindow<T, const W: usize = 64> {
    store: BucketStore<T, W>,
    /// The window's first rank: no waiting rank is below it.
    base: u64,
    /// The bucket of the base: `base mod P`.
    origin: usize,
    policy: WindowPolicy,
}

impl<T, const W: usize> CircularWindow<T, W> {
    /// An empty window over ranks `0 .. span` for up to `capacity` elements.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= span <= 2^20`.
    pub fn new(span: usize, capacity: usize, policy: WindowPolicy) -> Result<Self, GeometryError> {
        Ok(CircularWindow { store: BucketStore::new(span, capacity)?, base: 0, origin: 0, policy })
    }

    /// The smallest and the largest rank the window holds now; a push may move it.
    #[must_use]
    pub fn window(&self) -> (u64, u64) {
        (self.base, self.base.saturating_add(self.span() - 1))
    }

    /// How it was built.
    #[cfg(feature = "serde")]
    pub(crate) fn shape(&self) -> (usize, WindowPolicy) {
        (self.store.buckets(), self.policy)
    }

    /// Moves an empty window so that it begins at `rank`.
    #[cfg(feature = "serde")]
    pub(crate) fn begin_at(&mut self, rank: u64) {
        self.rebase(rank);
    }

    #[inline]
    fn span(&self) -> u64 {
        self.store.buckets() as u64
    }

    /// The bucket of an `offset` from the base, below the span.
    #[inline]
    fn bucket(&self, offset: u64) -> usize {
        let shifted = self.origin + offset as usize;
        if shifted >= self.store.buckets() { shifted - self.store.buckets() } else { shifted }
    }

    #[inline]
    fn rank(&self, bucket: usize) -> u64 {
        let wrap = if bucket < self.origin { self.store.buckets() } else { 0 };
        self.base.saturating_add((bucket + wrap - self.origin) as u64)
    }

    #[inline]
    fn first(&self) -> Option<usize> {
        self.store.first_from(self.origin).or_else(|| self.store.first())
    }

    #[inline]
    fn last(&self) -> Option<usize> {
        self.store.last_below(self.origin).or_else(|| self.store.last())
    }

    /// Moves the window so that it begins at `rank`.
    #[cold]
    fn rebase(&mut self, rank: u64) {
        self.origin = (rank % self.span()) as usize;
        self.base = rank;
    }

    /// Moves the window over `rank` if everything that waits still fits in it.
    #[cold]
    fn reach(&mut self, rank: u64) {
        let ends = self.first().zip(self.last());
        let Some((least, most)) = ends.map(|(first, last)| (self.rank(first), self.rank(last)))
        else {
            return self.rebase(rank);
        };
        let fits = rank.max(most) - rank.min(least) < self.span();
        self.rebase(if fits {
            rank.min(least)
        } else if rank < least {
            most - (self.span() - 1) // as far down as the largest allows
        } else {
            least // as far up as the smallest allows
        });
    }

    /// The window begins where it was served last.
    #[inline]
    fn served(&mut self, bucket: usize) {
        (self.base, self.origin) = (self.rank(bucket), bucket);
    }
}

window_queue!(CircularWindow);
