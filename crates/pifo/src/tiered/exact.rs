//! The two-tier queue for ranks of any width: an interval heap per tier, and where each id stands.
//!
//! Source: the operations are those of Themis's unified model (§5.3); the structure is the
//! comparison based one to use where 2^20 buckets are too coarse.
//!
//! Complexity: peeks, `get` and the lengths O(1); push, pops, remove and relocate O(log n), n the
//! number of elements in the tiers concerned. Memory: 24 bytes per queued element and 4 bytes per
//! id.

use alloc::vec::Vec;

use super::{MAX_ID, PushError, Tier, TieredEntry, TieredQueue, grow_for};
use crate::interval::{IntervalHeap, Positions};

/// An element in its heap; the item is its id.
type Waiting = crate::waiting::Waiting<u64, u32>;

/// Where an id waits: its index in a heap, and above it the heap. In one word, since the queues of
/// a switch's ports have one each for every packet of the switch.
#[derive(Clone, Copy, PartialEq, Eq)]
struct HeapPosition(u32);

/// It waits in no heap.
const NOWHERE: HeapPosition = HeapPosition(u32::MAX);

/// Above every index: a heap has at most as many elements as there are ids.
const IN_HBM: u32 = 1 << 31;

const _: () = assert!(MAX_ID < IN_HBM - 1);

impl HeapPosition {
    #[inline]
    fn new(tier: Tier, index: usize) -> Self {
        match tier {
            Tier::Sram => HeapPosition(index as u32),
            Tier::Hbm => HeapPosition(index as u32 | IN_HBM),
        }
    }

    #[inline]
    fn get(self) -> Option<(Tier, usize)> {
        if self == NOWHERE {
            return None;
        }
        let tier = if self.0 & IN_HBM == 0 { Tier::Sram } else { Tier::Hbm };
        Some((tier, (self.0 & !IN_HBM) as usize))
    }
}

/// The positions of one tier's heap, written into the places of the ids.
struct InTier<'a> {
    tier: Tier,
    places: &'a mut [HeapPosition],
}

impl Positions<Waiting> for InTier<'_> {
    #[inline]
    fn moved(&mut self, element: &Waiting, index: usize) {
        self.places[element.item as usize] = HeapPosition::new(self.tier, index);
    }
}

/// A [`TieredQueue`] for any 64-bit rank, every operation in logarithmic time.
///
/// ```
/// use forebay_pifo::{Tier, TieredExact, TieredQueue};
///
/// let mut queue = TieredExact::new();
/// queue.push(Tier::Sram, u64::MAX, 0)?;
/// queue.push(Tier::Hbm, 5, 1)?;
/// queue.relocate(0, Tier::Hbm);
/// assert_eq!(queue.pop_min().map(|entry| entry.id), Some(1));
/// # Ok::<(), forebay_pifo::PushError>(())
/// ```
#[derive(Clone)]
pub struct TieredExact {
    heaps: [IntervalHeap<Waiting>; 2],
    places: Vec<HeapPosition>,
    arrivals: u64,
}

crate::debug_in_one_line!([] TieredExact as TieredQueue);

impl Default for TieredExact {
    fn default() -> Self {
        Self::new()
    }
}

impl TieredExact {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty queue that allocates nothing while ids stay below `ids`. The memory is reserved,
    /// and touched only as it is first used.
    #[must_use]
    pub fn with_capacity(ids: u32) -> Self {
        let ids = ids.min(MAX_ID + 1) as usize;
        TieredExact {
            heaps: [IntervalHeap::with_capacity(ids), IntervalHeap::with_capacity(ids)],
            places: Vec::with_capacity(ids),
            arrivals: 0,
        }
    }

    fn insert(&mut self, element: Waiting, tier: Tier) {
        let mut positions = InTier { tier, places: &mut self.places };
        self.heaps[tier.index()].push(element, &mut positions);
    }

    /// Takes the element at `index` of the heap of `tier`.
    fn take(&mut self, tier: Tier, index: usize) -> Option<Waiting> {
        let mut positions = InTier { tier, places: &mut self.places };
        let element = self.heaps[tier.index()].remove(index, &mut positions)?;
        self.places[element.item as usize] = NOWHERE;
        Some(element)
    }

    fn place(&self, id: u32) -> Option<(Tier, usize)> {
        self.places.get(id as usize)?.get()
    }

    /// The tier that holds the smallest element over both.
    fn min_tier(&self) -> Option<Tier> {
        let [sram, hbm] = &self.heaps;
        match (sram.min(), hbm.min()) {
            (Some(sram), Some(hbm)) => Some(if sram < hbm { Tier::Sram } else { Tier::Hbm }),
            (Some(_), None) => Some(Tier::Sram),
            (None, Some(_)) => Some(Tier::Hbm),
            (None, None) => None,
        }
    }
}

/// The element as the caller sees it.
fn entry(element: &Waiting, tier: Tier) -> TieredEntry {
    TieredEntry { rank: element.rank, id: element.item, tier }
}

impl TieredQueue for TieredExact {
    fn push(&mut self, tier: Tier, rank: u64, id: u32) -> Result<(), PushError> {
        grow_for(&mut self.places, id, NOWHERE)?;
        if self.places[id as usize] != NOWHERE {
            return Err(PushError::AlreadyQueued { id });
        }
        let arrival = self.arrivals;
        self.arrivals += 1;
        self.insert(Waiting { rank, arrival, item: id }, tier);
        Ok(())
    }

    fn peek_min(&self) -> Option<TieredEntry> {
        self.peek_min_in(self.min_tier()?)
    }

    fn pop_min(&mut self) -> Option<TieredEntry> {
        self.pop_min_in(self.min_tier()?)
    }

    fn peek_min_in(&self, tier: Tier) -> Option<TieredEntry> {
        self.heaps[tier.index()].min().map(|element| entry(element, tier))
    }

    fn peek_max_in(&self, tier: Tier) -> Option<TieredEntry> {
        self.heaps[tier.index()].max().map(|element| entry(element, tier))
    }

    fn pop_min_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        self.take(tier, 0).map(|element| entry(&element, tier))
    }

    fn pop_max_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        let index = usize::from(self.len_in(tier) > 1);
        self.take(tier, index).map(|element| entry(&element, tier))
    }

    fn remove(&mut self, id: u32) -> Option<TieredEntry> {
        let (tier, index) = self.place(id)?;
        self.take(tier, index).map(|element| entry(&element, tier))
    }

    fn relocate(&mut self, id: u32, to: Tier) -> bool {
        let Some((tier, index)) = self.place(id) else { return false };
        if tier != to
            && let Some(element) = self.take(tier, index)
        {
            self.insert(element, to);
        }
        true
    }

    fn get(&self, id: u32) -> Option<TieredEntry> {
        let (tier, index) = self.place(id)?;
        self.heaps[tier.index()].get(index).map(|element| entry(element, tier))
    }

    fn len(&self) -> usize {
        self.heaps[0].len() + self.heaps[1].len()
    }

    fn len_in(&self, tier: Tier) -> usize {
        self.heaps[tier.index()].len()
    }

    fn max_rank(&self) -> u64 {
        u64::MAX
    }
}
