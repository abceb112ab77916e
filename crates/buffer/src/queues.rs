//! Per-queue accounting of on-chip occupancy: the lengths that threshold policies compare, and the
//! packets of each queue in arrival order, so that its head can be expelled (occamy §4.3).

use crate::descriptor::Descriptors;
use crate::lists::PacketLists;
use crate::tournament::Tournament;

/// The accounting queues: length in cells and FIFO list of the on-chip packets of each.
///
/// Lengths are kept in a [`Tournament`], so that "the next queue, in round-robin order, longer than
/// T" is O(log queues), as the hardware's comparators and round-robin arbiter answer it in a cycle.
#[derive(Clone, Debug)]
pub struct Queues {
    lists: PacketLists,
    lengths: Tournament,
}

impl Queues {
    /// `queues` empty queues (at least one).
    #[must_use]
    pub fn new(queues: u32) -> Self {
        Queues { lists: PacketLists::new(queues), lengths: Tournament::new(queues) }
    }

    /// How many queues there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.lists.count()
    }

    /// Length of `queue` in cells.
    #[must_use]
    pub fn length(&self, queue: u32) -> u32 {
        self.lengths.get(queue)
    }

    /// The oldest on-chip packet of `queue`.
    #[must_use]
    pub fn head(&self, queue: u32) -> Option<u32> {
        self.lists.head(queue)
    }

    /// The first queue longer than `threshold` cells at or after `from`, wrapping around.
    #[must_use]
    pub fn next_longer(&self, threshold: u32, from: u32) -> Option<u32> {
        self.lengths.next_above(threshold, from)
    }

    /// Appends the on-chip packet `id` to its queue. O(log queues).
    pub fn push_back(&mut self, descriptors: &mut Descriptors, id: u32) {
        let (queue, cells) = (descriptors[id].queue, descriptors[id].cells.cells());
        self.lists.push_back(descriptors, id);
        self.lengths.set(queue, self.length(queue) + cells);
    }

    /// Takes the on-chip packet `id` out of its queue, wherever it stands. O(log queues).
    pub fn remove(&mut self, descriptors: &mut Descriptors, id: u32) {
        let (queue, cells) = (descriptors[id].queue, descriptors[id].cells.cells());
        self.lists.remove(descriptors, id);
        self.lengths.set(queue, self.length(queue) - cells);
    }
}
