//! Why a text is not a distribution of sizes: the file, the line, the problem and the fix.

use forebay_parameters::{UnknownName, grouped};
use forebay_units::{Bytes, printable};
use thiserror::Error;

use super::MAX_POINTS;

/// A distribution that cannot be read.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DistributionError {
    /// There is no built-in distribution of this name.
    #[error(transparent)]
    UnknownName(UnknownName),
    /// The text is not a distribution.
    #[error("{}, line {line}: {problem}", printable(.name))]
    Malformed {
        /// The file, as the caller named it.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The problem on that line, and the fix.
        problem: Problem,
    },
    /// The text cannot be read.
    #[error("{} cannot be read: {reason}", printable(.name))]
    Unreadable {
        /// The file, as the caller named it.
        name: String,
        /// The system's reason.
        reason: String,
    },
    /// The text is too long to be a distribution.
    #[error(
        "{} is longer than {}: a distribution has at most {} points",
        printable(.name),
        Bytes::new(*.limit),
        grouped(MAX_POINTS as u64)
    )]
    TooLong {
        /// The file, as the caller named it.
        name: String,
        /// The most bytes that are read.
        limit: u64,
    },
}

/// The problem on a line of a distribution.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Problem {
    /// The line does not have two fields.
    #[error("found {0} fields: write size_bytes,cum_prob")]
    Fields(usize),
    /// A field is not a number.
    #[error(
        "{field} is \"{}\", which is not a number: write size_bytes,cum_prob", printable(.text)
    )]
    NotANumber {
        /// The column, as its header names it.
        field: &'static str,
        /// The beginning of what is there.
        text: String,
    },
    /// The header says that sizes are in bits.
    #[error(
        "the column is called \"{}\": write sizes in bytes, an eighth of what they are in bits",
        printable(.0)
    )]
    Bits(String),
    /// A field is infinite, not a number (NaN) or negative.
    #[error("{field} is {value}: write a finite number that is not negative")]
    OutOfRange {
        /// The column, as its header names it.
        field: &'static str,
        /// The value in the file.
        value: f64,
    },
    /// A size is beyond [`MAX_FLOW_BYTES`](super::MAX_FLOW_BYTES).
    #[error("size_bytes is {0}: the largest flow has 1 PiB")]
    HugeSize(f64),
    /// A probability is above 1 but could be a percentage.
    #[error("cum_prob is {0}: it seems to be in percent; divide the column by 100")]
    Percent(f64),
    /// A probability is above 1.
    #[error("cum_prob is {0}: a cumulative probability is at most 1")]
    AboveOne(f64),
    /// Sizes or shares are not in rising order.
    #[error(
        "{field} falls from {before} to {value}: order the points by size, so that both columns \
         rise"
    )]
    Falls {
        /// The column, as its header names it.
        field: &'static str,
        /// The value at the previous point.
        before: f64,
        /// The smaller value that follows it.
        value: f64,
    },
    /// The first probability is not 0.
    #[error("the first cum_prob is {0}: begin with the smallest size at probability 0")]
    FirstNotZero(f64),
    /// The last probability is not 1.
    #[error("the last cum_prob is {0}: end with the largest size at probability 1")]
    LastNotOne(f64),
    /// There are fewer than two points.
    #[error("the file ends after {0} points: a distribution has at least 2")]
    TooFew(usize),
    /// There are more than [`MAX_POINTS`] points.
    #[error("there are more than {MAX_POINTS} points: thin the distribution out")]
    TooMany,
    /// No flow has a byte.
    #[error("the largest size is {0}: at least one flow must have a byte")]
    Empty(f64),
}
