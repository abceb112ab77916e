//! Values of parameters, and the one text of each.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use forebay_units::{Bytes, Duration, Rate};

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Rate`](crate::Kind::Rate).
    Rate(Rate),
    /// Of [`Kind::Bytes`](crate::Kind::Bytes).
    Bytes(Bytes),
    /// Of [`Kind::Duration`](crate::Kind::Duration).
    Duration(Duration),
    /// Of [`Kind::Float`](crate::Kind::Float).
    Float(f64),
    /// Of [`Kind::Int`](crate::Kind::Int).
    Int(i64),
    /// Of [`Kind::Bool`](crate::Kind::Bool).
    Bool(bool),
    /// Of [`Kind::Choice`](crate::Kind::Choice), [`Kind::Text`](crate::Kind::Text) or
    /// [`Kind::Path`](crate::Kind::Path).
    Text(String),
    /// Of [`Kind::List`](crate::Kind::List).
    List(Vec<Value>),
}

/// Runs of more than so many equal values are folded in the text of a list; where they have units,
/// all runs are.
const RUN: usize = 4;

impl fmt::Display for Value {
    /// The canonical text: equal values print equally, and the text reads back as the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Rate(rate) => rate.fmt(f),
            Value::Bytes(size) => size.fmt(f),
            Value::Duration(span) => span.fmt(f),
            Value::Float(number) => number.fmt(f),
            Value::Int(number) => number.fmt(f),
            Value::Bool(flag) => flag.fmt(f),
            Value::Text(text) => text.fmt(f),
            Value::List(values) => {
                let mut before = "";
                for run in values.chunk_by(|one, next| one == next) {
                    let has_unit =
                        matches!(run[0], Value::Rate(_) | Value::Bytes(_) | Value::Duration(_));
                    let least = if has_unit { 2 } else { RUN + 1 };
                    let (times, shown) =
                        if run.len() >= least { (run.len(), 1) } else { (1, run.len()) };
                    for value in &run[..shown] {
                        write!(f, "{before}{value}")?;
                        before = ":";
                    }
                    if times > 1 {
                        // Behind a unit, as "10 Gb/s x8".
                        write!(f, "{}x{times}", if has_unit { " " } else { "" })?;
                    }
                }
                Ok(())
            }
        }
    }
}

impl Value {
    /// The value as a number for an axis (Gb/s, bytes, microseconds, or itself); none for words and
    /// lists.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Rate(rate) => Some(rate.as_bps() as f64 / 1e9),
            Value::Bytes(size) => Some(size.get() as f64),
            Value::Duration(span) => Some(span.as_ps() as f64 / 1e6),
            Value::Float(number) => Some(*number),
            Value::Int(number) => Some(*number as f64),
            Value::Bool(_) | Value::Text(_) | Value::List(_) => None,
        }
    }
}
