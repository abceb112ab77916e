//! `[[figure]]`: what to draw from the results.

use serde::{Deserialize, Serialize};

use super::axes::{self, Axis};
use super::document::{Table, Tree};
use super::reader::Reader;
use crate::resolved::Resolved;
use crate::scenario::Scenario;
use crate::schema::PolicyInfo;
use forebay_parameters::{UnknownName, suggest};

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureKind {
    /// A metric against a swept axis, a line per policy, with 95 % intervals.
    Line,
    /// A metric for each policy, grouped by a swept axis if one is given.
    Bars,
    /// A recorded series against time, a line per policy, of the first seed.
    Timeline,
}

/// A figure of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Unique in the file; letters, digits, `-` and `_`.
    pub id: String,
    /// The heading above it in reports.
    pub title: String,
    /// How it is drawn.
    pub kind: FigureKind,
    /// The metric drawn, or for a timeline the series.
    pub metric: String,
    /// The axis along x; none for a timeline and for bars without groups.
    pub x: Option<String>,
    /// Axes held at one value (name, canonical text).
    pub at: Vec<(String, String)>,
    /// What the paper's figure shows.
    pub note: String,
    /// Whether x is logarithmic.
    #[serde(default)]
    pub log_x: bool,
    /// Whether y is logarithmic; if the file does not say, it is where decades matter.
    #[serde(default)]
    pub log_y: Option<bool>,
    /// The policies drawn; empty: all, or with `relative` those it names.
    #[serde(default)]
    pub policies: Vec<String>,
    /// Policies drawn as their relative difference to another, `(policy, base)`: policy / base − 1,
    /// seed by seed. Empty: the metric itself.
    #[serde(default)]
    pub relative: Vec<(String, String)>,
}

const KEYS: &[&str] = &[
    "id", "title", "kind", "metric", "series", "x", "at", "note", "log_x", "log_y", "policies",
    "relative",
];

/// Reads every `[[figure]]`.
pub(super) fn read_all(
    reader: &mut Reader,
    table: &Table,
    scenario: &dyn Scenario,
    policies: &[PolicyInfo],
    params: &Resolved,
    axes: &[Axis],
) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    for (table, span) in reader.tables(table, "figure") {
        reader.refuse_unknown(table, KEYS, "a figure");
        let id = read_id(reader, table, &figures);
        let title = reader.required_text(table, "title", "a figure");
        let kind = read_kind(reader, table);
        let metric = match kind {
            FigureKind::Timeline => read_series(reader, table, scenario),
            FigureKind::Line | FigureKind::Bars => read_metric(reader, table, scenario, "a figure"),
        };
        let x = read_x(reader, table, axes, params);
        if kind == FigureKind::Line && x.is_none() && table.get("x").is_none() {
            reader.fail(&span, "a line figure has no `x`", "add x = \"…\" with a swept axis");
        }
        let numeric = |x: &String| {
            let axis = axes.iter().find(|axis| axis.name == *x);
            axis.is_some_and(|axis| axis.values.iter().all(|value| value.number().is_some()))
        };
        if let Some(name) = x.as_ref().filter(|x| kind == FigureKind::Line && !numeric(x)) {
            let span = table.get("x").map_or(span.clone(), |entry| entry.node.span.clone());
            reader.fail(&span, format!("axis `{name}` is not a number"), "use kind = \"bars\"");
        }
        let log_x = read_log(reader, table, "log_x").unwrap_or(false);
        let log_y = read_log(reader, table, "log_y");
        let at = axes::read_at(reader, table, axes, params);
        let note = reader.optional_text(table, "note");
        let drawn = read_policies(reader, table, policies);
        let relative = read_relative(reader, table, policies, kind);
        let open = |at| axes::open(axes, at).find(|axis| !axis.replaced);
        let timeline = kind == FigureKind::Timeline;
        if let Some(axis) = at.as_deref().filter(|_| timeline).and_then(open) {
            let message = format!("a timeline shows one point, but `{}` is swept", axis.name);
            let value = axis.values.last().map(ToString::to_string).unwrap_or_default();
            reader.fail(&span, message, format!("add at = {{ {} = {value} }}", axis.name));
        }
        if let Some(at) = at {
            let policies = drawn;
            figures.push(Figure {
                id,
                title,
                kind,
                metric,
                x,
                at,
                note,
                log_x,
                log_y,
                policies,
                relative,
            });
        }
    }
    figures
}

fn read_id(reader: &mut Reader, table: &Table, figures: &[Figure]) -> String {
    let id = reader.required_text(table, "id", "a figure");
    let Some(entry) = table.get("id").filter(|_| !id.is_empty()) else { return id };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !id.chars().all(plain) {
        let fix = "use letters, digits, - and _";
        reader.fail(&entry.node.span, format!("\"{id}\" is not an id"), fix);
    }
    if figures.iter().any(|figure| figure.id == id) {
        reader.fail(&entry.node.span, format!("two figures are called {id}"), "rename one");
    }
    id
}

