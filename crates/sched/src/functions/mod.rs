//! The rank functions and their registry. Adding one: a file with a type, its [`RankFunction`] and
//! its `choice`, and a line in `with_parameters`. One of a caller's own is a
//! `Choice<dyn RankFunction>`.
//!
//! Source: rank as the scheduling order or time (clubheap §1), the algorithms that §1 and §2.1
//! name.

mod choice;
mod config;
mod edf;
mod error;
#[cfg(feature = "expression")]
pub mod expression;
mod fifo;
mod function;
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

use forebay_parameters::{Choices, Registry};

pub use config::{JobCost, RankConfig};
pub use edf::EarliestDeadlineFirst;
pub use error::RankFunctionError;
pub use fifo::Fifo;
pub use function::{RankBy, RankFunction, RankShape};
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

/// The built-in rank functions; a caller adds its own with
/// [`with`](forebay_parameters::Registry::with).
#[must_use]
pub fn rank_functions() -> Choices<dyn RankFunction> {
    with_parameters(&RankConfig::default())
}

/// The built-in rank functions, with the parameters of `config`.
fn with_parameters(config: &RankConfig) -> Choices<dyn RankFunction> {
    Registry::of([
        Fifo::choice(),
        ShortestFlowFirst::choice(),
        strict_priority::choice(),
        wfq::choice(config),
        scfq::choice(config),
        stfq::choice(config),
        srpt::choice(config),
        las::choice(config),
        edf::choice(config),
        lstf::choice(config),
        wsjf::choice(config),
        shaped::choice(config),
    ])
}

/// The built-in rank function called `name`, with the defaults of [`RankConfig`].
///
/// # Errors
/// If no rank function has that name.
pub fn rank_function(name: &str) -> Result<Box<dyn RankFunction>, RankFunctionError> {
    configured_rank_function(name, &RankConfig::default())
}

/// The built-in rank function called `name`, with the parameters of `config`.
///
/// # Errors
/// If no rank function has that name, or a parameter does not fit.
pub fn configured_rank_function(
    name: &str,
    config: &RankConfig,
) -> Result<Box<dyn RankFunction>, RankFunctionError> {
    rank_function_among(name, config, &rank_functions())
}

/// The same, or the one of that name in `known`, which has its own parameters.
pub(crate) fn rank_function_among(
    name: &str,
    config: &RankConfig,
    known: &Choices<dyn RankFunction>,
) -> Result<Box<dyn RankFunction>, RankFunctionError> {
    let built_in = with_parameters(config);
    let known = known.named(name).map_err(RankFunctionError::Unknown)?;
    let choice = built_in.get(name).unwrap_or(known);
    let built =
        config.check().and_then(|()| choice.build(&RankShape { rate: config.rate, pairs: false }));
    built.map_err(RankFunctionError::Config)
}
