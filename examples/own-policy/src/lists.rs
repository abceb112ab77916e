//! A ranked queue: first-in first-out lists in a map by rank; and weighted fair queueing over it.
//!
//! Push and pop O(log n) in the ranks that wait. Memory grows with what waits.

use std::collections::{BTreeMap, VecDeque};

use forebay::pifo::{DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};
use forebay::prelude::*;
use forebay::sched::fair::{Limits, PifoConfig, PifoWfq};
use forebay::sched::scheduler::{PacketScheduler, SchedulerShape, Weights};

/// The queue.
pub struct Lists<R, T> {
    /// No list is empty.
    lists: BTreeMap<R, VecDeque<T>>,
    len: usize,
    capacity: usize,
}

impl<R, T> Lists<R, T> {
    /// An empty queue for up to `capacity` elements.
    pub fn new(capacity: usize) -> Self {
        Lists { lists: BTreeMap::new(), len: 0, capacity }
    }
}

impl<R: Copy + Ord, T> RankedQueue for Lists<R, T> {
    type Rank = R;
    type Item = T;

    fn ties(&self) -> Ties {
        Ties::Fifo
    }

    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        if self.len == self.capacity {
            return Err(Rejected { rank, item, reason: Reason::Full { capacity: self.capacity } });
        }
        self.lists.entry(rank).or_default().push_back(item);
        self.len += 1;
        Ok(())
    }

    fn pop_min(&mut self) -> Option<(R, T)> {
        let mut list = self.lists.first_entry()?;
        let (rank, item) = (*list.key(), list.get_mut().pop_front()?);
        if list.get().is_empty() {
            list.remove();
        }
        self.len -= 1;
        Some((rank, item))
    }

    fn peek_min(&self) -> Option<(R, &T)> {
        let (rank, list) = self.lists.first_key_value()?;
        Some((*rank, list.front()?))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.lists.iter().flat_map(|(rank, list)| list.iter().map(|item| (*rank, item))))
    }
}

impl<R: Copy + Ord, T> FifoTies for Lists<R, T> {}

impl<R: Copy + Ord, T> DoubleEnded for Lists<R, T> {
    fn pop_max(&mut self) -> Option<(R, T)> {
        let mut list = self.lists.last_entry()?;
        let (rank, item) = (*list.key(), list.get_mut().pop_back()?);
        if list.get().is_empty() {
            list.remove();
        }
        self.len -= 1;
        Some((rank, item))
    }

    fn peek_max(&self) -> Option<(R, &T)> {
        let (rank, list) = self.lists.last_key_value()?;
        Some((*rank, list.back()?))
    }
}

/// The choice `wfq-lists`: the scheduler of `pifo-wfq` over this queue.
pub(crate) fn choice() -> Choice<dyn PacketScheduler> {
    let about = "weighted fair queueing over a ranked queue of this crate";
    let build = |limits: &Limits, shape: &SchedulerShape| {
        let limits = Limits { bytes: limits.bytes.min(shape.buffer), ..*limits };
        let config = PifoConfig { limits, ..PifoConfig::default() };
        let queue = Lists::new(limits.packets as usize);
        Ok(Box::new(PifoWfq::over(queue, &config, shape.weights(&Weights::default()))) as _)
    };
    Choice::new("wfq-lists", about, Limits::default(), build).labelled("WFQ, lists")
}
