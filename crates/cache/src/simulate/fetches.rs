//! Fetches on their way, and the requests that wait for each (the queue of Eq. 2.3).
//!
//! Where fetches complete in the order they began, as with a constant Z, they are a queue; those
//! that overtake others go through a heap. O(1), or O(log n) for those. About 150 bytes a fetch.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use forebay_units::{Bytes, Duration, Time};

use crate::model::{Future, ObjectId, Request};
use crate::policies::{LastRequest, ObjectArrival};

/// One fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetch {
    pub(super) object: ObjectId,
    pub(super) requested: Time,
    pub(super) completes: Time,
    /// Of the latest request.
    pub(super) size: Bytes,
    pub(super) waiters: u32,
    last: LastRequest,
    delay: Duration,
    next: Future,
}

impl Fetch {
    /// The data of this fetch, which takes `space`.
    pub(super) fn arrival(&self, space: u64) -> ObjectArrival {
        ObjectArrival {
            at: self.completes,
            object: self.object,
            size: self.size,
            space,
            requested: self.requested,
            last: self.last,
            waiters: self.waiters,
            aggregate_delay: self.delay,
            next: self.next,
            delay: None,
        }
    }
}

/// When a fetch completes, its number in the order of starting, and its place.
type Due = (Time, u64, u32);

/// All fetches on their way.
#[derive(Debug, Default)]
pub(super) struct Fetches {
    fetches: Vec<Fetch>,
    free: Vec<u32>,
    in_order: VecDeque<Due>,
    overtaking: BinaryHeap<Reverse<Due>>,
    started: u64,
    waiting: u64,
}

impl Fetches {
    /// Starts the fetch that `request`, the `number`-th to its set, waits for, and says where it is
    /// kept.
    #[inline]
    pub(super) fn start(&mut self, request: &Request, number: u64, latency: Duration) -> u32 {
        let completes = request.at + latency;
        let fetch = Fetch {
            object: request.object,
            requested: request.at,
            completes,
            size: request.size,
            waiters: 1,
            last: LastRequest::miss(request.at, number),
            delay: latency,
            next: request.next,
        };
        let place = match self.free.pop() {
            Some(place) => {
                self.fetches[place as usize] = fetch;
                place
            }
            None => {
                self.fetches.push(fetch);
                self.fetches.len() as u32 - 1
            }
        };
        let due = (completes, self.started, place);
        self.started += 1;
        self.waiting += 1;
        if self.in_order.back().is_none_or(|last| *last < due) {
            self.in_order.push_back(due);
        } else {
            self.overtaking.push(Reverse(due));
        }
        place
    }

    /// Lets `request`, the `number`-th to its set, wait for the fetch at `place`, and says how
    /// long.
    #[inline]
    pub(super) fn join(&mut self, place: u32, request: &Request, number: u64) -> Duration {
        let fetch = &mut self.fetches[place as usize];
        let latency = fetch.completes - request.at;
        fetch.waiters = fetch.waiters.saturating_add(1);
        fetch.last = fetch.last.then(request.at, number);
        fetch.delay += latency;
        fetch.next = request.next;
        fetch.size = request.size;
        self.waiting += 1;
        latency
    }

    /// The next fetch that completes by `now`, which is forgotten.
    #[inline]
    pub(super) fn pop_until(&mut self, now: Time) -> Option<Fetch> {
        let ordered = self.in_order.front().copied();
        let overtaking = self.overtaking.peek().map(|due| due.0);
        let first = match (ordered, overtaking) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        };
        if first.0 > now {
            return None;
        }
        if ordered == Some(first) {
            self.in_order.pop_front();
        } else {
            self.overtaking.pop();
        }
        let fetch = self.fetches[first.2 as usize];
        self.free.push(first.2);
        self.waiting -= u64::from(fetch.waiters);
        Some(fetch)
    }

    /// How many are on their way.
    pub(super) fn len(&self) -> usize {
        self.fetches.len() - self.free.len()
    }

    /// How many requests wait.
    pub(super) fn waiting(&self) -> u64 {
        self.waiting
    }
}
