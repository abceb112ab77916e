//! How often an object was asked for lately, about, in constant space: TinyLFU (Einziger, Friedman,
//! Manes, ACM ToS 2017, §3), a count-min sketch that forgets, behind a doorkeeper.
//!
//! As published: every request adds one; the first of an object stops at the doorkeeper, a Bloom
//! filter, and only later ones reach the sketch; an estimate is the sketch's and one if the
//! doorkeeper knows the object. After W requests the counters and the number of requests are
//! halved, so that the next sample ends W / 2 later, and the doorkeeper is emptied. Open there,
//! chosen here: W is ten times the objects that the cache holds (the paper leaves W / C a
//! parameter); estimates end at W / C, the doorkeeper's one included (§3.4.1); four rows of
//! one-byte counters; a doorkeeper of 64 bits an object with three hash functions. Without a
//! doorkeeper every request reaches the sketch; where samples begin anew, the number of requests is
//! set to 0 and not halved, so that each sample has W.
//!
//! Tables double with the objects they serve; since an index is the low bits of a hash, a copy of a
//! table keeps every estimate. O(1).

use forebay_units::Bytes;

use crate::hash::mix;
use crate::model::ObjectId;

/// Where a sketch departs from what was published.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// Nowhere.
    Published,
    /// It has no doorkeeper.
    NoDoorkeeper,
    /// Each sample begins with no requests counted.
    SamplesAnew,
}

/// Approximate counts.
pub(super) struct Popularity {
    /// `ROWS` counters for each index, side by side.
    counters: Vec<u8>,
    doorkeeper: Option<Vec<u64>>,
    /// Where a counter stops.
    most: u8,
    additions: u64,
    /// W.
    sample: u64,
    /// Whether a sample begins with no requests counted, not with half of the last one's.
    anew: bool,
}

const ROWS: usize = 4;
const LEAST_WIDTH: usize = 64;
const MOST_WIDTH: usize = 1 << 24;
/// W / C.
const SAMPLE: u64 = 10;

impl Popularity {
    /// Nothing asked for yet.
    pub(super) fn new(rules: Rules) -> Self {
        let doorkeeper = rules != Rules::NoDoorkeeper;
        Popularity {
            counters: vec![0; ROWS * LEAST_WIDTH],
            doorkeeper: doorkeeper.then(|| vec![0; LEAST_WIDTH]),
            most: SAMPLE as u8 - u8::from(doorkeeper),
            additions: 0,
            sample: u64::MAX,
            anew: rules == Rules::SamplesAnew,
        }
    }

    fn width(&self) -> usize {
        self.counters.len() / ROWS
    }

    /// The cache holds `objects` objects when it is full: it makes itself wide enough, and sets W.
    pub(super) fn serve(&mut self, objects: u64) {
        self.sample = SAMPLE.saturating_mul(objects.max(1));
        while self.width() < MOST_WIDTH && (self.width() as u64) < objects {
            self.counters.extend_from_within(..);
            if let Some(doorkeeper) = &mut self.doorkeeper {
                doorkeeper.extend_from_within(..);
            }
        }
    }

    /// How large it is once it serves so many objects.
    pub(super) fn size(&self, objects: u64) -> Bytes {
        let places = objects.clamp(LEAST_WIDTH as u64, MOST_WIDTH as u64).next_power_of_two();
        let word = if self.doorkeeper.is_some() { size_of::<u64>() } else { 0 };
        Bytes::new(places * (ROWS + word) as u64)
    }

    /// Where the counters of `object` are, and the bits of the doorkeeper.
    #[inline]
    fn places(&self, object: ObjectId) -> [usize; ROWS] {
        let mask = self.width() - 1;
        hashes(object).map(|hash| hash as usize & mask)
    }

    /// Whether the doorkeeper knows `object`; it does from now on. `true` if there is none.
    #[inline]
    fn passes(&mut self, object: ObjectId) -> bool {
        let Some(doorkeeper) = &mut self.doorkeeper else { return true };
        let mut known = true;
        for (word, bit) in bits(object, doorkeeper.len()) {
            known &= doorkeeper[word] & bit != 0;
            doorkeeper[word] |= bit;
        }
        known
    }

