//! One self-contained HTML page: the paper's headlines beside the measured ones, every figure as
//! SVG with its numbers, every assumption with its reason, and what was run where. A pure function
//! of the manifest, the results and the links; no network, no font, and no script but a short one
//! of its own, without which it shows the same.

mod chart;
mod claims;
mod html;
mod line_chart;
mod lines;
mod link;
mod look;
mod merged;
mod names;
mod parameters;
mod pen;
mod plot;
mod published;
mod scale;
pub mod site;
mod stars;

use crate::config::{Figure, FigureKind};
use crate::resolved::Origin;
use crate::results::Results;
use crate::results::curves::{self, Curve};
use crate::results::number::{self, plural};
use crate::run::manifest::Manifest;
use crate::run::record::{AxisValue, Record};
use html::{Cell, escape, paragraphs, prose, table};
use link::links;

pub use claims::{Shown as ShownClaim, line as claim_line};
pub use line_chart::{Axis, LineChart, stacked};
pub use link::ReportLink;

/// A page's style on light paper and on dark.
const STYLE: &str = include_str!("style.css");

/// What makes figures answer, where scripts run.
const FIGURES: &str = include_str!("figures.js");

/// The report of finished results, with links to files beside it.
#[must_use]
pub fn html(manifest: &Manifest, results: &Results, files: &[ReportLink]) -> String {
    let record = &manifest.experiment;
    let mut page = opening(&record.title, "");
    page += &header(manifest, files);
    page += &claims::section(record, results);
    page += &figures(record, results);
    page += &parameters::section(record);
    page += &policies(record);
    page += &about(manifest);
    page + "</main>\n<script type=\"module\">\n" + FIGURES + "</script>\n</body>\n</html>\n"
}

/// A page up to its content, with rules of style beyond those of all pages.
fn opening(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}{style}@media screen and (prefers-color-scheme: dark) {{ {} }}\n</style>\n</head>\n\
         <body>\n<main>\n",
        escape(title),
        pen::dark_style(),
    )
}

/// How many policies, points and seeds an experiment has.
fn sizes(record: &Record) -> Vec<String> {
    vec![
        plural(record.policies.len(), "policy", "policies"),
        plural(record.point_count(), "point", "points"),
        plural(record.seeds.len(), "seed", "seeds"),
    ]
}

fn header(manifest: &Manifest, files: &[ReportLink]) -> String {
    let record = &manifest.experiment;
    let mut facts = sizes(record);
    facts.push(plural(manifest.runs, "run", "runs"));
    if record.seeds.len() > 1 {
        facts.push("means with 95 % intervals over seeds".to_owned());
    }
    let warnings: String = manifest
        .warnings
        .iter()
        .map(|warning| format!("<p class=\"warning\">Warning: {}</p>\n", prose(warning)))
        .collect();
    format!(
        "<header>\n<h1>{}</h1>\n{}{warnings}<p class=\"meta\">{}</p>\n{}{}</header>\n",
        escape(&record.title),
        paragraphs(&record.description),
        escape(&facts.join(" · ")),
        links(files),
        contents(record),
    )
}

/// Links to the claims and the figures, if there are many.
fn contents(record: &Record) -> String {
    if record.figures.len() < 3 {
        return String::new();
    }
    let claims = (!record.claims.is_empty()).then(|| ReportLink::new("claims", "#claims"));
    let figures =
        record.figures.iter().map(|figure| ReportLink::new(&figure.id, format!("#{}", figure.id)));
    let all: Vec<ReportLink> = claims.into_iter().chain(figures).collect();
    format!("<nav aria-label=\"Contents\">{}</nav>\n", links(&all))
}

/// One figure as an SVG element; nothing if no run yielded a value for it.
#[must_use]
pub fn figure_svg(record: &Record, results: &Results, figure: &Figure) -> Option<String> {
    chart::picture(record, results, figure).map(|picture| pen::alone(&picture.svg))
}

fn figures(record: &Record, results: &Results) -> String {
    if record.figures.is_empty() {
        return String::new();
    }
    let mut section = "<h2>Figures</h2>\n<div class=\"figures\">\n".to_owned();
    for figure in &record.figures {
        let (drawn, more) = match chart::picture(record, results, figure) {
            Some(picture) => (picture.svg, shared(&picture.more)),
            None => ("<p>No run yielded a value for this figure.</p>".to_owned(), String::new()),
        };
        section += &format!(
            "<figure id=\"{0}\">\n<h3>{1}<a href=\"#{0}\"><code>{0}</code></a></h3>\n{drawn}\n\
             <figcaption>{2}{3}</figcaption>\n{more}{4}</figure>\n",
            escape(&figure.id),
            escape(&figure.title),
            held(record, figure),
            paragraphs(&figure.note),
            numbers(record, results, figure)
        );
    }
    section + "</div>\n"
}

