//! LRU: evicts what was not used for longest (thesis Table 2.3).
//!
//! Open in the paper, chosen here: an arriving object counts as used when it arrives. Inside
//! [`Mad`](super::Mad) it was used at its last request, delayed hits included, since TTNA is the
//! time since the last access (§2.2.2, §2.5.2). O(1) with a list; 20 bytes an object.

use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig};
use super::registry::{Base, base, over, recent};
use super::segments::Segments;
use crate::order::{Order, Slot};

/// Least recently used.
///
/// ```
/// use forebay_cache::{BackingStore, CacheGeometry, Simulation, order::List, policies::Lru};
///
/// let store = BackingStore::Constant(forebay_cache::steps(3));
/// let simulation = Simulation::new(CacheGeometry::objects(8), store, |set| Lru::<List>::new(set))?;
/// assert_eq!(simulation.report().requests, 0);
/// # Ok::<(), forebay_cache::GeometryError>(())
/// ```
pub struct Lru<O> {
    all: Segments<O, 1>,
}

impl<O: Order> Lru<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Lru { all: Segments::new(&set.order) }
    }
}

over!(OverOrder, Order: Lru);

pub(super) const BASE: Base =
    base("lru", "LRU", "evicts the least recently used", recent::<Lru<()>>);

impl<O: Order> CachePolicy for Lru<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        self.all.touch(0, slot, access.at, access.delay);
    }

    #[inline]
    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let slot = self.all.first(0, arrival.at)?;
        self.all.remove(slot);
        Some(slot)
    }

    fn forget(&mut self, slot: Slot) {
        self.all.remove(slot);
    }

    #[inline]
    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        self.all.admit(0, slot, arrival, arrival.recency());
    }
}
