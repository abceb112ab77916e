//! The schema of labs: the keys of a file, and in its tables the parameters of wires and of all
//! switches that there are.

use forebay_dataplane::link::EmulationConfig;
use forebay_parameters::{Configure, Listed, listed_all};
use forebay_switch::Catalogue;
use serde_json::{Value, json};

use super::parameter::{Definitions, Groups, Style, parameter};
use super::{merge, named, plain, titled};
use crate::switch;

pub(super) fn schema(catalogue: &Catalogue) -> Value {
    let mut schema = plain(switch::schema().to_value());
    let mut definitions = Definitions::default();
    let link = table(&mut definitions, listed_all(&mut EmulationConfig::default()), |name| {
        switch::is_decided(name)
    });
    let mut all = Vec::new();
    for info in catalogue.switches().iter() {
        let mut config = info.config.clone();
        add(&mut all, &mut config);
    }
    let switches = table(&mut definitions, all, |name| name == "largest_packet");
    let mut parameters = switches.clone();
    // Those of one switch alone.
    parameters["patternProperties"] =
        json!({ "^s[1-9][0-9]*$": definitions.refer("switch", switches) });
    let properties = &mut schema["properties"];
    merge(&mut properties["link"], link);
    merge(&mut properties["parameters"], parameters);
    named(&mut properties["switch"], &catalogue.switches());
    merge(
        &mut properties["ports"],
        json!({ "additionalProperties": {
            "description": "The switch, the rate and the delay: s1,1G,10us.", "type": "string",
        } }),
    );
    match schema["definitions"].as_object_mut() {
        Some(own) => own.extend(definitions.0),
        None => schema["definitions"] = Value::Object(definitions.0),
    }
    titled(schema, "Forebay lab")
}

/// Adds the parameters of a configuration that others before it do not have, or have as something
/// else.
fn add(all: &mut Vec<Listed>, config: &mut impl Configure) {
    for one in listed_all(config) {
        let is_new = |other: &Listed| {
            other.parameter.name != one.parameter.name || other.parameter.kind != one.parameter.kind
        };
        if all.iter().all(is_new) {
            all.push(one);
        }
    }
}

/// A table of parameters, each by its name and by its last word, but for what is not set there.
/// What several switches call the same is what it is in one of them.
fn table(
    definitions: &mut Definitions,
    all: Vec<Listed>,
    is_left_out: impl Fn(&str) -> bool,
) -> Value {
    let mut named: Vec<(String, Vec<Value>)> = Vec::new();
    for one in all.iter().filter(|one| !is_left_out(&one.parameter.name)) {
        let value = definitions.kind(&one.parameter.kind, Style::TypedOrText);
        let schema = parameter(&one.parameter, &value, &one.value);
        let schema = definitions.refer(&one.parameter.name, schema);
        let (name, word) = (&*one.parameter.name, one.parameter.word());
        for key in [name, word].into_iter().take(if name == word { 1 } else { 2 }) {
            match named.iter_mut().find(|(own, _)| own == key) {
                Some((_, cases)) => cases.push(schema.clone()),
                None => named.push((key.to_owned(), vec![schema.clone()])),
            }
        }
    }
    let mut groups = Groups::default();
    for (name, mut cases) in named {
        let schema = match (cases.pop(), cases.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                cases.extend(last);
                json!({ "anyOf": cases })
            }
        };
        groups.put(&name, schema);
    }
    groups.table(true)
}
