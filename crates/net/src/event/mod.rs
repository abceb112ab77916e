//! The event queue: which of the pending events is next.
//!
//! Source: the bucket queue of the thesis (§3.5.4, §4.2) with its hierarchical bitmaps, laid out as
//! a timing wheel of two levels. Left open there, chosen here: an event is a number that names what
//! happens (a link, a flow's timer), and each number is pending at most once, so the lists run
//! through one array and nothing is allocated. A bucket of the near level spans 128 ps, one of the
//! far level 0.5 µs; what lies beyond 2.1 ms waits in one unsorted list. A bucket is sorted when it
//! is opened, so the order is exact: by time, then by number. Ties by number instead of by
//! insertion depend on nothing but the state, which is what runs on several threads need to agree
//! on.
//!
//! Why not a window type of `forebay-pifo`: one rank is one bucket there, so an order exact to the
//! picosecond over a link's 10 µs would take ten million buckets, and timers do not fit at all; a
//! coarser rank gives up the exact order; and an event cannot be moved or cancelled. Tried with
//! ranks of 512 ps over 2^15 buckets, so neither exact nor movable, a pop and a push under the hold
//! model of `forebay-bench net` take 211 instructions (`CircularWindow`) and 248 (`RollingWindow`)
//! with 1,000 events pending, as many as a leaf-spine of 144 hosts has; the wheel takes 149. With
//! 30,000 pending they take 175 and 213, the wheel 230, since it then sorts some fifteen events a
//! bucket.
//!
//! Constant time per operation while buckets hold few events; an event beyond the near level is
//! moved once, and the list beyond is walked once in 2.1 ms. 16 bytes per number, 4 more for
//! numbers that are [lent](EventQueue::lend), and 33 KiB.

mod level;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use forebay_units::Time;
use level::{BUCKET_BITS, Level, NIL, Slot};

/// A near bucket spans 2^7 ps.
const NEAR_SHIFT: u32 = 7;
/// A far bucket spans all near buckets.
const FAR_SHIFT: u32 = NEAR_SHIFT + BUCKET_BITS;
/// All far buckets.
const BEYOND_SHIFT: u32 = FAR_SHIFT + BUCKET_BITS;

/// The names an event can have: `u32` except the largest.
pub type EventId = u32;

/// Pending events, each named by a number below the bound given at the start.
///
/// ```
/// use forebay_net::event::EventQueue;
/// use forebay_units::{Duration, Time};
///
/// let mut queue = EventQueue::new(3);
/// let after = |ns| Time::ZERO + Duration::from_ns(ns);
/// queue.schedule(0, after(900));
/// queue.schedule(1, after(20));
/// queue.schedule(2, after(20));
/// queue.schedule(0, after(5)); // moves it
/// let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
/// assert_eq!(order, [(after(5), 0), (after(20), 1), (after(20), 2)]);
/// ```
#[derive(Clone, Debug)]
pub struct EventQueue {
    slots: Vec<Slot>,
    near: Level,
    far: Level,
    /// Head of the list of events in a later block than the cursor's.
    beyond: u32,
    /// The start of the near bucket that is open.
    cursor: u64,
    /// What the open bucket still holds, the next one last; may hold entries that were cancelled.
    open: Vec<(u64, Key)>,
    /// The numbers that come before those that are lent.
    own: u32,
    /// The place of each lent number among the events of an instant.
    places: Vec<u32>,
}

/// What orders the events of one instant: the place in the upper half, the number in the lower.
type Key = u64;

fn number(key: Key) -> EventId {
    key as EventId
}

/// Where a pending event is, as follows from its time and the cursor.
enum Bucket {
    Open,
    Near(usize),
    Far(usize),
    Beyond,
}

impl EventQueue {
    /// No event pending; numbers below `ids` may be.
    #[must_use]
    pub fn new(ids: u32) -> Self {
        EventQueue {
            slots: alloc::vec![Slot::IDLE; ids as usize],
            near: Level::new(),
            far: Level::new(),
            beyond: NIL,
            cursor: 0,
            open: Vec::new(),
            own: ids,
            places: Vec::new(),
        }
    }

