//! A bounded table of known connections: the least recently seen one gives way.
//!
//! Complexity: O(1), with a hash under a random key that no outsider knows and a list by age.
//! Memory: 100 bytes per connection besides its streams.

use std::collections::HashMap;
use std::hash::Hash;

/// No entry.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    /// Neighbours by age.
    older: u32,
    newer: u32,
}

/// A map of bounded size that forgets the least recently used entry.
#[derive(Clone, Debug)]
pub(super) struct RecentMap<K, V> {
    places: HashMap<K, u32>,
    entries: Vec<Entry<K, V>>,
    capacity: usize,
    oldest: u32,
    newest: u32,
}

impl<K: Copy + Eq + Hash, V> RecentMap<K, V> {
    /// An empty map of at most `capacity` entries, 1 to 2^32 - 1.
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = capacity.clamp(1, NONE as usize);
        RecentMap {
            places: HashMap::new(),
            entries: Vec::new(),
            capacity,
            oldest: NONE,
            newest: NONE,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Looks up an entry without using it.
    pub(super) fn peek(&self, key: &K) -> Option<&V> {
        let place = self.places.get(key)?;
        self.entries.get(*place as usize).map(|entry| &entry.value)
    }

    /// The value of `key`, a new one if there was none; and the value evicted for it.
    pub(super) fn entry(&mut self, key: K, new: impl FnOnce() -> V) -> (&mut V, Option<V>) {
        let mut evicted = None;
        let place = match self.places.get(&key) {
            Some(place) => {
                let place = *place;
                self.unlink(place);
                place
            }
            None if self.entries.len() < self.capacity => {
                let entry = Entry { key, value: new(), older: NONE, newer: NONE };
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
            None => {
                let place = self.oldest;
                self.unlink(place);
                let entry = &mut self.entries[place as usize];
                self.places.remove(&entry.key);
                entry.key = key;
                evicted = Some(std::mem::replace(&mut entry.value, new()));
                place
            }
        };
        self.places.insert(key, place);
        self.link_newest(place);
        (&mut self.entries[place as usize].value, evicted)
    }

    fn unlink(&mut self, place: u32) {
        let Entry { older, newer, .. } = self.entries[place as usize];
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
        match self.entries.get_mut(newer as usize) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
    }

    fn link_newest(&mut self, place: u32) {
        let older = self.newest;
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = place,
            None => self.oldest = place,
        }
        let entry = &mut self.entries[place as usize];
        (entry.older, entry.newer) = (older, NONE);
        self.newest = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_forgets_the_least_recently_used(keys in prop::collection::vec(0u8..12, 0..200), capacity in 1usize..9) {
            let mut map = RecentMap::new(capacity);
            let mut recent: Vec<u8> = Vec::new(); // oldest first
            for key in keys {
                let known = recent.iter().position(|other| *other == key);
                let (value, evicted) = map.entry(key, || key);
                prop_assert_eq!(*value, key);
                let mut expected = None;
                match known {
                    Some(place) => drop(recent.remove(place)),
                    None if recent.len() == capacity => expected = Some(recent.remove(0)),
                    None => {}
                }
                recent.push(key);
                prop_assert_eq!(evicted, expected);
                prop_assert_eq!(map.len(), recent.len());
                for key in 0..12 {
                    prop_assert_eq!(map.peek(&key).is_some(), recent.contains(&key));
                }
            }
        }
    }
}
