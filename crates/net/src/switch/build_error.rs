//! Why a switch cannot be built.

use alloc::string::String;
use core::fmt;

use forebay_buffer::onchip::BuildError;
use forebay_sched::UnknownRankFunction;
use forebay_sched::port::PortSchedulerError;
use forebay_sched::scheduler::SchedulerError;
use forebay_switch::SwitchError;
use forebay_units::Bytes;

use super::config::switches;
use crate::network::NetworkError;

/// Why a switch cannot be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SwitchBuildError {
    /// No switch has this name.
    Unknown(String),
    /// No ports share a pool.
    NoPortsPerPool,
    /// More ports than a switch can have.
    TooManyPorts,
    /// Its buffer cannot hold one of the hosts' packets.
    Packet {
        /// The payload of the hosts' largest packet.
        mss: Bytes,
        /// Its headers, in bytes.
        headers: u32,
        /// What does not hold it.
        place: &'static str,
    },
    /// The network around it.
    Network(NetworkError),
    /// The on-chip buffer.
    OnChip(BuildError),
    /// The hybrid buffer.
    Hybrid(SwitchError),
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
            SwitchBuildError::Packet { mss, headers, place } => write!(
                f,
                "an mss of {mss} with {headers} bytes of headers makes packets that {place} cannot hold: \
                 choose a smaller mss or a larger buffer"
            ),
            SwitchBuildError::Network(error) => error.fmt(f),
            SwitchBuildError::OnChip(error) => error.fmt(f),
            SwitchBuildError::Hybrid(error) => error.fmt(f),
            SwitchBuildError::Scheduler(error) => error.fmt(f),
            SwitchBuildError::PacketScheduler(error) => error.fmt(f),
            SwitchBuildError::RankFunction(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SwitchBuildError {}

impl SwitchBuildError {
    /// Names the hosts' packets, where these are what does not fit.
    pub(super) fn of_packets(self, mss: Bytes, headers: u32) -> Self {
        let parameter = match &self {
            SwitchBuildError::OnChip(BuildError::Config(error)) => error.parameter,
            SwitchBuildError::Hybrid(SwitchError::Parameter { parameter, .. }) => parameter,
            _ => "",
        };
        let place = match (parameter, &self) {
            ("largest_packet", SwitchBuildError::OnChip(_)) => "the shared buffer",
            ("largest_packet", _) => "a row of the HBM over all channels",
            ("staging", _) => "the staging buffer in front of the HBM",
            _ => return self,
        };
        SwitchBuildError::Packet { mss, headers, place }
    }
}

impl From<BuildError> for SwitchBuildError {
    fn from(error: BuildError) -> Self {
        SwitchBuildError::OnChip(error)
    }
}

impl From<SwitchError> for SwitchBuildError {
    fn from(error: SwitchError) -> Self {
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
