//! The tables of parameters, by what justifies them: assumptions first, since they need the most
//! trust.

use super::html::{Cell, escape, prose, table};
use crate::resolved::{Note, Origin};
use crate::results::number::plural;
use crate::run::record::{ParameterRecord, Record};

/// The tables as HTML, each under its heading; empty ones are left out.
pub(super) fn section(record: &Record) -> String {
    let of = |wanted: fn(&Note) -> bool| -> Vec<&ParameterRecord> {
        record.parameters.iter().filter(|parameter| wanted(&parameter.note)).collect()
    };
    let assumed = of(|note| matches!(note, Note::Assumed { .. }));
    let paper = of(|note| matches!(note, Note::Paper(_)));
    let unstated = of(|note| matches!(note, Note::Unstated));
    let mut section = String::new();
    if !assumed.is_empty() {
        section +=
            "<h2 id=\"assumptions\">Assumptions</h2>\n<p>No paper states these values.</p>\n";
        let heads = ["Parameter", "Value", "Why", "How much it matters"];
        section += &folded(&heads, &assumed, assumption);
    }
    if !paper.is_empty() {
        section += "<h2 id=\"published\">Parameters from the paper</h2>\n";
        section += &folded(&["Parameter", "Value", "Source"], &paper, published);
    }
    if !unstated.is_empty() {
        section += "<h2 id=\"parameters\">Parameters of this experiment</h2>\n";
        section += &folded(&["Parameter", "Value", "Set"], &unstated, own);
    }
    section
}

/// A table of the parameters that do something, and those that are off folded below it.
fn folded(
    heads: &[&str],
    parameters: &[&ParameterRecord],
    row: fn(&ParameterRecord) -> Vec<Cell>,
) -> String {
    let (off, on): (Vec<&ParameterRecord>, Vec<&ParameterRecord>) =
        parameters.iter().partition(|parameter| is_off(parameter));
    let rows = |some: Vec<&ParameterRecord>| some.into_iter().map(row).collect::<Vec<_>>();
    let count = off.len();
    let mut html = String::new();
    if !on.is_empty() {
        html += &table(heads, &rows(on), true);
    }
    if count > 0 {
        html += &format!(
            "<details><summary>{}</summary>\n{}</details>\n",
            plural(count, "parameter that is off", "parameters that are off"),
            table(heads, &rows(off), true)
        );
    }
    html
}

/// Whether a parameter was left at a default that switches something off: no, none, nothing or
/// never.
fn is_off(parameter: &ParameterRecord) -> bool {
    let nothing = matches!(parameter.value.as_str(), "" | "off" | "none" | "never" | "false");
    // "0", "0 B", "0 ps"
    let zero = parameter.value.split(' ').next().is_some_and(|number| number.parse() == Ok(0.0));
    parameter.origin == Origin::Default && (nothing || zero)
}

fn name(parameter: &ParameterRecord) -> Cell {
    Cell::html(format!(
        "<code>{}</code><span class=\"doc\">{}</span>",
        escape(&parameter.path),
        prose(&parameter.doc)
    ))
}

fn assumption(parameter: &ParameterRecord) -> Vec<Cell> {
    let (why, sensitivity) = match &parameter.note {
        Note::Assumed { why, sensitivity } => (why.as_str(), sensitivity.as_deref()),
        Note::Paper(_) | Note::Unstated => ("", None),
    };
    let sensitivity = sensitivity.map_or_else(|| Cell::text("–"), Cell::code);
    vec![name(parameter), value(parameter), Cell::text(why), sensitivity]
}

fn value(parameter: &ParameterRecord) -> Cell {
    let text = parameter.shown();
    Cell::text(&text)
}

fn published(parameter: &ParameterRecord) -> Vec<Cell> {
    let source = match &parameter.note {
        Note::Paper(section) => section.as_str(),
        Note::Assumed { .. } | Note::Unstated => "",
    };
    vec![name(parameter), value(parameter), Cell::text(source)]
}

fn own(parameter: &ParameterRecord) -> Vec<Cell> {
    let place = match parameter.origin {
        Origin::CommandLine => "on the command line".to_owned(),
        Origin::Sweep => "swept".to_owned(),
        Origin::Default => "default".to_owned(),
        Origin::ExperimentFile => parameter.place.clone().unwrap_or_default(),
    };
    vec![name(parameter), value(parameter), Cell::text(&place)]
}
