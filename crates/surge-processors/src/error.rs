//! Errors in a processor's configuration.

use thiserror::Error;

/// An impossible configuration; each error names the parameter and the fix.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessorError {
    /// A limit is zero.
    #[error("{0} is 0; give it at least 1")]
    Zero(&'static str),
    /// There is nothing to process.
    #[error("{0} has no packet for this processor; give a capture with whole payloads")]
    NoWork(&'static str),
    /// No rule has an expression.
    #[error(
        "no rule has a pcre, so no payload makes the matcher backtrack and there is nothing to \
         attack; give rules with a pcre"
    )]
    NoExpression,
    /// No rule with an expression can be reached by the traffic.
    #[error(
        "no rule with a pcre applies to the capture's TCP connections; give rules for their ports"
    )]
    NotReached,
}
