//! LFU: evicts what was asked for least often since it was fetched, among equals the longest
//! unused.
//!
//! Open in the paper (Figure 2.4 names it only), chosen here: counts last as long as the object is
//! cached, and begin with the requests that waited for its data. Its rank is 1/TTNA up to a factor,
//! so inside [`Mad`](super::Mad) it is multiplied by the aggregate delay (Eq. 2.45). O(log n) an
//! eviction, O(1) a hit; about 110 bytes an object.

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig, weight};
use super::registry::{Base, base, keyed, over};
use super::scores::Scores;
use crate::order::{Key, Keyed, Slot};

/// Least frequently used.
pub struct Lfu<O> {
    scores: Scores<O>,
    counts: Vec<u64>,
}

impl<O: Keyed> Lfu<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Lfu { scores: Scores::new(&set.order), counts: Vec::new() }
    }
}

#[inline]
fn key(count: u64, delay: Option<f64>, tie: u64) -> Key {
    Key::constant(-(count as f64) * weight(delay), tie)
}

over!(OverKeys, Keyed: Lfu);

pub(super) const BASE: Base = base("lfu", "LFU", "evicts the least often used", keyed::<Lfu<()>>);

impl<O: Keyed> CachePolicy for Lfu<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        let count = &mut self.counts[slot.index()];
        *count += 1;
        self.scores.touch(slot, access.at.as_ps(), |tie| key(*count, access.delay, tie));
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let (slot, _) = self.scores.first(arrival.at.as_ps())?;
        self.scores.remove(slot);
        Some(slot)
    }

    fn forget(&mut self, slot: Slot) {
        self.scores.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.counts.len() <= slot.index() {
            self.counts.resize(slot.index() + 1, 0);
        }
        let count = u64::from(arrival.waiters);
        self.counts[slot.index()] = count;
        self.scores.insert(slot, arrival.at.as_ps(), |tie| key(count, arrival.delay, tie));
    }
}
