//! Errors in a `config_db.json`: each names the place inside the file as SONiC writes it
//! (`BUFFER_PROFILE|lossless.pool`), says what is wrong in one sentence, and offers the fix.
//!
//! All errors of a file are reported together, up to [`MOST`].

use std::fmt;

use forebay_units::{Bytes, printable};

/// At most this many errors are reported for one file.
pub const MOST: usize = 40;

/// One error in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SonicError {
    /// The file is larger than any real configuration.
    #[error(
        "the file has more than {}; give the configuration of one switch",
        Bytes::new(*.limit as u64)
    )]
    TooLarge {
        /// The largest size that is read, in bytes.
        limit: usize,
    },
    /// The text ends too early.
    #[error(
        "line {line}, column {column}: the text ends inside a value; copy the whole file again"
    )]
    CutOff {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
    },
    /// The text is not JSON.
    #[error("line {line}, column {column}: {problem}: correct it there")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What the parser reports.
        problem: String,
    },
    /// A value of the wrong JSON type.
    #[error(
        "{path}: {found} stands where {expected} belongs; compare it with `show \
         runningconfiguration all`"
    )]
    Shape {
        /// The place, as SONiC writes it: `TABLE|key.field`.
        path: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A field whose text is not of its kind.
    #[error("{path}: `{found}` is not {expected}; write {example}")]
    Value {
        /// The place, as SONiC writes it: `TABLE|key.field`.
        path: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
        /// A value that would be accepted.
        example: &'static str,
    },
    /// A required field is missing.
    #[error("{path}: is missing; {fix}")]
    Missing {
        /// The place, as SONiC writes it: `TABLE|key.field`.
        path: String,
        /// What to write.
        fix: &'static str,
    },
    /// A reference to something that does not exist.
    #[error("{path}: there is no {what} `{name}`; {hint}")]
    Unknown {
        /// The place, as SONiC writes it: `TABLE|key.field`.
        path: String,
        /// The kind of thing.
        what: &'static str,
        /// The name that nothing has.
        name: String,
        /// A likely name, or the names that exist.
        hint: String,
    },
    /// Something is there twice.
    #[error("{path}: {what} is given twice; keep one")]
    Twice {
        /// The place of the second one.
        path: String,
        /// What is duplicated.
        what: String,
    },
    /// Two things that exclude each other, or that leave nothing to share.
    #[error("{path}: {problem}; {fix}")]
    Conflict {
        /// The place, as SONiC writes it: `TABLE|key.field`.
        path: String,
        /// What excludes what.
        problem: &'static str,
        /// What to change.
        fix: &'static str,
    },
    /// More of something than a switch can have.
    #[error(
        "{path}: is one more than the {limit} of its kind that a switch can have; split the file \
         by switch"
    )]
    TooMany {
        /// The place, as SONiC writes it: `TABLE|key.field`.
        path: String,
        /// How many of its kind a switch can have.
        limit: usize,
    },
}

/// All errors of a file, in its order; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SonicErrors(pub Vec<SonicError>);

impl fmt::Display for SonicErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(MOST).enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}{error}")?;
        }
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more; fix these first"),
        }
    }
}

impl std::error::Error for SonicErrors {}

/// A text of the file, prepared for a message: short, on one line.
pub(crate) fn clipped(text: &str) -> String {
    const MOST_CHARS: usize = 60;
    printable(text).at_most(MOST_CHARS).to_string()
}

/// A likely name, or the list of existing ones.
pub(crate) fn hint<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    const MOST_NAMES: usize = 8;
    let wrong = clipped(wrong);
    let names: Vec<String> = known.take(1000).map(clipped).collect();
    let distance = |name: &&String| strsim::damerau_levenshtein(&wrong, name);
    match names.iter().min_by_key(distance) {
        None => "none is defined: add it".to_owned(),
        Some(best) if distance(&best) <= 1 + best.len() / 4 => format!("did you mean `{best}`?"),
        Some(_) if names.len() <= MOST_NAMES => format!("there are: {}", names.join(", ")),
        Some(_) => format!("add it, or name one of the {} that exist", names.len()),
    }
}
