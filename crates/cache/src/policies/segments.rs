//! Cached objects in a few segments, each in the order of recency: what LRU, ARC, SIEVE, S3-FIFO
//! and W-TinyLFU are made of.
//!
//! The estimate of TTNA is the time since an object was last put into its place (for LRU: its last
//! request, thesis §2.5.2), which orders a segment as a list does. With estimates of delay, the key
//! is that time divided by the delay (Eq. 2.45). So a policy written over segments is delay-aware
//! once its order is keyed. O(1) besides the order; 16 bytes a slot, and 24 more where the order is
//! keyed.

use forebay_units::Time;

use super::policy::{ObjectArrival, rate};
use crate::order::{Key, Order, OrderConfig, Slot};

/// `N` segments over one pool of slots.
pub(super) struct Segments<O, const N: usize> {
    orders: [O; N],
    spaces: [u64; N],
    places: Vec<Membership>,
    /// By slot; empty if the order is not keyed.
    keys: Vec<Key>,
    touches: u64,
}

#[derive(Clone, Copy, Default)]
struct Membership {
    space: u64,
    segment: u8,
}

impl<O: Order, const N: usize> Segments<O, N> {
    pub(super) fn new(config: &OrderConfig) -> Self {
        Segments {
            orders: std::array::from_fn(|_| O::new(config)),
            spaces: [0; N],
            places: Vec::new(),
            keys: Vec::new(),
            touches: 0,
        }
    }

    /// What the objects of `segment` take of the capacity.
    pub(super) fn space(&self, segment: usize) -> u64 {
        self.spaces[segment]
    }

    /// What the object in `slot` takes.
    pub(super) fn space_of(&self, slot: Slot) -> u64 {
        self.places[slot.index()].space
    }

    /// Where `slot` is.
    pub(super) fn segment(&self, slot: Slot) -> usize {
        usize::from(self.places[slot.index()].segment)
    }

    /// Puts data that has just arrived last in `segment`, where its TTNA is estimated by the time
    /// since `since`: its last access ([`ObjectArrival::recency`]) in an order of recency, its
    /// arrival in one of entry.
    #[inline]
    pub(super) fn admit(
        &mut self,
        segment: usize,
        slot: Slot,
        arrival: &ObjectArrival,
        since: Time,
    ) {
        if self.places.len() <= slot.index() {
            self.places.resize(slot.index() + 1, Membership::default());
            if O::KEYED {
                self.keys.resize(slot.index() + 1, Key::LEAST);
            }
        }
        self.places[slot.index()].space = arrival.space;
        self.stamp(slot, since, arrival.delay);
        self.append(segment, slot, arrival.at);
    }

    /// Puts `slot`, which has its stamp, last in `segment`.
    #[inline]
    fn append(&mut self, segment: usize, slot: Slot, now: Time) {
        let place = &mut self.places[slot.index()];
        place.segment = segment as u8;
        self.spaces[segment] += place.space;
        let keys = &self.keys;
        self.orders[segment].insert(slot, now.as_ps(), || keys[slot.index()]);
    }

    /// Makes `slot` the last in its segment.
    #[inline]
    pub(super) fn touch(&mut self, segment: usize, slot: Slot, at: Time, delay: Option<f64>) {
        self.stamp(slot, at, delay);
        let keys = &self.keys;
        self.orders[segment].touch(slot, at.as_ps(), || keys[slot.index()]);
    }

    /// Moves `slot` to the end of `segment`.
    pub(super) fn shift(&mut self, slot: Slot, segment: usize, at: Time, delay: Option<f64>) {
        self.remove(slot);
        self.stamp(slot, at, delay);
        self.append(segment, slot, at);
    }

    /// Takes `slot` out of its segment.
    #[inline]
    pub(super) fn remove(&mut self, slot: Slot) {
        let Membership { space, segment } = self.places[slot.index()];
        self.spaces[usize::from(segment)] -= space;
        self.orders[usize::from(segment)].remove(slot);
    }

    /// The slot of `segment` that goes first; it stays.
    #[inline]
    pub(super) fn first(&mut self, segment: usize, now: Time) -> Option<Slot> {
        let keys = &self.keys;
        self.orders[segment].first(now.as_ps(), |slot| keys[slot.index()])
    }

    #[inline]
    fn stamp(&mut self, slot: Slot, at: Time, delay: Option<f64>) {
        if O::KEYED {
            self.touches += 1;
            self.keys[slot.index()] = Key::rising(at.as_ps(), rate(delay), self.touches);
        }
    }
}
