//! LHD: evicts the least hit density, the hits expected per time and space (Beckmann, Chen, Cidon,
//! NSDI '18; thesis Table 2.3).
//!
//! From the ages at which objects were hit and evicted it learns, for each class of objects and
//! each age, how many hits an object that has come so far gives, over how long it stays. Ages are
//! requests to the set since the object was last used. Hit density estimates 1/TTNA, so inside
//! [`Mad`](super::Mad) it is multiplied by the aggregate delay.
//!
//! An object's class follows its age at its last hit, which is 0 for a newcomer; an event counts
//! for the class that the object had before it. A delayed hit is a hit to its object, as which it
//! sets age and class, but teaches nothing: an object on its way takes no space.
//!
//! Under long fetches an object arrives old: its last request was a fetch ago. What becomes of it
//! says nothing about younger objects, which it never was among. It therefore counts only from the
//! age at which it arrived, as a late entry does in the estimate of Kaplan and Meier
//! ("Nonparametric estimation from incomplete observations", 1958). Without delays every object
//! enters at age 0, and the estimate is LHD's own.
//!
//! Chosen here: ages in bins that widen geometrically, two an octave, so that an object changes bin
//! rarely; twelve classes, one for ages of 0 and the others two octaves each; histograms that lose
//! a tenth with every learning, after 4096 requests or four a cached object; a trace of hits in
//! each bin, less in older ones, before anything was seen, which makes an untaught LHD an LRU.
//! Every change of bin costs O(log n) if the order is exact, about twenty in the life of an object
//! that stays a thousand requests; sampling, as LHD's paper does, costs none. 7 KB a set, about
//! 130 bytes an object.

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig, weight};
use super::registry::{Base, base, keyed, over};
use crate::order::{Expiring, Key, Keyed, Slot};

const CLASSES: usize = 12;
/// Up to an age of 2^25, beyond which ages are not told apart.
const BINS: usize = 50;
/// Two bins an octave: a half of it each.
const HALVES: u32 = 2;
const DECAY: f32 = 0.9;
/// So little that nothing of it is left once anything was seen.
const PRIOR: f32 = 1e-12;
const LEAST_INTERVAL: u64 = 4096;

/// Least hit density.
pub struct Lhd<O> {
    order: O,
    entries: Vec<Entry>,
    densities: Densities,
    /// Requests so far.
    clock: u64,
    next_learning: u64,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    touched: u64,
    delay: Option<f64>,
    space: u64,
    class: u8,
    /// The bin of its age when it arrived; 0 from its first hit on, since a hit begins a new age.
    arrived: u8,
}

/// A number for each class and bin of ages.
type Histogram = [[f32; BINS]; CLASSES];

/// The histograms, and what was learnt from them.
struct Densities {
    hits: Histogram,
    evictions: Histogram,
    /// Of those that were hit or evicted, by the bin in which they arrived.
    arrivals: Histogram,
    densities: Histogram,
}

/// The bin of `age`.
fn bin(age: u64) -> usize {
    if age < u64::from(HALVES) {
        return age as usize;
    }
    // The bit below the leading one chooses the half of its octave.
    let octave = age.ilog2();
    let bin = octave * HALVES + ((age >> (octave - 1)) as u32 & 1);
    (bin as usize).min(BINS - 1)
}

/// The least age in `bin`.
fn start(bin: usize) -> u64 {
    let (octave, half) = (bin as u64 / 2, bin as u64 % 2);
    if octave == 0 { half } else { (2 + half) << (octave - 1) }
}

/// The class of an object that was last hit at `age`; 0 before its first hit.
fn class(age: u64) -> u8 {
    age.checked_ilog2().map_or(0, |octave| 1 + (octave / 2).min(CLASSES as u32 - 2) as u8)
}

impl Densities {
    /// The densities of an empty set.
    fn untaught() -> Self {
        let zeros = [[0.0; BINS]; CLASSES];
        let mut densities =
            Densities { hits: zeros, evictions: zeros, arrivals: zeros, densities: zeros };
        densities.learn();
        densities
    }

