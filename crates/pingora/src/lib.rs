//! A cache for [Pingora](https://docs.rs/pingora-cache) that knows delayed hits.
//!
//! [`Cache`] is pingora-cache's `Storage`, `EvictionManager` and `CacheKeyLock` as one object. The
//! lock sees every miss and every request that waits for it, and the storage sees when its last
//! byte has arrived; so eviction can weigh what a miss costs all who wait (MAD, thesis §2.5.2),
//! with any policy of [`forebay_cache`] by name. In a service of one's own, all three are the same
//! object:
//!
//! ```
//! use forebay_pingora::Cache;
//! use pingora_cache::{CacheKey, HttpCache};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let builder = Cache::builder(1 << 30).policy("lru-mad").folder("/var/cache/service");
//! let cache = builder.build_static()?; // it lives as long as the service
//!
//! // in `ProxyHttp::request_cache_filter`, where this is `session.cache`:
//! let mut request = HttpCache::new();
//! cache.enable(&mut request);
//! # request.set_cache_key(CacheKey::new("/", ""));
//! # request.cache_lookup().await?;
//! # Ok(())
//! # }
//! ```
//!
//! `examples/service.rs` is a whole service. What it holds:
//!
//! * **Waiting.** One fetch for all who ask; they are woken, not polled, and read the body as it
//!   arrives. If a leader fails, goes, or takes longer than [`Builder::leader_timeout`], the next
//!   of those who wait leads. If its answer must not be cached, all fetch for themselves, at once.
//!   [`Builder::most_waiting`] bounds them, and [`RequestNotes`] tells a request what became of
//!   it.
//! * **Memory.** Bodies, headers and tables together never exceed the capacity; bodies on their
//!   way never exceed [`Builder::bytes_arriving`], and an answer for which that leaves no room
//!   passes by uncached ([`Cache::make_room`]). A body larger than [`Builder::largest`] is passed
//!   on as it arrives. Besides, the lines of up to 1024 answers are kept ready to be sent, 4 MiB at
//!   most.
//! * **Removal.** What was asked for before a removal is not cached after it, nor given to whoever
//!   asks after it; variants go with what they are variants of.
//! * **Disk.** With [`Builder::folder`] bodies are files, checked block by block when they are
//!   read. Neither `kill -9` nor damage serves a wrong or half body.
//! * **Speed.** What is fresh and the same for everybody can be sent without the life of a request
//!   in Pingora: [`Cache::ready`].
//!
//! Open in the paper, chosen here: a fetch ends with the last byte of its body; a waiter that gave
//! up counts as if it had waited to the end; a fetch that renews what is stale changes no
//! estimate, and its waiters are not counted, since Pingora does not tell them from those who are
//! served what is stale.
//!
//! The eviction manager is meant for this storage alone: what is evicted is decided where bodies
//! are stored, in one step.
#![forbid(unsafe_code)]

mod body;
mod builder;
mod cache;
mod clock;
mod disk;
mod eviction;
mod fetches;
mod flight;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod header;
mod lock;
mod pieces;
mod reading;
mod ready;
mod room;
mod service;
mod share;
mod state;
mod stats;
mod storage;
mod writing;

pub use builder::{BuildError, Builder, DEFAULT_POLICY, largest_by_default};
pub use cache::{Cache, Landed};
pub use lock::RequestNotes;
pub use reading::is_arriving;
pub use ready::{Ready, ReadyHeader};
pub use stats::Stats;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
