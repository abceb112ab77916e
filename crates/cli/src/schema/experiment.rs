//! The schema of experiments: what every one has, and for each scenario its parameters, policies,
//! metrics and series.
//!
//! What holds for one scenario alone is behind a condition, which validators check. Editors
//! complete keys only from what stands unconditionally, so the parameters of all scenarios stand
//! there as well, with their sentences and without what they may be.

use std::path::Path;

use forebay_lab::config::{Basis, Measure};
use forebay_lab::resolved::Parameter;
use forebay_lab::{Resolved, Scenario, ScenarioRegistry};
use serde_json::{Map, Value, json};

use super::parameter::{Definitions, Groups, Style, parameter, slug};
use super::{DRAFT, merge, words};

pub(super) fn schema(registry: &ScenarioRegistry) -> Value {
    let mut definitions = Definitions::default();
    let mut conditions = Vec::new();
    let mut shown = Groups::default();
    for scenario in registry.iter() {
        let own = of_scenario(scenario, &mut definitions, &mut shown);
        let name = scenario.name();
        conditions.push(json!({
            "if": { "required": ["scenario"], "properties": { "scenario": { "const": name } } },
            "then": definitions.refer(name, own),
        }));
    }
    let scenarios = words(registry.iter().map(|scenario| (scenario.name(), scenario.about())));
    let mut properties = sections(scenarios);
    for (key, value) in shown.properties(false) {
        properties.entry(key).or_insert(value);
    }
    json!({
        "$schema": DRAFT,
        "title": "Forebay experiment",
        "description": "What `forebay run` computes, sweeps, draws and compares.",
        "type": "object",
        "required": ["title", "scenario", "policies"],
        "properties": properties,
        "allOf": conditions,
        "definitions": definitions.0,
    })
}

/// What every experiment has.
fn sections(scenarios: Value) -> Map<String, Value> {
    let mut scenario = json!({ "description": "What is simulated: `forebay list`." });
    merge(&mut scenario, scenarios);
    let text = |about: &str| json!({ "description": about, "type": "string" });
    let names = |about: &str| {
        json!({
            "description": about, "type": "array", "minItems": 1, "uniqueItems": true,
            "items": { "type": "string" },
        })
    };
    let measures: Vec<&str> = Measure::names().collect();
    let bases: Vec<&str> = Basis::names().collect();
    let at = json!({
        "description": "Axes that are held at one value: { load = 0.9 }.", "type": "object",
    });
    let number = json!({ "type": "number" });
    let figure = json!({
        "id": {
            "description": "Unique in the file.",
            "type": "string", "pattern": "^[A-Za-z0-9_-]+$",
        },
        "title": text("The heading above it in reports."),
        "kind": {
            "description": "How it is drawn; a line if left out.",
            "enum": ["line", "bars", "timeline"],
        },
        "metric": text("What is drawn; a timeline has `series` instead."),
        "series": text("What a timeline draws."),
        "x": text("The axis along x, which must be swept; lines need one."),
        "at": at,
        "note": text("What the paper's figure shows."),
        "log_x": { "description": "A logarithmic x.", "type": "boolean" },
        "log_y": {
            "description": "A logarithmic y, or a linear one; by the values if left out.",
            "type": "boolean",
        },
        "policies": names("Which policies are drawn; all if left out."),
        "relative": {
            "description": "Policies drawn as their change from others: { lru-mad = \"lru\" }.",
            "type": "object", "additionalProperties": { "type": "string" },
        },
    });
    let claim = json!({
        "text": text("What the paper says, in a sentence."),
        "source": text("Where the paper says it: a section, figure or table."),
        "metric": text("The metric it is about."),
        "subject": text("The policy it is about."),
        "against": names("The policies it is compared with."),
        "measure": { "description": "How the number is made.", "enum": measures },
        "paper": {
            "description": "The number, or a range: [0.18, 0.30]; `basis` says whose.",
            "anyOf": [
                number,
                { "type": "array", "items": number, "minItems": 2, "maxItems": 2 },
            ],
        },
        "basis": {
            "description": "Where the number comes from: the paper's text or a table has it, or \
                            the upper or the lower end alone; it was read off a figure; it is our \
                            reading of the paper's words; or no paper says it. `stated` if left \
                            out.",
            "enum": bases,
        },
        "at": at,
        "along": text("The axis that the measure goes along, where `at` leaves several."),
        "tolerance": {
            "description": "How far the number may be off to be reproduced; 0.1 if left out.",
            "type": "number", "minimum": 0,
        },
        "why": text("Why the measured number differs, if it does."),
    });
    let list = |about: &str, required: Value, properties: Value| {
        json!({
            "description": about,
            "type": "array",
            "items": {
                "type": "object", "required": required, "properties": properties,
                "additionalProperties": false,
            },
        })
    };
    let all = json!({
        "title": text("One line."),
        "scenario": scenario,
        "policies": names("Which policies run, in the order of the figures."),
        "description": text("A paragraph for the report."),
        "seeds": {
            "description": "One run per policy, point and seed; [1] if left out.",
            "type": "array", "minItems": 1, "uniqueItems": true,
            "items": { "type": "integer", "minimum": 1 },
        },
        "sweep": {
            "description": "Parameters with a list of values each; all combinations are run.",
            "type": "object",
        },
        "figure": list("What is drawn.", json!(["id", "title"]), figure),
        "claim": list(
            "A number that a paper states or we expect, and how it is measured here.",
            json!(["text", "source", "metric", "subject", "measure", "paper"]),
            claim,
        ),
    });
    match all {
        Value::Object(all) => all,
        _ => Map::new(),
    }
}

