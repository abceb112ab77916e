//! Ranks of the user's: a rank function by its name, a rule as text, or a Python function; and
//! functions under names.
//!
//! The engine asks a rank function inside of itself, where nothing can fail. What a Python function
//! raises therefore unwinds the engine ([`errors::raise`]) and is the exception of the call. Ranks
//! are asked before a packet changes anything: it has not arrived then, and a switch that goes on
//! is as it was.

use std::sync::Arc;

use forebay_expression::Expression;
use forebay_parameters::{Choice, Configure, Entry, Kind, Parameter, Setting, Source, Value, Walk};
use forebay_sched::functions::RankShape;
use forebay_sched::functions::expression::{FIELDS, by_rule, values};
use forebay_sched::{Packet, Rank, RankFunction};
use forebay_switch::{RankText, RankTextError, SwitchConfig};
use forebay_units::Time;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::catalogue::{self, policies};
use crate::detached;
use crate::engine::rule::Function;
use crate::errors::{self, RuleError};
use crate::shown::one_line;

/// What a function given by value is called: no function can be registered so.
const BY_VALUE: &str = "a Python function";

/// A rank of the user's.
pub(crate) enum Own {
    Named(Choice<dyn RankFunction>),
    Rule(Expression),
    Called(Called),
}

/// A Python function as a rank.
#[derive(Clone)]
pub(crate) struct Called(Arc<Function>);

impl Own {
    /// Reads a name, a rule over `fields`, or a function of them.
    pub(crate) fn read(value: &Bound<'_, PyAny>, fields: &[&str]) -> PyResult<Self> {
        let Ok(text) = value.cast::<PyString>() else {
            let expected = "the name of a rank function, an expression or a function";
            let function = Function::read(value, expected, fields)?;
            return Ok(Own::Called(Called(Arc::new(function))));
        };
        match policies().switches.rank_over(text.to_str()?, fields) {
            Ok(RankText::Function(function)) => Ok(Own::Named(function)),
            Ok(RankText::Rule(rule)) => Ok(Own::Rule(rule)),
            Err(RankTextError::Unknown(error)) => Err(errors::shape(error)),
            Err(RankTextError::Rule(error)) => {
                Err(errors::expression(value.py(), error.to_string(), error.column))
            }
        }
    }
}

/// Reads a rank over what a switch knows of a packet.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Choice<dyn RankFunction>> {
    Ok(match Own::read(value, &FIELDS)? {
        Own::Named(function) => function,
        Own::Rule(rule) => by_rule(rule),
        Own::Called(called) => {
            let build = move |(): &(), shape: &RankShape| Ok(called.clone().built(shape));
            Choice::new(BY_VALUE, "a rank of your own", (), build)
        }
    })
}

impl Called {
    /// The rank that the function answers; leaves the engine with what it raises.
    pub(crate) fn rank(&self, values: &[i64]) -> Rank {
        self.asked(values).unwrap_or_else(|error| errors::raise(error))
    }

    fn asked(&self, values: &[i64]) -> PyResult<Rank> {
        detached::give_way();
        Python::attach(|py| {
            let answer = self.0.call(py, values)?;
            answer.extract().map(Rank::new).map_err(|error| {
                let answer = answer.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
                let raised = RuleError::new_err(format!(
                    "rank: the function answered {}; a rank is a whole number from 0 to 2**64 - 1",
                    one_line(&answer)
                ));
                raised.set_cause(py, Some(error));
                raised
            })
        })
    }

    fn built(self, shape: &RankShape) -> Box<dyn RankFunction> {
        Box::new(RankByFunction { called: self, shape: *shape })
    }
}

struct RankByFunction {
    called: Called,
    shape: RankShape,
}

impl RankFunction for RankByFunction {
    fn reads_class(&self) -> bool {
        true
    }

    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        self.called.rank(&values(now, packet, &self.shape))
    }
}

const VERSION: Parameter = Parameter::new(
    "version",
    Kind::Text,
    Source::assumed("a digest of the Python function, unless its registration says another"),
    "Which version of the Python function ranks: results are stored under it.",
);

/// A parameter in name only: stored results depend on it.
#[derive(Clone)]
struct Version {
    parameter: Parameter,
    text: String,
}

impl Configure for Version {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&self.parameter, &mut Registered(&self.text));
    }
}

/// What a registration has said: it is shown, and nothing else can be set in its place.
struct Registered<'a>(&'a str);

impl Setting for Registered<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        if *value == self.value() {
            return Ok(());
        }
        Err(format!(
            "it is \"{}\", as the function was registered; register it with another",
            self.0
        ))
    }

    fn value(&self) -> Value {
        Value::Text(self.0.to_owned())
    }
}

/// Puts a function among the rank functions; see `forebay.register_rank`.
#[pyfunction]
pub(crate) fn add_rank(
    name: &str,
    function: &Bound<'_, PyAny>,
    about: String,
    version: String,
) -> PyResult<()> {
    let called = Called(Arc::new(Function::read(function, "a function", &FIELDS)?));
    // Without `_`, the names of two functions are two parameters as well.
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '-');
    if !is_name {
        return Err(errors::shape(format!(
            "\"{name}\" is not a name for a rank function; give a letter, then letters, digits and \
             -"
        )));
    }
    if forebay_replay::names().contains(&name) || name == "expression" {
        return Err(errors::shape(format!(
            "\"{name}\" is a word of rules; give the rank function another name"
        )));
    }
    // Each has a name of its own, since two functions of an experiment have two versions.
    let parameter = VERSION.called(format!("{}_version", name.replace('-', "_")));
    let build = move |_: &Version, shape: &RankShape| Ok(called.clone().built(shape));
    let version = Version { parameter, text: version };
    catalogue::add(&Choice::new(name.to_owned(), about, version, build))
}

/// Whether the packets of a switch are ranked by a Python function.
pub(crate) fn calls_python(switch: &SwitchConfig) -> bool {
    let rank = match switch {
        SwitchConfig::DropTail(_) => None,
        SwitchConfig::Scheduled(config) => Some(config.scheduler.name()),
        SwitchConfig::OnChip(config) => config.rank.as_ref().map(Entry::name),
        SwitchConfig::Hybrid(config) => Some(config.rank.name()),
    };
    rank.is_some_and(|name| name == BY_VALUE || catalogue::is_added(name))
}
