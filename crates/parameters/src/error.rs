//! What can be wrong with a parameter, typed; turned into words here and nowhere else.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use forebay_units::printable;

use crate::suggest;

/// What is wrong with a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Nothing has a parameter of this name; these are what there is.
    Unknown(Vec<String>),
    /// It cannot have its value: one sentence that says why and what would do.
    Value(String),
}

/// A parameter, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    name: String,
    problem: Problem,
    cause: Option<Box<ParameterError>>,
}

impl ParameterError {
    /// `name` cannot have its value; `problem` says why and what would do.
    #[must_use]
    pub fn value(name: impl Into<String>, problem: impl fmt::Display) -> Self {
        ParameterError {
            name: name.into(),
            problem: Problem::Value(problem.to_string()),
            cause: None,
        }
    }

    /// Nothing has a parameter `name`; `known` is what there is.
    #[must_use]
    pub fn unknown<'a>(name: impl Into<String>, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known = known.into_iter().map(ToOwned::to_owned).collect();
        ParameterError { name: name.into(), problem: Problem::Unknown(known), cause: None }
    }

    /// The parameter's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The same error, with the name that the parameter has here.
    #[must_use]
    pub fn renamed(self, name: impl Into<String>) -> Self {
        ParameterError { name: name.into(), ..self }
    }

    /// The same error, made of one about another parameter: an option stands for a parameter of
    /// what it describes, say.
    #[must_use]
    pub fn caused_by(self, cause: ParameterError) -> Self {
        ParameterError { cause: Some(Box::new(cause)), ..self }
    }

    /// The error about another parameter of which this one was made.
    #[must_use]
    pub fn cause(&self) -> Option<&ParameterError> {
        self.cause.as_deref()
    }

    /// What is wrong, without the name of the parameter where the reader sees it already.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.problem {
            Problem::Value(problem) => printable(problem).in_lines().to_string(),
            Problem::Unknown(known) if known.is_empty() => {
                "no parameter has an effect here".to_owned()
            }
            Problem::Unknown(known) => {
                let hint = suggest(&self.name, known.iter().map(String::as_str));
                format!("there is no parameter `{}`; {hint}", printable(&self.name))
            }
        }
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Unknown(known) if !known.is_empty() => f.write_str(&self.sentence()),
            Problem::Value(_) | Problem::Unknown(_) => {
                write!(f, "{}: {}", printable(&self.name), self.sentence())
            }
        }
    }
}

impl core::error::Error for ParameterError {}