/// What experiments of one scenario may have.
fn of_scenario(
    scenario: &dyn Scenario,
    definitions: &mut Definitions,
    shown: &mut Groups,
) -> Value {
    let params = Resolved::of(scenario, Path::new("."));
    let all = params.parameters();
    let (mut groups, mut axes, mut dotted) = (Groups::default(), Groups::default(), Map::new());
    for one in all {
        let (name, spec) = (&*one.spec.name, &*one.spec);
        let kind = slug(&spec.kind);
        let value = definitions.kind(&spec.kind, Style::Typed);
        let stated = noted("value", &value, definitions);
        let stated = definitions.refer(&format!("{kind}-noted"), stated);
        let sentence = format!("{} Default: {}", spec.about, from(one));
        let mut schema = parameter(spec, &stated, &one.otherwise);
        schema["description"] = json!(format!("{sentence}\n\n{}.", capital(&spec.kind.describe())));
        groups.put(name, definitions.refer(name, schema));
        shown.put(name, json!({ "description": sentence }));
        let values = json!({
            "type": "array", "minItems": 1, "uniqueItems": true, "items": value,
        });
        let axis = noted("values", &values, definitions);
        let axis = definitions.refer(&format!("{kind}-axis"), axis);
        // A last word stands for a parameter that shares it with no other.
        let word = spec.word();
        if name.contains('.') && all.iter().filter(|other| other.spec.word() == word).count() == 1 {
            axes.put(word, axis.clone());
        }
        if name.contains('.') {
            dotted.insert(name.to_owned(), axis.clone());
        }
        axes.put(name, axis);
    }
    // A full name in quotes is one key: "topology.file" = […].
    let mut axes = axes.table(true);
    merge(&mut axes["properties"], Value::Object(dotted));
    let list = |names: Vec<&str>| json!({ "items": { "enum": names } });
    let policies = words(scenario.policies().iter().map(|policy| (&*policy.name, &*policy.doc)));
    let policy: Vec<&str> = scenario.policies().iter().map(|policy| &*policy.name).collect();
    let metrics: Vec<(&str, &str)> =
        scenario.metrics().iter().map(|metric| (metric.name, metric.doc)).collect();
    let series: Vec<(&str, &str)> =
        scenario.series().iter().map(|series| (series.name, series.doc)).collect();
    let name = scenario.name();
    let metric = definitions.refer(&format!("{name}-metric"), words(metrics.into_iter()));
    let series = definitions.refer(&format!("{name}-series"), words(series.into_iter()));
    // A timeline may call its series a metric.
    let either = json!({ "anyOf": [metric, series] });
    let mut properties = groups.properties(true);
    for (key, value) in [
        ("title", json!(true)),
        ("scenario", json!(true)),
        ("description", json!(true)),
        ("seeds", json!(true)),
        ("policies", json!({ "items": policies })),
        ("sweep", axes),
        (
            "figure",
            json!({ "items": { "properties": {
                "metric": either,
                "series": series,
                "policies": list(policy.clone()),
            } } }),
        ),
        (
            "claim",
            json!({ "items": { "properties": {
                "metric": metric,
                "subject": { "enum": policy },
                "against": list(policy.clone()),
            } } }),
        ),
    ] {
        properties.insert(key.to_owned(), value);
    }
    json!({
        "description": scenario.about(),
        "properties": properties,
        "additionalProperties": false,
    })
}

/// A value, or a table with it under `key` and what justifies it.
fn noted(key: &str, value: &Value, definitions: &mut Definitions) -> Value {
    let mut text = |name: &str, about: &str| {
        definitions.refer(name, json!({ "description": about, "type": "string" }))
    };
    let mut properties = json!({
        "paper": text("paper", "The paper's section that states the value."),
        "assumed": text("assumed", "Why this value, if no paper states one."),
        "sensitivity": text("sensitivity", "The experiment that shows how much it matters."),
    });
    properties[key] = value.clone();
    json!({
        "anyOf": [
            value,
            {
                "type": "object", "required": [key], "properties": properties,
                "additionalProperties": false,
                "dependencies": { "sensitivity": ["assumed"] },
                "not": { "required": ["paper", "assumed"] },
            },
        ],
    })
}

/// "2 MB; assumed: …".
fn from(one: &Parameter) -> String {
    let value = one.otherwise.to_string();
    let value = if value.is_empty() { "none" } else { &value };
    let source = one.source();
    let source = source.strip_suffix(" (default)").unwrap_or(&source);
    if source == "default" { format!("{value}.") } else { format!("{value}; {source}.") }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str()
}
