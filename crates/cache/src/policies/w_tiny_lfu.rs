//! W-TinyLFU: a small LRU window, then admission to a segmented LRU by approximate frequency (Einziger,
//! Friedman, Manes 2017).
//!
//! The window takes a hundredth of the space, the protected segment four fifths of the rest. What leaves
//! the window meets the main cache's next victim, and the one asked for more often stays. Every request
//! counts, delayed ones too. Inside [`Mad`](super::Mad) each segment is in the order of delay per time
//! since last use, and frequency is weighed by delay. O(1) with lists; about 70 bytes an object. Open in
//! the paper, chosen here: no doorkeeper before the sketch, and a fixed window.

use super::count_min::CountMin;
use super::segments::Segments;
use super::{Access, Arrival, Policy, SetConfig};
use crate::model::ObjectId;
use crate::order::{Order, Slot};

const WINDOW: usize = 0;
const PROBATION: usize = 1;
const PROTECTED: usize = 2;

/// Window TinyLFU.
pub struct WTinyLfu<O> {
    segments: Segments<O, 3>,
    entries: Vec<Entry>,
    sketch: CountMin,
    window_space: u64,
    main_space: u64,
    protected_space: u64,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    object: ObjectId,
    delay: Option<f64>,
}

impl<O: Order> WTinyLfu<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        let window_space = (set.capacity / 100).max(1);
        let main_space = set.capacity.saturating_sub(window_space);
        WTinyLfu {
            segments: Segments::new(&set.order),
            entries: Vec::new(),
            sketch: CountMin::new(),
            window_space,
            main_space,
            protected_space: main_space / 5 * 4,
        }
    }

    fn main_used(&self) -> u64 {
        self.segments.space(PROBATION) + self.segments.space(PROTECTED)
    }

    /// How much delay keeping `slot` saves, up to a factor.
    fn worth(&self, slot: Slot) -> f64 {
        let Entry { object, delay } = self.entries[slot.index()];
        f64::from(self.sketch.estimate(object)) * delay.unwrap_or(1.0)
    }

    fn take(&mut self, slot: Slot) -> Option<Slot> {
        self.segments.remove(slot);
        Some(slot)
    }

    /// What the main cache would give up.
    fn main_victim(&mut self, arrival: &Arrival) -> Option<Slot> {
        let first = self.segments.first(PROBATION, arrival.at);
        first.or_else(|| self.segments.first(PROTECTED, arrival.at))
    }
}

impl<O: Order> Policy for WTinyLfu<O> {
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.sketch.add(access.object);
        self.entries[slot.index()].delay = access.delay;
        let segment = self.segments.segment(slot);
        if segment != PROBATION {
            self.segments.touch(segment, slot, access.at, access.delay);
            return;
        }
        self.segments.shift(slot, PROTECTED, access.at, access.delay);
        while self.segments.space(PROTECTED) > self.protected_space {
            let Some(demoted) = self.segments.first(PROTECTED, access.at) else { break };
            let delay = self.entries[demoted.index()].delay;
            self.segments.shift(demoted, PROBATION, access.at, delay);
        }
    }

    fn absent(&mut self, access: &Access) {
        self.sketch.add(access.object);
    }

    fn evict(&mut self, arrival: &Arrival) -> Option<Slot> {
        while self.segments.space(WINDOW) + arrival.space > self.window_space {
            let Some(candidate) = self.segments.first(WINDOW, arrival.at) else { break };
            let space = self.segments.space_of(candidate);
            let delay = self.entries[candidate.index()].delay;
            if self.main_used() + space <= self.main_space {
                self.segments.shift(candidate, PROBATION, arrival.at, delay);
                continue;
            }
            let Some(victim) = self.main_victim(arrival) else { return self.take(candidate) };
            if self.worth(candidate) > self.worth(victim) {
                self.segments.remove(victim);
                self.segments.shift(candidate, PROBATION, arrival.at, delay);
                return Some(victim);
            }
            return self.take(candidate);
        }
        let victim = self.main_victim(arrival);
        victim.or_else(|| self.segments.first(WINDOW, arrival.at)).and_then(|slot| self.take(slot))
    }

    fn forget(&mut self, slot: Slot) {
        self.segments.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &Arrival) {
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, Entry::default());
            self.sketch.widen_for(self.entries.len());
        }
        let (object, delay) = (arrival.object, arrival.delay);
        self.entries[slot.index()] = Entry { object, delay };
        self.segments.push(WINDOW, slot, arrival.space, arrival.at, delay);
        while self.segments.space(WINDOW) > self.window_space {
            let Some(oldest) = self.segments.first(WINDOW, arrival.at) else { break };
            let delay = self.entries[oldest.index()].delay;
            self.segments.shift(oldest, PROBATION, arrival.at, delay);
        }
    }
}
