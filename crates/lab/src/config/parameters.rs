//! The parameter groups of an experiment file, and `--set`: which parameter a key means, what value
//! it takes, and what justifies it.

use std::path::Path;
use std::sync::Arc;

use super::Overrides;
use super::axes::Axis;
use super::document::{self, Entry, Node, Table, Tree};
use super::note::{check_path, read_note};
use super::reader::Reader;
use crate::error::ConfigError;
use crate::resolved::{Note, Origin, Resolved, typed_as};
use forebay_parameters::suggest;
use forebay_parameters::{Kind, Value};

/// Keys with a meaning of their own; any other table is a group of parameters.
const KEYS: &[&str] =
    &["title", "scenario", "description", "policies", "seeds", "sweep", "figure", "claim"];

/// Reads every table that is not one of the file's own sections.
pub(super) fn read_groups(reader: &mut Reader, table: &Table, params: &mut Resolved) {
    for entry in &table.entries {
        if !KEYS.contains(&entry.key.as_str()) {
            read_entry(reader, entry, &entry.key, params);
        }
    }
}

fn read_entry(reader: &mut Reader, entry: &Entry, path: &str, params: &mut Resolved) {
    if let Some(index) = params.parameters.iter().position(|p| p.spec.name == path) {
        read_parameter(reader, entry, index, params);
        return;
    }
    let prefix = format!("{path}.");
    let is_group = params.parameters.iter().any(|p| p.spec.name.starts_with(&prefix));
    match &entry.node.tree {
        Tree::Table(inner) if is_group => {
            for entry in &inner.entries {
                read_entry(reader, entry, &format!("{prefix}{}", entry.key), params);
            }
        }
        _ if is_group => {
            let message =
                format!("`{path}` is a group of parameters, not {}", entry.node.describe());
            reader.fail(&entry.node.span, message, format!("write [{path}] above its parameters"));
        }
        _ => {
            let fix = suggest_path(path, params);
            reader.fail(&entry.key_span, format!("there is no parameter `{path}`"), fix);
        }
    }
}

/// The nearest name: within the same group by last segment, otherwise by full path or group.
fn suggest_path(path: &str, params: &Resolved) -> String {
    let paths = || params.parameters.iter().map(|p| &*p.spec.name);
    match path.rsplit_once('.') {
        Some((group, name)) => {
            let inside: Vec<&str> = paths()
                .filter_map(|p| p.rsplit_once('.'))
                .filter(|(other, _)| *other == group)
                .map(|(_, name)| name)
                .collect();
            if let Some(other) = paths().find(|p| p.rsplit('.').next() == Some(name)) {
                return format!("did you mean `{other}`?");
            }
            if inside.is_empty() { suggest(path, paths()) } else { suggest(name, inside) }
        }
        None => {
            let mut known: Vec<&str> = paths().filter_map(|p| p.split('.').next()).collect();
            known.extend(KEYS);
            known.dedup();
            suggest(path, known)
        }
    }
}

fn read_parameter(reader: &mut Reader, entry: &Entry, index: usize, params: &mut Resolved) {
    let spec = Arc::clone(&params.parameters[index].spec);
    let (node, stated) = match &entry.node.tree {
        Tree::Table(table) => {
            let known = ["value", "paper", "assumed", "sensitivity"];
            reader.refuse_unknown(table, &known, &format!("`{}`", spec.name));
            let Some(value) = table.get("value") else {
                let fix = "add value = …, as in { value = 32, paper = \"§6\" }";
                reader.fail(&entry.node.span, format!("`{}` has no value", spec.name), fix);
                return;
            };
            (&value.node, read_note(reader, table, &entry.node.span))
        }
        _ => (&entry.node, None),
    };
    match document::value(spec.kind, node) {
        Ok(value) => {
            check_path(reader, spec.kind, &value, &node.span, params);
            let position = reader.source.position(&node.span);
            set(params, index, value, Origin::ExperimentFile, stated);
            params.parameters[index].position = Some(position);
        }
        Err(problem) => {
            reader.refuse(&node.span, format!("`{}`: {problem}", spec.name));
        }
    }
}

/// Sets a value; a plain one that equals what was there keeps the justification it had.
fn set(params: &mut Resolved, index: usize, value: Value, origin: Origin, stated: Option<Note>) {
    let parameter = &mut params.parameters[index];
    let same = parameter.value == value;
    parameter.note = match stated {
        Some(note) => note,
        None if same => parameter.note.clone(),
        None => Note::Unstated,
    };
    parameter.otherwise = std::mem::replace(&mut parameter.value, value);
    parameter.origin = origin;
}

