//! Two-tier queues: one order over two memories.
//!
//! Source: the BM-SCH unified model of Themis (§5.3, App. F). Scheduling asks for the smallest rank
//! over both memories, swap-out for the largest rank in SRAM, swap-in for the smallest in HBM, and
//! a swap moves an element between the two without changing its place in the order. One structure
//! answers all four.
//!
//! The caller owns the packets and names each by a small number, its *id*; links live in arrays
//! indexed by id that grow when a new id appears and never shrink, so nothing is allocated after
//! warm-up.

mod buckets;
mod exact;
mod hardware;
mod reference;

pub use buckets::TieredBuckets;
pub use exact::TieredExact;
pub use hardware::{ThemisCore, ThemisPlace, ThemisTaken};
pub use reference::TieredReference;

use core::fmt;

/// The largest id a tiered queue accepts. Arrays are indexed by id, so ids should be dense.
pub const MAX_ID: u32 = (1 << 26) - 1;

/// Which memory an element waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Tier {
    /// The small, fast memory on the chip (SRAM).
    Sram,
    /// The large memory beside the chip (HBM).
    Hbm,
}

impl Tier {
    /// Both tiers, SRAM first.
    pub const ALL: [Tier; 2] = [Tier::Sram, Tier::Hbm];

    /// The tier a swap moves an element of this one to.
    #[must_use]
    pub const fn other(self) -> Tier {
        match self {
            Tier::Sram => Tier::Hbm,
            Tier::Hbm => Tier::Sram,
        }
    }

    /// The tier's index in arrays of two.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Tier::Sram => 0,
            Tier::Hbm => 1,
        }
    }
}

/// A queued element: its rank, the caller's number for it, and where it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TieredEntry {
    /// The number that orders elements; smaller leaves first.
    pub rank: u64,
    /// The caller's number for the element.
    pub id: u32,
    /// The memory it waits in.
    pub tier: Tier,
}

/// Why a push was refused; the queue is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PushError {
    /// The rank is beyond the queue's range.
    RankTooLarge {
        /// The rank of the refused element.
        rank: u64,
        /// The largest rank the queue accepts.
        max_rank: u64,
    },
    /// An element with this id already waits.
    AlreadyQueued {
        /// The id of the refused element.
        id: u32,
    },
    /// The id is above [`MAX_ID`].
    IdTooLarge {
        /// The id of the refused element.
        id: u32,
    },
    /// The arrays could not grow to hold this id.
    NoMemory {
        /// The id of the refused element.
        id: u32,
    },
}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PushError::RankTooLarge { rank, max_rank } => write!(
                f,
                "rank {rank} is above {max_rank}, the largest this queue holds: quantize the rank \
                 or build the queue with more ranks"
            ),
            PushError::AlreadyQueued { id } => {
                write!(f, "id {id} is already queued: remove it first or use another id")
            }
            PushError::IdTooLarge { id } => {
                write!(f, "id {id} is above {MAX_ID}: number elements densely from 0")
            }
            PushError::NoMemory { id } => write!(
                f,
                "no memory for the links of id {id}: number elements densely or queue fewer"
            ),
        }
    }
}

impl core::error::Error for PushError {}

/// A queue of ids ordered by rank and, within a rank, by arrival, each in one of two tiers.
///
/// Arrival order is the order of [`push`](Self::push); [`relocate`](Self::relocate) keeps it. So
/// the order in which [`pop_min`](Self::pop_min) serves elements does not depend on where they were
/// kept, and a flow whose ranks never decrease is never reordered.
pub trait TieredQueue {
    /// Adds an element behind all of its rank.
    ///
    /// # Errors
    /// [`PushError`] if the rank or the id is out of range, or the id is already queued.
    fn push(&mut self, tier: Tier, rank: u64, id: u32) -> Result<(), PushError>;

    /// The element to serve next: the earliest arrival of the smallest rank over both tiers.
    fn peek_min(&self) -> Option<TieredEntry>;

    /// Takes the element that [`peek_min`](Self::peek_min) shows.
    fn pop_min(&mut self) -> Option<TieredEntry>;

    /// The earliest arrival of the smallest rank in `tier`: what swap-in brings back.
    fn peek_min_in(&self, tier: Tier) -> Option<TieredEntry>;

    /// The latest arrival of the largest rank in `tier`: what swap-out sends away.
    fn peek_max_in(&self, tier: Tier) -> Option<TieredEntry>;

    /// Takes the element that [`peek_min_in`](Self::peek_min_in) shows.
    fn pop_min_in(&mut self, tier: Tier) -> Option<TieredEntry>;

    /// Takes the element that [`peek_max_in`](Self::peek_max_in) shows.
    fn pop_max_in(&mut self, tier: Tier) -> Option<TieredEntry>;

    /// Takes the element `id`, wherever it stands; `None` if it is not queued.
    fn remove(&mut self, id: u32) -> Option<TieredEntry>;

    /// Moves the element `id` to tier `to`, keeping its rank and its arrival order; `false` if it
    /// is not queued. An element that is already there stays as it is.
    fn relocate(&mut self, id: u32, to: Tier) -> bool;

    /// The element `id`, if it is queued.
    fn get(&self, id: u32) -> Option<TieredEntry>;

    /// The number of elements in both tiers.
    fn len(&self) -> usize;

    /// The number of elements in `tier`.
    fn len_in(&self, tier: Tier) -> usize;

    /// Whether neither tier holds an element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest rank that [`push`](Self::push) accepts.
    fn max_rank(&self) -> u64;
}

/// Grows `slots` so that `id` has one, filling with `empty`. Memory is reserved by doubling, so
/// that growing by one id at a time costs amortized constant time, but written only as far as ids
/// are used.
pub(crate) fn grow_for<S: Clone>(
    slots: &mut alloc::vec::Vec<S>,
    id: u32,
    empty: S,
) -> Result<(), PushError> {
    if id > MAX_ID {
        return Err(PushError::IdTooLarge { id });
    }
    let (wanted, len) = (id as usize + 1, slots.len());
    if wanted > len {
        slots.try_reserve(wanted - len).map_err(|_| PushError::NoMemory { id })?;
        slots.resize(wanted, empty);
    }
    Ok(())
}
