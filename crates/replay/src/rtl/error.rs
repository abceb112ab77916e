//! Why a capture cannot go through the core.

use std::fmt;
use std::path::PathBuf;

use forebay_parameters::ParameterError;

use crate::error::ReplayError;

/// Why a capture cannot go through the core.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RtlError {
    /// There is no checkout with the core's sources.
    NoSources,
    /// The hardware's tools are not there.
    NoTools {
        /// Where they were looked for.
        folder: PathBuf,
    },
    /// The model cannot be built; what the tools said.
    Build(String),
    /// The model does not run, or says what nobody understands.
    Broken(String),
    /// It was stopped before the model ran.
    Stopped,
    /// A parameter of the core that does not fit.
    Parameter(ParameterError),
    /// A rank function instead of a rule: the core is told a number with each packet.
    NoRule,
    /// No packet of the capture has a port.
    NoPackets,
    /// What is wrong with a file.
    File(ReplayError),
}

impl RtlError {
    /// The parameter at fault; none if none is.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        match self {
            RtlError::Parameter(error) => Some(error.name()),
            RtlError::NoRule => Some("rank"),
            RtlError::File(error) => error.parameter(),
            RtlError::NoSources
            | RtlError::NoTools { .. }
            | RtlError::Build(_)
            | RtlError::Broken(_)
            | RtlError::Stopped
            | RtlError::NoPackets => None,
        }
    }
}

impl fmt::Display for RtlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RtlError::NoSources => f.write_str(
                "the sources of rtl/tm are not here: run this in a checkout of the repository",
            ),
            RtlError::NoTools { folder } => write!(
                f,
                "the hardware's tools are not in {}: make rtl-lint CORE=tm installs them in a \
                 checkout",
                folder.display()
            ),
            RtlError::Build(said) => write!(f, "the model of rtl/tm cannot be built: {said}"),
            RtlError::Broken(said) => write!(f, "the model of rtl/tm does not run: {said}"),
            RtlError::Stopped => f.write_str("it was stopped before the model of rtl/tm ran"),
            RtlError::Parameter(error) => error.fmt(f),
            RtlError::NoRule => f.write_str(
                "the core is told a number with each packet: give a rule over header fields, as \
                 63 - dscp, and not the name of a rank function",
            ),
            RtlError::NoPackets => {
                f.write_str("no packet of the capture has a port: give a route for its addresses")
            }
            RtlError::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RtlError {}

impl From<ParameterError> for RtlError {
    fn from(error: ParameterError) -> Self {
        RtlError::Parameter(error)
    }
}
