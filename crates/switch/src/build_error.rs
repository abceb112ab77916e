//! Why a switch cannot be built.

use alloc::string::String;
use core::fmt;

use forebay_buffer::onchip::BuildError;
use forebay_sched::UnknownRankFunction;
use forebay_sched::port::PortSchedulerError;
use forebay_sched::scheduler::SchedulerError;

use crate::config::switches;
use crate::manager::ManagerError;

/// Why a switch cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchBuildError {
    /// No switch has this name.
    Unknown(String),
    /// No ports share a pool.
    NoPortsPerPool,
    /// More ports than a switch can have.
    TooManyPorts,
    /// The on-chip buffer.
    OnChip(BuildError),
    /// The hybrid buffer.
    Hybrid(ManagerError),
    /// The scheduler of a port that chooses among queues.
    Scheduler(PortSchedulerError),
    /// The scheduler of a port that holds the packets.
    PacketScheduler(SchedulerError),
    /// The rank function.
    RankFunction(UnknownRankFunction),
}

impl fmt::Display for SwitchBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SwitchBuildError::Unknown(name) => {
                write!(f, "there is no switch \"{name}\"; use one of")?;
                for (index, info) in switches().iter().enumerate() {
                    write!(f, "{} {}", if index == 0 { "" } else { "," }, info.name)?;
                }
                Ok(())
            }
            SwitchBuildError::NoPortsPerPool => {
                f.write_str("ports_per_pool is 0; at least one port has a pool")
            }
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

impl From<BuildError> for SwitchBuildError {
    fn from(error: BuildError) -> Self {
        SwitchBuildError::OnChip(error)
    }
}

impl From<ManagerError> for SwitchBuildError {
    fn from(error: ManagerError) -> Self {
        SwitchBuildError::Hybrid(error)
    }
}

impl From<PortSchedulerError> for SwitchBuildError {
    fn from(error: PortSchedulerError) -> Self {
        SwitchBuildError::Scheduler(error)
    }
}

impl From<UnknownRankFunction> for SwitchBuildError {
    fn from(error: UnknownRankFunction) -> Self {
        SwitchBuildError::RankFunction(error)
    }
}

impl From<SchedulerError> for SwitchBuildError {
    fn from(error: SchedulerError) -> Self {
        SwitchBuildError::PacketScheduler(error)
    }
}
