//! The swept parameters: `[sweep]` names parameters and lists their values; points are the
//! cartesian product in the file's order, the last axis changing fastest.

use super::document::{self, Entry, Table, Tree};
use super::note::{check_path, read_note};
use super::reader::Reader;
use crate::resolved::{Note, Origin, Resolved};
use forebay_parameters::Value;
use forebay_parameters::suggest;

/// Columns of the result tables that an axis cannot be called.
const RESERVED: &[&str] = &["policy", "seed", "metric", "value", "unit", "series", "time_us"];

/// A parameter that an experiment gives several values in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its column in results: the parameter's last segment, or its path where that is ambiguous.
    pub name: String,
    /// Its place among the parameters.
    pub(crate) parameter: usize,
    /// Its values, in order, none twice, never empty.
    pub values: Vec<Value>,
    /// Whether `--set` gave the values, so that figures and claims of the file may not fit them.
    pub(crate) replaced: bool,
}

impl Axis {
    pub(crate) fn new(params: &Resolved, parameter: usize, values: Vec<Value>) -> Self {
        let spec = &params.parameters[parameter].spec;
        let shared = params.parameters.iter().filter(|p| p.spec.word() == spec.word()).count() > 1;
        let full = shared || RESERVED.contains(&spec.word());
        let name = if full { &spec.name } else { spec.word() };
        Axis { name: name.to_owned(), parameter, values, replaced: false }
    }

    /// Whether it sweeps the parameter at this place of [`Resolved::parameters`].
    #[must_use]
    pub fn sweeps(&self, parameter: usize) -> bool {
        self.parameter == parameter
    }
}

/// Reads `[sweep]`.
pub(super) fn read(reader: &mut Reader, table: &Table, params: &mut Resolved) -> Vec<Axis> {
    let mut axes = Vec::new();
    let Some(entry) = table.get("sweep") else { return axes };
    let Tree::Table(sweep) = &entry.node.tree else {
        let message = format!("`sweep` is {}, not a table", entry.node.describe());
        reader.fail(&entry.node.span, message, "write [sweep] above its axes");
        return axes;
    };
    if sweep.entries.is_empty() {
        let fix = "add an axis such as load = [0.2, 0.4], or remove it";
        reader.fail(&entry.key_span, "[sweep] has no axis", fix);
    }
    for (name, entry) in flatten(sweep) {
        let index = match params.index(&name) {
            Ok(index) => index,
            Err(error) => {
                reader.errors.push(error.at(reader.source.position(&entry.key_span)));
                continue;
            }
        };
        let path = params.parameters[index].spec.name.clone();
        if axes.iter().any(|axis: &Axis| axis.parameter == index) {
            let message = format!("`{path}` is swept twice");
            reader.fail(&entry.key_span, message, "remove one of its axes");
            continue;
        }
        if params.parameters[index].origin == Origin::ExperimentFile {
            let message = format!("`{path}` is both given a value and swept");
            reader.fail(&entry.key_span, message, "remove the value or the axis");
            continue;
        }
        let values = read_values(reader, entry, index, params);
        if let Some(first) = values.first() {
            let position = reader.source.position(&entry.key_span);
            let parameter = &mut params.parameters[index];
            parameter.value = first.clone();
            parameter.origin = Origin::Sweep;
            parameter.position = Some(position);
            axes.push(Axis::new(params, index, values));
        }
    }
    axes
}

/// Axes of `[sweep]`, where `workload.load = […]` is a dotted key that TOML reads as nested tables.
fn flatten(sweep: &Table) -> Vec<(String, &Entry)> {
    let mut found = Vec::new();
    let mut waiting: Vec<(String, &Entry)> =
        sweep.entries.iter().rev().map(|entry| (entry.key.clone(), entry)).collect();
    while let Some((name, entry)) = waiting.pop() {
        match &entry.node.tree {
            Tree::Table(inner) if inner.get("values").is_none() && !inner.entries.is_empty() => {
                let inside = inner.entries.iter().rev();
                waiting.extend(inside.map(|entry| (format!("{name}.{}", entry.key), entry)));
            }
            _ => found.push((name, entry)),
        }
    }
    found
}

