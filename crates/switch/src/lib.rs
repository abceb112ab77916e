//! Switches: what a device does with packets between their arrival and their departure, sans-IO.
//!
//! [`SwitchModel`] is the one trait. A model stores, drops, marks and schedules; it sees a
//! [`Handle`] of each packet and nothing else. A switch is driven by its caller, who says what time
//! it is, hands packets in, asks for the next one when a port's link is free, and carries out what
//! is due. It never reads a clock, draws a random number or owns a socket, so a simulator, a poll
//! loop and a test drive the same object.
//!
//! | switch | buffer | order at a port |
//! |---|---|---|
//! | [`DropTailSwitch`] | one a port | first in, first out |
//! | [`TrimSwitch`] | two a port: of data, and of headers, to which data is trimmed | headers first |
//! | [`Scheduled`] | one a port | a scheduler of `forebay-sched` that holds the packets |
//! | [`OnChip`] | shared by neighbouring ports, under a scheme of `forebay_buffer::onchip` | a scheduler of queues |
//! | [`Hybrid`] | SRAM beside HBM, shared by all ports, under a policy of `forebay-buffer` | by rank |
//!
//! [`SwitchConfig::named`] knows each by name; a [`Catalogue`] knows a caller's own, too.
//! [`Observed`] watches any switch, [`Links`] drives one with its output links, and
//! [`manager::TrafficManager`] is the hybrid switch without handles, for whoever has packets of
//! their own.
//!
//! ```
//! use forebay_switch::{Handle, Losses, SwitchConfig, SwitchModel, SwitchShape};
//! use forebay_units::{Bytes, Rate, Time};
//!
//! let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(100); 4] };
//! let mut switch = SwitchConfig::named("themis")?.build(&shape)?;
//! let mut lost = Losses::default();
//! for (flow, bytes) in [(1, 90_000), (2, 3_000)] {
//!     switch.flow_added(flow, Bytes::new(bytes), Bytes::new(bytes));
//!     switch.arrive(Time::ZERO, 0, Handle::new(flow, 1500), &mut lost);
//! }
//! let first = switch.next(Time::ZERO, 0, &mut lost);
//! assert_eq!(first.map(|packet| packet.flow()), Some(2)); // the shortest flow first
//! # Ok::<(), forebay_switch::SwitchBuildError>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod build_error;
mod catalogue;
mod config;
mod draws;
mod drop_states;
mod fifo;
mod flow_control;
mod flows;
mod gauge;
mod hybrid;
mod links;
mod losses;
pub mod manager;
pub mod memory;
mod model;
mod observed;
mod on_chip;
mod options;
mod packet;
#[cfg(feature = "expression")]
mod rank_text;
mod readings;
mod scheduled;
#[cfg(test)]
mod tests;
mod trim;

pub use build_error::SwitchBuildError;
pub use catalogue::Catalogue;
pub use config::{AnySwitch, ScheduledConfig, SwitchConfig, SwitchInfo};
pub use drop_states::DropStates;
pub use fifo::DropTailSwitch;
pub use flow_control::{Credits, FlowControl, Pause, PauseCounts};
pub use flows::flow_number;
pub use forebay_sched::{DropCause, DropTally, Ecn, Tally};
pub use gauge::{Gauge, Location};
pub use hybrid::{Hybrid, HybridConfig, RankPrecision};
pub use links::{InstantOrder, Links, MOST_EVENTS, Traffic};
pub use losses::{Losses, Lost};
pub use model::{SwitchModel, SwitchShape};
pub use observed::{Observed, SwitchObserver, Unwatched};
pub use on_chip::{CreditConfig, FlowControlForm, OnChip, OnChipConfig, PfcConfig};
pub use packet::{FlowId, Handle, HandlePool, List, ListPool, PacketId};
#[cfg(feature = "expression")]
pub use rank_text::{RankText, RankTextError};
pub use scheduled::{PortLimits, Scheduled};
pub use trim::{DropTailConfig, TrimConfig, TrimCounts, TrimSwitch};
