//! The peer of the two-tier queues inside the engine: what one writes by hand with the standard
//! library, an ordered map per tier and an index by id. O(log n) per operation.

use std::collections::BTreeMap;

use forebay_pifo::{PushError, Tier, TieredEntry, TieredQueue};

/// Rank, then arrival.
type Key = (u64, u64);

/// An ordered map per tier.
#[derive(Default)]
pub(super) struct TwoMaps {
    tiers: [BTreeMap<Key, u32>; 2],
    /// Where each id waits.
    places: Vec<Option<(Key, Tier)>>,
    arrivals: u64,
}

fn entry((&(rank, _), &id): (&Key, &u32), tier: Tier) -> TieredEntry {
    TieredEntry { rank, id, tier }
}

impl TieredQueue for TwoMaps {
    fn push(&mut self, tier: Tier, rank: u64, id: u32) -> Result<(), PushError> {
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, None);
        }
        if self.places[id as usize].is_some() {
            return Err(PushError::AlreadyQueued { id });
        }
        let key = (rank, self.arrivals);
        self.arrivals += 1;
        self.places[id as usize] = Some((key, tier));
        self.tiers[tier.index()].insert(key, id);
        Ok(())
    }

    fn peek_min(&self) -> Option<TieredEntry> {
        let [sram, hbm] = self.tiers.each_ref().map(BTreeMap::first_key_value);
        match (sram, hbm) {
            (Some(sram), Some(hbm)) if hbm.0 < sram.0 => Some(entry(hbm, Tier::Hbm)),
            (Some(sram), _) => Some(entry(sram, Tier::Sram)),
            (None, hbm) => hbm.map(|hbm| entry(hbm, Tier::Hbm)),
        }
    }

    fn pop_min(&mut self) -> Option<TieredEntry> {
        self.remove(self.peek_min()?.id)
    }

    fn peek_min_in(&self, tier: Tier) -> Option<TieredEntry> {
        self.tiers[tier.index()].first_key_value().map(|first| entry(first, tier))
    }

    fn peek_max_in(&self, tier: Tier) -> Option<TieredEntry> {
        self.tiers[tier.index()].last_key_value().map(|last| entry(last, tier))
    }

    fn pop_min_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        self.remove(self.peek_min_in(tier)?.id)
    }

    fn pop_max_in(&mut self, tier: Tier) -> Option<TieredEntry> {
        self.remove(self.peek_max_in(tier)?.id)
    }

    fn remove(&mut self, id: u32) -> Option<TieredEntry> {
        let (key, tier) = self.places.get_mut(id as usize)?.take()?;
        self.tiers[tier.index()].remove(&key);
        Some(TieredEntry { rank: key.0, id, tier })
    }

    fn relocate(&mut self, id: u32, to: Tier) -> bool {
        let Some(Some((key, tier))) = self.places.get_mut(id as usize) else { return false };
        if *tier != to {
            self.tiers[tier.index()].remove(key);
            self.tiers[to.index()].insert(*key, id);
            *tier = to;
        }
        true
    }

    fn get(&self, id: u32) -> Option<TieredEntry> {
        let ((rank, _), tier) = (*self.places.get(id as usize)?)?;
        Some(TieredEntry { rank, id, tier })
    }

    fn len(&self) -> usize {
        self.tiers.iter().map(BTreeMap::len).sum()
    }

    fn len_in(&self, tier: Tier) -> usize {
        self.tiers[tier.index()].len()
    }

    fn max_rank(&self) -> u64 {
        u64::MAX
    }
}
