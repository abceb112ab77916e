//! A declaration: what a parameter is called, may be, and means, and who says so.

use alloc::borrow::Cow;
use core::fmt;

use crate::{Kind, ParameterError};

/// Who says what a default is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A published value: the paper and section, as `"themis §6.3.1"`.
    Paper(&'static str),
    /// A value that no paper states.
    Assumed {
        /// Why this value.
        why: &'static str,
        /// The experiment that shows how much it matters.
        sensitivity: Option<&'static str>,
    },
}

impl Source {
    /// A published value: the paper and section.
    #[must_use]
    pub const fn paper(section: &'static str) -> Self {
        Source::Paper(section)
    }

    /// A value that no paper states, and why it is this one.
    #[must_use]
    pub const fn assumed(why: &'static str) -> Self {
        Source::Assumed { why, sensitivity: None }
    }

    /// As [`assumed`](Source::assumed), with the experiment that shows how much it matters.
    #[must_use]
    pub const fn shown(why: &'static str, sensitivity: &'static str) -> Self {
        Source::Assumed { why, sensitivity: Some(sensitivity) }
    }
}

/// A parameter: it stands once in the house, beside the configuration type whose field it fills.
/// Its default is the value in that field.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, in the field's words: `"swap_in_watermark"`; a whole that has it as a part may put
    /// a group before it, as in `"policy.swap_in_watermark"`.
    pub name: Cow<'static, str>,
    /// What it may be.
    pub kind: Kind,
    /// Where its default comes from.
    pub source: Source,
    /// What it means, in one sentence.
    pub about: &'static str,
}

impl Parameter {
    /// A parameter, in the order in which one reads its line.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, source: Source, about: &'static str) -> Self {
        Parameter { name: Cow::Borrowed(name), kind, source, about }
    }

    /// The last word of its name, behind any group.
    #[must_use]
    pub fn word(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// The same parameter under this name.
    #[must_use]
    pub fn called(&self, name: impl Into<Cow<'static, str>>) -> Self {
        Parameter { name: name.into(), ..self.clone() }
    }

    /// The error that it cannot have its value; `problem` says why and what would do.
    #[must_use]
    pub fn refuse(&self, problem: impl fmt::Display) -> ParameterError {
        ParameterError::value(self.name.as_ref(), problem)
    }
}
