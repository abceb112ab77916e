//! What every ranked queue can do.
//!
//! Source: the push-in first-out queue (PIFO) with *push*, *pop* and *replace* (clubheap §1), with
//! both ends as BBQ offers it (thesis Table 4.1) and SurgeProtector needs it (§3.5.4: serve the
//! smallest, drop the largest), and with logical PIFOs over one memory (thesis §4.4). Each
//! structure states its own complexity.

use alloc::boxed::Box;
use core::fmt;

/// In which order elements of equal rank leave a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ties {
    /// In order of arrival at the small end: the smallest rank gives up its earliest element, the
    /// largest its latest.
    Fifo,
    /// In an order that the structure chooses. Where it matters, push pairs of rank and arrival
    /// number.
    Unspecified,
}

/// The elements of a queue; see [`RankedQueue::iter`].
pub type Elements<'a, R, T> = Box<dyn Iterator<Item = (R, &'a T)> + 'a>;

/// A bounded queue that serves the smallest rank.
///
/// Where the structure is chosen at run time, a `Box<dyn RankedQueue<Rank = R, Item = T>>` is one
/// too.
pub trait RankedQueue {
    /// The number that orders elements; smaller leaves first.
    type Rank: Copy + Ord;
    /// What waits.
    type Item;

    /// How elements of equal rank leave. One that says [`Ties::Fifo`] is [`FifoTies`], too.
    fn ties(&self) -> Ties {
        Ties::Unspecified
    }

    /// Adds an element, behind all of its rank where [`ties`](Self::ties) are [`Ties::Fifo`].
    ///
    /// # Errors
    /// [`Rejected`], with the element, if the queue is full or cannot represent the rank.
    fn push(
        &mut self,
        rank: Self::Rank,
        item: Self::Item,
    ) -> Result<(), Rejected<Self::Rank, Self::Item>>;

    /// Whether the queue can ever hold an element of this rank, full or not: a fixed range of ranks
    /// is checked here.
    ///
    /// # Errors
    /// The reason that a push would give.
    fn check_rank(&self, rank: Self::Rank) -> Result<(), Reason> {
        let _ = rank;
        Ok(())
    }

    /// Takes an element of the smallest rank.
    fn pop_min(&mut self) -> Option<(Self::Rank, Self::Item)>;

    /// Shows the element that [`pop_min`](Self::pop_min) would take.
    fn peek_min(&self) -> Option<(Self::Rank, &Self::Item)>;

    /// Pops the smallest and then pushes, as a scheduler does with a flow that has more to send:
    /// the primitive that hardware is measured by (clubheap §1). A pop of nothing from an empty
    /// queue; never too full, since the pop comes first. One pass where the structure allows it.
    fn replace(&mut self, rank: Self::Rank, item: Self::Item) -> Replaced<Self::Rank, Self::Item> {
        Replaced { popped: self.pop_min(), pushed: self.push(rank, item) }
    }

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
    fn iter(&self) -> Elements<'_, Self::Rank, Self::Item>;
}

/// A [`RankedQueue`] whose elements of equal rank leave in order of arrival: its
/// [`ties`](RankedQueue::ties) are [`Ties::Fifo`]. What relies on that order asks for this trait.
pub trait FifoTies: RankedQueue {}

/// A [`RankedQueue`] that can also give up its largest rank.
pub trait DoubleEnded: RankedQueue {
    /// Takes an element of the largest rank: the latest, where ties are first-in first-out.
    fn pop_max(&mut self) -> Option<(Self::Rank, Self::Item)>;

    /// Shows the element that [`pop_max`](Self::pop_max) would take.
    fn peek_max(&self) -> Option<(Self::Rank, &Self::Item)>;
}

/// Several logical queues in one physical queue.
///
/// Most share its elements freely. Where each has a fixed share (the type says so),
/// [`capacity`](Self::capacity) is the sum, and a partition that has filled its own is full.
///
/// Source: logical partitioning (thesis §4.4, clubheap §2.1).
pub trait PartitionedQueue {
    /// The number that orders elements; smaller leaves first.
    type Rank: Copy + Ord;
    /// What waits.
    type Item;

    /// How elements of equal rank leave a partition.
    fn ties(&self) -> Ties {
        Ties::Unspecified
    }

