//! Numbered first-in first-out queues: what the approximate structures are made of.
//!
//! Elements keep the rank they came with, for whoever measures; the order never looks at it. A
//! bitmap says which queues hold something, as in a bucket queue (thesis §4.2.1), so strict
//! priority over many queues costs a few words and not a scan.
//!
//! Complexity: O(levels) per operation, one level up to 64 queues. Memory: 16 bytes and about a bit
//! per queue; per element its size, its rank and a share of a block. Limits: 2^20 queues.

use alloc::vec;
use alloc::vec::Vec;

use super::ShapeError;
use crate::bucket::BucketStore;
use crate::ranked::{Reason, Rejected};

/// Bits per bitmap word.
const WORD: usize = 64;

/// Queues numbered from 0, of at most `places` elements each and `capacity` in all. Queue numbers
/// given must exist.
#[derive(Clone)]
pub(super) struct Fifos<T> {
    store: BucketStore<(u64, T), WORD>,
    lengths: Vec<usize>,
    places: usize,
}

impl<T> Fifos<T> {
    /// `queues` queues that share `capacity` places.
    pub(super) fn shared(queues: usize, capacity: usize) -> Result<Self, ShapeError> {
        let store = BucketStore::new(queues, capacity)?;
        Ok(Fifos { lengths: vec![0; queues], places: store.capacity(), store })
    }

    /// `queues` queues of `places` places each.
    pub(super) fn separate(queues: usize, places: usize) -> Result<Self, ShapeError> {
        Ok(Fifos { places, ..Fifos::shared(queues, queues.saturating_mul(places))? })
    }

    pub(super) fn len(&self) -> usize {
        self.store.len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.store.capacity()
    }

    pub(super) fn queues(&self) -> usize {
        self.lengths.len()
    }

    /// The number of elements in `queue`; zero if there is no such queue.
    pub(super) fn len_in(&self, queue: usize) -> usize {
        self.lengths.get(queue).copied().unwrap_or(0)
    }

    /// Adds an element at the end of `queue`.
    pub(super) fn push(
        &mut self,
        queue: usize,
        rank: u64,
        item: T,
    ) -> Result<(), Rejected<u64, T>> {
        let capacity = if self.store.is_full() {
            self.store.capacity()
        } else if self.lengths[queue] >= self.places {
            self.places
        } else {
            self.store.insert(queue, (rank, item));
            self.lengths[queue] += 1;
            return Ok(());
        };
        Err(Rejected { rank, item, reason: Reason::Full { capacity } })
    }

    /// Takes the earliest element of `queue`.
    pub(super) fn pop(&mut self, queue: usize) -> Option<(u64, T)> {
        let taken = self.store.take_front(queue)?;
        self.lengths[queue] -= 1;
        Some(taken)
    }

    /// The first queue that holds something.
    pub(super) fn first(&self) -> Option<usize> {
        self.store.first()
    }

    /// The first queue that holds something, beginning at `queue` and going round.
    pub(super) fn first_round(&self, queue: usize) -> Option<usize> {
        self.store.first_from(queue).or_else(|| self.store.first())
    }
}
