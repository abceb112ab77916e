//! MAD: makes any policy aware of delayed hits (thesis §2.5.2, Algorithm 1 and Eq. 2.45).
//!
//! It estimates the aggregate delay of a miss for each object, as if all its past requests had been
//! misses, and hands the estimate to the policy inside, whose own order estimates TTNA; the object
//! of the least delay per TTNA is evicted.
//!
//! Both forms of §2.6.2 exist. The strawman ([`MadForm::All`]) keeps its counters for every object
//! it ever saw, and so grows with the trace; the efficient form ([`MadForm::Cached`]), which the
//! paper uses, only for cached ones: an object starts anew with each fetch. Either way four
//! counters of 8 bytes.
//!
//! Open in the paper, chosen here: how Z is estimated per object (footnote 14). It is what the
//! fetch took; where counters outlive a fetch, later ones move the estimate by an eighth of the
//! difference. While an object's first fetch is on the way, its Z is unknown: the window is entered
//! when the data arrives, with the delay that the waiting requests really had, which is what
//! Algorithm 1 gives for a known Z. O(1) a request, besides the inner policy.

use std::collections::HashMap;

use forebay_units::Bytes;

use super::policy::{Access, CachePolicy, ObjectArrival};
use crate::hash::MixHash;
use crate::model::{Foresight, ObjectId};
use crate::order::Slot;

/// Whose counters are kept (thesis §2.6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadForm {
    /// Those of cached objects: the efficient form.
    Cached,
    /// Those of all objects: the strawman, whose memory grows with the objects of the trace.
    All,
}

/// The counters of one object (Algorithm 1). Times are in picoseconds.
///
/// ```
/// use forebay_cache::policies::MadCounters;
///
/// // A miss at 0 with Z = 10; requests at 4, 10 and 12 would be in its window, a new one, and that one.
/// let mut counters = MadCounters::from_fetch(0, 10, 10);
/// for at in [4, 10, 12] {
///     counters.access(at);
/// }
/// assert_eq!(counters.aggregate_delay(), (10.0 + 6.0 + 10.0 + 8.0) / 2.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MadCounters {
    windows: u64,
    cumulative_delay: u64,
    window_start: u64,
    z: u64,
}

impl MadCounters {
    /// After a first fetch that began at `start` and took `z`, for which requests waited `delay` in
    /// all.
    #[must_use]
    pub fn from_fetch(start: u64, z: u64, delay: u64) -> Self {
        MadCounters { windows: 1, cumulative_delay: delay, window_start: start, z }
    }

    /// A request at `at`, whatever came of it.
    #[inline]
    pub fn access(&mut self, at: u64) {
        let since = at.saturating_sub(self.window_start);
        let added = if since >= self.z {
            self.windows += 1;
            self.window_start = at;
            self.z
        } else {
            self.z - since
        };
        self.cumulative_delay = self.cumulative_delay.saturating_add(added);
    }

    /// The estimated delay of a miss and its delayed hits.
    #[inline]
    #[must_use]
    pub fn aggregate_delay(&self) -> f64 {
        self.cumulative_delay as f64 / self.windows.max(1) as f64
    }

    /// Another fetch took `z`.
    fn refetched(&mut self, z: u64) {
        self.z = self.z - self.z / 8 + z / 8;
    }
}

/// A policy made aware of delayed hits.
pub struct Mad<P> {
    inner: P,
    form: MadForm,
    /// By slot, in the form for cached objects.
    cached: Vec<MadCounters>,
    /// By object, in the other.
    all: HashMap<ObjectId, MadCounters, MixHash>,
    /// Those of the object that is arriving, and the delay they estimate.
    arriving: MadCounters,
    delay: f64,
}

impl<P: CachePolicy> Mad<P> {
    /// Makes `inner` aware.
    pub fn new(inner: P, form: MadForm) -> Self {
        let all = HashMap::default();
        Mad { inner, form, cached: Vec::new(), all, arriving: MadCounters::default(), delay: 0.0 }
    }

    /// The arrival with what is known of its delay.
    fn weighed(&self, arrival: &ObjectArrival) -> ObjectArrival {
        ObjectArrival { delay: Some(self.delay), ..*arrival }
    }
}

impl<P: CachePolicy> CachePolicy for Mad<P> {
    #[inline]
    fn hit(&mut self, slot: Slot, access: &Access) {
        let counters = match self.form {
            MadForm::Cached => &mut self.cached[slot.index()],
            MadForm::All => self.all.entry(access.object).or_default(),
        };
        counters.access(access.at.as_ps());
        let delay = Some(counters.aggregate_delay());
        self.inner.hit(slot, &Access { delay, ..*access });
    }

    #[inline]
    fn absent(&mut self, access: &Access) {
        if self.form == MadForm::All
            && let Some(counters) = self.all.get_mut(&access.object)
        {
            counters.access(access.at.as_ps());
        }
        self.inner.absent(access);
    }

    #[inline]
    fn arrive(&mut self, arrival: &ObjectArrival) -> bool {
        let z = arrival.latency().as_ps();
        let delay = arrival.aggregate_delay.as_ps();
        let fetched = MadCounters::from_fetch(arrival.requested.as_ps(), z, delay);
        self.arriving = match self.form {
            MadForm::Cached => fetched,
            MadForm::All => {
                let known = self.all.entry(arrival.object);
                *known.and_modify(|counters| counters.refetched(z)).or_insert(fetched)
            }
        };
        self.delay = self.arriving.aggregate_delay();
        self.inner.arrive(&self.weighed(arrival))
    }

    #[inline]
    fn evict(&mut self, arrival: &ObjectArrival) -> Option<Slot> {
        self.inner.evict(&self.weighed(arrival))
    }

    fn forget(&mut self, slot: Slot) {
        self.inner.forget(slot);
    }

    #[inline]
    fn admit(&mut self, slot: Slot, arrival: &ObjectArrival) {
        if self.form == MadForm::Cached {
            if self.cached.len() <= slot.index() {
                self.cached.resize(slot.index() + 1, MadCounters::default());
            }
            self.cached[slot.index()] = self.arriving;
        }
        self.inner.admit(slot, &self.weighed(arrival));
    }

    fn needs(&self) -> Foresight {
        // An order without times has no TTNA to divide a delay by.
        match self.inner.needs() {
            Foresight::None => Foresight::None,
            Foresight::Order | Foresight::Full => Foresight::Full,
        }
    }

    fn remembers_all(&self) -> bool {
        self.form == MadForm::All || self.inner.remembers_all()
    }

    fn remembered(&self) -> usize {
        self.all.len() + self.inner.remembered()
    }

    fn tables(&self, objects: u64) -> Bytes {
        self.inner.tables(objects)
    }
}
