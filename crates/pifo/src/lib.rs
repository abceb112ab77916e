//! Ranked queues: which waiting element is next, and which is last.
//!
//! A scheduler serves the smallest rank; a buffer drops or swaps out the largest. This crate holds
//! the structures that answer one or both, behind one trait, [`RankedQueue`]:
//!
//! | type | ranks | time | source |
//! |---|---|---|---|
//! | [`BucketQueue`] | below 2^20, fixed | constant | BBQ, thesis §4.2 |
//! | [`CircularWindow`], [`RollingWindow`] | any `u64` near those that wait | constant | thesis §4.5.2 |
//! | [`SampleQueue`] (smallest only) | any ordered type | logarithmic, amortized | lazy samplesort |
//! | [`ExactQueue`] | any ordered type | logarithmic | interval heap |
//! | [`ClubHeap`], [`IntervalClubHeap`] | any ordered type | logarithmic, one pass | clubheap §3, §4 |
//! | [`ShiftRegister`], [`PieoQueue`] | any ordered type | linear, O(√n) | SR-PIFO, PIEO |
//! | [`PHeap`], [`PipelinedHeap`], [`BmwTree`] | any ordered type | logarithmic | hardware heaps |
//! | [`HandleQueue`] | as its order | as its order | removal by handle |
//! | [`ReferenceQueue`] | any ordered type | linear | for tests |
//!
//! Those with both ends are [`DoubleEnded`] too. A structure may be chosen when the program runs,
//! as a `Box<dyn RankedQueue<Rank = R, Item = T>>`. Beside them stand:
//!
//! - [`PartitionedQueue`]: several logical queues in one memory ([`PartitionedBuckets`], thesis
//!   §4.4; [`PartitionedClubHeap`], clubheap §4.4; [`PartitionedShiftRegister`],
//!   [`PartitionedPipelinedHeap`]).
//! - [`TieredQueue`]: one order over two memories ([`TieredBuckets`], [`TieredExact`]; Themis
//!   §5.3; [`ThemisCore`] is its hardware).
//! - [`IndexedQueue`]: an order over numbers that name the caller's own elements, with removal of
//!   any ([`IndexedBuckets`], [`IndexedExact`]).
//! - [`Pieo`]: elements that may not leave yet. [`LatencyFree`]: a pipelined queue whose latency
//!   cannot be seen (thesis §4.5.1). [`Stable`]: any queue of pairs, made first-in first-out within
//!   a rank.
//! - [`approximate`]: what a few first-in first-out queues can do instead of sorting (SP-PIFO,
//!   AIFO, AFQ, PCQ), and how far they stray from the exact order.
//!
//! ```
//! use forebay_pifo::{CircularWindow, DoubleEnded, RankedQueue, WindowPolicy};
//!
//! let mut queue: CircularWindow<&str> = CircularWindow::new(4096, 1_000, WindowPolicy::default())?;
//! queue.push(30, "third")?;
//! queue.push(10, "first")?;
//! queue.push(10, "second")?;
//! assert_eq!(queue.pop_min(), Some((10, "first")));
//! assert_eq!(queue.pop_max(), Some((30, "third")));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Two memories, with a swap in each direction:
//!
//! ```
//! use forebay_pifo::{Tier, TieredBuckets, TieredQueue};
//!
//! let mut queue = TieredBuckets::new(1 << 15)?;
//! queue.push(Tier::Sram, 30, 0)?;
//! queue.push(Tier::Sram, 10, 1)?;
//! queue.push(Tier::Hbm, 20, 2)?;
//!
//! // Swap out the least urgent packet of the SRAM, bring back the most urgent of the HBM.
//! let out = queue.peek_max_in(Tier::Sram).map(|entry| entry.id);
//! let back = queue.peek_min_in(Tier::Hbm).map(|entry| entry.id);
//! assert_eq!((out, back), (Some(0), Some(2)));
//! queue.relocate(0, Tier::Hbm);
//! queue.relocate(2, Tier::Sram);
//!
//! let served: Vec<u32> = core::iter::from_fn(|| queue.pop_min()).map(|entry| entry.id).collect();
//! assert_eq!(served, [1, 2, 0]);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(feature = "testing")]
extern crate std;

pub mod approximate;
mod bitmap;
mod boxed;
mod bucket;
mod club_heap;
mod debug;
mod exact;
mod hardware;
mod indexed;
mod interval;
mod latency;
mod prefetch;
mod ranked;
mod reference;
mod sample;
#[cfg(feature = "serde")]
mod saved;
mod stable;
#[cfg(feature = "testing")]
pub mod testing;
mod tiered;
mod waiting;

pub use bitmap::{GeometryError, MAX_BUCKETS};
pub use bucket::{
    Below, Beyond, BucketQueue, CircularWindow, PartitionedBuckets, RollingWindow, WindowPolicy,
};
pub use club_heap::{
    ClubError, ClubFault, ClubGeometry, ClubHeap, IntervalClubHeap, LevelSize, MAX_CLUB_ELEMENTS,
    MAX_CLUB_PARTITIONS, MAX_CLUB_WAYS, MAX_CLUSTER, PartitionedClubHeap,
};

pub use exact::ExactQueue;
pub use hardware::{
    BmwTree, Eligible, HardwareShapeError, MAX_HARDWARE_ELEMENTS, MAX_TREE_WAYS, PHeap,
    PartitionedPipelinedHeap, PartitionedShiftRegister, Pieo, PieoElement, PieoQueue, PieoReason,
    PieoRefused, PipelinedHeap, ShiftRegister,
};
pub use indexed::{ElementHandle, HandleQueue, IndexedBuckets, IndexedExact, IndexedQueue};
pub use latency::{Cycle, LatencyFree, LatencyFreeError, Pipelined, bbq_stages};
pub use prefetch::prefetch;
pub use ranked::{
    DoubleEnded, DoubleEndedPartitions, Elements, FifoTies, PartitionedQueue, RankedQueue, Reason,
    Rejected, Replaced, Ties,
};
pub use reference::ReferenceQueue;
pub use sample::SampleQueue;
pub use stable::Stable;
pub use tiered::{
    MAX_ID, PushError, ThemisCore, ThemisPlace, ThemisTaken, Tier, TieredBuckets, TieredEntry,
    TieredExact, TieredQueue, TieredReference,
};

/// The former name of [`ElementHandle`].
#[deprecated(note = "it is called ElementHandle, since packets of a switch have handles, too")]
pub type Handle = ElementHandle;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
