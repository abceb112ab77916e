//! Why a scheduler cannot be built.

use alloc::string::String;
use core::fmt;

use super::schedulers;
use crate::fair::CalendarError;
use crate::fair::gearbox::GearboxError;
use crate::functions::RankFunctionError;
use crate::tree::{BuildError, TreeError};

/// Why a scheduler cannot be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SchedulerError {
    /// No scheduler has this name.
    Unknown(String),
    /// Nothing, or too much, may wait.
    Limits,
    /// A unit without bytes or weight, no flows, or a quantum of zero.
    Zero,
    /// Too few or too many hashed queues or bucket ranks.
    Queues,
    /// The calendar cannot be built.
    Calendar(CalendarError),
    /// The Gearbox cannot be built.
    Gearbox(GearboxError),
    /// The rank function cannot be made.
    Ranks(RankFunctionError),
    /// The tree cannot be built.
    Tree(TreeError),
}

impl From<CalendarError> for SchedulerError {
    fn from(error: CalendarError) -> Self {
        SchedulerError::Calendar(error)
    }
}

impl From<GearboxError> for SchedulerError {
    fn from(error: GearboxError) -> Self {
        SchedulerError::Gearbox(error)
    }
}

impl From<RankFunctionError> for SchedulerError {
    fn from(error: RankFunctionError) -> Self {
        SchedulerError::Ranks(error)
    }
}

impl From<BuildError> for SchedulerError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Config(error) => SchedulerError::Tree(error),
            BuildError::Queue { .. } => SchedulerError::Queues,
        }
    }
}

impl fmt::Display for SchedulerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchedulerError::Unknown(name) => {
                write!(f, "there is no scheduler \"{name}\"; use one of")?;
                for (index, (name, _)) in schedulers().enumerate() {
                    write!(f, "{} {name}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            SchedulerError::Limits => {
                write!(
                    f,
                    "packet_limit, byte_limit: let 1 to 2^31 packets and at least 1 byte wait"
                )
            }
            SchedulerError::Zero => {
                write!(f, "unit, flows, quantum: each must be at least 1")
            }
            SchedulerError::Queues => {
                write!(f, "hashed_queues, bucket_ranks: give 1 to 2^20 of each")
            }
            SchedulerError::Calendar(error) => write!(f, "{error}"),
            SchedulerError::Gearbox(error) => write!(f, "gearbox: {error}"),
            SchedulerError::Ranks(error) => error.fmt(f),
            SchedulerError::Tree(error) => write!(f, "tree: {error}"),
        }
    }
}

impl core::error::Error for SchedulerError {}
