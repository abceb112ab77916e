//! Why a switch cannot be built.

use alloc::format;
use alloc::string::String;
use core::fmt;

use forebay_buffer::onchip::TooSlow;
use forebay_parameters::{ParameterError, UnknownName, grouped};
use forebay_units::Bytes;

/// Why a switch cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchBuildError {
    /// No switch has this name.
    Unknown(UnknownName),
    /// More ports than a switch can have.
    TooManyPorts,
    /// More memory than there is, before the first packet arrives.
    Memory {
        /// How many ports there are.
        ports: usize,
        /// About what they need.
        needed: Bytes,
    },
    /// The memory ran out at a port.
    PortMemory {
        /// How many ports there are.
        ports: usize,
        /// How many of them there was memory for.
        built: usize,
    },
    /// Ports that are too slow for the buffer they share.
    TooSlow(TooSlow),
    /// A parameter that does not fit, called as [`SwitchConfig`](crate::SwitchConfig) shows it;
    /// those of the HBM are `hbm.…`, those of a rank function `rank.…`, those of a port's scheduler
    /// `scheduler.…`. Nothing is blamed that follows from other parameters.
    Parameter(ParameterError),
    /// Packets so large that no buffer of a usual size holds them, or no row of the HBM.
    Packet {
        /// Bytes of the largest packet.
        largest: u32,
        /// The largest that there is room for.
        room: Bytes,
    },
    /// Packets were given a rank, and the switch of this name does not read it.
    NotRanked(String),
}

impl fmt::Display for SwitchBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SwitchBuildError::Unknown(error) => error.fmt(f),
            SwitchBuildError::TooManyPorts => {
                f.write_str("a switch has at most 65,535 ports; split it")
            }
            SwitchBuildError::Memory { ports, needed } => write!(
                f,
                "a switch of {} ports needs about {needed} of memory before the first packet \
                 arrives, more than there is: give fewer ports or smaller buffers",
                grouped(*ports as u64)
            ),
            SwitchBuildError::PortMemory { ports, built } => write!(
                f,
                "there is memory for about {} of the {} ports: give fewer ports, or a switch that \
                 keeps less at each",
                grouped(*built as u64),
                grouped(*ports as u64)
            ),
            SwitchBuildError::TooSlow(error) => {
                write!(f, "{error}; give at least {}", error.least())
            }
            SwitchBuildError::Parameter(error) => error.fmt(f),
            SwitchBuildError::Packet { largest, room } => {
                let largest = Bytes::new((*largest).into());
                write!(
                    f,
                    "the largest packet is {largest}, but there is room only for one of {room}: \
                     give smaller packets or more room"
                )
            }
            SwitchBuildError::NotRanked(name) => write!(
                f,
                "switch {name} does not take a rank: use pifo, occamy-rank or a hybrid one such as \
                 themis"
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

impl From<ParameterError> for SwitchBuildError {
    fn from(error: ParameterError) -> Self {
        SwitchBuildError::Parameter(error)
    }
}

/// The error of a rank function, among the parameters of a switch.
pub(crate) fn of_rank(error: ParameterError) -> SwitchBuildError {
    let name = format!("rank.{}", error.name());
    SwitchBuildError::Parameter(error.renamed(name))
}
