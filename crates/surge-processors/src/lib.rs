//! Packet processors worth protecting: *what a packet costs* in two real programs that an attacker can make slow,
//! and how much innocent traffic he displaces by it (thesis §3.5.1, §3.6.1; docs/surgeprotector.md).
//!
//! - [`tcp`]: a reassembler of TCP streams, over a list of out-of-order segments (the attack's target) or a
//!   tree.
#![forbid(unsafe_code)]

mod error;
mod packet;
pub mod tcp;

pub use error::ProcessorError;
pub use packet::{Packet, Packets, Transport, read_packets};
