//! Why a switch cannot be built.

use core::fmt;

use forebay_parameters::{ParameterError, UnknownName};
use forebay_sched::port::PortSchedulerError;
use forebay_sched::scheduler::SchedulerError;

/// Why a switch cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchBuildError {
    /// No switch has this name.
    Unknown(UnknownName),
    /// More ports than a switch can have.
    TooManyPorts,
    /// The on-chip buffer.
    OnChip(ParameterError),
    /// The hybrid buffer.
    Hybrid(ParameterError),
    /// The scheduler of a port that chooses among queues.
    Scheduler(PortSchedulerError),
    /// The scheduler of a port that holds the packets.
    PacketScheduler(SchedulerError),
    /// The rank function.
    RankFunction(ParameterError),
}

impl fmt::Display for SwitchBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SwitchBuildError::Unknown(error) => error.fmt(f),
            SwitchBuildError::TooManyPorts => {
                f.write_str("a switch has at most 65535 ports; split it")
            }
            SwitchBuildError::OnChip(error) => error.fmt(f),
            SwitchBuildError::Hybrid(error) => error.fmt(f),
            SwitchBuildError::Scheduler(error) => error.fmt(f),
            SwitchBuildError::PacketScheduler(error) => error.fmt(f),
            SwitchBuildError::RankFunction(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SwitchBuildError {}

impl From<UnknownName> for SwitchBuildError {
    fn from(error: UnknownName) -> Self {
        SwitchBuildError::Unknown(error)
    }
}

impl From<PortSchedulerError> for SwitchBuildError {
    fn from(error: PortSchedulerError) -> Self {
        SwitchBuildError::Scheduler(error)
    }
}

impl From<SchedulerError> for SwitchBuildError {
    fn from(error: SchedulerError) -> Self {
        SwitchBuildError::PacketScheduler(error)
    }
}
