//! LFU, GreedyDual-Size-Frequency and Belady: what is wanted often, or first.

use super::Classical;

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

/// Belady: of the cached and the new, the one wanted last goes; what is never wanted again in any
/// order.
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