    /// Lends a number to something whose events come, among those of an instant, as if their number
    /// were `place`. A number that was not there so far has to be the next one; one that is pending
    /// is first cancelled. So few numbers serve many things of which few are there at a time.
    ///
    /// ```
    /// use forebay_net::event::EventQueue;
    /// use forebay_units::Time;
    ///
    /// let mut queue = EventQueue::new(1);
    /// queue.lend(1, 90);
    /// queue.lend(2, 70);
    /// [0, 1, 2].map(|id| queue.schedule(id, Time::ZERO));
    /// let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, id)| id).collect();
    /// assert_eq!(order, [0, 2, 1]);
    /// ```
    pub fn lend(&mut self, id: EventId, place: u32) {
        self.cancel(id);
        let Some(index) = id.checked_sub(self.own) else { return };
        if index as usize == self.places.len() {
            self.places.push(place);
            self.slots.push(Slot::IDLE);
        } else if let Some(old) = self.places.get_mut(index as usize) {
            *old = place;
        }
    }

    #[inline]
    fn key(&self, id: EventId) -> Key {
        let lent = self.places.get(id.wrapping_sub(self.own) as usize);
        u64::from(lent.copied().unwrap_or(id)) << 32 | u64::from(id)
    }

    /// When `id` will happen, if it is pending.
    #[must_use]
    pub fn when(&self, id: EventId) -> Option<Time> {
        self.slots.get(id as usize).filter(|slot| slot.is_pending()).map(|s| Time::from_ps(s.at))
    }

    /// Makes `id` happen at `at` (or at the earliest instant still possible, if that has passed),
    /// and not when it was to happen before. [`Time::MAX`] means never. Numbers out of range are
    /// ignored.
    #[inline]
    pub fn schedule(&mut self, id: EventId, at: Time) {
        let at = at.as_ps().max(self.cursor);
        match self.slots.get(id as usize) {
            Some(slot) if slot.at == at => return,
            Some(slot) if slot.is_pending() => self.cancel(id),
            Some(_) => {}
            None => return,
        }
        if at != u64::MAX {
            self.insert(id, at);
        }
    }

    /// Makes `id` not happen.
    pub fn cancel(&mut self, id: EventId) {
        let Some(slot) = self.slots.get(id as usize).copied().filter(Slot::is_pending) else {
            return;
        };
        match self.place(slot.at) {
            Bucket::Open => {} // its entry in the open bucket is passed over
            Bucket::Near(bucket) => self.near.unlink(&mut self.slots, id, bucket),
            Bucket::Far(bucket) => self.far.unlink(&mut self.slots, id, bucket),
            Bucket::Beyond => level::unlink(&mut self.slots, &mut self.beyond, id),
        }
        self.slots[id as usize] = Slot::IDLE;
    }