/// Notes on shared stretches for which a picture has no room, folded away.
fn shared(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let items: String = notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
    format!("<details><summary>More shared stretches</summary>\n<ul>{items}</ul></details>\n")
}

/// At which values of further axes a figure is.
fn held(record: &Record, figure: &Figure) -> String {
    let value = |name: &str, text: &str| {
        let axis = record.axes.iter().find(|axis| axis.name == name);
        let value = axis.and_then(|axis| axis.values.iter().find(|value| value.text == text));
        value.map_or(text.to_owned(), AxisValue::shown)
    };
    let of = |(name, text): &(String, String)| {
        format!("{} {}", number::words(name).to_lowercase(), value(name, text))
    };
    let at: Vec<String> = figure.at.iter().map(of).collect();
    if at.is_empty() { String::new() } else { format!("<p>At {}.</p>", prose(&at.join(", "))) }
}

/// The numbers of a figure, folded away.
fn numbers(record: &Record, results: &Results, figure: &Figure) -> String {
    if figure.kind == FigureKind::Timeline {
        return "<details><summary>Numbers</summary><p>Every sample is in \
                <code>timelines.csv</code>.</p></details>\n"
            .to_owned();
    }
    let curves = curves::curves(record, results, figure);
    let (_, unit) = curves::quantity(record, figure);
    let shown = curves::unit(&curves, [], &unit);
    let axis = curves::x_axis(record, figure).map(|(_, axis)| axis);
    let first = axis.map_or(String::new(), |axis| number::words(&axis.name));
    let mut heads = vec![first.as_str()];
    heads.extend(curves.iter().map(|curve| curve.label.as_str()));
    let rows = curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0);
    let row = |index: usize| {
        let x = axis.map_or(String::new(), |axis| axis.values[index].shown());
        let cell = |curve: &Curve| match &curve.points[index] {
            Some(point) => Cell::number(&shown.estimate(point)),
            None => Cell::number("–"),
        };
        std::iter::once(Cell::text(&x)).chain(curves.iter().map(cell)).collect()
    };
    let rows: Vec<Vec<Cell>> = (0..rows).map(row).collect();
    let unit = match shown.unit {
        "" => String::new(),
        unit => format!(" in {unit}"),
    };
    format!(
        "<details><summary>Numbers{}</summary>\n{}</details>\n",
        escape(&unit),
        table(&heads, &rows, false)
    )
}

fn policies(record: &Record) -> String {
    let row = |name: &str, label: &str, doc: &str| {
        vec![Cell::text(label), Cell::code(name), Cell::text(doc)]
    };
    let policies: Vec<Vec<Cell>> =
        record.policies.iter().map(|p| row(&p.name, &p.label, &p.doc)).collect();
    let metrics: Vec<Vec<Cell>> =
        record.metrics.iter().map(|m| row(&m.name, &m.label, &m.doc)).collect();
    format!(
        "<h2>Policies and metrics</h2>\n{}{}",
        table(&["Policy", "Name", "What it does"], &policies, true),
        table(&["Metric", "Name", "What it is"], &metrics, true)
    )
}

fn about(manifest: &Manifest) -> String {
    let record = &manifest.experiment;
    let mut command = format!("cargo run --release -- run {}", record.file);
    for parameter in record.parameters.iter().filter(|p| p.origin == Origin::CommandLine) {
        command += &format!(" --set '{}={}'", parameter.path, parameter.value);
    }
    let seeds: Vec<String> = record.seeds.iter().map(u64::to_string).collect();
    let hash = |hash: &str| if hash.is_empty() { "unknown".to_owned() } else { hash.to_owned() };
    let machine = &manifest.machine;
    let facts = [
        ("Scenario", format!("{}: {}", record.scenario, record.about)),
        ("Program", format!("{} {}", manifest.program, manifest.version)),
        ("Engine sources", hash(&manifest.engine_hash)),
        ("Configuration", manifest.configuration_hash.clone()),
        ("Seeds", seeds.join(", ")),
        ("Runs", format!("{} computed, {} reused", manifest.computed, manifest.reused)),
        (
            "Time",
            format!(
                "{} s on {}",
                number::short(manifest.wall_seconds),
                plural(manifest.jobs, "thread", "threads")
            ),
        ),
        (
            "Processor time",
            match manifest.cpu_seconds {
                Some(seconds) => format!("{} s for all runs", number::short(seconds)),
                None => "unknown".to_owned(),
            },
        ),
        (
            "Machine",
            format!("{}, {}, {}", machine.cpu, plural(machine.cores, "core", "cores"), machine.os),
        ),
    ];
    let mut section =
        format!("<h2>How it was run</h2>\n<pre><code>{}</code></pre>\n<dl>\n", escape(&command));
    for (name, value) in facts {
        section += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(&value));
    }
    section + "</dl>\n"
}

#[cfg(test)]
mod tests;