/// Finds the file of a path given with `--set`: in the working directory, where a shell completes
/// it, or else beside the experiment file. A path found in the working directory becomes absolute.
fn locate(value: &mut Value, params: &Resolved) -> Result<(), String> {
    let Value::Text(text) = value else { return Ok(()) };
    let beside = params.folder.join(&*text);
    let here = std::path::absolute(&*text).ok().filter(|path| path.is_file());
    if text.is_empty() {
        return Ok(());
    }
    if let Some(path) = here.as_ref().and_then(|path| path.to_str()) {
        *text = path.to_owned();
        return Ok(());
    }
    if beside.is_file() {
        return Ok(());
    }
    if Path::new(&*text).is_dir() || beside.is_dir() {
        return Err(format!("{text} is a folder, and not a file"));
    }
    if Path::new(&*text).is_absolute() {
        return Err(format!("there is no file {text}"));
    }
    Err(format!("there is no file {text} in the working directory, nor {}", beside.display()))
}

/// Sets what overrides set, in order; on a swept axis the value or list replaces the axis. A
/// problem is at the place of its override, or names `--set`.
pub(super) fn apply_overrides(
    reader: &mut Reader,
    overrides: &Overrides,
    params: &mut Resolved,
    axes: &mut Vec<Axis>,
) {
    let mut before: Vec<(usize, &str)> = Vec::new();
    for (place, (name, text)) in overrides.set.iter().enumerate() {
        let place = overrides.places.get(place);
        let applied =
            once(name, &mut before, params).and_then(|()| apply(name, text, params, axes));
        match (applied, place) {
            (Ok(index), place) => params.parameters[index].position = place.cloned(),
            (Err(error), Some(place)) => reader.errors.push(error.at(place.clone())),
            (Err(error), None) => {
                reader.errors.push(error.under(&format!("--set {name}={text}")));
            }
        }
    }
}

/// Refuses a parameter that is set again, by this name or another: one of the two values would have
/// no effect.
fn once<'a>(
    name: &'a str,
    before: &mut Vec<(usize, &'a str)>,
    params: &Resolved,
) -> Result<(), ConfigError> {
    let index = params.index(name)?;
    let first = before.iter().find(|(other, _)| *other == index).map(|(_, first)| *first);
    before.push((index, name));
    let message = match first {
        None => return Ok(()),
        Some(first) if first == name => format!("`{name}` is set twice"),
        Some(first) => format!("it is set already, as `{first}`"),
    };
    Err(ConfigError::new(message).fix("give one value"))
}

/// Sets one parameter; which.
fn apply(
    name: &str,
    text: &str,
    params: &mut Resolved,
    axes: &mut Vec<Axis>,
) -> Result<usize, ConfigError> {
    let index = params.index(name)?;
    let spec = Arc::clone(&params.parameters[index].spec);
    let mut values = if text.trim_start().starts_with('[') {
        read_list(spec.kind, text).map_err(ConfigError::new)?
    } else {
        vec![spec.kind.read_text(text).map_err(ConfigError::new)?]
    };
    if spec.kind == Kind::Path {
        for value in &mut values {
            locate(value, params).map_err(|problem| {
                ConfigError::new(problem)
                    .fix("give a file relative to the working directory or the experiment file")
            })?;
        }
    }
    let Some(first) = values.first().cloned() else {
        return Err(ConfigError::new("the list is empty").fix("give at least one value"));
    };
    let swept = axes.iter().position(|axis| axis.parameter == index);
    set(params, index, first, Origin::CommandLine, None);
    params.parameters[index].typed = Some(typed_as(name));
    match swept {
        Some(axis) => {
            axes[axis].values = values;
            axes[axis].replaced = true;
        }
        None if values.len() > 1 => {
            axes.push(Axis { replaced: true, ..Axis::new(params, index, values) });
        }
        None => {}
    }
    Ok(index)
}

fn read_list(kind: Kind, text: &str) -> Result<Vec<Value>, String> {
    let line = format!("list = {text}");
    let (_, table) = document::read("--set", line.as_bytes())
        .map_err(|_| "the list is not written as [1, 2]".to_owned())?;
    let nodes = match table.get("list").map(|entry| &entry.node.tree) {
        Some(Tree::Array(nodes)) if table.entries.len() == 1 => nodes,
        _ => return Err("the list is not written as [1, 2]".to_owned()),
    };
    let mut values: Vec<Value> = Vec::new();
    for value in nodes.iter().map(|node: &Node| document::value(kind, node)) {
        let value = value?;
        if values.contains(&value) {
            return Err(format!("{value} is listed twice"));
        }
        values.push(value);
    }
    Ok(values)
}
