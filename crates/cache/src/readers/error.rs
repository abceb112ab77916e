//! What is wrong with a trace, and where.

use forebay_units::{Bytes, Printable, printable};
use thiserror::Error;

/// The longest line that is read, in bytes.
pub(super) const MAX_LINE_BYTES: u64 = 64 * 1024;

/// A piece of a trace as errors quote it.
pub(super) fn quoted(text: &str) -> Printable<'_> {
    const SHOWN: usize = 40;
    printable(text).at_most(SHOWN)
}

/// Why a trace cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}, {position}: {problem}", printable(.name))]
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
    /// A packet of a capture in the order of time, from 1.
    #[error("packet {0} in the order of time")]
    Packet(u64),
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

impl Field {
    /// What a field of this kind has to say.
    pub(super) fn wants(self) -> &'static str {
        match self {
            Field::Time => "give a number, of seconds or of the trace's unit",
            Field::Object => "give an id",
            Field::Size => "give a whole number of bytes, without a unit",
            Field::Origin => "give the number of an origin, from 0",
        }
    }
}

/// What a text is that should be a number.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mistake {
    /// A number below 0.
    #[error("negative: give 0 or more")]
    Negative,
    /// A number with decimals where none can be.
    #[error("a fraction: give a whole number")]
    Fraction,
    /// A number above this.
    #[error("too large: give at most {0}")]
    TooLarge(String),
    /// A number with an exponent, or without digits before its point.
    #[error("not in plain digits: write 1000 for 1e3, and 0.5 for .5")]
    Notation,
    /// No number; what to give.
    #[error("no number: {0}")]
    NotOne(&'static str),
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
    /// Text with a character that is none of a text.
    #[error("the text has the control character {}: remove it", .0.escape_default())]
    Control(char),
    /// A line that is no text.
    #[error("the line is not UTF-8 text: convert it, or name the format that it is in")]
    NotText,
    /// The system says no.
    #[error("cannot be read ({0})")]
    Unreadable(String),
    /// A line without end.
    #[error("the line is longer than {}: is this a text file?", Bytes::new(MAX_LINE_BYTES))]
    LongLine,
    /// The header lacks a column.
    #[error(
        "there is no column \"{}\" for the {field}; there is {found}: name one of these, or give \
         its number", quoted(.name)
    )]
    NoColumn {
        /// What it is for.
        field: Field,
        /// The name that nothing has.
        name: String,
        /// The columns that are there, each in quotation marks.
        found: String,
    },
    /// Two columns have the name that is asked for.
    #[error(
        "columns {first} and {second} are both called \"{}\": rename one, or give the number of \
         the {field}'s", quoted(.name)
    )]
    SameName {
        /// What it is for.
        field: Field,
        /// The name that both have.
        name: String,
        /// The place of one, from 1.
        first: usize,
        /// The place of the next.
        second: usize,
    },
    /// A column is named where there are no names.
    #[error(
        "column \"{}\" is named, which only a header tells: give its number, or a file with a \
         header", quoted(.0)
    )]
    NoHeader(String),
    /// A header and nothing below it.
    #[error("it is a header, and no rows follow: give a trace with requests")]
    NoRows,
    /// A first line without a number.
    #[error("the line has no number: say whether it is a header, \"yes\" or \"no\"")]
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
    /// A line that repeats the header, as where files were put one after the other.
    #[error("the line repeats the header of line {0}: remove it")]
    HeaderAgain(u64),
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
        "the line has several columns, where each is a time step with an id: correct it, or read \
         all as text with columns, by kind \"csv\" and the number of the object's"
    )]
    NotAStep,
    /// A line that looks like a comment where time steps are.
    #[error("the line begins with #, as a comment, but is a time step here: remove it, or the #")]
    Comment,
    /// Time steps with and without stamps.
    #[error("some lines have a time before the id, others do not: write them all alike")]
    Unlike,
    /// A field is not the number that it should be.
    #[error("{field} is \"{}\", which is {mistake}", quoted(.text))]
    NotANumber {
        /// Which.
        field: Field,
        /// What it says.
        text: String,
        /// What that is.
        mistake: Mistake,
    },
    /// A field says nothing.
    #[error("column {column} is empty, which tells the {field}: fill it, or remove the line")]
    Empty {
        /// Which.
        field: Field,
        /// Its column, from 1.
        column: usize,
    },
    /// A time that ranks cannot compare with.
    #[error(
        "the request is more than 106 days after the first: check the unit of time, or cut the \
         trace"
    )]
    TooLate,
    /// The same of a packet, whose unit of time is known.
    #[error(
        "it is more than 106 days after the first: cut the capture, as Wireshark's `editcap -A \
         START -B STOP IN OUT` does"
    )]
    PacketTooLate,
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
