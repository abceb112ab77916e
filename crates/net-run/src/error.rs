//! Errors of a run. Each message names the parameter or the file, and the fix.

use std::fmt;
use std::path::Path;

use forebay_files::SameFile;
use forebay_net::transport::ConfigError;
use forebay_parameters::ParameterError;

/// Why a network cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetRunError {
    /// A parameter is invalid; it is called as the command's option: `delayed-ack`.
    Parameter(ParameterError),
    /// A file is invalid, or the parts do not fit together; the text names the place.
    Input(String),
    /// A file cannot be written.
    Write {
        /// The path of the file.
        name: String,
        /// The system's reason.
        reason: String,
    },
}

impl NetRunError {
    pub(crate) fn parameter(name: &str, problem: impl fmt::Display) -> Self {
        NetRunError::Parameter(ParameterError::value(name, problem))
    }

    /// A transport cannot work.
    pub(crate) fn transport(error: &ConfigError) -> Self {
        let name = error.parameter().replace('_', "-");
        match error {
            ConfigError::Parameter(own) => NetRunError::Parameter(own.clone().renamed(name)),
            other => NetRunError::parameter(&name, other),
        }
    }

    pub(crate) fn unwritten(path: &Path, error: &std::io::Error) -> Self {
        NetRunError::Write { name: path.display().to_string(), reason: error.to_string() }
    }
}

/// An output that is also an input, or another output.
impl From<SameFile> for NetRunError {
    fn from(SameFile { parameter, problem }: SameFile) -> Self {
        NetRunError::parameter(parameter, problem)
    }
}

impl fmt::Display for NetRunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetRunError::Parameter(error) => error.fmt(f),
            NetRunError::Input(problem) => f.write_str(problem),
            NetRunError::Write { name, reason } => write!(f, "cannot write {name}: {reason}"),
        }
    }
}

impl std::error::Error for NetRunError {}
