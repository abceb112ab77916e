//! How a scenario declares a parameter: its name, what it may be, its default, where that comes from, and what
//! it means. Everything that reads, checks, shows or documents parameters reads these declarations.
//!
//! Source: docs/experiments.md.

use crate::value::Kind;

/// Where a parameter's default value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultSource {
    /// A published value: the paper and section, as `"themis §6.3.1"`.
    Paper(&'static str),
    /// A value no paper states.
    Assumed {
        /// Why this value.
        why: &'static str,
        /// The experiment that shows how much it matters.
        sensitivity: Option<&'static str>,
    },
}

/// A parameter of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// `group.name`, as `"switch.egress_rate"`.
    pub path: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// The default, as text of that kind.
    pub default: &'static str,
    /// What it means, in one sentence.
    pub doc: &'static str,
    /// Where the default comes from.
    pub source: DefaultSource,
}

impl ParamSpec {
    /// The part of the path after its last dot.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.rsplit('.').next().unwrap_or(self.path)
    }
}

/// A value that no paper states, and why it is this one.
#[must_use]
pub const fn assumed(why: &'static str) -> DefaultSource {
    DefaultSource::Assumed { why, sensitivity: None }
}

/// As [`assumed`], with the experiment that shows how much it matters.
#[must_use]
pub const fn shown(why: &'static str, sensitivity: &'static str) -> DefaultSource {
    DefaultSource::Assumed { why, sensitivity: Some(sensitivity) }
}

/// A parameter, in the order in which one reads its line.
#[must_use]
pub const fn param(
    path: &'static str,
    kind: Kind,
    default: &'static str,
    source: DefaultSource,
    doc: &'static str,
) -> ParamSpec {
    ParamSpec { path, kind, default, doc, source }
}
