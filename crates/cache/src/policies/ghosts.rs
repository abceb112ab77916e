//! Ghosts: objects that were evicted not long ago, by id, first in first out.
//!
//! O(1) expected per operation; 32 bytes or so a ghost. Forgetting one in the middle leaves a mark
//! in the queue, which is dropped when it comes to the front or when marks outnumber ghosts.

use std::collections::{HashMap, VecDeque};

use crate::hash::MixHash;
use crate::model::ObjectId;

/// A bounded memory of ids, with the space each took.
#[derive(Default)]
pub(super) struct Ghosts {
    /// Oldest first; an entry counts only if its stamp is the id's in `spaces`.
    queue: VecDeque<(ObjectId, u64)>,
    spaces: HashMap<ObjectId, (u64, u64), MixHash>,
    space: u64,
    stamps: u64,
}

impl Ghosts {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.spaces.len()
    }

    /// What all ghosts took.
    pub(super) fn space(&self) -> u64 {
        self.space
    }

    pub(super) fn contains(&self, object: ObjectId) -> bool {
        self.spaces.contains_key(&object)
    }

    /// Remembers `object` as the youngest.
    pub(super) fn push(&mut self, object: ObjectId, space: u64) {
        self.forget(object);
        self.stamps += 1;
        self.queue.push_back((object, self.stamps));
        self.spaces.insert(object, (space, self.stamps));
        self.space += space;
    }

    /// Forgets `object`; whether it was there.
    pub(super) fn forget(&mut self, object: ObjectId) -> bool {
        let Some((space, _)) = self.spaces.remove(&object) else { return false };
        self.space -= space;
        if self.queue.len() > 2 * self.spaces.len() + 16 {
            let spaces = &self.spaces;
            self.queue.retain(|(object, stamp)| {
                spaces.get(object).is_some_and(|(_, current)| current == stamp)
            });
        }
        true
    }

    /// Forgets the oldest until what is left took no more than `space`.
    pub(super) fn trim(&mut self, space: u64) {
        while self.space > space {
            let Some((object, stamp)) = self.queue.pop_front() else { return };
            if self.spaces.get(&object).is_some_and(|(_, current)| *current == stamp) {
                self.forget(object);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut ghosts = Ghosts::default();
        for id in 0..5 {
            ghosts.push(ObjectId(id), 10);
        }
        ghosts.push(ObjectId(0), 10);
        assert!(ghosts.forget(ObjectId(2)) && !ghosts.forget(ObjectId(2)));
        ghosts.trim(25);
        let left: Vec<u64> = (0..5).filter(|id| ghosts.contains(ObjectId(*id))).collect();
        assert_eq!((left, ghosts.space()), (vec![0, 4], 20));
    }

    #[test]
    fn marks_do_not_pile_up() {
        let mut ghosts = Ghosts::default();
        for round in 0..10_000 {
            ghosts.push(ObjectId(round % 3), 1);
            ghosts.trim(3);
        }
        assert!(ghosts.queue.len() <= 32, "{}", ghosts.queue.len());
    }
}
