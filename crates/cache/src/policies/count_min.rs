//! A count-min sketch that forgets: how often an object was asked for lately, about, in constant space
//! (TinyLFU: Einziger, Friedman, Manes 2017).
//!
//! Four counters of one byte an object, each up to 15; all are halved after ten times as many requests as
//! there are counters in a row. The width doubles with the objects it serves; since an index is the low
//! bits of a hash, copying the table keeps every estimate. O(1).

use crate::hash::mix;
use crate::model::ObjectId;

/// Approximate counts.
pub(super) struct CountMin {
    /// `ROWS` counters for each index, side by side.
    counters: Vec<u8>,
    additions: u64,
}

const ROWS: usize = 4;
const MOST: u8 = 15;
const LEAST_WIDTH: usize = 64;
const MOST_WIDTH: usize = 1 << 24;

impl CountMin {
    pub(super) fn new() -> Self {
        CountMin { counters: vec![0; ROWS * LEAST_WIDTH], additions: 0 }
    }

    fn width(&self) -> usize {
        self.counters.len() / ROWS
    }

    /// Makes it wide enough for `objects` objects.
    pub(super) fn widen_for(&mut self, objects: usize) {
        while self.width() < objects.min(MOST_WIDTH) {
            self.counters.extend_from_within(..);
        }
    }

    /// Where the counters of `object` are.
    #[inline]
    fn places(&self, object: ObjectId) -> [usize; ROWS] {
        let mask = self.width() - 1;
        let (first, step) = (mix(object.0), mix(!object.0) | 1);
        std::array::from_fn(|row| {
            let hash = first.wrapping_add(step.wrapping_mul(row as u64)) as usize;
            ROWS * (hash & mask) + row
        })
    }

    /// Counts one request for `object`.
    #[inline]
    pub(super) fn add(&mut self, object: ObjectId) {
        for place in self.places(object) {
            self.counters[place] = (self.counters[place] + 1).min(MOST);
        }
        self.additions += 1;
        if self.additions >= 10 * self.width() as u64 {
            self.counters.iter_mut().for_each(|counter| *counter /= 2);
            self.additions /= 2;
        }
    }

    /// How often `object` was asked for, at least.
    #[inline]
    pub(super) fn estimate(&self, object: ObjectId) -> u8 {
        self.places(object).map(|place| self.counters[place]).into_iter().min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_never_low_before_forgetting() {
        let mut sketch = CountMin::new();
        for round in 0..5 {
            for id in 0..20 {
                sketch.add(ObjectId(id));
                assert!(sketch.estimate(ObjectId(id)) > round);
            }
        }
        let estimates: Vec<u8> = (0..20).map(|id| sketch.estimate(ObjectId(id))).collect();
        sketch.widen_for(1000);
        assert!(sketch.width() >= 1000);
        let kept: Vec<u8> = (0..20).map(|id| sketch.estimate(ObjectId(id))).collect();
        assert_eq!(estimates, kept);
        for _ in 0..20 * sketch.width() {
            sketch.add(ObjectId(99));
        }
        assert!(sketch.estimate(ObjectId(3)) <= 2);
    }
}
