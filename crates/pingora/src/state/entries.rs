//! What is cached, and what leaves for it or with it.

use std::sync::Arc;
use std::time::SystemTime;

use forebay_cache::order::Slot;
use forebay_cache::policies::{LastRequest, ObjectArrival};
use forebay_cache::{ArrivalOutcome, Future};
use forebay_units::{Bytes, Duration};
use hashbrown::HashMap;

use super::{State, object};
use crate::clock::Nanos;
use crate::disk::{Meta, Name};
use crate::flight::Waits;

/// What an entry takes besides its body and headers: its places in the tables, and the policy's.
const ENTRY: u64 = 320;

/// Where a body is.
#[derive(Clone)]
pub(crate) enum Stored {
    Memory(Arc<[bytes::Bytes]>),
    Disk { generation: u64 },
}

/// A cached response.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key: u128,
    pub(crate) primary: u128,
    pub(crate) meta: Arc<Meta>,
    /// When its answer came; of one that a restart found, before that.
    pub(crate) created: SystemTime,
    pub(crate) stored: Stored,
    pub(crate) length: u64,
    /// What it costs to be without it, when it was last fetched.
    pub(crate) z: Nanos,
    pub(crate) waits: Waits,
    /// How many of those who waited for it have not come back yet, and since when.
    pub(crate) owed: (u32, Nanos),
}

impl Entry {
    pub(crate) fn space(&self) -> u64 {
        space(self.length, &self.meta, matches!(self.stored, Stored::Disk { .. }))
    }

    /// Whether its body is the file of `name`.
    pub(crate) fn is_named(&self, name: Name) -> bool {
        matches!(self.stored, Stored::Disk { generation } if generation == name.generation)
            && self.key == name.key
    }
}

/// What an entry with a body of `length` takes of the capacity.
pub(crate) fn space(length: u64, meta: &Meta, on_disk: bool) -> u64 {
    let body = if on_disk { crate::disk::size_on_disk(length) } else { length };
    body + meta.len() + ENTRY
}

/// A body that has arrived and could be cached.
pub(crate) struct Landing {
    pub(crate) entry: Entry,
    /// Whether variants that are older than it are none of it.
    pub(crate) begins_anew: bool,
    pub(crate) write: u64,
    pub(crate) last: LastRequest,
    pub(crate) at: Nanos,
}

impl State {
    /// Caches `entry`; returns what has left for it, itself among them if it was not admitted.
    pub(crate) fn admit(&mut self, entry: Entry, last: LastRequest, now: Nanos) -> Vec<Entry> {
        let mut gone: Vec<Entry> = self.take(entry.key).into_iter().collect();
        self.now = self.now.max(now);
        let space = entry.space();
        let arrival = ObjectArrival {
            at: self.now.policy_time(),
            object: object(entry.key),
            size: Bytes::new(space),
            space,
            requested: Nanos(self.now.0.saturating_sub(entry.z.0)).policy_time(),
            last,
            waiters: entry.waits.waiters,
            aggregate_delay: Duration::from_ps(entry.waits.delay.0),
            next: Future::Unknown,
            delay: None,
        };
        let before = gone.len();
        let (slots, entries) = (&mut self.slots, &mut self.entries);
        let outcome = self.set.admit(&arrival, |slot, _| {
            if let Some(entry) = entries.get_mut(slot.0 as usize).and_then(Option::take) {
                slots.remove(&entry.key);
                gone.push(entry);
            }
        });
        self.stats.evictions += (gone.len() - before) as u64;
        gone[before..].iter().for_each(|entry| uncount(&mut self.variants, entry));
        let evicted = gone[before..].iter().filter(|entry| entry.key == entry.primary);
        let heads: Vec<u128> = evicted.map(|entry| entry.key).collect();
        if let ArrivalOutcome::Admitted(slot) = outcome {
            self.stats.insertions += 1;
            self.put(slot, entry);
        } else {
            self.stats.bypasses += 1;
            gone.push(entry);
        }
        // Nobody finds a variant of what is gone.
        heads.into_iter().for_each(|head| gone.extend(self.take_variants(head, |_| true)));
        gone
    }

