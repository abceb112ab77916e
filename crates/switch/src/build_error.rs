//! Why a switch cannot be built.

use alloc::string::String;
use core::fmt;

use forebay_parameters::{ParameterError, UnknownName};

/// Why a switch cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchBuildError {
    /// No switch has this name.
    Unknown(UnknownName),
    /// No ports share a pool.
    NoPortsPerPool,
    /// More ports than a switch can have.
    TooManyPorts,
    /// The on-chip buffer.
    OnChip(ParameterError),
    /// The hybrid buffer.
    Hybrid(ParameterError),
    /// The scheduler of a port that chooses among queues.
    Scheduler(ParameterError),
    /// The scheduler of a port that holds the packets.
    PacketScheduler(ParameterError),
    /// The rank function.
    RankFunction(ParameterError),
    /// Packets were given a rank, and the switch of this name does not read it.
    NotRanked(String),
}

impl fmt::Display for SwitchBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SwitchBuildError::Unknown(error) => error.fmt(f),
            SwitchBuildError::NoPortsPerPool => {
                f.write_str("ports_per_pool is 0; at least one port has a pool")
            }
            SwitchBuildError::TooManyPorts => {
                f.write_str("a switch has at most 65535 ports; split it")
            }
            SwitchBuildError::OnChip(error)
            | SwitchBuildError::Hybrid(error)
            | SwitchBuildError::Scheduler(error)
            | SwitchBuildError::PacketScheduler(error)
            | SwitchBuildError::RankFunction(error) => error.fmt(f),
            SwitchBuildError::NotRanked(name) => write!(
                f,
                "switch {name} does not order by rank: use pifo, sff, occamy-rank or a hybrid one such as themis"
            ),
        }
    }
}

impl core::error::Error for SwitchBuildError {}

impl From<UnknownName> for SwitchBuildError {
    fn from(error: UnknownName) -> Self {
        SwitchBuildError::Unknown(error)
    }
}
