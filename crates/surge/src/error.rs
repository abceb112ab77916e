//! What can be wrong with a configuration.

use core::fmt;

use forebay_parameters::{ParameterError, UnknownName};

/// A configuration that cannot be; each names the parameter and the fix.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SurgeError {
    /// No policy has this name.
    UnknownPolicy(UnknownName),
    /// A parameter of the policy does not fit.
    Parameter(ParameterError),
    /// A parameter is zero.
    Zero(&'static str),
    /// A parameter is too large.
    TooLarge {
        /// The parameter, as configurations name it.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The most it may be.
        most: u64,
    },
    /// A probability, weight or factor is not a number in its range.
    OutOfRange {
        /// The parameter, as configurations name it.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A list that has to have something in it is empty.
    Empty(&'static str),
}

impl fmt::Display for SurgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SurgeError::UnknownPolicy(error) => error.fmt(f),
            SurgeError::Parameter(error) => error.fmt(f),
            SurgeError::Zero(name) => write!(f, "{name} is 0; give it at least 1"),
            SurgeError::TooLarge { name, value, most } => {
                write!(f, "{name} is {value}; give it at most {most}")
            }
            SurgeError::OutOfRange { name, value, range } => {
                write!(f, "{name} is {value}; give it a number in {range}")
            }
            SurgeError::Empty(name) => write!(f, "{name} is empty; give it at least one entry"),
        }
    }
}

impl core::error::Error for SurgeError {}

impl From<UnknownName> for SurgeError {
    fn from(error: UnknownName) -> Self {
        SurgeError::UnknownPolicy(error)
    }
}

impl From<ParameterError> for SurgeError {
    fn from(error: ParameterError) -> Self {
        SurgeError::Parameter(error)
    }
}
