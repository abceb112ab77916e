//! The bucket queue: a bucket per rank, found by bitmaps. Push, pop and peek at either end take
//! constant time whatever the number of elements.
//!
//! Source: BBQ (thesis §4.2.1 to §4.2.2, Fig. 4.2) and the double-ended hierarchical FFS queue of
//! SurgeProtector (§3.5.4, Fig. 3.12). Its two extensions have files of their own: logical
//! partitioning and the rolling window, each with the same buckets behind it.
//!
//! Complexity: `ceil(log_W(ranks))` words per search, three for 2^15 ranks under 64-bit bitmaps.
//! Memory: eight bytes and about a bit per rank; per element its slot, and eight bytes per block of
//! slots (at most two blocks of each occupied bucket are partly used).

mod circular;
mod lists;
mod partitioned;
mod rolling;
mod store;
mod window;

pub(crate) use store::BucketStore;

pub use circular::CircularWindow;
pub use partitioned::PartitionedBuckets;
pub use rolling::RollingWindow;
pub use window::{Below, Beyond, WindowPolicy};

use alloc::boxed::Box;

use crate::bitmap::GeometryError;
use crate::ranked::{DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};

/// A [`RankedQueue`] for ranks below a fixed bound of at most 2^20, in constant time.
///
/// `W` is the width of a bitmap in bits, 2 to 64. A processor wants 64; other widths model
/// hardware.
///
/// ```
/// use forebay_pifo::{BucketQueue, DoubleEnded, RankedQueue};
///
/// let mut queue: BucketQueue<&str> = BucketQueue::new(1 << 15, 1_000)?;
/// for (rank, item) in [(700, "video"), (3, "voice"), (30_000, "backup")] {
///     queue.push(rank, item).map_err(|rejected| rejected.item)?;
/// }
/// assert_eq!(queue.pop_min(), Some((3, "voice")));
/// assert_eq!(queue.pop_max(), Some((30_000, "backup")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct BucketQueue<T, const W: usize = 64> {
    store: BucketStore<T, W>,
}

crate::debug_in_one_line!([T, const W: usize] BucketQueue<T, W> as RankedQueue);

impl<T, const W: usize> BucketQueue<T, W> {
    /// An empty queue for ranks `0 .. ranks` and up to `capacity` elements (2^31 at most; more is
    /// taken as that). Memory for elements is taken as they arrive.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= ranks <= 2^20`.
    pub fn new(ranks: usize, capacity: usize) -> Result<Self, GeometryError> {
        Ok(BucketQueue { store: BucketStore::new(ranks, capacity)? })
    }

    /// The largest rank the queue accepts.
    #[must_use]
    pub fn max_rank(&self) -> u64 {
        self.store.buckets() as u64 - 1
    }

    /// The number of bitmap levels: words read to find an end.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.store.depth()
    }
}

impl<T, const W: usize> RankedQueue for BucketQueue<T, W> {
    type Rank = u64;
    type Item = T;

    #[inline]
    fn push(&mut self, rank: u64, item: T) -> Result<(), Rejected<u64, T>> {
        if let Err(reason) = self.check_rank(rank) {
            return Err(Rejected { rank, item, reason });
        }
        if self.store.is_full() {
            let reason = Reason::Full { capacity: self.store.capacity() };
            return Err(Rejected { rank, item, reason });
        }
        self.store.insert(rank as usize, item);
        Ok(())
    }

    #[inline]
    fn check_rank(&self, rank: u64) -> Result<(), Reason> {
        let max_rank = self.max_rank();
        if rank > max_rank { Err(Reason::RankTooLarge { max_rank }) } else { Ok(()) }
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(u64, T)> {
        let bucket = self.store.first()?;
        Some((bucket as u64, self.store.take_front(bucket)?))
    }

    #[inline]
    fn peek_min(&self) -> Option<(u64, &T)> {
        let bucket = self.store.first()?;
        Some((bucket as u64, self.store.front(bucket)?))
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn capacity(&self) -> usize {
        self.store.capacity()
    }

    fn iter(&self) -> Elements<'_, u64, T> {
        Box::new(self.store.iter().map(|(bucket, item)| (bucket as u64, item)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<T, const W: usize> FifoTies for BucketQueue<T, W> {}

impl<T, const W: usize> DoubleEnded for BucketQueue<T, W> {
    #[inline]
    fn pop_max(&mut self) -> Option<(u64, T)> {
        let bucket = self.store.last()?;
        Some((bucket as u64, self.store.take_back(bucket)?))
    }

    #[inline]
    fn peek_max(&self) -> Option<(u64, &T)> {
        let bucket = self.store.last()?;
        Some((bucket as u64, self.store.back(bucket)?))
    }
}
