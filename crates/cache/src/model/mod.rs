//! The model of caching with delayed hits: what is asked for, how long a miss takes, how much a
//! cache holds, and what a valid schedule is (thesis §2.1 and §2.3.2).
//!
//! # The order of events
//!
//! Time is discrete; several things may happen at one instant `T`, always in this order:
//!
//! 1. Every fetch that completes at `T` delivers its data, fetches in the order of their completion
//!    and, at one instant, of their misses. Its waiting requests are answered. Then the policy
//!    admits the object, evicting others if it must, or bypasses it. An object is admitted at no
//!    other time (Eq. 2.5), and evicted only while it is cached (Eq. 2.6).
//! 2. The requests of `T` are served in the order of the trace. A request for a cached object is a
//!    *hit* of latency 0. One for an object that is being fetched is a *delayed hit*, of the time
//!    left until the data arrives. Any other is a *miss*: it starts a fetch, which takes Z, and
//!    waits for all of it.
//!
//! So an object requested at `T` is in the cache for the requests of `T + Z` (Eq. 2.8 to 2.10), and
//! data that is bypassed at `T` serves those who waited, but no request of `T` itself. With Z = 0
//! the data arrives before the next request, even one of the same instant: the classical model.

#[cfg(feature = "simulation")]
mod backing_store;
#[cfg(feature = "simulation")]
mod geometry;
mod request;
#[cfg(feature = "simulation")]
mod schedule;

#[cfg(feature = "simulation")]
pub use backing_store::{BackingStore, FetchModel};
#[cfg(feature = "simulation")]
pub(crate) use geometry::set_of;
#[cfg(feature = "simulation")]
pub use geometry::{Associativity, CacheGeometry, Capacity, GeometryError, MAX_SETS};
pub use request::{Foresight, Future, ObjectId, Request, RequestOutcome, STEP, at_step, steps};
#[cfg(feature = "simulation")]
pub use schedule::{Action, Decision, Schedule, ScheduleError};
