//! First-in first-out within a rank, over any structure that leaves that open.
//!
//! Source: none needed; it is what [`Ties::Unspecified`] advises. The rank of the structure
//! underneath is the pair of rank and arrival number, so equal ranks leave it in order of arrival,
//! and at the large end, where it has one, in reverse.
//!
//! Complexity: that of the structure underneath. Memory: eight bytes more per element. Limits: 2^64
//! arrivals in all.

use alloc::boxed::Box;

use crate::ranked::{
    DoubleEnded, DoubleEndedPartitions, Elements, FifoTies, PartitionedQueue, RankedQueue, Reason,
    Rejected, Replaced, Ties,
};

/// A [`RankedQueue`] or [`PartitionedQueue`] with [`Ties::Fifo`] over one of pairs of rank and
/// arrival number. Partitions share one count of arrivals.
///
/// ```
/// use forebay_pifo::{ClubHeap, RankedQueue, Stable};
///
/// let heap: ClubHeap<(u32, u64), &str> = ClubHeap::new(2, 1_000)?;
/// let mut queue = Stable::new(heap);
/// queue.push(7, "early")?;
/// queue.push(7, "late")?;
/// assert_eq!(queue.pop_min(), Some((7, "early")));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stable<Q> {
    queue: Q,
    arrivals: u64,
}

impl<Q> Stable<Q> {
    /// Numbers the arrivals at `queue`, which should be empty.
    pub fn new(queue: Q) -> Self {
        Stable { queue, arrivals: 0 }
    }

    /// The queue whose ranks are widened.
    pub fn get_ref(&self) -> &Q {
        &self.queue
    }

    /// Widens a rank by the next arrival number.
    #[inline]
    fn arrive<R>(&mut self, rank: R) -> (R, u64) {
        let arrival = self.arrivals;
        self.arrivals = arrival.wrapping_add(1);
        (rank, arrival)
    }
}

/// Without the arrival number.
#[inline]
fn plain<R, T>(((rank, _), item): ((R, u64), T)) -> (R, T) {
    (rank, item)
}

/// The same for a refusal.
#[inline]
fn refused<R, T>(rejected: Rejected<(R, u64), T>) -> Rejected<R, T> {
    Rejected { rank: rejected.rank.0, item: rejected.item, reason: rejected.reason }
}

impl<R: Copy + Ord + 'static, Q: RankedQueue<Rank = (R, u64)>> RankedQueue for Stable<Q> {
    type Rank = R;
    type Item = Q::Item;

    #[inline]
    fn push(&mut self, rank: R, item: Q::Item) -> Result<(), Rejected<R, Q::Item>> {
        let rank = self.arrive(rank);
        self.queue.push(rank, item).map_err(refused)
    }

    fn check_rank(&self, rank: R) -> Result<(), Reason> {
        self.queue.check_rank((rank, self.arrivals))
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, Q::Item)> {
        self.queue.pop_min().map(plain)
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &Q::Item)> {
        self.queue.peek_min().map(plain)
    }

    #[inline]
    fn replace(&mut self, rank: R, item: Q::Item) -> Replaced<R, Q::Item> {
        let rank = self.arrive(rank);
        let Replaced { popped, pushed } = self.queue.replace(rank, item);
        Replaced { popped: popped.map(plain), pushed: pushed.map_err(refused) }
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn iter(&self) -> Elements<'_, R, Q::Item> {
        Box::new(self.queue.iter().map(plain))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord + 'static, Q: RankedQueue<Rank = (R, u64)>> FifoTies for Stable<Q> {}

impl<R: Copy + Ord + 'static, Q: DoubleEnded<Rank = (R, u64)>> DoubleEnded for Stable<Q> {
    #[inline]
    fn pop_max(&mut self) -> Option<(R, Q::Item)> {
        self.queue.pop_max().map(plain)
    }

    #[inline]
    fn peek_max(&self) -> Option<(R, &Q::Item)> {
        self.queue.peek_max().map(plain)
    }
}

impl<R: Copy + Ord, Q: PartitionedQueue<Rank = (R, u64)>> PartitionedQueue for Stable<Q> {
    type Rank = R;
    type Item = Q::Item;

    fn partitions(&self) -> usize {
        self.queue.partitions()
    }

    #[inline]
    fn push_in(
        &mut self,
        partition: usize,
        rank: R,
        item: Q::Item,
    ) -> Result<(), Rejected<R, Q::Item>> {
        let rank = self.arrive(rank);
        self.queue.push_in(partition, rank, item).map_err(refused)
    }

    #[inline]
    fn pop_min_in(&mut self, partition: usize) -> Option<(R, Q::Item)> {
        self.queue.pop_min_in(partition).map(plain)
    }

    #[inline]
    fn peek_min_in(&self, partition: usize) -> Option<(R, &Q::Item)> {
        self.queue.peek_min_in(partition).map(plain)
    }

    #[inline]
    fn replace_in(&mut self, partition: usize, rank: R, item: Q::Item) -> Replaced<R, Q::Item> {
        let rank = self.arrive(rank);
        let Replaced { popped, pushed } = self.queue.replace_in(partition, rank, item);
        Replaced { popped: popped.map(plain), pushed: pushed.map_err(refused) }
    }

    fn len_in(&self, partition: usize) -> usize {
        self.queue.len_in(partition)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, Q: DoubleEndedPartitions<Rank = (R, u64)>> DoubleEndedPartitions for Stable<Q> {
    #[inline]
    fn pop_max_in(&mut self, partition: usize) -> Option<(R, Q::Item)> {
        self.queue.pop_max_in(partition).map(plain)
    }

    #[inline]
    fn peek_max_in(&self, partition: usize) -> Option<(R, &Q::Item)> {
        self.queue.peek_max_in(partition).map(plain)
    }
}
