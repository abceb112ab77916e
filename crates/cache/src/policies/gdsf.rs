//! GreedyDual-Size-Frequency: evicts the least frequency times cost per size, over a floor that
//! rises with every eviction (Cherkasova 1998). The cost-aware policy to compare delay-aware ones
//! with.
//!
//! H = L + frequency · cost / size, and L becomes the H of what is evicted. Chosen here: the cost
//! is the time the object's last fetch took, so that it is latency-aware without knowing delayed
//! hits; inside [`Mad`](super::Mad) it is the aggregate delay. Size is what the object takes of the
//! capacity. O(log n) an eviction, O(1) a hit; about 130 bytes an object.

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig, weight};
use super::registry::{Base, base, keyed, over};
use super::scores::Scores;
use crate::order::{Key, Keyed, Slot};

/// GreedyDual-Size-Frequency.
pub struct Gdsf<O> {
    scores: Scores<O>,
    entries: Vec<Entry>,
    floor: f64,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    count: f64,
    latency: f64,
    space: f64,
}

impl Entry {
    #[inline]
    fn key(&self, floor: f64, delay: Option<f64>, tie: u64) -> Key {
        let cost = weight(delay.or(Some(self.latency)));
        Key::constant(-(floor + self.count * cost / self.space), tie)
    }
}

impl<O: Keyed> Gdsf<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Gdsf { scores: Scores::new(&set.order), entries: Vec::new(), floor: 0.0 }
    }
}

over!(OverKeys, Keyed: Gdsf);

pub(super) const BASE: Base = base(
    "gdsf",
    "GDSF",
    "evicts the lowest frequency times fetch time per size",
    keyed::<Gdsf<()>>,
);

impl<O: Keyed> CachePolicy for Gdsf<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        let entry = &mut self.entries[slot.index()];
        entry.count += 1.0;
        let floor = self.floor;
        self.scores.touch(slot, access.at.as_ps(), |tie| entry.key(floor, access.delay, tie));
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let now = arrival.at.as_ps();
        let (slot, key) = self.scores.first(now)?;
        self.floor = self.floor.max(-key.value(now));
        self.scores.remove(slot);
        Some(slot)
    }

    fn forget(&mut self, slot: Slot) {
        self.scores.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, Entry::default());
        }
        let entry = Entry {
            count: f64::from(arrival.waiters),
            latency: arrival.latency().as_ps() as f64,
            space: arrival.space as f64,
        };
        self.entries[slot.index()] = entry;
        let floor = self.floor;
        self.scores.insert(slot, arrival.at.as_ps(), |tie| entry.key(floor, arrival.delay, tie));
    }
}
