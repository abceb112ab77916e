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
//! Victims are found exactly ([`DensityCells`]) or, as in LHD's paper, by a sample. Without them
//! 10 KB a set, and 40 bytes an object.

mod cells;
mod densities;

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig, weight};
use super::registry::{Base, Eviction, Variant, base, weighed};
use crate::order::{Key, Order, OrderConfig, Sample, Slot};
use crate::policies::BoxedPolicy;
pub use cells::DensityCells;
use densities::{Densities, bin, class};
use forebay_units::Bytes;

const LEAST_INTERVAL: u64 = 4096;

/// Least hit density.
pub struct Lhd<V> {
    victims: V,
    entries: Vec<Entry>,
    densities: Densities,
    /// Requests so far.
    clock: u64,
    next_learning: u64,
}

/// What is known of a cached object.
#[derive(Clone, Copy, Default)]
pub struct Entry {
    touched: u64,
    space: u64,
    /// What its hit density is multiplied by: its delay over its space.
    weight: f64,
    class: u8,
    /// The bin of its age when it arrived; 0 from its first hit on, since a hit begins a new age.
    arrived: u8,
}

impl Entry {
    fn weigh(&mut self, delay: Option<f64>) {
        self.weight = weight(delay) / self.space as f64;
    }

    /// What it is worth at `clock`: the least goes first, among equals the longest unused.
    fn worth(&self, densities: &Densities, clock: u64) -> f64 {
        densities.of(usize::from(self.class), bin(clock - self.touched)) * self.weight
    }
}

/// How the object that is worth least is found.
pub trait Victims: Send + Sync {
    /// Without objects.
    fn new(config: &OrderConfig) -> Self;
    /// `slot` is now cached: `entry` is what is known of it.
    fn insert(&mut self, slot: Slot, entry: &Entry, clock: u64, densities: &Densities);
    /// `slot` was hit, which changed `entry`.
    fn touch(&mut self, slot: Slot, entry: &Entry, clock: u64, densities: &Densities);
    /// `slot` is no longer cached; nothing happens if it was not.
    fn remove(&mut self, slot: Slot, densities: &Densities);
    /// The slot worth least at `clock`; it stays.
    fn first(&mut self, clock: u64, densities: &Densities, entries: &[Entry]) -> Option<Slot>;
    /// Densities have changed.
    fn learnt(&mut self, densities: &Densities);
}

impl Victims for Sample {
    fn new(config: &OrderConfig) -> Self {
        Order::new(config)
    }

    fn insert(&mut self, slot: Slot, _: &Entry, clock: u64, _: &Densities) {
        // It asks for no key before it looks for the first.
        Order::insert(self, slot, clock, || Key::LEAST);
    }

    fn touch(&mut self, _: Slot, _: &Entry, _: u64, _: &Densities) {}

    fn remove(&mut self, slot: Slot, _: &Densities) {
        Order::remove(self, slot);
    }

    fn first(&mut self, clock: u64, densities: &Densities, entries: &[Entry]) -> Option<Slot> {
        Order::first(self, clock, |slot| {
            let entry = &entries[slot.index()];
            Key::constant(-entry.worth(densities, clock), entry.touched)
        })
    }

    fn learnt(&mut self, _: &Densities) {}
}

impl<V: Victims> Lhd<V> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Lhd {
            victims: V::new(&set.order),
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
            self.victims.learnt(&self.densities);
        }
    }
}

pub(super) const BASE: Base = base("lhd", "LHD", "evicts the lowest learned hit density", build);

fn build(variant: Variant, set: &SetConfig) -> BoxedPolicy {
    match variant.eviction {
        Eviction::Exact => weighed(Lhd::<DensityCells>::new(set), variant.delays),
        Eviction::Sampled => weighed(Lhd::<Sample>::new(set), variant.delays),
    }
}

impl<V: Victims> CachePolicy for Lhd<V> {
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.tick();
        let entry = &mut self.entries[slot.index()];
        let age = self.clock - entry.touched;
        self.densities.hit(entry, age);
        entry.class = class(age);
        entry.arrived = 0;
        entry.touched = self.clock;
        entry.weigh(access.delay);
        self.victims.touch(slot, entry, self.clock, &self.densities);
    }

    fn absent(&mut self, _: &Access) {
        self.tick();
    }

    fn evict(&mut self, _: &ObjectArrival) -> Option<Slot> {
        let slot = self.victims.first(self.clock, &self.densities, &self.entries)?;
        let entry = self.entries[slot.index()];
        self.densities.evicted(&entry, self.clock - entry.touched);
        self.victims.remove(slot, &self.densities);
        Some(slot)
    }

    fn tables(&self, _: u64) -> Bytes {
        Bytes::new(size_of::<Self>() as u64)
    }

    fn forget(&mut self, slot: Slot) {
        self.victims.remove(slot, &self.densities);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, Entry::default());
        }
        // What it waited for is over: it was used at its last request, and hit if that was a
        // delayed hit.
        let touched = arrival.last.number.min(self.clock);
        let mut entry = Entry {
            touched,
            space: arrival.space,
            weight: 0.0,
            class: arrival.last.reuse.map_or(0, class),
            arrived: bin(self.clock - touched) as u8,
        };
        entry.weigh(arrival.delay);
        self.entries[slot.index()] = entry;
        self.victims.insert(slot, &entry, self.clock, &self.densities);
    }
}