    fn put(&mut self, slot: Slot, entry: Entry) {
        if entry.key != entry.primary {
            self.variants.entry(entry.primary).or_default().push(entry.key);
        }
        self.slots.insert(entry.key, slot);
        if self.entries.len() <= (slot.0 as usize) {
            self.entries.resize_with((slot.0 as usize) + 1, || None);
        }
        self.entries[slot.0 as usize] = Some(entry);
    }

    /// Caches what has arrived, unless it was removed meanwhile, and ends its write. Whether it is
    /// cached, and what has left.
    pub(crate) fn land(&mut self, landing: Landing) -> (bool, Vec<Entry>) {
        let Landing { entry, begins_anew, write, last, at } = landing;
        let (key, created, meta) = (entry.key, entry.created, entry.meta.clone());
        let mut gone = Vec::new();
        let wanted = self.write(key, write).is_some_and(|write| !write.fetch.is_removed());
        if wanted {
            if key == entry.primary && begins_anew {
                gone = self.take_variants(key, |variant| variant.created < created);
            }
            gone.extend(self.admit(entry, last, at));
        } else {
            self.stats.bypasses += 1;
            gone.push(entry);
        }
        self.end_write(key, write, at);
        let admitted = self.get(key).is_some_and(|entry| Arc::ptr_eq(&entry.meta, &meta));
        (admitted, gone)
    }

    /// Takes `key` out, and its variants if it has any.
    pub(crate) fn remove(&mut self, key: u128) -> Vec<Entry> {
        let mut gone: Vec<Entry> = self.take(key).into_iter().collect();
        gone.extend(self.take_variants(key, |_| true));
        gone
    }

    fn take(&mut self, key: u128) -> Option<Entry> {
        let slot = self.slots.remove(&key)?;
        let entry = self.entries.get_mut(slot.0 as usize)?.take()?;
        self.set.remove(slot);
        uncount(&mut self.variants, &entry);
        Some(entry)
    }

    /// How many variants of `primary` are cached, with what is cached for the key itself.
    pub(crate) fn variants(&self, primary: u128) -> u32 {
        let variants = self.variants.get(&primary).map_or(0, Vec::len);
        u32::try_from(variants).unwrap_or(u32::MAX) + u32::from(self.slots.contains_key(&primary))
    }

    fn take_variants(&mut self, primary: u128, which: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let Some(variants) = self.variants.get(&primary) else { return Vec::new() };
        let chosen = variants.iter().filter(|key| self.get(**key).is_some_and(&which));
        let chosen: Vec<u128> = chosen.copied().collect();
        chosen.into_iter().filter_map(|key| self.take(key)).collect()
    }

    /// Takes out variants of what is not cached.
    pub(crate) fn take_orphans(&mut self) -> Vec<Entry> {
        let lost = self.variants.keys().filter(|primary| !self.slots.contains_key(*primary));
        let lost: Vec<u128> = lost.copied().collect();
        lost.into_iter().flat_map(|primary| self.take_variants(primary, |_| true)).collect()
    }

    /// Gives `key` other headers, if it still has `old`. Where they are longer, it is put in anew,
    /// since they need room.
    pub(crate) fn change(
        &mut self,
        key: u128,
        old: &Arc<Meta>,
        meta: Arc<Meta>,
        now: Nanos,
    ) -> Option<(Entry, Vec<Entry>)> {
        let slot = *self.slots.get(&key)?;
        let entry = self.entries.get_mut(slot.0 as usize)?.as_mut()?;
        if !Arc::ptr_eq(&entry.meta, old) {
            return None;
        }
        if meta.len() <= entry.meta.len() {
            entry.meta = meta;
            return Some((entry.clone(), Vec::new()));
        }
        let entry = Entry { meta, ..entry.clone() };
        let last = LastRequest::miss(now.policy_time(), self.set.requests());
        let mut gone = self.admit(entry.clone(), last, now);
        // The old form of the same entry has not left, only its headers.
        gone.retain(|other| other.key != key || self.get(key).is_none());
        Some((entry, gone))
    }

    /// How many requests the policy has seen.
    pub(crate) fn requests(&self) -> u64 {
        self.set.requests()
    }
}

fn uncount(variants: &mut HashMap<u128, Vec<u128>>, entry: &Entry) {
    if let hashbrown::hash_map::Entry::Occupied(mut keys) = variants.entry(entry.primary) {
        keys.get_mut().retain(|key| *key != entry.key);
        if keys.get().is_empty() {
            keys.remove();
        }
    }
}
