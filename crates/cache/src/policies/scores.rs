//! Cached objects under keys that their policy computes: what LFU, GDSF and Belady are made of.
//!
//! O(1) besides the order; 24 bytes a slot and the order's.

use crate::order::{Key, Keyed, OrderConfig, Slot};

/// Slots and their keys.
pub(super) struct Scores<O> {
    order: O,
    keys: Vec<Key>,
    touches: u64,
}

impl<O: Keyed> Scores<O> {
    pub(super) fn new(config: &OrderConfig) -> Self {
        Scores { order: O::new(config), keys: Vec::new(), touches: 0 }
    }

    /// Adds `slot` with the key that `key` makes of a tie breaker: among equals, the longest
    /// untouched goes first.
    #[inline]
    pub(super) fn insert(&mut self, slot: Slot, now: u64, key: impl FnOnce(u64) -> Key) {
        if self.keys.len() <= slot.index() {
            self.keys.resize(slot.index() + 1, Key::LEAST);
        }
        let key = self.stamp(slot, key);
        self.order.insert(slot, now, || key);
    }

    /// Gives `slot` another key.
    #[inline]
    pub(super) fn touch(&mut self, slot: Slot, now: u64, key: impl FnOnce(u64) -> Key) {
        let key = self.stamp(slot, key);
        self.order.touch(slot, now, || key);
    }

    /// The slot that goes first and its key; it stays.
    #[inline]
    pub(super) fn first(&mut self, now: u64) -> Option<(Slot, Key)> {
        let keys = &self.keys;
        let slot = self.order.first(now, |slot| keys[slot.index()])?;
        Some((slot, self.keys[slot.index()]))
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        self.order.remove(slot);
    }

    #[inline]
    fn stamp(&mut self, slot: Slot, key: impl FnOnce(u64) -> Key) -> Key {
        self.touches += 1;
        let key = key(self.touches);
        self.keys[slot.index()] = key;
        key
    }
}
