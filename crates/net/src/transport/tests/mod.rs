//! Packet-level scenarios for each rule, and whole flows over a lossy pipe.
#![allow(clippy::unwrap_used)]

mod by_time;
mod congestion_avoidance;
mod cubic;
mod dcqcn;
#[cfg(feature = "fabrics")]
mod delay;
mod delayed_ack;
mod ecn;
mod handshake;
mod long_run;
mod new_reno;
mod pacing;
mod pipe;
mod properties;
mod pull;
mod reordering;
mod roce;
mod sack;
mod script;
mod selective;
mod start;
#[cfg(feature = "fabrics")]
mod telemetry;
mod timeout;

use super::{Controller, congestion_controls};

/// The built-in congestion control called `name`.
fn control(name: &str) -> Controller {
    congestion_controls().named(name).unwrap().build(&()).unwrap()
}
