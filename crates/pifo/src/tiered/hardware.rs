//! The two-tier queue as its hardware can have it, operation by operation.
//!
//! Source: Themis §5.3 and App. F (Fig. 21): one BBQ with a shadow bitmap and a shadow counter per
//! tier. It differs from [`TieredQueue`](super::TieredQueue) where a pipeline must: an operation
//! counts in one tier at every level of the tree, so the root has to decide which, knowing of a
//! rank the first digit alone; and an element can be linked only at the ends of a list, so the
//! newest near one comes before the far ones of its rank and the oldest far one behind the near
//! ones. Where no near rank is above a far one, and none equal arrives near while an older one is
//! far, both are exact.
//!
//! Complexity: O(log n) for everything, n the number of different ranks that wait.

use alloc::collections::{BTreeMap, VecDeque};

use super::{PushError, Tier};
use crate::bitmap::{GeometryError, MAX_BUCKETS};

/// Where an arriving element waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThemisPlace {
    /// The memory.
    pub tier: Tier,
    /// It will leave before older elements of its rank, which are off chip.
    pub ahead: bool,
}

/// An element that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThemisTaken<T> {
    /// Its rank.
    pub rank: u64,
    /// What waited.
    pub item: T,
    /// The memory it leaves.
    pub tier: Tier,
}

/// Elements by rank; those of a rank in the order in which they will leave.
type Ranks<T> = BTreeMap<u64, VecDeque<T>>;

/// Themis's queue as hardware can have it: two tiers under one tree, whose root decides the tier.
///
/// ```
/// use forebay_pifo::{ThemisCore, Tier};
///
/// let mut queue = ThemisCore::new(2, 8)?; // ranks of two digits below 8
/// queue.enqueue(9, "first", None)?;
/// queue.enqueue(9, "second", None)?;
/// assert_eq!(queue.swap_out(), Some((9, &"second")));
/// // The far tier holds the first digit 1 now, so it gets this one, too.
/// assert_eq!(queue.enqueue(9, "third", None)?.tier, Tier::Hbm);
/// assert_eq!(queue.swap_in(), Some((9, &"second")));
///
/// let served: Vec<&str> = core::iter::from_fn(|| queue.dequeue()).map(|left| left.item).collect();
/// assert_eq!(served, ["first", "second", "third"]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ThemisCore<T> {
    /// By [`Tier::index`].
    tiers: [Ranks<T>; 2],
    /// Ranks are below this.
    ranks: u64,
    /// So many neighbouring ranks have the same first digit.
    in_digit: u64,
    len: [usize; 2],
}

crate::debug_in_one_line!([T] ThemisCore<T>, |queue| {
    sram: queue.len_in(Tier::Sram),
    hbm: queue.len_in(Tier::Hbm),
});

impl<T> ThemisCore<T> {
    /// An empty queue for ranks of `levels` digits below `width`, the shape of the core's tree.
    ///
    /// # Errors
    /// [`GeometryError::Buckets`] unless `1 <= width^levels <= 2^20`, with at least one level.
    pub fn new(levels: u32, width: u64) -> Result<Self, GeometryError> {
        let ranks = if levels == 0 { 0 } else { width.saturating_pow(levels) };
        if !(1..=MAX_BUCKETS as u64).contains(&ranks) {
            let asked = usize::try_from(ranks).unwrap_or(usize::MAX);
            return Err(GeometryError::Buckets { asked });
        }
        let tiers = [BTreeMap::new(), BTreeMap::new()];
        Ok(ThemisCore { tiers, ranks, in_digit: ranks / width, len: [0; 2] })
    }

    /// The first digit of the smallest rank in `tier`.
    fn first_digit(&self, tier: Tier) -> Option<u64> {
        self.tiers[tier.index()].first_key_value().map(|(rank, _)| rank / self.in_digit)
    }

