//! The rank functions and their registry. Adding one: a type, its `RankFunction`, a registry line.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;

use forebay_units::Time;

use crate::{Packet, Rank};

/// Gives every arriving packet its rank; called once per packet, in arrival order.
pub trait RankFunction: Send {
    /// The rank of `packet`, arriving at `now`. O(1).
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank;
}

/// First in, first out: every packet has the same rank, and equal ranks leave in arrival order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl RankFunction for Fifo {
    fn rank(&mut self, _now: Time, _packet: &Packet) -> Rank {
        Rank::new(0)
    }
}

/// Shortest flow first: rank = total bytes of the packet's flow (themis §6.3.1).
///
/// All packets of one flow share a rank and so keep their order. As the paper notes, it performs
/// close to pFabric's shortest-remaining-first without its state.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortestFlowFirst;

impl RankFunction for ShortestFlowFirst {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        Rank::new(packet.flow_size)
    }
}

/// Strict priority: rank = priority class, class 0 first (themis App. C).
#[derive(Clone, Copy, Debug, Default)]
pub struct StrictPriority;

impl RankFunction for StrictPriority {
    fn rank(&mut self, _now: Time, packet: &Packet) -> Rank {
        Rank::new(u64::from(packet.class))
    }
}

/// One line of the registry of rank functions.
pub struct RankFunctionInfo {
    /// The name in experiment files.
    pub name: &'static str,
    /// What it orders by, in one sentence.
    pub about: &'static str,
    build: fn() -> Box<dyn RankFunction>,
}

/// Every rank function by name.
pub const RANK_FUNCTIONS: &[RankFunctionInfo] = &[
    RankFunctionInfo { name: "fifo", about: "arrival order", build: || Box::new(Fifo) },
    RankFunctionInfo {
        name: "sff",
        about: "shortest flow first: total bytes of the packet's flow",
        build: || Box::new(ShortestFlowFirst),
    },
    RankFunctionInfo {
        name: "strict-priority",
        about: "priority class, 0 first",
        build: || Box::new(StrictPriority),
    },
];

/// The rank function called `name`.
///
/// # Errors
/// If no rank function has that name.
pub fn rank_function(name: &str) -> Result<Box<dyn RankFunction>, UnknownRankFunction> {
    RANK_FUNCTIONS
        .iter()
        .find(|info| info.name == name)
        .map(|info| (info.build)())
        .ok_or_else(|| UnknownRankFunction(name.to_string()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registered_name_builds_and_orders() {
        let small = Packet { flow_size: 10, class: 0, ..Packet::default() };
        let large = Packet { flow_size: 20, class: 1, ..Packet::default() };
        for info in RANK_FUNCTIONS {
            let mut function = rank_function(info.name).unwrap();
            assert!(function.rank(Time::ZERO, &small) <= function.rank(Time::ZERO, &large));
        }
        let error = rank_function("ssf").err().unwrap();
        assert_eq!(
            error.to_string(),
            "there is no rank function \"ssf\"; use one of fifo, sff, strict-priority"
        );
    }
}
