//! Parameters as a page shows them: from the declarations of the engine's crates, so that none is
//! repeated here.

use forebay_parameters::{Configure, Kind, Listed, Source, listed};
use serde::Serialize;

/// What a parameter may be, as a page needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlKind {
    /// A number with or without a unit.
    Number,
    /// A whole number.
    Whole,
    /// Yes or no.
    Flag,
    /// One of some words.
    Words,
    /// Any text: names, lists.
    Text,
}

/// A parameter with its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Control {
    /// Its name, as in files and on command lines.
    pub name: String,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// Where its default comes from.
    pub source: String,
    /// What it may be.
    pub kind: ControlKind,
    /// What it accepts, in words.
    pub accepts: String,
    /// The least number, if it has one.
    pub least: Option<f64>,
    /// The largest number, if it has one.
    pub most: Option<f64>,
    /// The unit of its number: with it, a number is a text that can be set.
    pub unit: &'static str,
    /// The words to choose among.
    pub words: Vec<String>,
    /// The value, as a text that can be set.
    pub value: String,
    /// The value as a number of the unit.
    pub number: Option<f64>,
    /// Whether it is shown at once: one of the policy's own, or the buffer's size.
    pub main: bool,
}

/// The parameters that `config` shows, but for those in `hidden`; `main` are shown at once.
pub(crate) fn controls(
    config: &mut dyn Configure,
    main: impl Fn(&str) -> bool,
    hidden: &[&str],
) -> Vec<Control> {
    let shown = listed(config).into_iter();
    let shown = shown.filter(|one| !hidden.contains(&one.parameter.name.as_ref()));
    shown.map(|one| control(&one, main(&one.parameter.name))).collect()
}

fn control(Listed { parameter, value }: &Listed, main: bool) -> Control {
    let kind = parameter.kind;
    let (least, most) = range(&kind);
    Control {
        name: parameter.name.to_string(),
        about: parameter.about,
        source: match parameter.source {
            Source::Paper(section) => section.to_owned(),
            Source::Assumed { why, .. } => format!("assumed: {why}"),
        },
        kind: shape(&kind),
        accepts: kind.describe(),
        least: least.filter(|bound| bound.is_finite()),
        most: most.filter(|bound| bound.is_finite()),
        unit: match kind {
            Kind::Duration => "us",
            Kind::Rate | Kind::Bytes | Kind::Float { .. } | Kind::Int { .. } => kind.axis_unit(),
            Kind::Bool | Kind::Choice(_) | Kind::Text | Kind::Path | Kind::List(_) => "",
        },
        words: match kind {
            Kind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Kind::Rate
            | Kind::Bytes
            | Kind::Duration
            | Kind::Float { .. }
            | Kind::Int { .. }
            | Kind::Bool
            | Kind::Text
            | Kind::Path
            | Kind::List(_) => Vec::new(),
        },
        value: value.to_string(),
        number: value.number(),
        main,
    }
}

fn shape(kind: &Kind) -> ControlKind {
    match kind {
        Kind::Rate | Kind::Duration | Kind::Float { .. } => ControlKind::Number,
        Kind::Bytes | Kind::Int { .. } => ControlKind::Whole,
        Kind::Bool => ControlKind::Flag,
        Kind::Choice(_) => ControlKind::Words,
        Kind::Text | Kind::Path | Kind::List(_) => ControlKind::Text,
    }
}

fn range(kind: &Kind) -> (Option<f64>, Option<f64>) {
    match *kind {
        Kind::Float { min, max } => (Some(min), Some(max)),
        Kind::Int { min, max } => (Some(min as f64), Some(max as f64)),
        Kind::Rate | Kind::Bytes | Kind::Duration => (Some(0.0), None),
        Kind::Bool | Kind::Choice(_) | Kind::Text | Kind::Path | Kind::List(_) => (None, None),
    }
}