    /// Takes the first or the last element of `rank`, which waits in `tier`.
    fn take(&mut self, tier: Tier, rank: u64, newest: bool) -> Option<T> {
        let ranks = &mut self.tiers[tier.index()];
        let waiting = ranks.get_mut(&rank)?;
        let item = if newest { waiting.pop_back() } else { waiting.pop_front() };
        if waiting.is_empty() {
            ranks.remove(&rank);
        }
        self.len[tier.index()] -= usize::from(item.is_some());
        item
    }

    /// What waits with `rank` in `tier`, where one more will be.
    fn adding(&mut self, tier: Tier, rank: u64) -> &mut VecDeque<T> {
        self.len[tier.index()] += 1;
        self.tiers[tier.index()].entry(rank).or_default()
    }

    /// The newest of the largest rank on chip, taken.
    fn take_largest(&mut self) -> Option<(u64, T)> {
        let (&rank, _) = self.tiers[Tier::Sram.index()].last_key_value()?;
        Some((rank, self.take(Tier::Sram, rank, true)?))
    }

    /// Adds an element behind all of its rank and tier. Without `tier` the root decides: off chip
    /// if something waits there whose first digit is the element's or smaller, else on chip.
    ///
    /// # Errors
    /// [`PushError::RankTooLarge`].
    pub fn enqueue(
        &mut self,
        rank: u64,
        item: T,
        tier: Option<Tier>,
    ) -> Result<ThemisPlace, PushError> {
        if rank >= self.ranks {
            return Err(PushError::RankTooLarge { rank, max_rank: self.ranks - 1 });
        }
        let digit = rank / self.in_digit;
        let tier = tier.unwrap_or(match self.first_digit(Tier::Hbm) {
            Some(first) if first <= digit => Tier::Hbm,
            _ => Tier::Sram,
        });
        let ahead = tier == Tier::Sram && self.tiers[Tier::Hbm.index()].contains_key(&rank);
        self.adding(tier, rank).push_back(item);
        Ok(ThemisPlace { tier, ahead })
    }

    /// Takes the oldest of the smallest rank of one tier: of the one with the smaller first digit,
    /// on chip among equal ones.
    pub fn dequeue(&mut self) -> Option<ThemisTaken<T>> {
        let tier = match (self.first_digit(Tier::Sram), self.first_digit(Tier::Hbm)) {
            (None, _) => Tier::Hbm,
            (Some(near), Some(far)) if far < near => Tier::Hbm,
            (Some(_), _) => Tier::Sram,
        };
        let (&rank, _) = self.tiers[tier.index()].first_key_value()?;
        let item = self.take(tier, rank, false)?;
        Some(ThemisTaken { rank, item, tier })
    }

    /// Takes the newest of the largest rank on chip, which is to be dropped.
    pub fn drop_largest(&mut self) -> Option<ThemisTaken<T>> {
        let (rank, item) = self.take_largest()?;
        Some(ThemisTaken { rank, item, tier: Tier::Sram })
    }

    /// Moves the newest of the largest rank on chip off it, before all of its rank there. Its rank
    /// and what it is.
    pub fn swap_out(&mut self) -> Option<(u64, &T)> {
        let (rank, item) = self.take_largest()?;
        let waiting = self.adding(Tier::Hbm, rank);
        waiting.push_front(item);
        Some((rank, waiting.front()?))
    }

    /// Moves the oldest of the smallest rank off chip onto it, behind all of its rank there. Its
    /// rank and what it is.
    pub fn swap_in(&mut self) -> Option<(u64, &T)> {
        let (&rank, _) = self.tiers[Tier::Hbm.index()].first_key_value()?;
        let item = self.take(Tier::Hbm, rank, false)?;
        let waiting = self.adding(Tier::Sram, rank);
        waiting.push_back(item);
        Some((rank, waiting.back()?))
    }

    /// The smallest rank in `tier`.
    #[must_use]
    pub fn smallest(&self, tier: Tier) -> Option<u64> {
        self.tiers[tier.index()].first_key_value().map(|(&rank, _)| rank)
    }

    /// The number of elements in `tier`.
    #[must_use]
    pub fn len_in(&self, tier: Tier) -> usize {
        self.len[tier.index()]
    }

    /// The number of elements in both tiers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len[0] + self.len[1]
    }

    /// Whether neither tier holds an element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
