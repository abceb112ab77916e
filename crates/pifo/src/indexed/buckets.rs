//! Ids under ranks from a fixed range, in constant time.
//!
//! Structure: the two-tier buckets with one tier in use. Complexity: constant, removal included.
//! Memory: 32 bytes per id and 24.25 bytes per rank.

use super::IndexedQueue;
use crate::bitmap::GeometryError;
use crate::ranked::Reason;
use crate::tiered::{PushError, Tier, TieredBuckets, TieredEntry, TieredQueue};

/// An [`IndexedQueue`] for ranks below a bound of at most 2^20, every operation in constant time.
///
/// ```
/// use forebay_pifo::{IndexedBuckets, IndexedQueue};
///
/// let mut flows = IndexedBuckets::new(1 << 10)?;
/// flows.push(30, 0)?;
/// flows.push(20, 1)?;
/// flows.push(10, 2)?;
/// flows.remove(2); // the flow has ended
/// flows.change_rank(0, 5);
/// assert_eq!(flows.pop_min(), Some((5, 0)));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct IndexedBuckets {
    tiers: TieredBuckets,
}

crate::debug_in_one_line!([] IndexedBuckets as IndexedQueue);

/// The one tier in use.
const TIER: Tier = Tier::Sram;

impl IndexedBuckets {
    /// An empty queue for ranks `0 .. ranks`.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= ranks <= 2^20`.
    pub fn new(ranks: u64) -> Result<Self, GeometryError> {
        Self::with_capacity(ranks, 0)
    }

    /// An empty queue for ranks `0 .. ranks` that allocates nothing while ids stay below `ids`.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= ranks <= 2^20`.
    pub fn with_capacity(ranks: u64, ids: u32) -> Result<Self, GeometryError> {
        Ok(IndexedBuckets { tiers: TieredBuckets::with_capacity(ranks, ids)? })
    }
}

fn ranked(entry: TieredEntry) -> (u64, u32) {
    (entry.rank, entry.id)
}

impl IndexedQueue for IndexedBuckets {
    type Rank = u64;

    #[inline]
    fn push(&mut self, rank: u64, id: u32) -> Result<(), PushError> {
        self.tiers.push(TIER, rank, id)
    }

    #[inline]
    fn check_rank(&self, rank: u64) -> Result<(), Reason> {
        let max_rank = self.tiers.max_rank();
        if rank > max_rank { Err(Reason::RankTooLarge { max_rank }) } else { Ok(()) }
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(u64, u32)> {
        self.tiers.pop_min_in(TIER).map(ranked)
    }

    #[inline]
    fn peek_min(&self) -> Option<(u64, u32)> {
        self.tiers.peek_min_in(TIER).map(ranked)
    }

    #[inline]
    fn pop_max(&mut self) -> Option<(u64, u32)> {
        self.tiers.pop_max_in(TIER).map(ranked)
    }

    #[inline]
    fn peek_max(&self) -> Option<(u64, u32)> {
        self.tiers.peek_max_in(TIER).map(ranked)
    }

    #[inline]
    fn remove(&mut self, id: u32) -> Option<u64> {
        self.tiers.remove(id).map(|entry| entry.rank)
    }

    #[inline]
    fn rank_of(&self, id: u32) -> Option<u64> {
        self.tiers.get(id).map(|entry| entry.rank)
    }

    fn len(&self) -> usize {
        self.tiers.len()
    }
}
