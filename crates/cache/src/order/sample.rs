//! The order of a random sample: as large caches in production evict (thesis §2.6.2, [18] there).
//! Constant time: so many keys an eviction. 8 bytes a slot.

use std::fmt;

use super::{Key, Order, OrderConfig, Slot};
use crate::hash::mix;

/// The [`Order`] in which the first of a few slots, drawn with replacement, goes first. A set of no
/// more slots than are drawn is looked through.
///
/// ```
/// use forebay_cache::order::{Key, Order, OrderConfig, Sample, Slot};
///
/// let mut sample = Sample::new(&OrderConfig { samples: 8, seed: 3 });
/// let key = |slot: Slot| Key::rising(u64::from(slot.0), 1.0, 0);
/// for slot in [5, 2, 7].map(Slot) {
///     sample.insert(slot, 10, || key(slot));
/// }
/// assert_eq!(sample.first(10, key), Some(Slot(2)));
/// ```
#[derive(Clone)]
pub struct Sample {
    members: Vec<Slot>,
    /// Where each slot is among the members.
    positions: Vec<u32>,
    samples: u32,
    state: u64,
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sample").field("members", &self.members.len()).finish_non_exhaustive()
    }
}

/// The position of a slot that is not in the set.
const OUT: u32 = u32::MAX;

impl Sample {
    /// A member drawn evenly, if there is any.
    #[inline]
    fn draw(&mut self) -> Option<Slot> {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let index = (u128::from(mix(self.state)) * self.members.len() as u128) >> 64;
        self.members.get(index as usize).copied()
    }
}

impl Order for Sample {
    const KEYED: bool = true;

    fn new(config: &OrderConfig) -> Self {
        let (samples, state) = (config.samples.max(1), mix(config.seed));
        Sample { members: Vec::new(), positions: Vec::new(), samples, state }
    }

    #[inline]
    fn insert(&mut self, slot: Slot, _: u64, _: impl FnOnce() -> Key) {
        if self.positions.len() <= slot.index() {
            self.positions.resize(slot.index() + 1, OUT);
        }
        self.positions[slot.index()] = self.members.len() as u32;
        self.members.push(slot);
    }

    #[inline]
    fn touch(&mut self, _: Slot, _: u64, _: impl FnOnce() -> Key) {}

    fn remove(&mut self, slot: Slot) {
        let Some(position) = self.positions.get_mut(slot.index()) else { return };
        let at = std::mem::replace(position, OUT) as usize;
        if at < self.members.len() {
            self.members.swap_remove(at);
            if let Some(moved) = self.members.get(at) {
                self.positions[moved.index()] = at as u32;
            }
        }
    }

    fn first(&mut self, now: u64, mut key_of: impl FnMut(Slot) -> Key) -> Option<Slot> {
        let all = self.members.len() <= self.samples as usize;
        let tries = if all { self.members.len() } else { self.samples as usize };
        let mut best = None;
        for index in 0..tries {
            let slot = if all { self.members[index] } else { self.draw()? };
            let key = key_of(slot);
            if best.is_none_or(|(_, first)| key.before(&first, now)) {
                best = Some((slot, key));
            }
        }
        best.map(|(slot, _)| slot)
    }
}
