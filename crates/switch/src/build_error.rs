//! Why a switch cannot be built.

use alloc::format;
use alloc::string::String;
use core::fmt;

use forebay_parameters::{ParameterError, UnknownName};

/// Why a switch cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchBuildError {
    /// No switch has this name.
    Unknown(UnknownName),
    /// More ports than a switch can have.
    TooManyPorts,
    /// A parameter that does not fit; those of the HBM are called `hbm.…`, those of a rank function `rank.…`.
    Parameter(ParameterError),
    /// Packets were given a rank, and the switch of this name does not read it.
    NotRanked(String),
}

impl fmt::Display for SwitchBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SwitchBuildError::Unknown(error) => error.fmt(f),
            SwitchBuildError::TooManyPorts => {
                f.write_str("a switch has at most 65535 ports; split it")
            }
            SwitchBuildError::Parameter(error) => error.fmt(f),
            SwitchBuildError::NotRanked(name) => write!(
                f,
                "switch {name} does not take a rank: use pifo, occamy-rank or a hybrid one such as themis"
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
