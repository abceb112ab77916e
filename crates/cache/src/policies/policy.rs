//! What every policy is: a [`CachePolicy`] of one set, and what it is told.

use forebay_units::{Bytes, Duration, Time};

use crate::model::{Foresight, Future, ObjectId};
use crate::order::{OrderConfig, Slot};

/// A request, as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// When.
    pub at: Time,
    /// For what.
    pub object: ObjectId,
    /// The next request for it.
    pub next: Future,
    /// The estimated aggregate delay of a miss, in picoseconds; `None` where nobody estimates it.
    pub delay: Option<f64>,
}

/// Data that has arrived and may be admitted.
#[derive(Clone, Copy, Debug)]
pub struct ObjectArrival {
    /// When it arrived.
    pub at: Time,
    /// Which object.
    pub object: ObjectId,
    /// The object's size.
    pub size: Bytes,
    /// What it takes of the capacity: 1 where objects are counted, its bytes where bytes are.
    pub space: u64,
    /// When the fetch began.
    pub requested: Time,
    /// The last request that waited.
    pub last: LastRequest,
    /// How many requests waited, at least 1: the miss and its delayed hits.
    pub waiters: u32,
    /// What they waited in all (Eq. 2.13, as it happened).
    pub aggregate_delay: Duration,
    /// The next request for it.
    pub next: Future,
    /// As in [`Access::delay`].
    pub delay: Option<f64>,
}

/// The last request that waited for a fetch: its miss, or its latest delayed hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastRequest {
    /// When it came.
    pub at: Time,
    /// Its number among the requests to the set ([`Set::requests`](crate::Set::requests)).
    pub number: u64,
    /// How many requests to the set before it the object had been asked for; `None` for a miss.
    pub reuse: Option<u64>,
}

impl LastRequest {
    /// A miss: the `number`-th request to the set.
    #[must_use]
    pub fn miss(at: Time, number: u64) -> Self {
        LastRequest { at, number, reuse: None }
    }

    /// The delayed hit that comes after this request.
    #[must_use]
    pub fn then(self, at: Time, number: u64) -> Self {
        LastRequest { at, number, reuse: Some(number.saturating_sub(self.number)) }
    }
}

impl ObjectArrival {
    /// The instant from which its recency counts. TTNA of Eq. 2.45 is the time since the last
    /// access, and a delayed hit is one, so with estimates of delay it is the last request.
    /// Without, the object counts as used when it arrives.
    #[inline]
    #[must_use]
    pub fn recency(&self) -> Time {
        if self.delay.is_some() { self.last.at } else { self.at }
    }

    /// How long the fetch took: the measured Z.
    #[must_use]
    pub fn latency(&self) -> Duration {
        self.at - self.requested
    }
}

/// What `delay` weighs where a rank is multiplied by it (Eq. 2.45): 1 where nobody estimates it,
/// and a picosecond at least, so that fetches that take no time leave the order of the policy
/// inside.
#[inline]
pub(super) fn weight(delay: Option<f64>) -> f64 {
    delay.map_or(1.0, |delay| delay.max(1.0))
}

/// The rate at which a key changes for an object whose miss costs `delay`: its inverse (Eq. 2.45).
#[inline]
pub(super) fn rate(delay: Option<f64>) -> f64 {
    1.0 / weight(delay)
}

/// What is known of one set when its policy is built.
#[derive(Clone, Copy, Debug)]
pub struct SetConfig {
    /// Which set it is, from 0.
    pub index: u64,
    /// The set's capacity, in objects or bytes.
    pub capacity: u64,
    /// For policies that draw at random.
    pub order: OrderConfig,
}

/// A caching policy for one set.
///
/// The calls come in the order of events. Of an arrival: [`arrive`](Self::arrive) once, then
/// [`evict`](Self::evict) until there is room, then [`admit`](Self::admit). Objects that do not fit
/// the set at all are bypassed after `arrive`.
pub trait CachePolicy: Send + Sync {
    /// `slot` is cached and was asked for.
    fn hit(&mut self, slot: Slot, access: &Access);

    /// An object was asked for that is not cached: a miss or a delayed hit.
    fn absent(&mut self, _access: &Access) {}

    /// Data has arrived: whether to admit it at all.
    fn arrive(&mut self, _arrival: &ObjectArrival) -> bool {
        true
    }

    /// Chooses a slot to evict for `arrival`, and forgets it. `None` lets `arrival` pass.
    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot>;

    /// `arrival` is now cached in `slot`.
    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival);

    /// The object in `slot` is no longer cached, though nothing needed its room: it was removed or
    /// has expired. The simulator never does this; caches of applications do.
    fn forget(&mut self, slot: Slot);

    /// How much of the future it must be told.
    fn needs(&self) -> Foresight {
        Foresight::None
    }

    /// Whether it keeps something of every object that was ever asked for, so that its memory has
    /// no bound: then caches of applications refuse it.
    fn remembers_all(&self) -> bool {
        false
    }

    /// Of how many objects it keeps something that are not cached: ghosts, counters.
    fn remembered(&self) -> usize {
        0
    }

    /// What it has of tables, however few objects it holds, when so many of the present size would
    /// fill its set.
    fn tables(&self, _objects: u64) -> Bytes {
        Bytes::ZERO
    }
}
