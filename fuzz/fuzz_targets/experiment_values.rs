//! An experiment file, structured: a scenario and policies that there are, and values for its
//! parameters, most of which are of the right kind. An experiment that can be planned, or errors
//! that name a place; never a panic.
#![no_main]

use std::path::Path;

use forebay_fuzz::experiment::{REGISTRY, check};
use forebay_lab::Resolved;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Experiment {
    scenario: u8,
    policies: Vec<u8>,
    seeds: Vec<u8>,
    values: Vec<(u8, Value)>,
    sweep: Vec<(u8, Vec<Value>)>,
    figures: Vec<(u8, u8, u8)>,
}

#[derive(Arbitrary, Debug)]
enum Value {
    Whole(i64),
    Small(u8),
    Fraction(f64),
    Part(u8),
    Truth(bool),
    Span(u16, u8),
    Size(u16, u8),
    Rate(u16, u8),
    Word(u8),
}

/// Words that some parameter or other takes.
const WORDS: [&str; 12] = [
    "none",
    "off",
    "poisson",
    "websearch",
    "hadoop",
    "dctcp",
    "cubic",
    "pifo",
    "dt",
    "occamy",
    "first",
    "max",
];

impl Value {
    fn text(&self) -> String {
        let one = |units: &[&str], unit: &u8| units[usize::from(*unit) % units.len()].to_owned();
        match self {
            Value::Whole(number) => number.to_string(),
            Value::Small(number) => number.to_string(),
            Value::Fraction(number) => format!("{number:?}").replace("NaN", "nan"),
            Value::Part(part) => format!("{:.2}", f64::from(*part) / 100.0),
            Value::Truth(truth) => truth.to_string(),
            Value::Span(count, unit) => {
                format!("\"{count} {}\"", one(&["ns", "us", "ms", "s"], unit))
            }
            Value::Size(count, unit) => format!("\"{count} {}\"", one(&["B", "KiB", "MB"], unit)),
            Value::Rate(count, unit) => {
                format!("\"{count} {}\"", one(&["Mb/s", "Gb/s", "Tb/s"], unit))
            }
            Value::Word(word) => format!("\"{}\"", one(&WORDS, word)),
        }
    }
}

fuzz_target!(|made: Experiment| {
    let scenarios: Vec<_> = REGISTRY.iter().collect();
    let scenario = scenarios[usize::from(made.scenario) % scenarios.len()];
    let names: Vec<String> = Resolved::of(scenario, Path::new(""))
        .parameters()
        .iter()
        .map(|parameter| parameter.spec.name.to_string())
        .collect();
    let name = |index: &u8| names.get(usize::from(*index) % names.len().max(1));
    let of = |list: &[String]| list.join(", ");
    let policy = |index: &u8| {
        let policies = scenario.policies();
        format!("\"{}\"", policies[usize::from(*index) % policies.len()].name)
    };
    let policies: Vec<String> = made.policies.iter().map(policy).collect();
    let seeds: Vec<String> = made.seeds.iter().map(u8::to_string).collect();
    let mut text = format!(
        "title = \"made\"\nscenario = \"{}\"\npolicies = [{}]\nseeds = [{}]\n",
        scenario.name(),
        of(&policies),
        of(&seeds)
    );
    for (index, value) in &made.values {
        if let Some(name) = name(index) {
            text += &format!("{name} = {}\n", value.text());
        }
    }
    text += "[sweep]\n";
    for (index, values) in &made.sweep {
        let values: Vec<String> = values.iter().map(Value::text).collect();
        if let Some(name) = name(index) {
            text += &format!("{name} = [{}]\n", of(&values));
        }
    }
    for (number, (metric, x, kind)) in made.figures.iter().enumerate() {
        let metrics = scenario.metrics();
        let Some(metric) = metrics.get(usize::from(*metric) % metrics.len().max(1)) else { break };
        let kind = ["line", "bars", "cdf"][usize::from(*kind) % 3];
        let x = name(x).map_or("load", String::as_str);
        text += &format!(
            "[[figure]]\nid = \"f{number}\"\ntitle = \"made\"\nmetric = \"{}\"\nx = \"{x}\"\nkind \
             = \"{kind}\"\n",
            metric.name
        );
    }
    check(text.as_bytes());
});
