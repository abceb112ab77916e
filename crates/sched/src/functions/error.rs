//! Why a rank function cannot be had.

use core::fmt;

use forebay_parameters::{ParameterError, UnknownName};

/// Why a rank function cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankFunctionError {
    /// No rank function has this name.
    Unknown(UnknownName),
    /// A parameter does not fit.
    Config(ParameterError),
}

impl fmt::Display for RankFunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RankFunctionError::Unknown(error) => error.fmt(f),
            RankFunctionError::Config(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for RankFunctionError {}
