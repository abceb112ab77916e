//! Errors of a run. Each message names the parameter or the file, and the fix.

use std::fmt;
use std::path::Path;

use forebay_files::SameFile;

/// Why a network cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetRunError {
    /// A parameter is invalid.
    Parameter {
        /// Its name, as in the command's option: `delayed-ack`.
        name: &'static str,
        /// The problem, and the fix.
        problem: String,
    },
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
    pub(crate) fn parameter(name: &'static str, problem: impl fmt::Display) -> Self {
        NetRunError::Parameter { name, problem: problem.to_string() }
    }

    pub(crate) fn unwritten(path: &Path, error: &std::io::Error) -> Self {
        NetRunError::Write { name: path.display().to_string(), reason: error.to_string() }
    }
}

/// An output that is also an input, or another output.
impl From<SameFile> for NetRunError {
    fn from(SameFile { parameter, problem }: SameFile) -> Self {
        NetRunError::Parameter { name: parameter, problem }
    }
}

impl fmt::Display for NetRunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetRunError::Parameter { name, problem } => write!(f, "{name}: {problem}"),
            NetRunError::Input(problem) => f.write_str(problem),
            NetRunError::Write { name, reason } => write!(f, "cannot write {name}: {reason}"),
        }
    }
}

impl std::error::Error for NetRunError {}
