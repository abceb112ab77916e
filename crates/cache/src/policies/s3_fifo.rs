//! S3-FIFO: a small queue that filters what is asked for once, a main queue, and ghosts (Yang et
//! al., SOSP '23).
//!
//! The small queue takes a tenth of the space. At its end, an object asked for more than once since
//! its admission moves to the main queue, any other becomes a ghost; a ghost that returns enters
//! the main queue. At the main queue's end, an object with hits goes round again with one less.
//! Counts stop at 3. Inside [`Mad`](super::Mad), time since an object entered its queue estimates
//! TTNA. O(1), evictions amortized; about 70 bytes an object, ghosts included.

use super::ghosts::Ghosts;
use super::policy::{Access, CachePolicy, ObjectArrival, SetConfig};
use super::registry::{Base, base, over, recent};
use super::segments::Segments;
use crate::model::ObjectId;
use crate::order::{Order, Slot};

const SMALL: usize = 0;
const MAIN: usize = 1;
const MOST_HITS: u8 = 3;

/// S3-FIFO.
pub struct S3Fifo<O> {
    queues: Segments<O, 2>,
    entries: Vec<Entry>,
    ghosts: Ghosts,
    small_space: u64,
    main_space: u64,
    returns: bool,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    object: ObjectId,
    delay: Option<f64>,
    hits: u8,
}

impl<O: Order> S3Fifo<O> {
    /// The policy of an empty set.
    pub fn new(set: &SetConfig) -> Self {
        let small_space = (set.capacity / 10).max(1);
        S3Fifo {
            queues: Segments::new(&set.order),
            entries: Vec::new(),
            ghosts: Ghosts::default(),
            small_space,
            main_space: set.capacity.saturating_sub(small_space),
            returns: false,
        }
    }

    /// Lets the end of the small queue go, to the main queue or out.
    fn evict_small(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let slot = self.queues.first(SMALL, arrival.at)?;
        let entry = &mut self.entries[slot.index()];
        if entry.hits > 1 {
            entry.hits = 0;
            self.queues.shift(slot, MAIN, arrival.at, entry.delay);
            return None;
        }
        self.ghosts.push(entry.object, self.queues.space_of(slot));
        self.ghosts.trim(self.main_space);
        self.queues.remove(slot);
        Some(slot)
    }

    /// Lets the end of the main queue go, to its beginning or out.
    fn evict_main(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        let slot = self.queues.first(MAIN, arrival.at)?;
        let entry = &mut self.entries[slot.index()];
        if entry.hits > 0 {
            entry.hits -= 1;
            self.queues.touch(MAIN, slot, arrival.at, entry.delay);
            return None;
        }
        self.queues.remove(slot);
        Some(slot)
    }
}

over!(OverOrder, Order: S3Fifo);

pub(super) const BASE: Base =
    base("s3-fifo", "S3-FIFO", "evicts what a small queue filters out", recent::<S3Fifo<()>>);

impl<O: Order> CachePolicy for S3Fifo<O> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        let entry = &mut self.entries[slot.index()];
        entry.hits = (entry.hits + 1).min(MOST_HITS);
        entry.delay = access.delay;
    }

    fn arrive(&mut self, arrival: &ObjectArrival) -> bool {
        self.returns = self.ghosts.forget(arrival.object);
        true
    }

    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        while self.queues.space(SMALL) + self.queues.space(MAIN) > 0 {
            let (small, main) = (self.queues.space(SMALL), self.queues.space(MAIN));
            let from_small = small > 0 && (small >= self.small_space || main == 0);
            let victim =
                if from_small { self.evict_small(arrival) } else { self.evict_main(arrival) };
            if victim.is_some() {
                return victim;
            }
        }
        None
    }

    fn forget(&mut self, slot: Slot) {
        self.queues.remove(slot);
    }

    fn remembered(&self) -> usize {
        self.ghosts.len()
    }

    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.entries.len() <= slot.index() {
            self.entries.resize(slot.index() + 1, Entry::default());
        }
        let (object, delay) = (arrival.object, arrival.delay);
        self.entries[slot.index()] = Entry { object, delay, hits: 0 };
        let queue = if self.returns { MAIN } else { SMALL };
        self.queues.admit(queue, slot, arrival, arrival.at);
    }
}
