//! The traffic manager: a buffer, a scheduler and the memories they share, sans-IO.
//!
//! [`TrafficManager`] is driven, never drives: the caller says what time it is, hands packets in with
//! [`enqueue`](TrafficManager::enqueue), asks for the next one with
//! [`dequeue`](TrafficManager::dequeue) when a port's link is free, and calls
//! [`advance`](TrafficManager::advance) when [`next_event`](TrafficManager::next_event) is due. It
//! never reads a clock, draws a random number or owns a socket, so a simulator, a poll loop and a test
//! drive the same object.
//!
//! The parts: every packet gets a rank (`forebay-sched`), one ranked queue per output port orders all
//! that waits (`forebay-pifo`), a policy decides which memory it waits in (`forebay-buffer`), and every
//! byte that moves takes its time on an SRAM port or in the HBM (`forebay-mem`). Arrivals and
//! departures come first on the SRAM ports; swaps and expulsions take what is left and can be
//! interrupted (themis §4.3, occamy §4.3).
//!
//! ```
//! use forebay_buffer::PolicyConfig;
//! use forebay_pifo::TieredExact;
//! use forebay_sched::Packet;
//! use forebay_switch::{SwitchConfig, TrafficManager};
//! use forebay_units::Time;
//!
//! let config = SwitchConfig::default();
//! let mut tm = TrafficManager::<TieredExact>::new(&config, "themis", "sff", |_| Ok(TieredExact::new()))?;
//! let packet = |flow, flow_size| Packet { flow, flow_size, size: 1500, ..Packet::default() };
//! tm.enqueue(Time::ZERO, 0, packet(1, 90_000));
//! tm.enqueue(Time::ZERO, 0, packet(2, 3_000));
//! let first = tm.dequeue(Time::ZERO, 0).expect("two packets wait");
//! assert_eq!(first.packet.flow, 2); // the shortest flow first
//! # Ok::<(), forebay_switch::SwitchError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod arrivals;
mod config;
mod counters;
mod far_path;
mod manager;
mod moves;
mod near_path;
mod outcome;
mod port;

pub use config::{FarOrder, QueueBy, SwitchConfig, SwitchError};
pub use counters::Counters;
pub use forebay_buffer::Tally;
pub use manager::TrafficManager;
pub use outcome::{Departure, Loss, Verdict};
