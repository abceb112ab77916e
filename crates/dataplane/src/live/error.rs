//! What can go wrong with a live link: the step that failed, and the system's reason.

use std::fmt;
use std::io;

use forebay_switch::SwitchBuildError;

use super::line::Backend;

/// Why a link is not there, or is no more.
#[derive(Debug)]
pub enum LiveError {
    /// The switch of a direction cannot be built.
    Switch(SwitchBuildError),
    /// Namespaces may not be made.
    NotAllowed,
    /// All of 100.64.0.0/10 is in use.
    NoAddress,
    /// A command cannot be started.
    Start {
        /// The program, as it was given.
        program: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// An interface cannot be a port.
    Port {
        /// Its name.
        name: String,
        /// Why, and what would do.
        problem: String,
    },
    /// There is no AF_XDP socket to be had; packet sockets may be.
    NoXdp(io::Error),
    /// The system refused a step of the set-up.
    Failed {
        /// What was to be done.
        step: &'static str,
        /// The system's reason.
        reason: io::Error,
    },
}

impl LiveError {
    /// That this step failed, for errors of the system.
    pub(super) fn at(step: &'static str) -> impl Fn(io::Error) -> LiveError {
        move |reason| LiveError::Failed { step, reason }
    }

    /// That a socket of `backend` cannot be opened, for errors of the system.
    pub(super) fn socket(backend: Backend) -> impl Fn(io::Error) -> LiveError {
        move |reason| match backend {
            Backend::Packet => LiveError::at("open a packet socket")(reason),
            Backend::Xdp => LiveError::NoXdp(reason),
        }
    }
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveError::Switch(error) => error.fmt(f),
            LiveError::NotAllowed => f.write_str(
                "a link needs a network namespace, which this kernel lets only root make \
                 (CAP_NET_ADMIN and CAP_SYS_ADMIN): run it with sudo",
            ),
            LiveError::NoAddress => f.write_str(
                "every network of 100.64.0.0/10 is in use here: remove an interface \
                             that has one",
            ),
            LiveError::Start { program, reason } => write!(f, "cannot start {program}: {reason}"),
            LiveError::Port { name, problem } => write!(f, "the port {name}: {problem}"),
            LiveError::NoXdp(reason) => {
                write!(f, "cannot open an AF_XDP socket: {reason}; a packet socket may do")
            }
            LiveError::Failed { step, reason } => write!(f, "cannot {step}: {reason}"),
        }
    }
}

impl std::error::Error for LiveError {}

impl From<SwitchBuildError> for LiveError {
    fn from(error: SwitchBuildError) -> Self {
        LiveError::Switch(error)
    }
}
