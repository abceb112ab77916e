//! What every ranked queue can do.
//!
//! Source: the push-in first-out queue (PIFO) with both ends, as BBQ offers it (thesis Table 4.1) and
//! SurgeProtector needs it (§3.5.4: serve the smallest, drop the largest). Each structure states its own
//! complexity.

use core::fmt;

/// A bounded queue that serves the smallest rank and can give up the largest.
///
/// Elements of equal rank leave in order of arrival at the small end: [`pop_min`](Self::pop_min) takes
/// the earliest of the smallest rank, [`pop_max`](Self::pop_max) the latest of the largest.
pub trait RankedQueue {
    /// The number that orders elements; smaller leaves first.
    type Rank: Copy + Ord;
    /// What waits.
    type Item;

    /// Adds an element behind all of its rank.
    ///
    /// # Errors
    /// [`Rejected`], with the element, if the queue is full or cannot represent the rank.
    fn push(
        &mut self,
        rank: Self::Rank,
        item: Self::Item,
    ) -> Result<(), Rejected<Self::Rank, Self::Item>>;

    /// Takes the earliest element of the smallest rank.
    fn pop_min(&mut self) -> Option<(Self::Rank, Self::Item)>;

    /// Shows the element that [`pop_min`](Self::pop_min) would take.
    fn peek_min(&self) -> Option<(Self::Rank, &Self::Item)>;

    /// Takes the latest element of the largest rank.
    fn pop_max(&mut self) -> Option<(Self::Rank, Self::Item)>;

    /// Shows the element that [`pop_max`](Self::pop_max) would take.
    fn peek_max(&self) -> Option<(Self::Rank, &Self::Item)>;

    /// The number of elements that wait.
    fn len(&self) -> usize;

    /// Whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest number of elements that may wait at once.
    fn capacity(&self) -> usize;

    /// Every element once, in an order that the structure chooses; O(n), plus a scan of the buckets
    /// where there are any. For inspection and tests.
    fn iter(&self) -> impl Iterator<Item = (Self::Rank, &Self::Item)>
    where
        Self: Sized;
}

/// Several logical queues that share the elements of one physical queue.
///
/// Source: logical partitioning (thesis §4.4). Any partition may use the whole capacity: there is no
/// queue fragmentation.
pub trait PartitionedQueue {
    /// What waits.
    type Item;

    /// The number of partitions; they are numbered from 0.
    fn partitions(&self) -> usize;

    /// The largest rank within a partition.
    fn max_rank(&self) -> u64;

    /// Adds an element to `partition`, behind all of its rank there.
    ///
    /// # Errors
    /// [`Rejected`], with the element, if the physical queue is full, or the partition or the rank does
    /// not exist.
    fn push_in(
        &mut self,
        partition: usize,
        rank: u64,
        item: Self::Item,
    ) -> Result<(), Rejected<u64, Self::Item>>;

    /// Takes the earliest element of the smallest rank of `partition`.
    fn pop_min_in(&mut self, partition: usize) -> Option<(u64, Self::Item)>;

    /// Shows the element that [`pop_min_in`](Self::pop_min_in) would take.
    fn peek_min_in(&self, partition: usize) -> Option<(u64, &Self::Item)>;

    /// Takes the latest element of the largest rank of `partition`.
    fn pop_max_in(&mut self, partition: usize) -> Option<(u64, Self::Item)>;

    /// Shows the element that [`pop_max_in`](Self::pop_max_in) would take.
    fn peek_max_in(&self, partition: usize) -> Option<(u64, &Self::Item)>;

    /// The number of elements that wait in `partition`; zero if there is no such partition.
    fn len_in(&self, partition: usize) -> usize;

    /// The number of elements that wait in all partitions.
    fn len(&self) -> usize;

    /// Whether nothing waits in any partition.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest number of elements that may wait at once, over all partitions.
    fn capacity(&self) -> usize;
}

/// An element that a queue would not take, given back, and why. The queue is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected<R, T> {
    /// The rank it came with.
    pub rank: R,
    /// The element itself.
    pub item: T,
    /// Why it was not taken.
    pub reason: Reason,
}

/// Why a push was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// As many elements wait as may.
    Full {
        /// The queue's capacity.
        capacity: usize,
    },
    /// The rank is beyond the queue's fixed range.
    RankTooLarge {
        /// The largest rank the queue accepts.
        max_rank: u64,
    },
    /// The rank is below a rolling window that rejects such ranks.
    BelowWindow {
        /// The smallest rank the window holds now.
        first: u64,
    },
    /// The rank is beyond a rolling window that rejects such ranks.
    BeyondWindow {
        /// The largest rank the window holds now.
        last: u64,
    },
    /// There is no such partition.
    NoSuchPartition {
        /// The number of partitions.
        partitions: usize,
    },
}

impl<R: fmt::Display, T> fmt::Display for Rejected<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = &self.rank;
        match self.reason {
            Reason::Full { capacity } => write!(
                f,
                "rank {rank} refused: the queue holds its {capacity} elements; pop one end first"
            ),
            Reason::RankTooLarge { max_rank } => write!(
                f,
                "rank {rank} refused: the largest is {max_rank}; quantize ranks or build the queue \
                 with more"
            ),
            Reason::BelowWindow { first } => write!(
                f,
                "rank {rank} refused: the window now begins at {first}; serve late ranks as \
                 `Below::FirstBucket` or widen the window"
            ),
            Reason::BeyondWindow { last } => write!(
                f,
                "rank {rank} refused: the window now ends at {last}; take far ranks as \
                 `Beyond::LastBucket` or widen the window"
            ),
            Reason::NoSuchPartition { partitions } => write!(
                f,
                "rank {rank} refused: there are {partitions} partitions, numbered from 0; name one \
                 of them"
            ),
        }
    }
}

impl<R: fmt::Debug + fmt::Display, T: fmt::Debug> core::error::Error for Rejected<R, T> {}
