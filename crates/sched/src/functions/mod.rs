//! The rank functions and their registry. Adding one: a file with a type, its [`RankFunction`] and its
//! `INFO`, and a line in `RANK_FUNCTIONS`. One of a caller's own is a `Choice<dyn RankFunction>`.
//!
//! Source: rank as the scheduling order or time (clubheap §1), the algorithms that §1 and §2.1 name.

mod config;
mod edf;
#[cfg(feature = "expression")]
pub mod expression;
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
use core::fmt;

use forebay_parameters::{Choice, Choices, Family, ParameterError, Registry, UnknownName};
use forebay_units::Time;

use crate::{Packet, Rank};

pub use config::{JobCost, RankConfig, RankShape};
use config::{Own, Reads};
pub use edf::EarliestDeadlineFirst;
pub use fifo::Fifo;
pub use las::LeastAttainedService;
pub use lstf::LeastSlackTimeFirst;
pub use scfq::SelfClockedFairQueueing;
pub use sff::ShortestFlowFirst;
pub use shaped::TokenBucketDeparture;
pub use srpt::ShortestRemainingFirst;
pub use stfq::StartTimeFairQueueing;
pub use strict_priority::StrictPriorityRank;
pub use wfq::WfqRank;
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

/// The family of rank functions.
impl Family for dyn RankFunction {
    const WHAT: &'static str = "rank function";
    type Shape = RankShape;
    type Built = Box<dyn RankFunction>;
}

/// One line of the list of built-in rank functions.
struct RankFunctionInfo {
    name: &'static str,
    /// The name in figures.
    label: &'static str,
    about: &'static str,
    /// What it reads of its configuration.
    reads: &'static [Reads],
    build: fn(&RankConfig) -> Box<dyn RankFunction>,
}

impl RankFunctionInfo {
    fn choice(&'static self) -> Choice<dyn RankFunction> {
        let own = Own { info: self, config: RankConfig::default() };
        Choice::new(self.name, self.about, own, |own: &Own, shape: &RankShape| {
            Ok((own.info.build)(&own.at(shape)?))
        })
        .labelled(self.label)
    }
}

/// Every built-in rank function by name.
static RANK_FUNCTIONS: &[RankFunctionInfo] = &[
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

/// The built-in rank functions, as choices; a caller adds its own with
/// [`with`](forebay_parameters::Registry::with).
#[must_use]
pub fn rank_functions() -> Choices<dyn RankFunction> {
    Registry::of(RANK_FUNCTIONS.iter().map(RankFunctionInfo::choice))
}

impl ShortestFlowFirst {
    /// The choice `sff`.
    #[must_use]
    pub fn choice() -> Choice<dyn RankFunction> {
        static INFO: RankFunctionInfo = sff::INFO;
        INFO.choice()
    }
}

/// A rank function of the caller's: a closure of the time and the packet.
///
/// ```
/// use forebay_parameters::Choice;
/// use forebay_sched::functions::{RankBy, RankFunction, RankShape};
/// use forebay_sched::{Packet, Rank};
/// use forebay_units::Time;
///
/// let largest = Choice::<dyn RankFunction>::new("largest", "largest packet first", (), |(), _| {
///     Ok(Box::new(RankBy(|_now, packet: &Packet| Rank::new(u64::from(u32::MAX - packet.size)))))
/// });
/// let mut rank = largest.build(&RankShape::default())?;
/// let of = |size| Packet { size, ..Packet::default() };
/// assert!(rank.rank(Time::ZERO, &of(1500)) < rank.rank(Time::ZERO, &of(64)));
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankBy<F>(pub F);

impl<F: FnMut(Time, &Packet) -> Rank + Send> RankFunction for RankBy<F> {
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        (self.0)(now, packet)
    }
}

/// The built-in rank function called `name`, with the defaults of [`RankConfig`].
///
/// # Errors
/// If no rank function has that name.
pub fn rank_function(name: &str) -> Result<Box<dyn RankFunction>, UnknownName> {
    find(name).map(|info| (info.build)(&RankConfig::default()))
}

fn find(name: &str) -> Result<&'static RankFunctionInfo, UnknownName> {
    let names = RANK_FUNCTIONS.iter().map(|info| info.name);
    let found = RANK_FUNCTIONS.iter().find(|info| info.name == name);
    found.ok_or_else(|| UnknownName::new(<dyn RankFunction>::WHAT, name, names))
}

/// The built-in rank function called `name`, with the parameters of `config`.
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

/// Why a rank function cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankFunctionError {
    /// No rank function has this name.
    Unknown(UnknownName),
    /// A parameter does not fit.
    Config(ParameterError),
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