    /// The number of partitions; they are numbered from 0.
    fn partitions(&self) -> usize;

    /// Adds an element to `partition`, behind all of its rank there where ties are first-in
    /// first-out.
    ///
    /// # Errors
    /// [`Rejected`], with the element, if the physical queue is full, or the partition or the rank
    /// does not exist.
    fn push_in(
        &mut self,
        partition: usize,
        rank: Self::Rank,
        item: Self::Item,
    ) -> Result<(), Rejected<Self::Rank, Self::Item>>;

    /// Takes an element of the smallest rank of `partition`.
    fn pop_min_in(&mut self, partition: usize) -> Option<(Self::Rank, Self::Item)>;

    /// Shows the element that [`pop_min_in`](Self::pop_min_in) would take.
    fn peek_min_in(&self, partition: usize) -> Option<(Self::Rank, &Self::Item)>;

    /// Pops the smallest of `partition` and then pushes to it; see [`RankedQueue::replace`].
    fn replace_in(
        &mut self,
        partition: usize,
        rank: Self::Rank,
        item: Self::Item,
    ) -> Replaced<Self::Rank, Self::Item> {
        let popped = self.pop_min_in(partition);
        Replaced { popped, pushed: self.push_in(partition, rank, item) }
    }

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

/// A [`PartitionedQueue`] whose partitions can also give up their largest rank.
pub trait DoubleEndedPartitions: PartitionedQueue {
    /// Takes an element of the largest rank of `partition`.
    fn pop_max_in(&mut self, partition: usize) -> Option<(Self::Rank, Self::Item)>;

    /// Shows the element that [`pop_max_in`](Self::pop_max_in) would take.
    fn peek_max_in(&self, partition: usize) -> Option<(Self::Rank, &Self::Item)>;
}

/// What [`RankedQueue::replace`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use = "it holds the element that was popped"]
pub struct Replaced<R, T> {
    /// The element that left, if there was one.
    pub popped: Option<(R, T)>,
    /// Whether the new one was taken; a refusal does not undo the pop.
    pub pushed: Result<(), Rejected<R, T>>,
}

/// An element that a queue would not take, given back, and why. The queue is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rejected<R, T> {
    /// The rank it came with.
    pub rank: R,
    /// What was refused, for the caller to keep or to drop.
    pub item: T,
    /// Why it was not taken.
    pub reason: Reason,
}

/// Why a push was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// An admission rule keeps the places that are left for smaller ranks.
    NotAdmitted {
        /// How many of the ranks seen last are smaller.
        smaller: usize,
        /// How many ranks the rule looks back on now.
        window: usize,
        /// The places that are free.
        free: usize,
        /// The queue's capacity.
        capacity: usize,
    },
    /// The rank lies beyond the last period of a calendar.
    BeyondHorizon {
        /// The largest rank the calendar holds now.
        last: u64,
    },
}

impl<R: fmt::Display, T> fmt::Display for Rejected<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} refused: {}", self.rank, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Full { capacity } => {
                write!(f, "the queue holds its {capacity} elements; pop one end first")
            }
            Reason::RankTooLarge { max_rank } => {
                write!(f, "the largest is {max_rank}; quantize ranks or build the queue with more")
            }
            Reason::BelowWindow { first } => write!(
                f,
                "the window now begins at {first}; serve late ranks as `Below::FirstBucket` or \
                 widen the window"
            ),
            Reason::BeyondWindow { last } => write!(
                f,
                "the window now ends at {last}; take far ranks as `Beyond::LastBucket` or widen \
                 the window"
            ),
            Reason::NoSuchPartition { partitions } => {
                write!(f, "there are {partitions} partitions, numbered from 0; name one of them")
            }
            Reason::NotAdmitted { smaller, window, free, capacity } => write!(
                f,
                "{smaller} of the last {window} ranks are smaller and {free} of {capacity} places \
                 free; allow a larger burst or more places"
            ),
            Reason::BeyondHorizon { last } => {
                write!(f, "the calendar now ends at {last}; give it coarser or more periods")
            }
        }
    }
}

impl<R: fmt::Debug + fmt::Display, T: fmt::Debug> core::error::Error for Rejected<R, T> {}
