//! Delayed-hits caching: what to keep close when a miss takes time.
//!
//! While a miss is fetched, further requests for the same object can neither hit nor start another fetch:
//! they wait for the one that is on its way, as *delayed hits*. So the policy with the most hits is not
//! the one with the least latency (thesis chapter 2). This crate holds the [model], a streaming simulator
//! ([`Simulation`]), the policies behind one trait ([`policies::Policy`]), sources of requests
//! ([`generators`], [`readers`]), and what only a known future allows ([`offline`]).
//!
//! ```
//! use forebay_cache::generators::{BurstConfig, ZipfBursts};
//! use forebay_cache::policies::{PolicyConfig, policy};
//! use forebay_cache::{BackingStore, Geometry, Simulation, steps};
//!
//! let mut latencies = Vec::new();
//! for name in ["lru", "lru-mad"] {
//!     let policy = policy(name, &PolicyConfig::default())?;
//!     let mut cache =
//!         Simulation::new(Geometry::objects(100), BackingStore::Constant(steps(500)), policy)?;
//!     for request in ZipfBursts::new(BurstConfig { objects: 5_000, ..BurstConfig::default() })?.take(50_000) {
//!         cache.offer(&request)?;
//!     }
//!     latencies.push(cache.finish().mean_steps());
//! }
//! assert!(latencies[1] < latencies[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads a clock or draws from a global generator; only the [`readers`] touch files.
#![forbid(unsafe_code)]

pub mod generators;
pub mod model;
pub mod offline;
pub mod order;
pub mod policies;
pub mod readers;
mod simulate;

pub use model::{
    Action, Associativity, BackingStore, Capacity, Decision, FetchModel, Foresight, Future,
    Geometry, GeometryError, ObjectId, Outcome, Request, STEP, Schedule, ScheduleError, at_step,
    steps,
};
pub use simulate::{Admission, OfferError, Report, Set, Simulation};
