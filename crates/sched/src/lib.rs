//! Rank functions: the number by which a scheduler orders waiting packets.
//!
//! A programmable scheduler is a ranked queue plus a rule that gives every arriving packet its
//! [`Rank`]; the packet with the smallest rank leaves first (the PIFO model, themis §4). This crate
//! is the rules: one small type each behind [`RankFunction`] in [`functions`], built by name with
//! [`rank_function`]. The fluid server that fair queueing imitates is in [`gps`].
//!
//! A port that serves a few FIFO queues by priority or weight, rather than packets by rank, has its
//! schedulers in [`port`]. Schedulers that hold the packets themselves have their trait in
//! [`scheduler`]: a rank function over a queue is a [`rank_queue`], and schedulers of schedulers
//! are a [`tree`].
//!
//! [`fair`] queueing, exact and approximate, is one family of them.
//!
//! Ranks as computed are exact and may need 64 bits. A bucket queue orders only a bounded range of
//! small integers, so a [`Quantizer`] maps exact ranks to buckets and says how much order it gives
//! up.
//!
//! ```
//! use forebay_sched::{Packet, Quantizer, rank_function};
//! use forebay_units::Time;
//!
//! let mut shortest_flow_first = rank_function("sff")?;
//! let packet = Packet { size: 1500, flow_size: 30_000_000, ..Packet::default() };
//! let rank = shortest_flow_first.rank(Time::ZERO, &packet);
//! assert_eq!(rank.get(), 30_000_000);
//!
//! let buckets = Quantizer::log_linear(10);
//! assert!(buckets.bucket(rank) < 1 << 15);
//! # Ok::<(), forebay_sched::functions::RankFunctionError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod fair;
mod flow_table;
pub mod functions;
pub mod gps;
mod losses;
mod packet;
pub mod port;
mod quantize;
pub mod rank_queue;
pub mod scheduler;
mod settings;
mod token_bucket;
pub mod tree;
mod virtual_time;

pub use flow_table::MAX_FLOWS;
pub use functions::{
    Fifo, RankFunction, ShortestFlowFirst, StrictPriorityRank, configured_rank_function,
    rank_function, rank_functions,
};
pub use losses::{DropCause, DropTally, Tally};
pub use packet::{Ecn, Packet, Rank};
pub use quantize::Quantizer;
pub use token_bucket::TokenBucket;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
