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
    /// A unit of virtual time without bytes or weight.
    Unit,
    /// No flows with state of their own, or too many.
    Flows,
    /// A quantum of zero.
    Quantum,
    /// Too few or too many hashed queues or bucket ranks.
    Queues,
    /// The calendar cannot be built.
    Calendar(CalendarError),
    /// The Gearbox cannot be built.
    Gearbox(GearboxError),
    /// A rank function that delays packets, over buckets: a packet that may leave would wait behind one of its
    /// bucket that may not.
    DelayInBuckets(String),
    /// The rank function cannot be made.
    Ranks(RankFunctionError),
    /// The tree cannot be built.
    Tree(TreeError),
    /// The queues of the tree cannot be built.
    TreeQueues,
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
            BuildError::Queue { .. } => SchedulerError::TreeQueues,
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
            SchedulerError::Unit => {
                write!(f, "unit: give it at least 1 byte and a total weight of at least 1")
            }
            SchedulerError::Flows => write!(f, "flows: give 1 to 2^26 of them"),
            SchedulerError::Quantum => write!(f, "quantum: give at least 1 byte"),
            SchedulerError::Queues => {
                write!(f, "hashed_queues, bucket_ranks: give 1 to 2^20 of each")
            }
            SchedulerError::Calendar(error) => write!(f, "{error}"),
            SchedulerError::Gearbox(error) => write!(f, "gearbox: {error}"),
            SchedulerError::DelayInBuckets(name) => {
                write!(f, "quantizer: \"{name}\" delays packets, which buckets cannot; give none")
            }
            SchedulerError::Ranks(error) => error.fmt(f),
            SchedulerError::Tree(error) => write!(f, "tree: {error}"),
            SchedulerError::TreeQueues => {
                write!(f, "tree: so many nodes and packets need too many places; give fewer")
            }
        }
    }
}

impl core::error::Error for SchedulerError {}
