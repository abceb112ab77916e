//! Parameters as JSON Schema: their kinds, ranges, defaults and sentences, as they are declared.

use forebay_parameters::{Kind, Parameter, Value as Default};
use forebay_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// How a file writes values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Numbers and flags as such, all else as text.
    Typed,
    /// The same, or all of it as text, as after `--set`.
    TypedOrText,
}

/// Definitions that schemas refer to: equal ones are written once.
#[derive(Default)]
pub(super) struct Definitions(pub(super) Map<String, Value>);

impl Definitions {
    /// A reference to a definition of this name, or, if that means something else already, of a
    /// similar one.
    pub(super) fn refer(&mut self, name: &str, schema: Value) -> Value {
        let mut own = name.to_owned();
        let mut next = 2;
        while self.0.get(&own).is_some_and(|other| *other != schema) {
            own = format!("{name}-{next}");
            next += 1;
        }
        let reference = json!({ "$ref": format!("#/definitions/{own}") });
        self.0.insert(own, schema);
        reference
    }

    /// A reference to what a value of this kind is.
    pub(super) fn kind(&mut self, kind: &Kind, style: Style) -> Value {
        let typed = typed(kind);
        let schema = match (style, kind) {
            (Style::TypedOrText, Kind::Float { .. } | Kind::Int { .. } | Kind::Bool) => {
                json!({ "anyOf": [typed, { "type": "string" }] })
            }
            (Style::Typed | Style::TypedOrText, _) => typed,
        };
        self.refer(&slug(kind), schema)
    }
}

/// A parameter with its sentence and its default; `value` is what its value may be.
pub(super) fn parameter(one: &Parameter, value: &Value, default: &Default) -> Value {
    json!({
        "description": format!("{} ({}.)", one.about, one.kind.describe()),
        "default": written(default),
        "allOf": [value],
    })
}

/// A name for a kind, of letters that need no escape in a reference.
pub(super) fn slug(kind: &Kind) -> String {
    match kind {
        Kind::Rate => "rate".to_owned(),
        Kind::Bytes => "size".to_owned(),
        Kind::Duration => "time".to_owned(),
        Kind::Bool => "flag".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Path => "path".to_owned(),
        Kind::Choice(words) => format!("one-of-{}", words.first().unwrap_or(&"none")),
        Kind::List(of) => format!("list-of-{}", slug(of)),
        Kind::Int { .. } | Kind::Float { .. } => {
            let words = kind.describe();
            let words = words.trim_start_matches("a ").replace([' ', ','], "-");
            words.replace('/', "-over-")
        }
    }
}

/// What a value of this kind is, in a file.
fn typed(kind: &Kind) -> Value {
    match kind {
        Kind::Rate => quantity::<Rate>(),
        Kind::Bytes => quantity::<Bytes>(),
        Kind::Duration => quantity::<Duration>(),
        Kind::Float { min, max } => {
            let mut schema = json!({ "type": "number" });
            for (key, bound) in [("minimum", min), ("maximum", max)] {
                // The ends of the type are no bounds that anybody meets.
                if bound.is_finite() && bound.abs() < f64::MAX {
                    schema[key] = json!(bound);
                }
            }
            schema
        }
        Kind::Int { min, max } => {
            let mut schema = json!({ "type": "integer" });
            if *min > i64::MIN {
                schema["minimum"] = json!(min);
            }
            if *max < i64::MAX {
                schema["maximum"] = json!(max);
            }
            schema
        }
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Path | Kind::List(_) => json!({ "type": "string", "title": kind.describe() }),
    }
}

fn quantity<T: JsonSchema>() -> Value {
    T::json_schema(&mut schemars::SchemaGenerator::default()).to_value()
}

/// A value as a file has it.
fn written(value: &Default) -> Value {
    match value {
        Default::Float(number) => json!(number),
        Default::Int(number) => json!(number),
        Default::Bool(flag) => json!(flag),
        other => json!(other.to_string()),
    }
}

/// Tables within tables, under dotted names.
#[derive(Default)]
pub(super) struct Groups {
    /// What stands in the table itself.
    leaves: Map<String, Value>,
    groups: Vec<(String, Groups)>,
}

impl Groups {
    /// Puts a schema under a dotted name. What already has that name counts.
    pub(super) fn put(&mut self, name: &str, schema: Value) {
        match name.split_once('.') {
            None => {
                self.leaves.entry(name).or_insert(schema);
            }
            Some((group, rest)) => {
                if let Some((_, inner)) = self.groups.iter_mut().find(|(own, _)| own == group) {
                    return inner.put(rest, schema);
                }
                let mut inner = Groups::default();
                inner.put(rest, schema);
                self.groups.push((group.to_owned(), inner));
            }
        }
    }

    /// The members of the table, as `properties`; in tables within, others are refused if the
    /// schema is `strict`.
    pub(super) fn properties(self, strict: bool) -> Map<String, Value> {
        let mut all = self.leaves;
        for (name, inner) in self.groups {
            let inner = inner.table(strict);
            match all.get_mut(&name) {
                // A parameter and a group of this name.
                Some(leaf) => *leaf = json!({ "anyOf": [leaf.take(), inner] }),
                None => {
                    all.insert(name, inner);
                }
            }
        }
        all
    }

    /// The table.
    pub(super) fn table(self, strict: bool) -> Value {
        let mut table = json!({ "type": "object", "properties": self.properties(strict) });
        if strict {
            table["additionalProperties"] = json!(false);
        }
        table
    }
}
