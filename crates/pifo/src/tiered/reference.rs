//! The two-tier queue as plainly as it can be said: a list in order of arrival, searched end to
//! end.
//!
//! It is the model that the other tiered queues are tested against. Complexity: O(n) for
//! everything.

use alloc::vec::Vec;

use super::{MAX_ID, PushError, Tier, TieredEntry, TieredQueue};

/// A [`TieredQueue`] that is obviously right and slow; for tests.
#[derive(Clone)]
pub struct TieredReference {
    /// In order of arrival.
    waiting: Vec<TieredEntry>,
    max_rank: u64,
}

crate::debug_in_one_line!([] TieredReference as TieredQueue);

impl TieredReference {
    /// An empty queue for ranks up to and including `max_rank`.
    #[must_use]
    pub fn new(max_rank: u64) -> Self {
        TieredReference { waiting: Vec::new(), max_rank }
    }

    fn take(&mut self, entry: Option<TieredEntry>) -> Option<TieredEntry> {
        self.remove(entry?.id)
    }
}

impl TieredQueue for TieredReference {
    fn push(&mut self, tier: Tier, rank: u64, id: u32) -> Result<(), PushError> {
        if rank > self.max_rank {
            return Err(PushError::RankTooLarge { rank, max_rank: self.max_rank });
        }
        if id > MAX_ID {
            return Err(PushError::IdTooLarge { id });
        }
        if self.get(id).is_some() {
            return Err(PushError::AlreadyQueued { id });
        }
        self.waiting.push(TieredEntry { rank, id, tier });
        Ok(())
    }

    fn peek_min(&self) -> Option<TieredEntry> {
        // The first of several smallest, which is the earliest arrival.
        self.waiting.iter().copied().min_by_key(|entry| entry.rank)
    }

    fn pop_min(&mut self) -> Option<TieredEntry> {
        self.take(self.peek_min())
    }

    fn peek_min_in(&self, tier: Tier) -> Option<TieredEntry> {
        self.waiting.iter().copied().filter(|entry| entry.tier == tier).min_by_key(|e| e.rank)
    }

    fn peek_max_in(&self, tier: Tier) -> Option<TieredEntry> {
        // The last of several largest, which is the latest arrival.
        self.waiting.iter().copied().filter(|entry| entry.tier == tier).max_by_key(|e| e.rank)
    }

    fn pop_min_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        self.take(self.peek_min_in(tier))
    }

    fn pop_max_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        self.take(self.peek_max_in(tier))
    }

    fn remove(&mut self, id: u32) -> Option<TieredEntry> {
        let index = self.waiting.iter().position(|entry| entry.id == id)?;
        Some(self.waiting.remove(index))
    }

    fn relocate(&mut self, id: u32, to: Tier) -> bool {
        let found = self.waiting.iter_mut().find(|entry| entry.id == id);
        found.map(|entry| entry.tier = to).is_some()
    }

    fn get(&self, id: u32) -> Option<TieredEntry> {
        self.waiting.iter().copied().find(|entry| entry.id == id)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn len_in(&self, tier: Tier) -> usize {
        self.waiting.iter().filter(|entry| entry.tier == tier).count()
    }

    fn max_rank(&self) -> u64 {
        self.max_rank
    }
}
