//! Files with rates that change: those of mahimahi, and those of rattan (netem-trace). Which of
//! them it is, the content says: rattan's are JSON.
//!
//! O(length of the file); at most [`MOST_BYTES`] are read.

mod mahimahi;
mod rattan;

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use forebay_units::printable;

use crate::link::{Pace, PaceError};

/// The largest file that is read.
pub const MOST_BYTES: u64 = 64 << 20;

/// Why a file gives no pace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// It cannot be read: the system's reason.
    Unreadable(String),
    /// It is larger than [`MOST_BYTES`].
    TooLarge,
    /// A line of mahimahi's is no time in milliseconds.
    Line {
        /// Which one, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// It is no JSON, or no trace of rattan's: what is wrong, and where.
    Rattan(String),
    /// What it says cannot be a pace.
    Pace(PaceError),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Unreadable(reason) => write!(f, "it cannot be read: {reason}"),
            TraceError::TooLarge => {
                write!(
                    f,
                    "it is larger than {} MiB: give a shorter one, it repeats",
                    MOST_BYTES >> 20
                )
            }
            TraceError::Line { line, text } => {
                write!(
                    f,
                    "line {line}: `{}` is not a whole number of milliseconds, as mahimahi's \
                     traces have",
                    printable(text)
                )
            }
            TraceError::Rattan(problem) => write!(f, "{}", printable(problem)),
            TraceError::Pace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TraceError {}

impl From<PaceError> for TraceError {
    fn from(error: PaceError) -> Self {
        TraceError::Pace(error)
    }
}

/// The pace that a file gives.
///
/// # Errors
/// A [`TraceError`] with the place and the fix.
pub fn open(path: &Path) -> Result<Pace, TraceError> {
    let unreadable = |error: std::io::Error| {
        TraceError::Unreadable(match error.kind() {
            ErrorKind::InvalidData => "it is not text (UTF-8)".to_owned(),
            _ => error.to_string(),
        })
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(TraceError::TooLarge);
    }
    read(&text)
}

/// The pace that a text gives.
///
/// ```
/// use forebay_dataplane::trace::read;
/// use forebay_units::Rate;
///
/// // One packet a millisecond.
/// assert_eq!(read("1\n")?.mean(), Rate::from_bps(12_000_000));
/// # Ok::<(), forebay_dataplane::trace::TraceError>(())
/// ```
///
/// # Errors
/// A [`TraceError`] with the place and the fix.
pub fn read(text: &str) -> Result<Pace, TraceError> {
    if text.trim_start().starts_with('{') { rattan::read(text) } else { mahimahi::read(text) }
}