    /// Learns the density of every class and age, and forgets a little.
    fn learn(&mut self) {
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
    fn hit(&mut self, entry: &Entry, age: u64) {
        self.hits[usize::from(entry.class)][bin(age)] += 1.0;
        self.count_arrival(entry);
    }

    /// An object is evicted at `age`.
    fn evicted(&mut self, entry: &Entry, age: u64) {
        self.evictions[usize::from(entry.class)][bin(age)] += 1.0;
        self.count_arrival(entry);
    }

    /// An arrival counts when the end does, so that both are forgotten at one pace.
    fn count_arrival(&mut self, entry: &Entry) {
        if entry.arrived > 0 {
            self.arrivals[usize::from(entry.class)][usize::from(entry.arrived)] += 1.0;
        }
    }

    /// The key of an object, and when its age enters the next bin.
    fn key(&self, slot: Slot, entry: &Entry, clock: u64) -> Expiring {
        let bin = bin(clock - entry.touched);
        let density = f64::from(self.densities[usize::from(entry.class)][bin]);
        let worth = density * weight(entry.delay) / entry.space as f64;
        // Among equals the longest unused, and among those any.
        let tie = (entry.touched << 20) | u64::from(slot.0 & 0xf_ffff);
        let until = if bin + 1 < BINS { entry.touched + start(bin + 1) } else { u64::MAX };
        Expiring { key: Key::constant(-worth, tie), until }
    }
}

impl<O: Keyed> Lhd<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Lhd {
            order: O::new(&set.order),
            entries: Vec::new(),
            densities: Densities::untaught(),
            clock: 0,
            next_learning: LEAST_INTERVAL,
        }
    }

    fn tick(&mut self) {
        self.clock += 1;
        if self.clock >= self.next_learning {
            self.next_learning = self.clock + LEAST_INTERVAL.max(4 * self.entries.len() as u64);
            self.densities.learn();
            let (densities, entries, clock) = (&self.densities, &self.entries, self.clock);
            let key_of = |slot: Slot| densities.key(slot, &entries[slot.index()], clock);
            self.order.rekey(clock, key_of);
        }
    }
}

over!(OverKeys, Keyed: Lhd);

pub(super) const BASE: Base =
    base("lhd", "LHD", "evicts the lowest learned hit density", keyed::<Lhd<()>>);

impl<O: Keyed> CachePolicy for Lhd<O> {
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.tick();
        let entry = &mut self.entries[slot.index()];
        let age = self.clock - entry.touched;
        self.densities.hit(entry, age);
        entry.class = class(age);
        entry.arrived = 0;
        entry.touched = self.clock;
        entry.delay = access.delay;
        self.order.touch(slot, self.clock, || self.densities.key(slot, entry, self.clock));
    }

    fn absent(&mut self, _: &Access) {
        self.tick();
    }

    fn evict(&mut self, _: &ObjectArrival) -> Option<Slot> {
        let (densities, entries, clock) = (&self.densities, &self.entries, self.clock);
        let key_of = |slot: Slot| densities.key(slot, &entries[slot.index()], clock);
        let slot = self.order.first(clock, key_of)?;
        let entry = self.entries[slot.index()];
        let age = self.clock - entry.touched;
        self.densities.evicted(&entry, age);
        self.order.remove(slot);
        Some(slot)
    }

    fn forget(&mut self, slot: Slot) {
        self.order.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, Entry::default());
        }
        let (delay, space) = (arrival.delay, arrival.space);
        // What it waited for is over: it was used at its last request, and hit if that was a
        // delayed hit.
        let touched = arrival.last.number.min(self.clock);
        let class = arrival.last.reuse.map_or(0, class);
        let arrived = bin(self.clock - touched) as u8;
        let entry = Entry { touched, delay, space, class, arrived };
        self.entries[slot.index()] = entry;
        self.order.insert(slot, self.clock, || self.densities.key(slot, &entry, self.clock));
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
