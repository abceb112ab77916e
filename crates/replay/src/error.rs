//! What can be wrong with a replay. Each message names the parameter or the file, and the fix.

use std::fmt;
use std::path::Path;

use forebay_files::SameFile;
use forebay_parameters::ParameterError;
use forebay_switch::{SwitchBuildError, SwitchConfig};

use crate::plan::{MOST_LOAD, Pace};
use crate::routes::Route;

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
        /// The port that the route names.
        port: u16,
        /// How many there are.
        ports: usize,
    },
    /// A speed or a load that is not above zero.
    Pace(Pace),
    /// All packets have one time, so that they have no rate to be scaled.
    NoDuration {
        /// How many there are.
        packets: usize,
    },
    /// The replay would take longer than time can be counted.
    TooLong {
        /// How fast it was to be.
        pace: Pace,
        /// The least of its kind that would do.
        least: f64,
    },
    /// The switch has no queues by class.
    NoClasses,
    /// More queues by class than a port can have, or none.
    Classes(u16),
    /// There are queues by class, and no rule that gives packets classes.
    NoClass,
    /// Nothing reads the class that a rule gives packets.
    ClassUnread,
    /// The switch marks packets, and none of the capture understands that.
    Unmarkable,
    /// Two routes have one prefix.
    TwoRoutes(Route),
    /// The switch cannot be built; the parameter is one of the options that describe it.
    Switch(ParameterError),
    /// A file that is to be written is the capture, or another file of the replay.
    SameFile(SameFile),
    /// A file cannot be written.
    Write {
        /// The file, as it was named.
        name: String,
        /// The system's reason.
        reason: String,
    },
    /// The capture cannot be read again.
    Reread {
        /// The capture, as it was named.
        name: String,
        /// The system's reason.
        reason: String,
    },
}

impl ReplayError {
    /// Why the switch cannot be built.
    pub(crate) fn of_switch(switch: &SwitchConfig, error: &SwitchBuildError) -> Self {
        let ports = match error {
            SwitchBuildError::Memory { .. }
            | SwitchBuildError::PortMemory { .. }
            | SwitchBuildError::TooManyPorts => "ports",
            SwitchBuildError::Unknown(_)
            | SwitchBuildError::TooSlow(_)
            | SwitchBuildError::Parameter(_)
            | SwitchBuildError::Packet { .. }
            | SwitchBuildError::NotRanked(_) => "rate",
        };
        ReplayError::Switch(switch.refuse(error, ports))
    }

    pub(crate) fn unwritten(path: &Path, error: &std::io::Error) -> Self {
        ReplayError::Write { name: path.display().to_string(), reason: error.to_string() }
    }
}

impl From<SameFile> for ReplayError {
    fn from(error: SameFile) -> Self {
        ReplayError::SameFile(error)
    }
}

impl ReplayError {
    /// The parameter at fault, as the command's option is called; none if a file is.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        match self {
            ReplayError::NoPorts | ReplayError::NoRate(_) => Some("rate"),
            ReplayError::NoSuchPort { .. } | ReplayError::TwoRoutes(_) => Some("route"),
            ReplayError::Pace(pace) | ReplayError::TooLong { pace, .. } => Some(pace.name()),
            ReplayError::NoDuration { .. } => Some("load"),
            ReplayError::NoClasses | ReplayError::Classes(_) | ReplayError::NoClass => {
                Some("classes")
            }
            ReplayError::ClassUnread => Some("class"),
            ReplayError::Unmarkable => Some("mark"),
            ReplayError::Switch(error) => Some(error.name()),
            ReplayError::SameFile(error) => Some(error.parameter),
            ReplayError::Write { .. } | ReplayError::Reread { .. } => None,
        }
    }

    /// What is wrong, without the parameter's name.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            ReplayError::NoPorts => "a switch has between 1 and 65,535 ports".to_owned(),
            ReplayError::NoRate(port) => format!("port {port} must have a rate above zero"),
            ReplayError::NoSuchPort { port, ports } => {
                format!("a route leads to port {port}, but the last port is {}", ports - 1)
            }
            ReplayError::Pace(Pace::Load(load)) => format!(
                "a load of {} is no fraction of what the ports can send: give one above 0 and up \
                 to {MOST_LOAD}, as 0.9 for 90 %",
                short(*load)
            ),
            ReplayError::Pace(Pace::Speed(factor)) => format!(
                "time cannot be scaled by {}: give a number above 0, up to 10^12",
                short(*factor)
            ),
            ReplayError::NoDuration { packets } => format!(
                "the capture's {packets} packets all have the same time stamp, so a load cannot be \
                 set: give a speed instead"
            ),
            ReplayError::TooLong { pace, least } => format!(
                "the replay would last longer than can be simulated, 106 days: give a {} of at \
                 least {}, or cut the capture, as Wireshark's `editcap -A START -B STOP IN \
                 OUT` does",
                pace.name(),
                short(*least)
            ),
            ReplayError::NoClasses => {
                "only on-chip buffers have a queue for each class: use occamy, dt or another of \
                 them"
                    .to_owned()
            }
            ReplayError::Classes(classes) => {
                format!("a port can have 1 to 256 queues by class, not {classes}")
            }
            ReplayError::NoClass => {
                "without a rule for classes every packet has class 0: give one, or leave this \
                 out"
                .to_owned()
            }
            ReplayError::ClassUnread => {
                "nothing here reads the class of a packet: leave it out, or give an on-chip buffer \
                 several classes, or a switch or a rank that orders by class, such as \
                 strict-priority"
                    .to_owned()
            }
            ReplayError::Unmarkable => {
                "no packet of the capture understands marks (ECN): leave it out".to_owned()
            }
            ReplayError::TwoRoutes(route) => {
                format!("the prefix {} has two routes: leave out one", route.prefix())
            }
            ReplayError::Switch(error) => error.sentence(),
            ReplayError::SameFile(error) => error.problem.clone(),
            ReplayError::Write { name, reason } => format!("cannot write {name}: {reason}"),
            ReplayError::Reread { name, reason } => {
                format!(
                    "cannot read {name} a second time: {reason}; do not change it during a \
                         replay"
                )
            }
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parameter) = self.parameter() {
            write!(f, "{parameter}: ")?;
        }
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for ReplayError {}

/// A number as it was given, unless that has many digits.
fn short(number: f64) -> String {
    match number.abs() {
        1e6.. => format!("{number:e}"),
        least if least > 0.0 && least < 1e-4 => format!("{number:e}"),
        _ => number.to_string(),
    }
}
