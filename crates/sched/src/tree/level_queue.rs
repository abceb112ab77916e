//! The queues behind the nodes of a level: one physical queue with a partition per node.
//!
//! Source: logical partitioning (clubheap §2.1: queues at the same level of the scheduling tree are
//! logical PIFOs of one block; thesis §4.1.1, Fig. 4.1).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use forebay_pifo::{
    ExactQueue, PartitionedClubHeap, PartitionedQueue, PartitionedShiftRegister, RankedQueue,
    Reason, Rejected, Replaced, Stable, Ties,
};

/// Why a queue for a level cannot be built, in one sentence.
pub type LevelQueueError = Box<dyn core::error::Error + Send + Sync>;

/// A partitioned queue that a tree can be built on.
///
/// What a tree relies on: it takes any rank; any partition may hold all `capacity` elements; ties
/// are first-in first-out.
pub trait LevelQueue: PartitionedQueue<Rank = u64, Item = u32> + Sized {
    /// An empty queue.
    ///
    /// # Errors
    /// More partitions or elements than such a queue can have.
    fn build(partitions: usize, capacity: usize) -> Result<Self, LevelQueueError>;

    /// How many queues of their own it is made of.
    fn physical_queues(&self) -> usize {
        1
    }
}

/// Elements of a cluster: what clubheap §6 finds a good trade.
const CLUSTER: usize = 16;

/// One ClubHeap (clubheap §3) for all nodes of a level.
impl LevelQueue for Stable<PartitionedClubHeap<(u64, u64), u32>> {
    fn build(partitions: usize, capacity: usize) -> Result<Self, LevelQueueError> {
        Ok(Stable::new(PartitionedClubHeap::new(CLUSTER, capacity, partitions)?))
    }
}

/// One shift register (clubheap §2.2) for all nodes of a level. Linear in software.
impl LevelQueue for PartitionedShiftRegister<u64, u32> {
    fn build(partitions: usize, capacity: usize) -> Result<Self, LevelQueueError> {
        Ok(PartitionedShiftRegister::new(partitions, capacity)?)
    }
}

/// A queue of its own for every partition: for software, where memory is one anyway, and for
/// comparison.
///
/// ```
/// use forebay_pifo::PartitionedQueue;
/// use forebay_sched::tree::{LevelQueue, SeparateQueues};
///
/// let mut queues = SeparateQueues::build(3, 10)?;
/// queues.push_in(2, 5, 7).map_err(|refused| refused.reason).ok();
/// assert_eq!(queues.peek_min_in(2), Some((5, &7)));
/// assert_eq!(queues.physical_queues(), 3);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Clone)]
pub struct SeparateQueues {
    queues: Vec<ExactQueue<u64, u32>>,
    len: usize,
    capacity: usize,
}

forebay_pifo::debug_in_one_line!([] SeparateQueues as PartitionedQueue);

impl LevelQueue for SeparateQueues {
    fn build(partitions: usize, capacity: usize) -> Result<Self, LevelQueueError> {
        let queues = (0..partitions).map(|_| ExactQueue::new(capacity)).collect();
        Ok(SeparateQueues { queues, len: 0, capacity })
    }

    fn physical_queues(&self) -> usize {
        self.queues.len()
    }
}

impl PartitionedQueue for SeparateQueues {
    type Rank = u64;
    type Item = u32;

    fn partitions(&self) -> usize {
        self.queues.len()
    }

    #[inline]
    fn push_in(
        &mut self,
        partition: usize,
        rank: u64,
        item: u32,
    ) -> Result<(), Rejected<u64, u32>> {
        let (partitions, capacity) = (self.queues.len(), self.capacity);
        if self.len >= capacity {
            return Err(Rejected { rank, item, reason: Reason::Full { capacity } });
        }
        let Some(queue) = self.queues.get_mut(partition) else {
            return Err(Rejected { rank, item, reason: Reason::NoSuchPartition { partitions } });
        };
        queue.push(rank, item)?;
        self.len += 1;
        Ok(())
    }

    #[inline]
    fn pop_min_in(&mut self, partition: usize) -> Option<(u64, u32)> {
        let popped = self.queues.get_mut(partition)?.pop_min()?;
        self.len -= 1;
        Some(popped)
    }

    #[inline]
    fn peek_min_in(&self, partition: usize) -> Option<(u64, &u32)> {
        self.queues.get(partition)?.peek_min()
    }

    #[inline]
    fn replace_in(&mut self, partition: usize, rank: u64, item: u32) -> Replaced<u64, u32> {
        match self.queues.get_mut(partition) {
            Some(queue) if !queue.is_empty() => queue.replace(rank, item),
            _ => Replaced { popped: None, pushed: self.push_in(partition, rank, item) },
        }
    }

    fn len_in(&self, partition: usize) -> usize {
        self.queues.get(partition).map_or(0, RankedQueue::len)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

/// The number of queues behind the trees of all ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueCount {
    /// Nodes, over all ports, and one shaping queue per port if any node is shaped: what would be
    /// needed without partitions.
    pub logical: usize,
    /// Queues that there are.
    pub physical: usize,
}

impl fmt::Display for QueueCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} logical in {} physical queues", self.logical, self.physical)
    }
}
