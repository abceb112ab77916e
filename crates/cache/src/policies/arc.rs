//! ARC: balances recency and frequency by what it regrets (Megiddo and Modha, FAST '03; thesis
//! Table 2.3).
//!
//! T1 holds what was asked for once, T2 what was asked for again; the ghosts B1 and B2 remember
//! what each lost, and move the target size p of T1. Open in the papers, chosen here: spaces
//! instead of counts, so that sizes may differ; ghosts are consulted when data arrives; a fetch
//! with its delayed hits counts as one request, since they are one burst. O(1) with lists; about
//! 100 bytes an object, ghosts included.

use super::ghosts::Ghosts;
use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig};
use super::registry::{Base, base, over, recent};
use super::segments::Segments;
use crate::model::ObjectId;
use crate::order::{Order, Slot};

const ONCE: usize = 0;
const AGAIN: usize = 1;

/// Adaptive replacement cache.
pub struct Arc<O> {
    lists: Segments<O, 2>,
    objects: Vec<ObjectId>,
    ghosts: [Ghosts; 2],
    capacity: u64,
    /// p: the space that T1 should take.
    target: u64,
    /// Which ghost the arriving object was, if any.
    regretted: Option<usize>,
}

impl<O: Order> Arc<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        Arc {
            lists: Segments::new(&set.order),
            objects: Vec::new(),
            ghosts: Default::default(),
            capacity: set.capacity,
            target: 0,
            regretted: None,
        }
    }

    /// Moves the target towards the list whose ghost is asked for, the further the smaller its
    /// ghosts.
    fn adapt(&mut self, regretted: usize, space: u64) {
        let [once, again] = self.ghosts.each_ref().map(|ghosts| ghosts.space().max(1));
        let step = |other: u64, own: u64| {
            let scaled = u128::from(space) * u128::from(other) / u128::from(own);
            u64::try_from(scaled).unwrap_or(u64::MAX).max(space)
        };
        self.target = if regretted == ONCE {
            self.target.saturating_add(step(again, once)).min(self.capacity)
        } else {
            self.target.saturating_sub(step(once, again))
        };
    }

    /// The list that gives one up (REPLACE).
    fn giver(&self) -> usize {
        let (once, again) = (self.lists.space(ONCE), self.lists.space(AGAIN));
        let over = once > self.target || (once == self.target && self.regretted == Some(AGAIN));
        if once > 0 && (over || again == 0) { ONCE } else { AGAIN }
    }
}

over!(OverOrder, Order: Arc);

pub(super) const BASE: Base =
    base("arc", "ARC", "evicts by recency or frequency, as ghost lists suggest", recent::<Arc<()>>);

impl<O: Order> CachePolicy for Arc<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        if self.lists.segment(slot) == AGAIN {
            self.lists.touch(AGAIN, slot, access.at, access.delay);
        } else {
            self.lists.shift(slot, AGAIN, access.at, access.delay);
        }
    }

    fn arrive(&mut self, arrival: &ObjectArrival) -> bool {
        self.regretted = (0..2).find(|list| self.ghosts[*list].contains(arrival.object));
        if let Some(list) = self.regretted {
            self.adapt(list, arrival.space);
            self.ghosts[list].forget(arrival.object);
        }
        true
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let list = self.giver();
        let slot = self.lists.first(list, arrival.at)?;
        self.ghosts[list].push(self.objects[slot.index()], self.lists.space_of(slot));
        self.lists.remove(slot);
        Some(slot)
    }

    fn forget(&mut self, slot: Slot) {
        self.lists.remove(slot);
    }

    fn remembered(&self) -> usize {
        self.ghosts.iter().map(Ghosts::len).sum()
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        let list = if self.regretted.is_some() { AGAIN } else { ONCE };
        if self.objects.len() <= slot.index() {
            self.objects.resize(slot.index() + 1, ObjectId::default());
        }
        self.objects[slot.index()] = arrival.object;
        self.lists.admit(list, slot, arrival, arrival.recency());
        // T1 and B1 take no more than the capacity, all four no more than twice that.
        self.ghosts[ONCE].trim(self.capacity.saturating_sub(self.lists.space(ONCE)));
        let rest = self.ghosts[ONCE].space() + self.lists.space(ONCE) + self.lists.space(AGAIN);
        self.ghosts[AGAIN].trim(self.capacity.saturating_mul(2).saturating_sub(rest));
    }
}
