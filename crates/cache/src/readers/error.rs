//! What is wrong with a trace, and where.

use thiserror::Error;

/// The longest line that is read, in bytes.
pub(super) const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Why a trace cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}, {position}: {problem}")]
pub struct ReadError {
    /// What the trace is called.
    pub name: String,
    /// Where: a line or a byte, from 1 or 0.
    pub position: Position,
    /// What is wrong there.
    pub problem: Problem,
}

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Position {
    /// A line, from 1.
    #[error("line {0}")]
    Line(u64),
    /// An offset in bytes, from 0.
    #[error("byte {0}")]
    Byte(u64),
}

/// What is wrong in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The system says no.
    #[error("cannot be read ({0})")]
    Unreadable(String),
    /// A line without end.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes: is this a text file?")]
    LongLine,
    /// The header lacks a column.
    #[error("there is no column \"{0}\" in the header: name one of its columns, or give a number")]
    NoColumn(String),
    /// Columns are counted from 1.
    #[error("there is no column 0: count columns from 1")]
    ColumnZero,
    /// A line lacks a column.
    #[error("column {column} is missing: the line has {found}")]
    MissingField {
        /// From 1.
        column: usize,
        /// How many there are.
        found: usize,
    },
    /// A field is not a number.
    #[error("{field} is \"{text}\": give a number that is not negative")]
    NotANumber {
        /// Which.
        field: &'static str,
        /// What it says, cut short.
        text: String,
    },
    /// A time that ranks cannot compare with.
    #[error(
        "the request is more than 106 days after the first: check the unit of time, or cut the trace"
    )]
    TooLate,
    /// A time before that of the first request.
    #[error("the request is earlier than the first: sort the trace by time")]
    BeforeFirst,
    /// The last record is cut off.
    #[error(
        "the last record has {0} bytes instead of 24: the file is cut off, or not oracleGeneral"
    )]
    Truncated(usize),
}

pub(super) use Position::{Byte, Line};
