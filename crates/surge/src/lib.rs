//! Scheduling that an attacker cannot exploit.
//!
//! A job that costs its sender little and the processor much lets attackers displace hundreds of
//! bits of innocent traffic per bit of their own. This crate decides *which waiting job is
//! processed next, and which is dropped*, so that they must spend as much as they displace (thesis,
//! chapter 3; docs/surgeprotector.md).
//!
//! - [`Protect`] wraps a processor, any `FnMut(T) -> R`: a flow key, an estimator of job sizes
//!   ([`estimate`]), a policy, a buffer; statistics out. It is what one embeds.
//! - [`Scheduler`] is the bounded buffer itself, under one of [`policies::policies`]: FCFS, fair
//!   queueing, SJF, and the WSJF family, with exact ranks or in constant time over buckets.
//!   [`policies::JobPolicy`] is the trait.
//! - [`WsjfCore`] is the scheduler as hardware has it, the golden model of `rtl/surge`;
//!   [`RatioQuantizer`] makes its ranks, without a division.
//! - The feature `model` attacks the policies: simulation, displacement factor, the optimal attack
//!   on each policy, and an adversary who searches for better ones. Without it the crate depends on
//!   nothing from outside the project.
//!
//! All of it is sans-IO: time is given, randomness is seeded.
//!
//! ```
//! use forebay_surge::{FlowKey, Protect, ProtectConfig};
//! use forebay_surge::estimate::Given;
//! use forebay_units::{Bytes, Duration, Time};
//!
//! // A decompressor: what comes out is stated in the first byte, and costs a microsecond per unit.
//! let config = ProtectConfig::under("wsjf")?;
//! let describe = |packet: &Vec<u8>| (FlowKey(0), Bytes::new(packet.len() as u64));
//! let stated = Given::new(|packet: &Vec<u8>| f64::from(packet[0]) * 1e-6);
//! let mut decompressor = Protect::new(&config, describe, stated, |packet| packet[0])?;
//!
//! let now = Time::ZERO;
//! let _ = decompressor.offer(now, vec![200]); // a bomb: one byte that becomes two hundred units
//! let _ = decompressor.offer(now, vec![3, 1, 4, 1, 5]);
//! let first = decompressor.poll(|| now).map(|done| done.result);
//! assert_eq!(first, Some(3));
//! # Ok::<(), forebay_surge::SurgeError>(())
//! ```
#![forbid(unsafe_code)]

mod error;
pub mod estimate;
mod job;
#[cfg(feature = "model")]
pub mod model;
pub mod policies;
mod protect;
mod rank;
mod ratio;
mod scheduler;
mod wsjf_core;

pub use error::SurgeError;
pub use job::{FlowKey, Job, JobTable};
pub use policies::Ranks;
pub use protect::{Done, Protect, ProtectConfig, Statistics};
pub use ratio::RatioQuantizer;
pub use scheduler::{DropRule, JobCounts, Offered, Scheduler, SchedulerConfig, Waiting};
pub use wsjf_core::{WsjfCore, WsjfCoreConfig};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
