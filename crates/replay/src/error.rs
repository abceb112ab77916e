//! What can be wrong with a replay. Each message names the parameter or the file, and the fix.

use std::fmt;
use std::path::Path;

use forebay_files::SameFile;
use forebay_switch::SwitchBuildError;

/// Why a capture cannot be replayed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayError {
    /// There is no port.
    NoPorts,
    /// A port has no rate.
    NoRate(usize),
    /// A route leads to a port that does not exist.
    NoSuchPort {
        /// The port.
        port: u16,
        /// How many there are.
        ports: usize,
    },
    /// Time cannot be stretched so.
    Pace(f64),
    /// All packets have one time, so that they have no rate to be scaled.
    NoDuration {
        /// How many there are.
        packets: usize,
    },
    /// The replay would take longer than time can be counted.
    TooLong,
    /// The switch has no queues by class.
    NoClasses,
    /// A port cannot have so many queues by class.
    Classes(u16),
    /// The switch cannot be built.
    Switch(SwitchBuildError),
    /// A file that is to be written is the capture, or another file of the replay.
    SameFile(SameFile),
    /// A file cannot be written.
    Write {
        /// The file.
        name: String,
        /// The system's reason.
        reason: String,
    },
    /// The capture cannot be read again.
    Reread {
        /// The file.
        name: String,
        /// The system's reason.
        reason: String,
    },
}

impl ReplayError {
    pub(crate) fn unwritten(path: &Path, error: &std::io::Error) -> Self {
        ReplayError::Write { name: path.display().to_string(), reason: error.to_string() }
    }
}

impl From<SwitchBuildError> for ReplayError {
    fn from(error: SwitchBuildError) -> Self {
        ReplayError::Switch(error)
    }
}

impl From<SameFile> for ReplayError {
    fn from(error: SameFile) -> Self {
        ReplayError::SameFile(error)
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoPorts => f.write_str("a switch has between 1 and 65535 ports"),
            ReplayError::NoRate(port) => write!(f, "port {port} must have a rate above zero"),
            ReplayError::NoSuchPort { port, ports } => {
                write!(
                    f,
                    "a route leads to port {port}, but there are ports 0 to {} only",
                    ports - 1
                )
            }
            ReplayError::Pace(factor) => {
                write!(f, "time cannot be scaled by {factor}: give a number above zero")
            }
            ReplayError::NoDuration { packets } => write!(
                f,
                "the capture's {packets} packets have one time stamp, so that no load can be offered: give a \
                 speed instead"
            ),
            ReplayError::TooLong => f.write_str(
                "the replay would last beyond simulated time (106 days): give a higher speed",
            ),
            ReplayError::NoClasses => f.write_str(
                "only on-chip buffers have a queue for each class: use occamy, dt or another of them",
            ),
            ReplayError::Classes(classes) => {
                write!(f, "a port has 1 to 256 queues by class, not {classes}")
            }
            ReplayError::Switch(error) => error.fmt(f),
            ReplayError::SameFile(error) => error.fmt(f),
            ReplayError::Write { name, reason } => write!(f, "cannot write {name}: {reason}"),
            ReplayError::Reread { name, reason } => {
                write!(
                    f,
                    "cannot read {name} a second time: {reason}; leave the file alone meanwhile"
                )
            }
        }
    }
}

impl std::error::Error for ReplayError {}
