//! Ranked queues: which waiting element is next, and which is last.
//!
//! A scheduler serves the smallest rank; a buffer drops or swaps out the largest. This crate holds the
//! structures that answer both. [`TieredQueue`] is the order over two memories that Themis builds on.
//!
//! ```
//! use forebay_pifo::{Tier, TieredBuckets, TieredQueue};
//!
//! let mut queue = TieredBuckets::new(1 << 15)?;
//! queue.push(Tier::Near, 30, 0)?;
//! queue.push(Tier::Near, 10, 1)?;
//! queue.push(Tier::Far, 20, 2)?;
//!
//! // Swap out the least urgent packet of the near memory, bring back the most urgent of the far one.
//! let out = queue.peek_max_in(Tier::Near).map(|entry| entry.id);
//! let back = queue.peek_min_in(Tier::Far).map(|entry| entry.id);
//! assert_eq!((out, back), (Some(0), Some(2)));
//! queue.relocate(0, Tier::Far);
//! queue.relocate(2, Tier::Near);
//!
//! let served: Vec<u32> = core::iter::from_fn(|| queue.pop_min()).map(|entry| entry.id).collect();
//! assert_eq!(served, [1, 2, 0]);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bitmap;
mod interval;
mod tiered;

pub use bitmap::{GeometryError, MAX_BUCKETS};
pub use tiered::{
    Entry, MAX_ID, PushError, Tier, TieredBuckets, TieredExact, TieredQueue, TieredReference,
};