    /// Counts one request for `object`.
    #[inline]
    pub(super) fn add(&mut self, object: ObjectId) {
        if self.passes(object) {
            for (row, place) in self.places(object).into_iter().enumerate() {
                let counter = &mut self.counters[ROWS * place + row];
                *counter = (*counter + 1).min(self.most);
            }
        }
        self.additions += 1;
        if self.additions >= self.sample {
            self.counters.iter_mut().for_each(|counter| *counter /= 2);
            self.doorkeeper.iter_mut().for_each(|doorkeeper| doorkeeper.fill(0));
            self.additions = if self.anew { 0 } else { self.additions / 2 };
        }
    }

    /// How often `object` was asked for.
    #[inline]
    pub(super) fn estimate(&self, object: ObjectId) -> u8 {
        let rows = self.places(object).into_iter().enumerate();
        let counted = rows.map(|(row, place)| self.counters[ROWS * place + row]).min();
        let known = self.doorkeeper.as_ref().is_some_and(|doorkeeper| {
            bits(object, doorkeeper.len()).all(|(word, bit)| doorkeeper[word] & bit != 0)
        });
        counted.unwrap_or(0) + u8::from(known)
    }
}

/// The hash functions, of which the doorkeeper uses all but the first.
#[inline]
fn hashes(object: ObjectId) -> [u64; ROWS] {
    let (first, step) = (mix(object.0), mix(!object.0) | 1);
    std::array::from_fn(|row| first.wrapping_add(step.wrapping_mul(row as u64)))
}

/// The words and bits of `object` in a doorkeeper of so many words, a power of two.
#[inline]
fn bits(object: ObjectId, words: usize) -> impl Iterator<Item = (usize, u64)> {
    let hashes = hashes(object).into_iter().skip(1);
    hashes.map(move |hash| (hash as usize & (words - 1), 1 << (hash >> 58)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_never_low_before_forgetting() {
        for rules in [Rules::Published, Rules::NoDoorkeeper, Rules::SamplesAnew] {
            let mut popularity = Popularity::new(rules);
            for round in 0..5 {
                for id in 0..20 {
                    popularity.add(ObjectId(id));
                    assert!(popularity.estimate(ObjectId(id)) > round);
                }
            }
            let estimates = |popularity: &Popularity| -> Vec<u8> {
                (0..20).map(|id| popularity.estimate(ObjectId(id))).collect()
            };
            let before = estimates(&popularity);
            let foretold = popularity.size(1000);
            popularity.serve(1000);
            assert!(popularity.width() >= 1000);
            let words = popularity.doorkeeper.as_ref().map_or(0, |words| 8 * words.len());
            assert_eq!(foretold.get(), (popularity.counters.len() + words) as u64);
            assert_eq!(before, estimates(&popularity));
            for _ in 0..20_000 {
                popularity.add(ObjectId(99));
            }
            assert!(popularity.estimate(ObjectId(3)) <= 2);
            assert_eq!(u64::from(popularity.estimate(ObjectId(99))), SAMPLE);
        }
    }

    #[test]
    fn the_next_sample_is_half_as_long_or_as_long() {
        for (rules, next) in [(Rules::Published, 5), (Rules::SamplesAnew, 10)] {
            let mut popularity = Popularity::new(rules);
            popularity.serve(1);
            (0..10).for_each(|_| popularity.add(ObjectId(1)));
            assert_eq!(popularity.estimate(ObjectId(1)), 4, "nine of the sketch, halved");
            (0..next - 1).for_each(|_| popularity.add(ObjectId(1)));
            let before = popularity.estimate(ObjectId(1));
            popularity.add(ObjectId(1));
            assert!(popularity.estimate(ObjectId(1)) < before, "forgets after {next}");
        }
    }

    #[test]
    fn one_request_does_not_pass_the_doorkeeper() {
        let mut popularity = Popularity::new(Rules::Published);
        popularity.add(ObjectId(5));
        assert_eq!(popularity.estimate(ObjectId(5)), 1);
        assert!(popularity.counters.iter().all(|counter| *counter == 0));
        popularity.add(ObjectId(5));
        assert_eq!(popularity.estimate(ObjectId(5)), 2);
        assert_eq!(popularity.counters.iter().filter(|counter| **counter == 1).count(), ROWS);
    }
}
