//! LFU, GreedyDual-Size-Frequency, W-TinyLFU and Belady: what is wanted often, or first.

use std::collections::HashMap;

use super::{Classical, take};

struct Counted {
    id: u64,
    count: f64,
    /// H.
    value: f64,
}

/// LFU and GDSF: the least value goes, among equals the longest unused.
pub(crate) struct Frequency {
    capacity: usize,
    /// Whether values are over a floor, that of what was evicted.
    aging: bool,
    floor: f64,
    /// The longest unused first.
    cached: Vec<Counted>,
}

impl Frequency {
    pub(crate) fn lfu(capacity: usize) -> Self {
        Frequency { capacity, aging: false, floor: 0.0, cached: Vec::new() }
    }

    pub(crate) fn gdsf(capacity: usize) -> Self {
        Frequency { aging: true, ..Self::lfu(capacity) }
    }
}

impl Classical for Frequency {
    fn request(&mut self, id: u64, _: usize) -> bool {
        let place = self.cached.iter().position(|entry| entry.id == id);
        let count = place.map_or(0.0, |place| self.cached.remove(place).count) + 1.0;
        if self.cached.len() == self.capacity {
            let least = |a: &usize, b: &usize| {
                self.cached[*a].value.total_cmp(&self.cached[*b].value).then(a.cmp(b))
            };
            let victim = (0..self.cached.len()).min_by(least).unwrap();
            self.floor = self.floor.max(self.cached.remove(victim).value);
        }
        // Every fetch costs as much and every object is as large.
        let value = if self.aging { self.floor + count } else { count };
        self.cached.push(Counted { id, count, value });
        place.is_some()
    }
}

/// Einziger, Friedman, Manes 2017, with exact counts up to 15 for the sketch.
pub(crate) struct WTinyLfu {
    window: Vec<u64>,
    probation: Vec<u64>,
    protected: Vec<u64>,
    /// The places of window, main cache and protected segment.
    places: (usize, usize, usize),
    counts: HashMap<u64, u32>,
}

impl WTinyLfu {
    pub(crate) fn new(capacity: usize) -> Self {
        let window = (capacity / 100).max(1);
        let main = capacity - window;
        WTinyLfu {
            window: Vec::new(),
            probation: Vec::new(),
            protected: Vec::new(),
            places: (window, main, main * 4 / 5),
            counts: HashMap::new(),
        }
    }

    fn hit(&mut self, id: u64) -> bool {
        if take(&mut self.window, id) {
            self.window.push(id);
        } else if take(&mut self.protected, id) {
            self.protected.push(id);
        } else if take(&mut self.probation, id) {
            self.protected.push(id);
            if self.protected.len() > self.places.2 {
                self.probation.push(self.protected.remove(0));
            }
        } else {
            return false;
        }
        true
    }

    /// What leaves the window meets what the main cache would give up.
    fn leave_window(&mut self) {
        let candidate = self.window.remove(0);
        if self.probation.len() + self.protected.len() < self.places.1 {
            self.probation.push(candidate);
            return;
        }
        let from =
            if self.probation.is_empty() { &mut self.protected } else { &mut self.probation };
        if self.counts[&candidate] > self.counts[&from[0]] {
            from.remove(0);
            self.probation.push(candidate);
        }
    }
}

impl Classical for WTinyLfu {
    fn request(&mut self, id: u64, _: usize) -> bool {
        let count = self.counts.entry(id).or_default();
        *count = (*count + 1).min(15);
        let hit = self.hit(id);
        if !hit {
            if self.window.len() == self.places.0 {
                self.leave_window();
            }
            self.window.push(id);
        }
        hit
    }
}

/// Belady: of the cached and the new, the one wanted last goes; what is never wanted again in any order.
pub(crate) struct Belady<'a> {
    capacity: usize,
    future: &'a [u64],
    cached: Vec<u64>,
}

impl<'a> Belady<'a> {
    pub(crate) fn new(capacity: usize, future: &'a [u64]) -> Self {
        Belady { capacity, future, cached: Vec::new() }
    }
}

impl Classical for Belady<'_> {
    fn request(&mut self, id: u64, now: usize) -> bool {
        let hit = self.cached.contains(&id);
        if !hit {
            self.cached.push(id);
        }
        let next = |id: &u64| {
            let later = self.future[now + 1..].iter().position(|other| other == id);
            later.unwrap_or(usize::MAX)
        };
        if self.cached.len() > self.capacity {
            let last = (0..self.cached.len()).max_by_key(|at| next(&self.cached[*at])).unwrap();
            self.cached.remove(last);
        }
        hit
    }
}
