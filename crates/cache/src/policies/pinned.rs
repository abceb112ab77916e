//! Keeps given objects and nothing else: the two fixed policies of the example of thesis §2.3.1.
//!
//! It admits no other object, and never evicts. O(1) expected per arrival.

use std::collections::HashSet;

use super::policy::{Access, CachePolicy, ObjectArrival};
use crate::model::ObjectId;
use crate::order::Slot;

/// Keeps given objects.
#[derive(Clone, Debug, Default)]
pub struct Pinned {
    objects: HashSet<ObjectId>,
}

impl Pinned {
    /// Keeps `objects`, as many of them as fit.
    pub fn new(objects: impl IntoIterator<Item = ObjectId>) -> Self {
        Pinned { objects: objects.into_iter().collect() }
    }
}

impl CachePolicy for Pinned {
    fn hit(&mut self, _: Slot, _: &Access) {}

    fn arrive(&mut self, arrival: &ObjectArrival) -> bool {
        self.objects.contains(&arrival.object)
    }

    fn evict(&mut self, _: &ObjectArrival) -> Option<Slot> {
        None
    }

    fn forget(&mut self, _: Slot) {}

    fn admit(&mut self, _: Slot, _: &ObjectArrival) {}
}
