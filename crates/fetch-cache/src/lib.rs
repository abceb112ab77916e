//! A concurrent cache that fetches what it misses, once, and keeps what is slow to fetch.
//!
//! Requests for a key that is being fetched wait for that fetch: *delayed hits* (thesis chapter 2).
//! The cache measures every fetch and every wait, and evicts the value that saves its callers the
//! least delay for the time it is kept: MAD (§2.5.2), in the form that counts for cached values
//! only (§2.6.2), around a policy of [`forebay_cache`]; plain recency and others are available by
//! name. [`Cache`] is the central type.
//!
//! ```
//! use forebay_fetch_cache::Cache;
//! use std::time::Duration;
//!
//! # let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let cache = Cache::builder(10_000).time_to_live(Duration::from_secs(60)).build()?;
//! let page = |key: u32| async move {
//!     tokio::time::sleep(Duration::from_millis(5)).await; // the backing store
//!     Ok::<_, std::io::Error>(format!("page {key}"))
//! };
//! let (first, second) =
//!     tokio::join!(cache.try_get_or_fetch(7, page(7)), cache.try_get_or_fetch(7, page(7)));
//! assert_eq!((first?, second?), ("page 7".to_string(), "page 7".to_string()));
//! assert_eq!(cache.get(&7), Some("page 7".to_string()));
//! let stats = cache.stats();
//! assert_eq!((stats.misses, stats.delayed_hits, stats.hits), (1, 1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A fetch that is dropped or panics leaves nobody behind: one of the waiters takes over. A fetch
//! that fails gives its error to all, or the turn to the next ([`OnError`]). No caller's code runs
//! under a lock except `K`'s `Eq` and `Clone` and `V`'s `Clone`; if they panic, nothing is
//! poisoned.
//!
//! A hit takes a shard's read lock, clones the value, and leaves a note for the policy: O(1), no
//! write lock. Everything else takes the shard's write lock. What the paper leaves open, and our
//! choices: an abandoned fetch is timed anew by the call that takes over; waiters that gave up do
//! not count; an inserted value is assumed to cost as much as an average fetch; when hits come
//! often, their times are rounded, and some are only counted if the policy cannot be called in
//! time.
//!
//! Limits: each shard evicts for itself, so a value may leave while another shard has older ones.
//! Memory is bounded by the capacity, what policies remember of as many evicted values, and calls
//! in progress.
#![forbid(unsafe_code)]

mod builder;
mod cache;
mod clock;
mod expiry;
mod fetch;
mod flight;
mod hits;
mod removal;
mod shard;
mod stats;
mod store;
mod sync;
#[cfg(test)]
mod tests;

pub use builder::{BuildError, Builder, DEFAULT_POLICY, MAX_SHARDS, OnError};
pub use cache::Cache;
pub use clock::ManualClock;
pub use removal::RemovalCause;
pub use stats::{Histogram, Stats};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
