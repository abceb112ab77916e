//! Requests and their outcomes (thesis §2.1).

use std::fmt;

use forebay_units::{Bytes, Duration, Time};

/// How long a time step of the paper's model lasts here. Latencies in steps are spans over this
/// one; for traces in real time it means nothing.
pub const STEP: Duration = Duration::from_ns(1);

/// The span of `n` time steps.
#[must_use]
pub fn steps(n: u64) -> Duration {
    STEP * n
}

/// The instant at which time step `n` is.
#[must_use]
pub fn at_step(n: u64) -> Time {
    Time::ZERO + steps(n)
}

/// The name of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u64);

/// How much of the future a stream tells, or a policy needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Foresight {
    /// Nothing.
    None,
    /// In which order objects are requested next.
    Order,
    /// When each object is requested next, and the aggregate delay if that is a miss (Eq. 2.13).
    Full,
}

/// As in "the policy needs …".
impl fmt::Display for Foresight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Foresight::None => "nothing of the future",
            Foresight::Order => "the order of later requests",
            Foresight::Full => "the order, times and costs of later requests",
        })
    }
}

/// What is known about the next request for the same object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Future {
    /// Nothing.
    #[default]
    Unknown,
    /// Its place in the trace, from 0; [`Future::NEVER`] if there is none.
    Order(u64),
    /// Its place, its time and its cost.
    Full {
        /// Its place in the trace, from 0; [`Future::NEVER`] if there is none.
        index: u64,
        /// When it comes; [`Time::MAX`] if never.
        at: Time,
        /// The total delay of it and of the requests within Z of it, if it is a miss (Eq. 2.13).
        delay: Duration,
    },
}

impl Future {
    /// The place of a request that never comes.
    pub const NEVER: u64 = u64::MAX;

    /// How much it tells.
    #[must_use]
    pub fn foresight(self) -> Foresight {
        match self {
            Future::Unknown => Foresight::None,
            Future::Order(_) => Foresight::Order,
            Future::Full { .. } => Foresight::Full,
        }
    }
}

/// A request for an object.
///
/// ```
/// use forebay_cache::{ObjectId, Request, at_step};
/// use forebay_units::Bytes;
///
/// let request = Request::new(at_step(3), ObjectId(7)).sized(Bytes::new(1500));
/// assert_eq!((request.origin, request.size.get()), (0, 1500));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When it comes.
    pub at: Time,
    /// For what.
    pub object: ObjectId,
    /// The size of the object; matters only where capacity is in bytes, and to size-aware policies.
    pub size: Bytes,
    /// Which backing store holds the object, for [`BackingStore::PerOrigin`](crate::BackingStore).
    pub origin: u32,
    /// The next request for the same object.
    pub next: Future,
}

impl Request {
    /// A request for an object of one byte at origin 0, with an unknown future.
    #[must_use]
    pub fn new(at: Time, object: ObjectId) -> Self {
        Request { at, object, size: Bytes::new(1), origin: 0, next: Future::Unknown }
    }

    /// The same with another size.
    #[must_use]
    pub fn sized(self, size: Bytes) -> Self {
        Request { size, ..self }
    }
}

/// The outcome of a request (thesis §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// The object was cached: latency 0.
    Hit,
    /// The object was being fetched.
    DelayedHit {
        /// What was left of the fetch: Z − t for a request t after the miss.
        latency: Duration,
    },
    /// The object was neither, and is being fetched from now.
    Miss {
        /// Z.
        latency: Duration,
    },
}

impl RequestOutcome {
    /// How long the request takes.
    #[must_use]
    pub fn latency(self) -> Duration {
        match self {
            RequestOutcome::Hit => Duration::ZERO,
            RequestOutcome::DelayedHit { latency } | RequestOutcome::Miss { latency } => latency,
        }
    }
}
