//! `forebay schema`: the form of the files that Forebay reads, as JSON Schema, so that editors
//! complete and check them. Draft 7, which editors' TOML extensions know.
//!
//! Everything in it is asked of what reads the files: scenarios, registries and the types behind
//! the parsers. What only makes sense together (a figure's axis must be swept) is not in it; the
//! commands check that.

mod experiment;
#[cfg(all(target_os = "linux", feature = "live"))]
mod lab;
mod parameter;

use clap::ValueEnum;
use forebay_lab::ScenarioRegistry;
use forebay_parameters::{Entry, Registry};
use forebay_scenarios::Policies;
use serde_json::{Map, Value, json};

use crate::{Failure, terminal};

/// The draft that the schemas are of.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A kind of file.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Of {
    /// Experiments: `forebay run`.
    Experiment,
    /// Labs: `forebay switch`.
    #[cfg(all(target_os = "linux", feature = "live"))]
    Lab,
    /// Scheduling trees: `forebay sched check`.
    Tree,
    /// Proxies: `forebay proxy`.
    #[cfg(feature = "proxy")]
    Proxy,
}

pub(crate) const HELP: &str =
    "Editors with a TOML language server (taplo; in VS Code, Even Better TOML) take a schema from a
file's first line, which TOML itself reads as a comment:

  #:schema ./experiment.json

Those of a release are in docs/schemas; those that a program with policies of its own prints have
its policies, too.

Example:
  forebay schema experiment > experiment.json";

/// Prints the schema of a kind of file.
pub(crate) fn show(
    of: Of,
    policies: &Policies,
    registry: impl FnOnce() -> Result<ScenarioRegistry, Failure>,
) -> Result<(), Failure> {
    let schema = match of {
        Of::Experiment => experiment::schema(&registry()?),
        #[cfg(all(target_os = "linux", feature = "live"))]
        Of::Lab => lab::schema(&policies.switches),
        Of::Tree => tree(policies),
        #[cfg(feature = "proxy")]
        Of::Proxy => proxy(policies),
    };
    let text = serde_json::to_string_pretty(&schema);
    let text = text.map_err(|error| Failure::new(format!("error: {error}"), 1))?;
    terminal::print(&(text + "\n"))
}

/// Trees, with what their nodes may name.
fn tree(policies: &Policies) -> Value {
    let mut schema = plain(forebay_sched::tree::schema().to_value());
    let node = &mut schema["definitions"]["NodeFile"]["properties"];
    named(&mut node["scheduler"], policies.switches.disciplines());
    named(&mut node["order"], policies.switches.ranks());
    titled(schema, "Forebay scheduling tree")
}

/// Proxies, with the policies of their caches.
#[cfg(feature = "proxy")]
fn proxy(policies: &Policies) -> Value {
    let mut schema = plain(forebay_proxy::schema().to_value());
    let definitions = &mut schema["definitions"];
    named(&mut definitions["CacheFile"]["properties"]["policy"], &policies.caches);
    named(&mut definitions["WhatIfFile"]["properties"]["policies"]["items"], &policies.caches);
    titled(schema, "Forebay proxy")
}

/// A text that is one of the names of a registry, each with what it is.
fn named<E: Entry>(text: &mut Value, registry: &Registry<E>) {
    merge(text, words(registry.iter().map(|entry| (entry.name(), entry.about()))));
}

/// One of a few words, each with what it means where editors show that.
fn words<'a>(words: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let (names, about): (Vec<&str>, Vec<&str>) = words.unzip();
    json!({ "type": "string", "enum": names, "x-taplo": { "docs": { "enumValues": about } } })
}

/// Gives an object the members of another.
fn merge(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}

/// The same with this title.
fn titled(mut schema: Value, title: &str) -> Value {
    merge(&mut schema, json!({ "title": title }));
    schema
}

/// A schema made for JSON as one for TOML, which has no null: what may be left out is not null.
/// Formats of numbers, which only bound them as their types do, are left out.
fn plain(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        Value::Object(members) => {
            let mut left = Map::new();
            for (key, value) in members {
                let is_number_format = key == "format" && value.as_str().is_some();
                if is_number_format {
                    continue;
                }
                match (key.as_str(), value) {
                    ("type", Value::Array(types)) => {
                        let types: Vec<Value> =
                            types.into_iter().filter(|name| name != "null").collect();
                        let one = types.first().filter(|_| types.len() == 1).cloned();
                        left.insert(key, one.unwrap_or(Value::Array(types)));
                    }
                    ("anyOf", Value::Array(cases)) => {
                        let mut cases: Vec<Value> = cases.into_iter().map(plain).collect();
                        cases.retain(|case| case["type"] != "null");
                        // One case alone is what there must be; beside a description it stands in
                        // a list, since members beside a reference count for nothing.
                        let name = if cases.len() == 1 { "allOf" } else { "anyOf" };
                        left.insert(name.to_owned(), Value::Array(cases));
                    }
                    (_, value) => {
                        left.insert(key, plain(value));
                    }
                }
            }
            Value::Object(left)
        }
        other => other,
    }
}