fn read_values(
    reader: &mut Reader,
    entry: &Entry,
    index: usize,
    params: &mut Resolved,
) -> Vec<Value> {
    let kind = params.parameters[index].spec.kind;
    let mut note = Note::Unstated;
    let list = match &entry.node.tree {
        Tree::Table(table) => {
            let known = ["values", "paper", "assumed", "sensitivity"];
            reader.refuse_unknown(table, &known, &format!("axis `{}`", entry.key));
            note = read_note(reader, table, &entry.node.span).unwrap_or(Note::Unstated);
            table.get("values").map_or(&entry.node, |entry| &entry.node)
        }
        _ => &entry.node,
    };
    params.parameters[index].note = note;
    let Tree::Array(items) = &list.tree else {
        let message = format!("axis `{}` is {}, not a list", entry.key, list.describe());
        reader.fail(&list.span, message, "list its values, as in [0.2, 0.4]");
        return Vec::new();
    };
    if items.is_empty() {
        let fix = "list its values, as in [0.2, 0.4], or remove it";
        reader.fail(&list.span, format!("axis `{}` has no values", entry.key), fix);
    }
    let mut values: Vec<Value> = Vec::new();
    for item in items {
        match document::value(kind, item) {
            Ok(value) if values.contains(&value) => {
                let message = format!("axis `{}` has {value} twice", entry.key);
                reader.fail(&item.span, message, "remove one");
            }
            Ok(value) => {
                check_path(reader, kind, &value, &item.span, params);
                values.push(value);
            }
            Err(problem) => reader.refuse(&item.span, format!("axis `{}`: {problem}", entry.key)),
        }
    }
    values
}

/// Reads `at = { axis = value }`: which values of which axes a figure or a claim is about.
///
/// None if it names a value that `--set` took out of the axis, so that the figure or claim is left
/// out.
pub(super) fn read_at(
    reader: &mut Reader,
    table: &Table,
    axes: &[Axis],
    params: &Resolved,
) -> Option<Vec<(String, String)>> {
    let Some(entry) = table.get("at") else { return Some(Vec::new()) };
    let Tree::Table(at) = &entry.node.tree else {
        let message = format!("`at` is {}, not a table", entry.node.describe());
        reader.fail(&entry.node.span, message, "write at = { load = 0.9 }");
        return Some(Vec::new());
    };
    let mut fixed = Vec::new();
    let mut present = true;
    for (name, entry) in flatten(at) {
        let Some(axis) = axes.iter().find(|axis| axis.name == name) else {
            let fix = suggest(&name, axes.iter().map(|axis| axis.name.as_str()));
            reader.fail(&entry.key_span, format!("`{name}` is not a swept axis"), fix);
            continue;
        };
        let known = || axis.values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        let kind = params.parameters[axis.parameter].spec.kind;
        match document::value(kind, &entry.node) {
            Ok(value) if axis.values.contains(&value) => fixed.push((name, value.to_string())),
            Ok(_) if axis.replaced => present = false,
            Ok(value) => {
                let message = format!("axis `{name}` has no value {value}");
                reader.fail(&entry.node.span, message, format!("its values are {}", known()));
            }
            Err(problem) => {
                reader.fail(&entry.node.span, format!("`{name}`: {problem}"), known());
            }
        }
    }
    present.then_some(fixed)
}

/// The axes of several values that `at` leaves open.
pub(super) fn open<'a>(
    axes: &'a [Axis],
    at: &'a [(String, String)],
) -> impl Iterator<Item = &'a Axis> {
    axes.iter()
        .filter(|axis| axis.values.len() > 1 && !at.iter().any(|(name, _)| *name == axis.name))
}