fn read_kind(reader: &mut Reader, table: &Table) -> FigureKind {
    let Some(entry) = table.get("kind") else { return FigureKind::Line };
    match reader.optional_text(table, "kind").as_str() {
        "line" => FigureKind::Line,
        "bars" => FigureKind::Bars,
        "timeline" => FigureKind::Timeline,
        "" => FigureKind::Line,
        other => {
            let known = ["line", "bars", "timeline"];
            let unknown = UnknownName::new("kind of figure", other, known);
            reader.unknown(&entry.node.span, &unknown);
            FigureKind::Line
        }
    }
}

/// The metric named by a figure or a claim.
pub(super) fn read_metric(
    reader: &mut Reader,
    table: &Table,
    scenario: &dyn Scenario,
    of: &str,
) -> String {
    let metric = reader.required_text(table, "metric", of);
    let known = || scenario.metrics().iter().map(|metric| metric.name);
    if let Some(entry) = table.get("metric").filter(|_| !metric.is_empty())
        && !known().any(|name| name == metric)
    {
        reader.unknown(&entry.node.span, &UnknownName::new("metric", &metric, known()));
    }
    metric
}

fn read_series(reader: &mut Reader, table: &Table, scenario: &dyn Scenario) -> String {
    let key = if table.get("series").is_some() { "series" } else { "metric" };
    let name = reader.required_text(table, key, "a timeline");
    let known = || scenario.series().iter().map(|series| series.name);
    if let Some(entry) = table.get(key).filter(|_| !name.is_empty())
        && !known().any(|series| series == name)
    {
        reader.unknown(&entry.node.span, &UnknownName::new("series", &name, known()));
    }
    name
}

fn read_x(reader: &mut Reader, table: &Table, axes: &[Axis], params: &Resolved) -> Option<String> {
    let entry = table.get("x")?;
    let name = reader.required_text(table, "x", "a figure");
    if name.is_empty() {
        return None;
    }
    let same =
        |axis: &&Axis| axis.name == name || params.parameters[axis.parameter].spec.name == name;
    if let Some(axis) = axes.iter().find(same) {
        return Some(axis.name.clone());
    }
    let fix = if params.parameter(&name).is_ok() {
        format!("sweep it: add {name} = [...] under [sweep]")
    } else {
        suggest(&name, axes.iter().map(|axis| axis.name.as_str()))
    };
    reader.fail(&entry.node.span, format!("`{name}` is not a swept axis"), fix);
    None
}

fn read_log(reader: &mut Reader, table: &Table, key: &str) -> Option<bool> {
    match table.get(key).map(|entry| (&entry.node.tree, &entry.node.span)) {
        None => None,
        Some((Tree::Bool(log), _)) => Some(*log),
        Some((_, span)) => {
            let message = format!("`{key}` must be true or false");
            reader.fail(span, message, format!("write {key} = true"));
            None
        }
    }
}

/// The policies that `policies` names.
fn read_policies(reader: &mut Reader, table: &Table, policies: &[PolicyInfo]) -> Vec<String> {
    let mut drawn = Vec::new();
    for (name, span) in reader.texts(table, "policies", "the policies drawn") {
        if is_policy(reader, policies, &name, &span) {
            drawn.push(name);
        }
    }
    drawn
}

/// The pairs of `relative = { policy = "base" }`.
fn read_relative(
    reader: &mut Reader,
    table: &Table,
    policies: &[PolicyInfo],
    kind: FigureKind,
) -> Vec<(String, String)> {
    let Some(entry) = table.get("relative") else { return Vec::new() };
    let Tree::Table(pairs) = &entry.node.tree else {
        let message = format!("`relative` is {}, not a table", entry.node.describe());
        reader.fail(&entry.node.span, message, "write relative = { policy = \"base\" }");
        return Vec::new();
    };
    if kind == FigureKind::Timeline {
        reader.fail(&entry.key_span, "a timeline shows one series", "remove `relative`");
    }
    let mut relative = Vec::new();
    for pair in &pairs.entries {
        let Tree::Text(base) = &pair.node.tree else {
            let message = format!("the base of `{}` is {}", pair.key, pair.node.describe());
            reader.fail(&pair.node.span, message, "name a policy between quotes");
            continue;
        };
        if is_policy(reader, policies, &pair.key, &pair.key_span)
            && is_policy(reader, policies, base, &pair.node.span)
        {
            relative.push((pair.key.clone(), base.clone()));
        }
    }
    relative
}

fn is_policy(
    reader: &mut Reader,
    policies: &[PolicyInfo],
    name: &str,
    span: &std::ops::Range<usize>,
) -> bool {
    let known = policies.iter().any(|policy| policy.name == name);
    if !known {
        let fix = suggest(name, policies.iter().map(|policy| &*policy.name));
        reader.fail(span, format!("`{name}` is not a policy of this file"), fix);
    }
    known
}
