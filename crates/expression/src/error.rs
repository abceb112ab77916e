//! Why a text is not a valid expression, and where.

use alloc::string::String;
use core::fmt;

use forebay_parameters::{UnknownName, grouped};

use crate::{MAX_DEPTH, MAX_TEXT};

/// Why a text is not a valid expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong from there on.
    pub problem: Problem,
}

/// A problem in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text is longer than [`MAX_TEXT`].
    TooLong,
    /// It is nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A character that does not occur in expressions.
    Character(char),
    /// A number beyond the range of `i64`.
    Number,
    /// No field or no function has this name.
    Unknown(UnknownName),
    /// A field by a word that rules do not use for it.
    Renamed {
        /// The word in the text.
        name: String,
        /// The field's name.
        field: &'static str,
    },
    /// A function with the wrong number of arguments.
    Arguments {
        /// The function's name.
        name: &'static str,
        /// How many arguments it takes.
        takes: usize,
    },
    /// Something else was expected here.
    Expected {
        /// What was expected.
        what: &'static str,
        /// What was found.
        found: String,
    },
    /// A second comparison, which would be ambiguous.
    Chained,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: ", self.column)?;
        match &self.problem {
            Problem::TooLong => {
                let most = grouped(MAX_TEXT as u64);
                write!(f, "the text is longer than {most} bytes; write a shorter rule")
            }
            Problem::TooDeep => {
                write!(f, "nested deeper than {MAX_DEPTH}; write a flatter rule")
            }
            Problem::Character(character) => {
                write!(f, "`{}` has no meaning here; remove it", character.escape_debug())
            }
            Problem::Number => {
                write!(
                    f,
                    "the number is too large; the largest is {}",
                    grouped(i64::MAX.unsigned_abs())
                )
            }
            Problem::Unknown(error) => error.fmt(f),
            Problem::Renamed { name, field } => {
                write!(f, "there is no field `{name}`; write `{field}`")
            }
            Problem::Arguments { name, takes } => {
                let plural = if *takes == 1 { "" } else { "s" };
                write!(f, "{name} takes {takes} argument{plural}; give as many")
            }
            Problem::Expected { what, found } => write!(f, "expected {what}, found {found}"),
            Problem::Chained => {
                write!(f, "comparisons do not chain; join two with `&&`")
            }
        }
    }
}

impl core::error::Error for ExpressionError {}
