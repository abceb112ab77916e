//! Delayed-hits caching: what to keep close when a miss takes time.
//!
//! While a miss is fetched, further requests for the same object can neither hit nor start another
//! fetch: they wait for the one that is on its way, as *delayed hits*. So the policy with the most
//! hits is not the one with the least latency (thesis chapter 2). This crate holds the [model], the
//! policies behind one trait ([`policies::CachePolicy`]), and one [`Set`] of a cache under any of
//! them: that is what a cache embeds, and it depends on nothing from outside the project. Features
//! add a streaming simulator (`simulation`: `Simulation`), sources of requests (`generators`,
//! `readers`), and what is possible only when the future is known (`offline`).
//!
//! ```
//! use forebay_cache::generators::{BurstConfig, ZipfBursts};
//! use forebay_cache::policies::{PolicyConfig, policies};
//! use forebay_cache::{BackingStore, CacheGeometry, Simulation, steps};
//!
//! let mut latencies = Vec::new();
//! for name in ["lru", "lru-mad"] {
//!     let policy = policies().named(name)?.build(&PolicyConfig::default())?;
//!     let mut cache =
//!         Simulation::new(CacheGeometry::objects(100), BackingStore::Constant(steps(500)), policy)?;
//!     for request in ZipfBursts::new(BurstConfig { objects: 5_000, ..BurstConfig::default() })?.take(50_000) {
//!         cache.offer(&request)?;
//!     }
//!     latencies.push(cache.finish().mean_steps());
//! }
//! assert!(latencies[1] < latencies[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads a clock or draws from a global generator; only the `readers` touch files.
#![forbid(unsafe_code)]

#[cfg(feature = "generators")]
pub mod generators;
mod hash;
pub mod model;
#[cfg(feature = "offline")]
pub mod offline;
pub mod order;
pub mod policies;
#[cfg(feature = "readers")]
pub mod readers;
mod set;
#[cfg(feature = "simulation")]
mod simulate;

#[cfg(feature = "simulation")]
pub use model::{
    Action, Associativity, BackingStore, CacheGeometry, Capacity, Decision, FetchModel,
    GeometryError, Schedule, ScheduleError,
};
pub use model::{Foresight, Future, ObjectId, Request, RequestOutcome, STEP, at_step, steps};
pub use set::{ArrivalOutcome, Set};
#[cfg(feature = "simulation")]
pub use simulate::{CacheReport, OfferError, Simulation};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
