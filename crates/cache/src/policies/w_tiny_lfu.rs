//! W-TinyLFU: a small LRU window, then admission to a segmented LRU by approximate frequency
//! (Einziger, Friedman, Manes 2017).
//!
//! The window takes a hundredth of the space, the protected segment four fifths of the rest. What
//! leaves the window meets the main cache's next victim, and the one asked for more often stays.
//! Every request counts, delayed ones too, as `popularity.rs` says; `w-tinylfu-plain` is the same
//! without a doorkeeper, `w-tinylfu-anew` with samples that begin anew. Inside [`Mad`](super::Mad)
//! each segment is in the order of delay per time since last use, and frequency is weighed by
//! delay. O(1) with lists; about 80 bytes an object. Open in the paper, chosen here: a fixed
//! window, as published in 2017; and what is larger than the window meets the main cache's victims
//! as it arrives.

use forebay_units::Bytes;

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig, weight};
use super::popularity::{Popularity, Rules};
use super::registry::{Base, base, over, recent};
use super::segments::Segments;
use crate::model::ObjectId;
use crate::order::{Order, Slot};

const WINDOW: usize = 0;
const PROBATION: usize = 1;
const PROTECTED: usize = 2;

const PUBLISHED: u8 = 0;
const NO_DOORKEEPER: u8 = 1;
const SAMPLES_ANEW: u8 = 2;

/// Window TinyLFU.
pub struct WTinyLfu<O, const RULES: u8 = PUBLISHED> {
    segments: Segments<O, 3>,
    entries: Vec<Entry>,
    popularity: Popularity,
    capacity: u64,
    objects: u64,
    window_space: u64,
    main_space: u64,
    protected_space: u64,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    object: ObjectId,
    delay: Option<f64>,
}

impl<O: Order, const RULES: u8> WTinyLfu<O, RULES> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        let window_space = (set.capacity / 100).max(1);
        let main_space = set.capacity.saturating_sub(window_space);
        WTinyLfu {
            segments: Segments::new(&set.order),
            entries: Vec::new(),
            popularity: Popularity::new(match RULES {
                NO_DOORKEEPER => Rules::NoDoorkeeper,
                SAMPLES_ANEW => Rules::SamplesAnew,
                _ => Rules::Published,
            }),
            capacity: set.capacity,
            objects: 0,
            window_space,
            main_space,
            protected_space: fifths(main_space, 4),
        }
    }

    /// How many objects of the present mean size it holds when it is full: C of the paper.
    fn room(&self) -> u64 {
        let used = self.segments.space(WINDOW) + self.main_used();
        let room = u128::from(self.capacity) * u128::from(self.objects) / u128::from(used.max(1));
        u64::try_from(room).unwrap_or(u64::MAX)
    }

    fn main_used(&self) -> u64 {
        self.segments.space(PROBATION) + self.segments.space(PROTECTED)
    }

    /// How much delay keeping `slot` saves, up to a factor.
    fn worth(&self, slot: Slot) -> f64 {
        self.worth_of(self.entries[slot.index()])
    }

    fn worth_of(&self, Entry { object, delay }: Entry) -> f64 {
        f64::from(self.popularity.estimate(object)) * weight(delay)
    }

    fn take(&mut self, slot: Slot) -> Option<Slot> {
        self.forget(slot);
        Some(slot)
    }

    /// What the main cache would give up.
    fn main_victim(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let first = self.segments.first(PROBATION, arrival.at);
        first.or_else(|| self.segments.first(PROTECTED, arrival.at))
    }
}

/// So many fifths of `space`, rounded down.
fn fifths(space: u64, fifths: u64) -> u64 {
    space / 5 * fifths + space % 5 * fifths / 5
}

impl<O: Order, const RULES: u8> WTinyLfu<O, RULES> {
    /// Finds room for data that is larger than the window: it meets the main cache's victims
    /// itself.
    fn evict_for_large(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let newcomer = Entry { object: arrival.object, delay: arrival.delay };
        match self.main_victim(arrival) {
            Some(victim) if self.worth_of(newcomer) > self.worth(victim) => self.take(victim),
            Some(_) => None,
            None => self.segments.first(WINDOW, arrival.at).and_then(|slot| self.take(slot)),
        }
    }
}

