//! Several logical queues over one set of buckets.
//!
//! Source: logical partitioning in BBQ (thesis §4.4.2). Partition `i` of `q` owns the buckets
//! `i · P/q .. (i + 1) · P/q`; concatenating the partition and the rank gives the bucket. A search
//! starts at the word of the bitmap tree that covers the partition, under a mask that hides its
//! neighbours: the root if `q <= W` (Fig. 4.9), a deeper word if `q > W`, which is the paper's
//! steering (Fig. 4.10); the levels above that word are not read.
//!
//! Complexity: as the bucket queue, or fewer levels. All partitions draw on one pool of elements.

use alloc::vec::Vec;

use super::store::BucketStore;
use crate::bitmap::{GeometryError, Subtree};
use crate::ranked::{DoubleEndedPartitions, PartitionedQueue, Reason, Rejected, Ties};

/// A [`PartitionedQueue`] in constant time.
///
/// ```
/// use forebay_pifo::{PartitionedBuckets, PartitionedQueue};
///
/// // 128 tenants with 256 ranks each, and room for 10,000 packets in whatever mixture.
/// let mut queue: PartitionedBuckets<u32> = PartitionedBuckets::new(128, 1 << 15, 10_000)?;
/// queue.push_in(7, 200, 1)?;
/// queue.push_in(8, 3, 2)?;
/// assert_eq!(queue.pop_min_in(7), Some((200, 1)));
/// assert_eq!(queue.pop_min_in(7), None);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PartitionedBuckets<T, const W: usize = 64> {
    store: BucketStore<T, W>,
    /// Per partition, where its searches begin and how many elements it holds.
    parts: Vec<(Subtree, usize)>,
    span: usize,
}

crate::debug_in_one_line!([T, const W: usize] PartitionedBuckets<T, W> as PartitionedQueue);

impl<T, const W: usize> PartitionedBuckets<T, W> {
    /// An empty queue of `partitions` partitions that share `buckets` buckets equally and up to
    /// `capacity` elements freely.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= buckets <= 2^20`; [`GeometryError::Partitions`] if a
    /// partition would not be whole bits of one bitmap (with powers of two it always is).
    pub fn new(partitions: usize, buckets: usize, capacity: usize) -> Result<Self, GeometryError> {
        let store = BucketStore::new(buckets, capacity)?;
        let subtrees: Result<Vec<_>, _> = (0..partitions.min(buckets))
            .map(|number| store.subtree(number, partitions).map(|subtree| (subtree, 0)))
            .collect();
        let parts = subtrees?;
        if parts.is_empty() {
            return Err(GeometryError::Partitions { asked: partitions, buckets, width: W });
        }
        Ok(PartitionedBuckets { store, span: buckets / parts.len(), parts })
    }

    /// The largest rank within a partition.
    #[must_use]
    pub fn max_rank(&self) -> u64 {
        self.span as u64 - 1
    }

    /// The bucket's rank within its partition.
    #[inline]
    fn rank(&self, partition: usize, bucket: usize) -> u64 {
        (bucket - partition * self.span) as u64
    }

    #[inline]
    fn first(&self, partition: usize) -> Option<usize> {
        self.store.first_under(self.parts.get(partition)?.0)
    }

    #[inline]
    fn last(&self, partition: usize) -> Option<usize> {
        self.store.last_under(self.parts.get(partition)?.0)
    }
}

impl<T, const W: usize> PartitionedQueue for PartitionedBuckets<T, W> {
    type Rank = u64;
    type Item = T;

    fn partitions(&self) -> usize {
        self.parts.len()
    }

    #[inline]
    fn push_in(&mut self, partition: usize, rank: u64, item: T) -> Result<(), Rejected<u64, T>> {
        let (partitions, max_rank) = (self.partitions(), self.max_rank());
        let reason = if partition >= partitions {
            Reason::NoSuchPartition { partitions }
        } else if rank > max_rank {
            Reason::RankTooLarge { max_rank }
        } else if self.store.is_full() {
            Reason::Full { capacity: self.store.capacity() }
        } else {
            self.store.insert(partition * self.span + rank as usize, item);
            self.parts[partition].1 += 1;
            return Ok(());
        };
        Err(Rejected { rank, item, reason })
    }

    #[inline]
    fn pop_min_in(&mut self, partition: usize) -> Option<(u64, T)> {
        let bucket = self.first(partition)?;
        let item = self.store.take_front(bucket)?;
        self.parts[partition].1 -= 1;
        Some((self.rank(partition, bucket), item))
    }

    #[inline]
    fn peek_min_in(&self, partition: usize) -> Option<(u64, &T)> {
        let bucket = self.first(partition)?;
        Some((self.rank(partition, bucket), self.store.front(bucket)?))
    }

    fn len_in(&self, partition: usize) -> usize {
        self.parts.get(partition).map_or(0, |part| part.1)
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn capacity(&self) -> usize {
        self.store.capacity()
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<T, const W: usize> DoubleEndedPartitions for PartitionedBuckets<T, W> {
    #[inline]
    fn pop_max_in(&mut self, partition: usize) -> Option<(u64, T)> {
        let bucket = self.last(partition)?;
        let item = self.store.take_back(bucket)?;
        self.parts[partition].1 -= 1;
        Some((self.rank(partition, bucket), item))
    }

    #[inline]
    fn peek_max_in(&self, partition: usize) -> Option<(u64, &T)> {
        let bucket = self.last(partition)?;
        Some((self.rank(partition, bucket), self.store.back(bucket)?))
    }
}