    /// Takes the next event: the earliest, and of those the one with the smallest number.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, EventId)> {
        self.pop_until(Time::MAX)
    }

    /// Takes the next event if it happens at `limit` or before. Otherwise events at any instant
    /// after `limit` can still be scheduled.
    #[inline]
    pub fn pop_until(&mut self, limit: Time) -> Option<(Time, EventId)> {
        let limit = limit.as_ps();
        loop {
            while let Some(&(at, key)) = self.open.last() {
                let pending = self.is_pending(at, key);
                if pending && at > limit {
                    return None;
                }
                self.open.pop();
                if pending {
                    self.slots[number(key) as usize] = Slot::IDLE;
                    return Some((Time::from_ps(at), number(key)));
                }
            }
            let Some(bucket) = self.near.first() else {
                self.advance(limit)?;
                continue;
            };
            let start = self.cursor >> FAR_SHIFT << FAR_SHIFT | (bucket as u64) << NEAR_SHIFT;
            if start > limit {
                return None;
            }
            self.cursor = start;
            let id = self.near.take(bucket);
            let slot = self.slots[id as usize];
            if slot.next == NIL && slot.at <= limit {
                self.slots[id as usize] = Slot::IDLE;
                return Some((Time::from_ps(slot.at), id));
            }
            self.open_list(id);
        }
    }

    /// Which events probably come next, the next one first: a guess, for whoever fetches things
    /// ahead. Constant time.
    #[inline]
    #[must_use]
    pub fn soon(&self) -> [Option<EventId>; 2] {
        let mut open = self.open.iter().rev().map(|&(_, key)| number(key));
        let first = open.next();
        let near = || self.near.first().map(|bucket| self.near.head(bucket));
        [first.or_else(near), open.next().or_else(|| first.and_then(|_| near()))]
    }

    /// When the next event happens. Linear in the events of one bucket.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        let pending = |(at, key): &&(u64, Key)| self.is_pending(*at, *key);
        if let Some((at, _)) = self.open.iter().rev().find(pending) {
            return Some(Time::from_ps(*at));
        }
        let head = |level: &Level| level.first().map(|bucket| level.head(bucket));
        let list = head(&self.near).or_else(|| head(&self.far)).unwrap_or(self.beyond);
        self.earliest(list).map(Time::from_ps)
    }

    /// Whether an entry of the open bucket still holds: its number may have been cancelled, moved
    /// or lent to something else since.
    #[inline]
    fn is_pending(&self, at: u64, key: Key) -> bool {
        let id = number(key);
        self.slots[id as usize].at == at && (id < self.own || self.key(id) == key)
    }

    /// The earliest instant on a list.
    fn earliest(&self, mut id: EventId) -> Option<u64> {
        let mut earliest = None;
        while id != NIL {
            let slot = self.slots[id as usize];
            earliest = Some(earliest.map_or(slot.at, |at: u64| at.min(slot.at)));
            id = slot.next;
        }
        earliest
    }

    /// Sorts the list from `id` on into the open bucket.
    fn open_list(&mut self, mut id: EventId) {
        while id != NIL {
            let slot = self.slots[id as usize];
            self.open.push((slot.at, self.key(id)));
            id = slot.next;
        }
        self.open.sort_unstable_by(|a, b| b.cmp(a));
    }

    #[inline]
    fn place(&self, at: u64) -> Bucket {
        let differs = at ^ self.cursor;
        if differs >> NEAR_SHIFT == 0 {
            Bucket::Open
        } else if differs >> FAR_SHIFT == 0 {
            Bucket::Near(level::bucket(at >> NEAR_SHIFT))
        } else if differs >> BEYOND_SHIFT == 0 {
            Bucket::Far(level::bucket(at >> FAR_SHIFT))
        } else {
            Bucket::Beyond
        }
    }

    /// Puts an event that is not pending into its place.
    #[inline]
    fn insert(&mut self, id: EventId, at: u64) {
        self.slots[id as usize].at = at;
        match self.place(at) {
            Bucket::Open => {
                let entry = (at, self.key(id));
                let position = self.open.partition_point(|other| *other > entry);
                self.open.insert(position, entry);
            }
            Bucket::Near(bucket) => self.near.link(&mut self.slots, id, bucket),
            Bucket::Far(bucket) => self.far.link(&mut self.slots, id, bucket),
            Bucket::Beyond => level::link(&mut self.slots, &mut self.beyond, id),
        }
    }

    /// Moves the cursor to the next far bucket that holds events, if it begins by `limit`, and
    /// spreads them over the near level.
    fn advance(&mut self, limit: u64) -> Option<()> {
        let Some(bucket) = self.far.first() else { return self.advance_block(limit) };
        let start = self.cursor >> BEYOND_SHIFT << BEYOND_SHIFT | (bucket as u64) << FAR_SHIFT;
        if start > limit {
            return None;
        }
        self.cursor = start;
        let list = self.far.take(bucket);
        self.insert_list(list);
        Some(())
    }

    /// Moves the cursor to the earliest block beyond, if it begins by `limit`, and spreads the
    /// events of that block.
    fn advance_block(&mut self, limit: u64) -> Option<()> {
        let start = self.earliest(self.beyond)? >> BEYOND_SHIFT << BEYOND_SHIFT;
        if start > limit {
            return None;
        }
        self.cursor = start;
        let list = core::mem::replace(&mut self.beyond, NIL);
        self.insert_list(list);
        Some(())
    }

    fn insert_list(&mut self, mut id: EventId) {
        while id != NIL {
            let Slot { at, next, .. } = self.slots[id as usize];
            self.insert(id, at);
            id = next;
        }
    }
}
