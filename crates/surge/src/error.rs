//! What can be wrong with a configuration.

use thiserror::Error;

use crate::policies::POLICIES;

/// A configuration that cannot be; each names the parameter and the fix.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SurgeError {
    /// No policy has this name.
    #[error("there is no policy \"{0}\"; use one of {names}", names = names())]
    UnknownPolicy(String),
    /// A parameter is zero.
    #[error("{0} is 0; give it at least 1")]
    Zero(&'static str),
    /// A parameter is too large.
    #[error("{name} is {value}; give it at most {most}")]
    TooLarge {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The most it may be.
        most: u64,
    },
    /// A probability, weight or factor is not a number in its range.
    #[error("{name} is {value}; give it a number in {range}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A list that has to have something in it is empty.
    #[error("{0} is empty; give it at least one entry")]
    Empty(&'static str),
}

fn names() -> String {
    POLICIES.iter().map(|info| info.name).collect::<Vec<_>>().join(", ")
}
