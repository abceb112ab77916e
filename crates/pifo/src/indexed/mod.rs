//! Ranked queues of numbers: for elements that are kept elsewhere, or have to be found again.
//!
//! An [`IndexedQueue`] orders ids, small dense numbers that name the caller's own elements: it
//! removes any of them, or gives it another rank, without searching. [`HandleQueue`] keeps the
//! items too and hands out an [`ElementHandle`] for each.

mod buckets;
mod exact;
mod handles;

pub use buckets::IndexedBuckets;
pub use exact::IndexedExact;
pub use handles::{ElementHandle, HandleQueue};

use crate::ranked::Reason;
use crate::tiered::PushError;

/// A queue of ids ordered by rank, and within a rank by arrival.
///
/// Ids index arrays that grow when a new id appears and never shrink; they go up to
/// [`MAX_ID`](crate::MAX_ID).
pub trait IndexedQueue {
    /// The number that orders elements; smaller leaves first.
    type Rank: Copy + Ord;

    /// Adds `id` behind all of its rank.
    ///
    /// # Errors
    /// [`PushError`] if the rank or the id is out of range, or the id is already queued.
    fn push(&mut self, rank: Self::Rank, id: u32) -> Result<(), PushError>;

    /// Whether the queue can hold this rank.
    ///
    /// # Errors
    /// [`Reason::RankTooLarge`].
    fn check_rank(&self, rank: Self::Rank) -> Result<(), Reason>;

    /// Takes the earliest id of the smallest rank.
    fn pop_min(&mut self) -> Option<(Self::Rank, u32)> {
        let (_, id) = self.peek_min()?;
        self.remove(id).map(|rank| (rank, id))
    }

    /// Shows the id that [`pop_min`](Self::pop_min) would take.
    fn peek_min(&self) -> Option<(Self::Rank, u32)>;

    /// Takes the latest id of the largest rank.
    fn pop_max(&mut self) -> Option<(Self::Rank, u32)> {
        let (_, id) = self.peek_max()?;
        self.remove(id).map(|rank| (rank, id))
    }

    /// Shows the id that [`pop_max`](Self::pop_max) would take.
    fn peek_max(&self) -> Option<(Self::Rank, u32)>;

    /// Takes `id` out, wherever it stands; its rank, or `None` if it is not queued.
    fn remove(&mut self, id: u32) -> Option<Self::Rank>;

    /// The rank of `id`; `None` if it is not queued.
    fn rank_of(&self, id: u32) -> Option<Self::Rank>;

    /// Gives `id` another rank, behind all that have it; `false` if it is not queued, or if the new
    /// rank is out of range.
    fn change_rank(&mut self, id: u32, rank: Self::Rank) -> bool {
        self.check_rank(rank).is_ok() && self.remove(id).is_some() && self.push(rank, id).is_ok()
    }

    /// The number of ids that wait.
    fn len(&self) -> usize;

    /// Whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
