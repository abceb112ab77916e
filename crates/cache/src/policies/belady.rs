//! Belady: evicts what is wanted last (thesis §2.2.2), and Belady-AggregateDelay: evicts what saves
//! the least delay per time it is kept (§2.5.1, Eq. 2.45).
//!
//! Both need the future. Belady-AD is [`Belady`] inside [`Foretold`], which takes the aggregate
//! delay from the future, as [`Mad`](super::Mad) estimates it from the past. Open in the paper,
//! chosen here: arriving data competes as well and is bypassed if it ranks last, which the
//! schedule's rules allow and optimality asks for. Optimal in hits where misses take one step and
//! objects one size, as is known of Belady's algorithm; a heuristic otherwise. O(log n); about
//! 90 bytes an object.

use forebay_units::Bytes;

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig, rate};
use super::registry::{Base, base, keyed, over};
use super::scores::Scores;
use crate::model::{Foresight, Future};
use crate::order::{Key, Keyed, Slot};

/// Belady's algorithm.
pub struct Belady<O> {
    scores: Scores<O>,
}

impl<O: Keyed> Belady<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Belady { scores: Scores::new(&set.order) }
    }
}

/// TTNA by place in the trace, or TTNA in time over the delay.
#[inline]
fn key(next: Future, delay: Option<f64>, tie: u64) -> Key {
    match (next, delay) {
        (Future::Unknown | Future::Order(Future::NEVER), _)
        | (Future::Full { index: Future::NEVER, .. }, _) => Key::constant(f64::MAX, tie),
        (Future::Full { at, .. }, Some(delay)) => Key::falling(at.as_ps(), rate(Some(delay)), tie),
        (Future::Order(index) | Future::Full { index, .. }, _) => Key::constant(index as f64, tie),
    }
}

over!(OverKeys, Keyed: Belady);

pub(super) const BASE: Base = base(
    "belady",
    "Bélády",
    "evicts the object wanted last (needs the future)",
    keyed::<Belady<()>>,
);

impl<O: Keyed> CachePolicy for Belady<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.scores.touch(slot, access.at.as_ps(), |tie| key(access.next, access.delay, tie));
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let now = arrival.at.as_ps();
        let (slot, first) = self.scores.first(now)?;
        if key(arrival.next, arrival.delay, 0).before(&first, now) {
            return None;
        }
        self.scores.remove(slot);
        Some(slot)
    }

    fn forget(&mut self, slot: Slot) {
        self.scores.remove(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        let now = arrival.at.as_ps();
        self.scores.insert(slot, now, |tie| key(arrival.next, arrival.delay, tie));
    }

    fn needs(&self) -> Foresight {
        Foresight::Order
    }
}

/// A policy that is told the aggregate delay of each object's next request.
pub struct Foretold<P> {
    inner: P,
}

impl<P: CachePolicy> Foretold<P> {
    /// Lets `inner` know.
    pub fn new(inner: P) -> Self {
        Foretold { inner }
    }
}

/// The aggregate delay of the next request, in picoseconds.
fn foretold(next: Future) -> Option<f64> {
    match next {
        Future::Full { delay, .. } => Some(delay.as_ps() as f64),
        Future::Unknown | Future::Order(_) => None,
    }
}

impl<P: CachePolicy> CachePolicy for Foretold<P> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.inner.hit(slot, &Access { delay: foretold(access.next), ..*access });
    }

    fn absent(&mut self, access: &Access) {
        self.inner.absent(access);
    }

    fn arrive(&mut self, arrival: &ObjectArrival) -> bool {
        self.inner.arrive(&ObjectArrival { delay: foretold(arrival.next), ..*arrival })
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        self.inner.evict(&ObjectArrival { delay: foretold(arrival.next), ..*arrival })
    }

    fn forget(&mut self, slot: Slot) {
        self.inner.forget(slot);
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        self.inner.admit(slot, &ObjectArrival { delay: foretold(arrival.next), ..*arrival });
    }

    fn needs(&self) -> Foresight {
        Foresight::Full
    }

    fn remembered(&self) -> usize {
        self.inner.remembered()
    }

    fn tables(&self, objects: u64) -> Bytes {
        self.inner.tables(objects)
    }
}
