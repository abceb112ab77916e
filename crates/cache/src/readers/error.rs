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

/// What a column tells of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Field {
    /// When it comes.
    #[error("time")]
    Time,
    /// What is asked for.
    #[error("object")]
    Object,
    /// The object's bytes.
    #[error("size")]
    Size,
    /// Where the object is fetched from.
    #[error("origin")]
    Origin,
}

/// What is wrong in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// Content of a format that is known and not read.
    #[error("it is {what}, which is not read: {fix}")]
    Foreign {
        /// What it is.
        what: &'static str,
        /// What to do.
        fix: &'static str,
    },
    /// Content of no format.
    #[error(
        "it is none of the formats of a trace: text (UTF-8) with columns or a line for each time \
         step, oracleGeneral, pcap or pcapng, each also in gzip or zstd"
    )]
    Unrecognised,
    /// A line that is no text.
    #[error("the line is not UTF-8 text: convert it, or name the format that it is in")]
    NotText,
    /// The system says no.
    #[error("cannot be read ({0})")]
    Unreadable(String),
    /// A line without end.
    #[error("the line is longer than {MAX_LINE_BYTES} bytes: is this a text file?")]
    LongLine,
    /// The header lacks a column.
    #[error(
        "there is no column \"{name}\" for the {field}; there is {found}: name one of these, or \
         give its number"
    )]
    NoColumn {
        /// What it is for.
        field: Field,
        /// The name that nothing has.
        name: String,
        /// The columns that are there, each in quotation marks.
        found: String,
    },
    /// A column is named where there are no names.
    #[error(
        "column \"{0}\" is named, which only a header tells: give its number, or a file with a \
         header"
    )]
    NoHeader(String),
    /// A first line without a number.
    #[error("the line has no number: say whether it is a header")]
    Header,
    /// Columns are counted from 1.
    #[error("there is no column 0: count columns from 1")]
    ColumnZero,
    /// There are not so many columns.
    #[error("column {column} is missing: the line has {found}")]
    MissingField {
        /// From 1.
        column: usize,
        /// How many there are.
        found: usize,
    },
    /// A line with more or fewer columns than the first.
    #[error(
        "the line has {found}, the first {expected}: correct it, or put what holds a delimiter \
         into quotes"
    )]
    Ragged {
        /// Columns of this line.
        found: usize,
        /// Columns of the first.
        expected: usize,
    },
    /// A field that begins with a quote and does not end with one.
    #[error(
        "a quoted field does not end in its line: close the quote, or double it where it is meant"
    )]
    OpenQuote,
    /// Columns where time steps belong.
    #[error(
        "the line has several columns, where each is a time step with an id: read it as text with \
         columns"
    )]
    NotAStep,
    /// Time steps with and without stamps.
    #[error("some lines have a time before the id, others do not: write them all alike")]
    Unlike,
    /// A field is not a number.
    #[error("{field} is \"{text}\": give a number that is not negative")]
    NotANumber {
        /// Which.
        field: Field,
        /// What it says, cut short.
        text: String,
    },
    /// A time that ranks cannot compare with.
    #[error(
        "the request is more than 106 days after the first: check the unit of time, or cut the \
         trace"
    )]
    TooLate,
    /// A time before that of the first request.
    #[error("the request is earlier than the first: sort the trace by time")]
    BeforeFirst,
    /// A record that no writer of the format makes.
    #[error(
        "the object's next request is {0}, which cannot be: the file is damaged, or not \
         oracleGeneral"
    )]
    Next(i64),
    /// The last record is cut off.
    #[error(
        "the last record has {0} bytes instead of 24: the file is cut off, or not oracleGeneral"
    )]
    Truncated(usize),
}

pub(super) use Position::{Byte, Line};
