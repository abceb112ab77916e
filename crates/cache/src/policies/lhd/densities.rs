//! What LHD learns: the hit density of every class and age.

use super::Entry;

/// Classes of objects, by the age at their last hit.
pub(super) const CLASSES: usize = 12;
/// Up to an age of 2^25, beyond which ages are not told apart.
pub(super) const BINS: usize = 50;
/// Two bins an octave: a half of it each.
const HALVES: u32 = 2;
const DECAY: f32 = 0.9;
/// So little that nothing of it is left once anything was seen.
const PRIOR: f32 = 1e-12;

/// A number for each class and bin of ages.
type Histogram = [[f32; BINS]; CLASSES];

/// The histograms, and what was learnt from them.
pub struct Densities {
    hits: Histogram,
    evictions: Histogram,
    /// Of those that were hit or evicted, by the bin in which they arrived.
    arrivals: Histogram,
    densities: Histogram,
}

/// The bin of `age`.
#[inline]
pub(super) fn bin(age: u64) -> usize {
    if age < u64::from(HALVES) {
        return age as usize;
    }
    // The bit below the leading one chooses the half of its octave.
    let octave = age.ilog2();
    let bin = octave * HALVES + ((age >> (octave - 1)) as u32 & 1);
    (bin as usize).min(BINS - 1)
}

/// The least age in `bin`.
#[inline]
pub(super) fn start(bin: usize) -> u64 {
    let (octave, half) = (bin as u64 / 2, bin as u64 % 2);
    if octave == 0 { half } else { (2 + half) << (octave - 1) }
}

/// The class of an object that was last hit at `age`; 0 before its first hit.
#[inline]
pub(super) fn class(age: u64) -> u8 {
    age.checked_ilog2().map_or(0, |octave| 1 + (octave / 2).min(CLASSES as u32 - 2) as u8)
}

impl Densities {
    /// The densities of an empty set.
    pub(super) fn untaught() -> Self {
        let zeros = [[0.0; BINS]; CLASSES];
        let mut densities =
            Densities { hits: zeros, evictions: zeros, arrivals: zeros, densities: zeros };
        densities.learn();
        densities
    }

    /// Learns the density of every class and age, and forgets a little.
    pub(super) fn learn(&mut self) {
        for class in 0..CLASSES {
            // Of the objects that are there at some time in a bin: how many, their hits to come and
            // their time to come.
            let (mut present, mut hits, mut life) = (PRIOR * (BINS * BINS) as f32, 0.0, 0.0);
            for bin in (0..BINS).rev() {
                if let Some(arrived) = self.arrivals[class].get_mut(bin + 1) {
                    // The rest were there in this bin, too, and speak for it in the same
                    // proportion.
                    let rest = (present - *arrived).max(0.0);
                    let share = rest / present;
                    (present, hits, life) = (rest, hits * share, life * share);
                    *arrived *= DECAY;
                }
                let (hit, evicted) = (self.hits[class][bin], self.evictions[class][bin]);
                let prior = PRIOR * (BINS - bin) as f32;
                hits += hit + prior;
                present += hit + evicted + prior;
                life += present * (start(bin + 1) - start(bin)) as f32;
                self.densities[class][bin] = hits / life;
                self.hits[class][bin] = hit * DECAY;
                self.evictions[class][bin] = evicted * DECAY;
            }
        }
    }

    /// An object is hit at `age`.
    pub(super) fn hit(&mut self, entry: &Entry, age: u64) {
        self.hits[usize::from(entry.class)][bin(age)] += 1.0;
        self.count_arrival(entry);
    }

    /// An object is evicted at `age`.
    pub(super) fn evicted(&mut self, entry: &Entry, age: u64) {
        self.evictions[usize::from(entry.class)][bin(age)] += 1.0;
        self.count_arrival(entry);
    }

    /// An arrival counts when the end does, so that both are forgotten at one pace.
    fn count_arrival(&mut self, entry: &Entry) {
        if entry.arrived > 0 {
            self.arrivals[usize::from(entry.class)][usize::from(entry.arrived)] += 1.0;
        }
    }

    /// The density of `class` at ages in `bin`.
    #[inline]
    pub(super) fn of(&self, class: usize, bin: usize) -> f64 {
        f64::from(self.densities[class][bin])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_every_age_once() {
        for n in 0..BINS - 1 {
            assert_eq!(bin(start(n)), n);
            assert_eq!(bin(start(n + 1) - 1), n);
        }
        assert_eq!(bin(u64::MAX), BINS - 1);
    }

    #[test]
    fn density_falls_with_age_until_something_is_learnt() {
        let mut densities = Densities::untaught();
        assert!(densities.densities[0].is_sorted_by(|a, b| a > b));
        // Objects of class 1 that are hit at all are hit at an age of 1000.
        densities.hits[1][bin(1000)] = 90.0;
        densities.evictions[1][bin(10)] = 10.0;
        densities.learn();
        let learnt = &densities.densities[1];
        assert!(learnt[bin(900)] > learnt[bin(100)] && learnt[bin(100)] > learnt[bin(5000)]);
    }
}