over!(OverOrder, Order: WTinyLfu<PUBLISHED>);
over!(OverOrder, Order: WTinyLfu<NO_DOORKEEPER>);
over!(OverOrder, Order: WTinyLfu<SAMPLES_ANEW>);

pub(super) const BASE: Base = base(
    "w-tinylfu",
    "W-TinyLFU",
    "evicts what is used less often than the newcomer",
    recent::<WTinyLfu<()>>,
);
pub(super) const PLAIN: Base = base(
    "w-tinylfu-plain",
    "W-TinyLFU, no doorkeeper",
    "w-tinylfu with every request counted by the sketch",
    recent::<WTinyLfu<(), NO_DOORKEEPER>>,
);
pub(super) const ANEW: Base = base(
    "w-tinylfu-anew",
    "W-TinyLFU, samples anew",
    "w-tinylfu whose samples all have as many requests: none of the last one's counts",
    recent::<WTinyLfu<(), SAMPLES_ANEW>>,
);

impl<O: Order, const RULES: u8> CachePolicy for WTinyLfu<O, RULES> {
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.popularity.add(access.object);
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
        self.popularity.add(access.object);
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        if arrival.space > self.window_space {
            return self.evict_for_large(arrival);
        }
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
                self.forget(victim);
                self.segments.shift(candidate, PROBATION, arrival.at, delay);
                return Some(victim);
            }
            return self.take(candidate);
        }
        let victim = self.main_victim(arrival);
        victim.or_else(|| self.segments.first(WINDOW, arrival.at)).and_then(|slot| self.take(slot))
    }

    fn tables(&self, objects: u64) -> Bytes {
        self.popularity.size(objects)
    }

    fn forget(&mut self, slot: Slot) {
        self.objects -= 1;
        self.segments.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, Entry::default());
        }
        let (object, delay) = (arrival.object, arrival.delay);
        self.entries[slot.index()] = Entry { object, delay };
        // Probation is in the order of entry, the window in that of recency.
        let (segment, since) = if arrival.space > self.window_space {
            (PROBATION, arrival.at)
        } else {
            (WINDOW, arrival.recency())
        };
        self.segments.admit(segment, slot, arrival, since);
        self.objects += 1;
        self.popularity.serve(self.room());
        while self.segments.space(WINDOW) > self.window_space {
            let Some(oldest) = self.segments.first(WINDOW, arrival.at) else { break };
            let delay = self.entries[oldest.index()].delay;
            self.segments.shift(oldest, PROBATION, arrival.at, delay);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use forebay_units::Bytes;

    use crate::policies::{PolicyConfig, policies};
    use crate::{
        Associativity, BackingStore, CacheGeometry, Capacity, ObjectId, Request, RequestOutcome,
        Simulation, at_step, steps,
    };

    #[test]
    fn the_large_need_not_pass_the_window_but_must_be_wanted_more() {
        let geometry = CacheGeometry {
            capacity: Capacity::Bytes(Bytes::new(100)),
            associativity: Associativity::Full,
        };
        let build = policies().named("w-tinylfu").unwrap().build(&PolicyConfig::default()).unwrap();
        let mut cache = Simulation::new(geometry, BackingStore::Constant(steps(1)), build).unwrap();
        let mut now = 0;
        let mut ask = |object, size| {
            now += 2;
            let request = Request::new(at_step(now), ObjectId(object)).sized(Bytes::new(size));
            cache.offer(&request).unwrap() == RequestOutcome::Hit
        };
        // Ten objects fill the cache, each asked for twice; a stranger of their size is bypassed
        // twice.
        assert_eq!((0..20).filter(|n| ask(n % 10, 9)).count(), 10);
        assert!(!ask(99, 20) && !ask(99, 20) && (0..10).all(|object| ask(object, 9)));
        // Asked for as often and once more, it stays.
        assert!(!ask(99, 20) && !ask(99, 20) && ask(99, 20));
    }

    #[test]
    fn fifths_of_anything() {
        assert_eq!([0, 3, 4, 5, 9].map(|space| super::fifths(space, 4)), [0, 2, 3, 4, 7]);
        assert_eq!(super::fifths(u64::MAX, 4), u64::MAX / 5 * 4);
    }
}
