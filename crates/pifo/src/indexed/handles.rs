//! A ranked queue whose elements can be found again: each push gives a handle.
//!
//! Structure: the items in a slab whose free slots form a list, their ids in an [`IndexedQueue`]. A
//! handle is a slot and the number of times it has been used, so one that outlives its element
//! finds nothing.
//!
//! Complexity: that of the indexed queue. Memory: that, and per element the item and 8 bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::IndexedQueue;
use crate::ranked::{DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};
use crate::tiered::MAX_ID;

/// The name of an element in a [`HandleQueue`], valid until the element leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementHandle {
    slot: u32,
    use_number: u32,
}

#[derive(Clone)]
struct Slot<T> {
    /// Goes up when the element leaves.
    use_number: u32,
    item: Option<T>,
}

/// A [`RankedQueue`] with both ends from which any element can be removed by its handle.
///
/// ```
/// use forebay_pifo::{HandleQueue, IndexedExact, RankedQueue};
///
/// let mut queue = HandleQueue::new(IndexedExact::new(), 100);
/// let job = queue.insert(7_u64, "compile")?;
/// queue.insert(3, "test")?;
/// assert!(queue.change_rank(job, 1));
/// assert_eq!(queue.peek_min(), Some((1, &"compile")));
/// assert_eq!(queue.remove(job), Some((1, "compile")));
/// assert_eq!(queue.remove(job), None);
/// # Ok::<(), forebay_pifo::Rejected<u64, &str>>(())
/// ```
#[derive(Clone)]
pub struct HandleQueue<Q, T> {
    order: Q,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    capacity: usize,
}

crate::debug_in_one_line!(
    [Q: IndexedQueue<Rank: core::fmt::Debug>, T] HandleQueue<Q, T> as RankedQueue
);

impl<Q: IndexedQueue, T> HandleQueue<Q, T> {
    /// A queue of up to `capacity` elements (2^26 at most; more is taken as that), ordered by
    /// `order`, which is emptied first.
    #[must_use]
    pub fn new(mut order: Q, capacity: usize) -> Self {
        while order.pop_min().is_some() {}
        let capacity = capacity.min(MAX_ID as usize + 1);
        HandleQueue { order, slots: Vec::new(), free: Vec::new(), capacity }
    }

    /// Adds an element behind all of its rank, and names it.
    ///
    /// # Errors
    /// [`Rejected`], with the element, if the queue is full or cannot represent the rank.
    pub fn insert(
        &mut self,
        rank: Q::Rank,
        item: T,
    ) -> Result<ElementHandle, Rejected<Q::Rank, T>> {
        let full = Reason::Full { capacity: self.capacity };
        if let Err(reason) = self.order.check_rank(rank) {
            return Err(Rejected { rank, item, reason });
        }
        if self.len() >= self.capacity {
            return Err(Rejected { rank, item, reason: full });
        }
        let slot = self.free.last().copied().unwrap_or(self.slots.len() as u32);
        if self.order.push(rank, slot).is_err() {
            return Err(Rejected { rank, item, reason: full }); // no memory for its links
        }
        self.free.pop();
        Ok(self.fill(slot, item))
    }

    /// Puts `item` into a free slot, or into the one after all.
    fn fill(&mut self, slot: u32, item: T) -> ElementHandle {
        if let Some(old) = self.slots.get_mut(slot as usize) {
            old.item = Some(item);
            return ElementHandle { slot, use_number: old.use_number };
        }
        self.slots.push(Slot { use_number: 0, item: Some(item) });
        ElementHandle { slot, use_number: 0 }
    }

    /// Takes an element out, wherever it stands; `None` if it has left.
    pub fn remove(&mut self, handle: ElementHandle) -> Option<(Q::Rank, T)> {
        self.get(handle)?;
        let rank = self.order.remove(handle.slot)?;
        self.empty(rank, handle.slot)
    }

    /// The element and its rank; `None` if it has left.
    pub fn get(&self, handle: ElementHandle) -> Option<(Q::Rank, &T)> {
        let slot = self.slots.get(handle.slot as usize)?;
        let item = slot.item.as_ref().filter(|_| slot.use_number == handle.use_number)?;
        Some((self.order.rank_of(handle.slot)?, item))
    }

    /// Gives an element another rank, behind all that have it; `false` if it has left or the rank
    /// is out of range.
    pub fn change_rank(&mut self, handle: ElementHandle, rank: Q::Rank) -> bool {
        self.get(handle).is_some() && self.order.change_rank(handle.slot, rank)
    }

    /// Empties the slot of an id that the order has just given up.
    fn empty(&mut self, rank: Q::Rank, id: u32) -> Option<(Q::Rank, T)> {
        let slot = self.slots.get_mut(id as usize)?;
        let item = slot.item.take()?;
        // A slot whose uses can no longer be counted is given up, or old handles would find new
        // elements.
        if let Some(next) = slot.use_number.checked_add(1) {
            slot.use_number = next;
            self.free.push(id);
        }
        Some((rank, item))
    }

    fn shown(&self, end: Option<(Q::Rank, u32)>) -> Option<(Q::Rank, &T)> {
        let (rank, id) = end?;
        Some((rank, self.slots.get(id as usize)?.item.as_ref()?))
    }
}

impl<Q: IndexedQueue, T> RankedQueue for HandleQueue<Q, T> {
    type Rank = Q::Rank;
    type Item = T;

    fn push(&mut self, rank: Q::Rank, item: T) -> Result<(), Rejected<Q::Rank, T>> {
        self.insert(rank, item).map(|_| ())
    }

    fn check_rank(&self, rank: Q::Rank) -> Result<(), Reason> {
        self.order.check_rank(rank)
    }

    fn pop_min(&mut self) -> Option<(Q::Rank, T)> {
        let (rank, id) = self.order.pop_min()?;
        self.empty(rank, id)
    }

    fn peek_min(&self) -> Option<(Q::Rank, &T)> {
        self.shown(self.order.peek_min())
    }

    fn len(&self) -> usize {
        self.order.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn iter(&self) -> Elements<'_, Q::Rank, T> {
        Box::new(
            self.slots
                .iter()
                .zip(0..)
                .filter_map(|(slot, id)| Some((self.order.rank_of(id)?, slot.item.as_ref()?))),
        )
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<Q: IndexedQueue, T> FifoTies for HandleQueue<Q, T> {}

impl<Q: IndexedQueue, T> DoubleEnded for HandleQueue<Q, T> {
    fn pop_max(&mut self) -> Option<(Q::Rank, T)> {
        let (rank, id) = self.order.pop_max()?;
        self.empty(rank, id)
    }

    fn peek_max(&self) -> Option<(Q::Rank, &T)> {
        self.shown(self.order.peek_max())
    }
}
