//! Scheduling that an attacker cannot exploit.
//!
//! A job that costs its sender little and the processor much lets an attacker displace hundreds of bits of
//! innocent traffic per bit of his own. This crate decides *which waiting job is processed next, and which
//! is dropped*, so that he must spend as much as he displaces (thesis, chapter 3).
#![forbid(unsafe_code)]

mod error;
pub mod estimate;
mod job;
pub mod model;
pub mod policies;
mod protect;
mod rank;
mod scheduler;

pub use error::SurgeError;
pub use job::{FlowId, Job, JobTable};
pub use policies::{POLICIES, PolicyConfig, Ranks};
pub use protect::{Done, Protect, ProtectConfig, Statistics};
pub use scheduler::{Counts, DropRule, Offered, Scheduler, SchedulerConfig, Waiting};
