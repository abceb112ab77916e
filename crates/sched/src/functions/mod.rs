//! The rank functions and their registry. Adding one: a file with a type, its [`RankFunction`] and its
//! `INFO`, and a line in [`RANK_FUNCTIONS`].
//!
//! Source: rank as the scheduling order or time (clubheap §1), the algorithms that §1 and §2.1 name.

mod config;
mod edf;
mod fifo;
mod las;
mod lstf;
mod scfq;
mod sff;
mod shaped;
mod srpt;
mod stfq;
mod strict_priority;
mod tagged_flows;
#[cfg(test)]
mod tests;
mod wfq;
mod wsjf;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use forebay_units::Time;

use crate::{Packet, Rank};

pub use config::{JobCost, RankConfig, RankConfigError};
pub use edf::EarliestDeadlineFirst;
pub use fifo::Fifo;
pub use las::LeastAttainedService;
pub use lstf::LeastSlackTimeFirst;
pub use scfq::SelfClockedFairQueueing;
pub use sff::ShortestFlowFirst;
pub use shaped::TokenBucketDeparture;
pub use srpt::ShortestRemainingFirst;
pub use stfq::StartTimeFairQueueing;
pub use strict_priority::StrictPriority;
pub use wfq::WeightedFairQueueing;
pub use wsjf::WeightedShortestJobFirst;

/// Gives every arriving packet its rank; called once per packet, in arrival order.
///
/// `now` never decreases. Every packet that was ranked is reported by exactly one of
/// [`refused`](Self::refused), at once, and [`departed`](Self::departed) and [`dropped`](Self::dropped), later;
/// a function that says so works without.
pub trait RankFunction: Send {
    /// The rank of `packet`, arriving at `now`. O(1) unless the function says otherwise.
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank;

    /// `packet`, which was given `rank`, leaves for the wire: the feedback that self-clocked virtual times
    /// need.
    fn departed(&mut self, now: Time, packet: &Packet, rank: Rank) {
        let _ = (now, packet, rank);
    }

    /// `packet`, which was given `rank`, was dropped while it waited.
    fn dropped(&mut self, packet: &Packet, rank: Rank) {
        let _ = (packet, rank);
    }

    /// `packet`, the last that was ranked, cannot be held at `rank` and goes back to the caller: the next
    /// packet of its flow is ranked as if it had never come. Functions whose ranks depend on what came before
    /// take that back here.
    fn refused(&mut self, packet: &Packet, rank: Rank) {
        self.dropped(packet, rank);
    }

    /// The earliest instant at which a packet of `rank` may leave; always for functions that only order.
    fn may_leave_at(&self, rank: Rank) -> Time {
        let _ = rank;
        Time::ZERO
    }
}

/// One line of the registry of rank functions.
pub struct RankFunctionInfo {
    /// The name in experiment files.
    pub name: &'static str,
    /// What it orders by, in one sentence.
    pub about: &'static str,
    build: fn(&RankConfig) -> Box<dyn RankFunction>,
}

/// Every rank function by name.
pub const RANK_FUNCTIONS: &[RankFunctionInfo] = &[
    fifo::INFO,
    sff::INFO,
    strict_priority::INFO,
    wfq::INFO,
    scfq::INFO,
    stfq::INFO,
    srpt::INFO,
    las::INFO,
    edf::INFO,
    lstf::INFO,
    wsjf::INFO,
    shaped::INFO,
];

fn find(name: &str) -> Result<&'static RankFunctionInfo, UnknownRankFunction> {
    RANK_FUNCTIONS
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| UnknownRankFunction(name.to_string()))
}

/// The rank function called `name`, with the defaults of [`RankConfig`].
///
/// # Errors
/// If no rank function has that name.
pub fn rank_function(name: &str) -> Result<Box<dyn RankFunction>, UnknownRankFunction> {
    find(name).map(|info| (info.build)(&RankConfig::default()))
}

/// The rank function called `name`, with the parameters of `config`.
///
/// # Errors
/// If no rank function has that name, or a parameter does not fit.
pub fn configured_rank_function(
    name: &str,
    config: &RankConfig,
) -> Result<Box<dyn RankFunction>, RankFunctionError> {
    let info = find(name).map_err(RankFunctionError::Unknown)?;
    config.check().map_err(RankFunctionError::Config)?;
    Ok((info.build)(config))
}

/// No rank function has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRankFunction(String);

impl fmt::Display for UnknownRankFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no rank function \"{}\"; use one of", self.0)?;
        for (index, info) in RANK_FUNCTIONS.iter().enumerate() {
            write!(f, "{} {}", if index == 0 { "" } else { "," }, info.name)?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownRankFunction {}

/// Why a rank function cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankFunctionError {
    /// No rank function has this name.
    Unknown(UnknownRankFunction),
    /// A parameter does not fit.
    Config(RankConfigError),
}

impl fmt::Display for RankFunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankFunctionError::Unknown(error) => error.fmt(f),
            RankFunctionError::Config(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RankFunctionError {}
