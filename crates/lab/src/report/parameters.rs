//! The tables of parameters, by what justifies them: assumptions first, since they need the most trust.

use super::html::{Cell, escape, table};
use crate::resolved::{Note, Origin};
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
        section += "<h2>Assumptions</h2>\n<p>No paper states these values.</p>\n";
        let rows: Vec<Vec<Cell>> = assumed.into_iter().map(assumption).collect();
        section += &table(&["Parameter", "Value", "Why", "How much it matters"], &rows, true);
    }
    if !paper.is_empty() {
        section += "<h2>Parameters from the paper</h2>\n";
        let rows: Vec<Vec<Cell>> = paper.into_iter().map(published).collect();
        section += &table(&["Parameter", "Value", "Source"], &rows, true);
    }
    if !unstated.is_empty() {
        section += "<h2>Parameters of this experiment</h2>\n";
        let rows: Vec<Vec<Cell>> = unstated.into_iter().map(own).collect();
        section += &table(&["Parameter", "Value", "Set"], &rows, true);
    }
    section
}

fn name(parameter: &ParameterRecord) -> Cell {
    Cell::html(format!(
        "<code>{}</code><span class=\"doc\">{}</span>",
        escape(&parameter.path),
        escape(&parameter.doc)
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
    let text = if parameter.value.is_empty() { "(empty)" } else { &parameter.value };
    Cell::text(text)
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
