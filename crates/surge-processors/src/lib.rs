//! Packet processors worth protecting: *what a packet costs* in two real programs that an attacker
//! can slow down, and how much innocent traffic they displace by doing so (thesis §3.5.1, §3.6.1;
//! docs/surgeprotector.md).
//!
//! - [`tcp`]: a reassembler of TCP streams, over a list of out-of-order segments (the attack's
//!   target) or a tree.
//! - [`rules`]: a matcher of Snort-like rules, a multi-pattern filter before a regex engine that
//!   backtracks.
//! - [`driver`]: either behind [`forebay_surge::Protect`], under innocent traffic from a capture
//!   and attack traffic, with virtual arrivals and service times that are measured.
//!
//! ```
//! use forebay_surge_processors::rules::{MatchConfig, Matcher};
//!
//! let matcher = Matcher::new(forebay_surge_processors::EXAMPLE_RULES, MatchConfig::default());
//! assert!(matcher.errors().is_empty() && matcher.rules().len() >= 10);
//! ```
#![forbid(unsafe_code)]

pub mod driver;
mod error;
mod packet;
pub mod rules;
pub mod tcp;

pub use error::ProcessorError;
pub use packet::{Packet, Packets, Transport, read_live_packets, read_packets};

/// A small rule file for examples and tests.
pub const EXAMPLE_RULES: &str = include_str!("../data/example.rules");

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
