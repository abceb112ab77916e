//! What a run measures: completion times of flows and queries, slowdowns, throughput over time,
//! drops.
//!
//! A flow completes when its last byte has arrived at the receiver (all its bytes, in whatever
//! order); the flow completion time (FCT) counts from the flow's start, without a handshake. The
//! ideal is the FCT in an empty network of a sender with an unlimited window: every packet back to
//! back from the start, stored and forwarded at each switch along the flow's own path. Slowdown is
//! FCT over ideal, so it is never below 1. Papers differ here; some simulate each flow alone, slow
//! start included. Percentiles are nearest-rank.
//!
//! | type | what it tells |
//! |---|---|
//! | [`FlowRecord`] | what became of a flow |
//! | [`by_class`] | FCT and slowdown of the flows that began in a window, by size |
//! | [`QueryRecord`], [`queries`] | query completion times (QCT) |
//! | [`stages`] | how long the stages of a collective take |
//! | [`Throughput`] | rates of groups of flows, or of links, in equal bins |
//! | [`Totals`], [`LossCount`] | packets and bytes; drops by place and cause |
//!
//! [`Network::run_measured`] has the stop rule, [`Network::run_sampled`] inspects a network at
//! regular intervals. Exact values are kept and sorted, without histograms: 8 or 16 bytes per
//! summarized flow.
//!
//! [`Network::run_measured`]: crate::network::Network::run_measured
//! [`Network::run_sampled`]: crate::network::Network::run_sampled

mod classes;
mod ideal;
mod query;
mod record;
mod spread;
mod stage;
mod throughput;
mod totals;

pub use classes::{ClassReport, EdgeError, SizeClasses, by_class};
pub(crate) use classes::{Measured, completions};
pub use forebay_sched::Tally;
pub(crate) use ideal::{PathLink, ideal, reach};
pub use query::{QueryRecord, queries};
pub use record::{FlowRecord, LastLink, Transit};
pub use spread::{Completions, Spread, jain_index};
pub use stage::stages;
pub use throughput::Throughput;
pub use totals::{LossCount, Totals};
