//! A cache for [Pingora](https://docs.rs/pingora-cache) that knows delayed hits.
//!
//! [`Cache`] is pingora-cache's `Storage`, `EvictionManager` and `CacheKeyLock` as one object. The
//! lock sees every miss and every request that waits for it, so that eviction can weigh what a miss
//! costs all of them (MAD, thesis §2.5.2): any policy of [`forebay_cache`] by name.
#![forbid(unsafe_code)]

mod body;
mod builder;
mod cache;
mod clock;
mod disk;
mod eviction;
mod flight;
mod lock;
mod state;
mod stats;
mod storage;

pub use builder::{BuildError, Builder, DEFAULT_POLICY};
pub use cache::{Cache, Landed};
pub use lock::RequestNotes;
pub use stats::Stats;
pub use storage::is_arriving;
