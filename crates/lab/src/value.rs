//! The kinds of parameter and their values: what a text or a TOML value means, what range it may have, and
//! how it is written back so that equal values have equal texts.
//!
//! Complexity: constant per value.

use std::fmt;

use forebay_units::{Bytes, Duration, Rate};

use crate::unknown::suggest;

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Bits per second, as `"50 Gb/s"`.
    Rate,
    /// A size, as `"16 KiB"`.
    Bytes,
    /// A span of time, as `"10 ms"`.
    Duration,
    /// A finite real number between `min` and `max`, both included.
    Float {
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
    },
    /// A whole number between `min` and `max`, both included.
    Int {
        /// Smallest allowed value.
        min: i64,
        /// Largest allowed value.
        max: i64,
    },
    /// `true` or `false`.
    Bool,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// A file, relative to the experiment file (with `--set`, to the working directory first); an empty text
    /// means no file.
    Path,
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Rate`].
    Rate(Rate),
    /// Of [`Kind::Bytes`].
    Bytes(Bytes),
    /// Of [`Kind::Duration`].
    Duration(Duration),
    /// Of [`Kind::Float`].
    Float(f64),
    /// Of [`Kind::Int`].
    Int(i64),
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Choice`], [`Kind::Text`] or [`Kind::Path`].
    Text(String),
}

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
        }
    }
}

impl Value {
    /// The value as a number for an axis (Gb/s, bytes, microseconds, or itself); none for words.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Rate(rate) => Some(rate.as_bps() as f64 / 1e9),
            Value::Bytes(size) => Some(size.get() as f64),
            Value::Duration(span) => Some(span.as_ps() as f64 / 1e6),
            Value::Float(number) => Some(*number),
            Value::Int(number) => Some(*number as f64),
            Value::Bool(_) | Value::Text(_) => None,
        }
    }
}

impl Kind {
    /// What the kind accepts, for messages and listings.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Kind::Rate => "a rate such as \"50 Gb/s\"".to_owned(),
            Kind::Bytes => "a size such as \"16 KiB\" or \"5 MB\"".to_owned(),
            Kind::Duration => "a span of time such as \"10 ms\"".to_owned(),
            Kind::Float { min, max } => match (min.is_finite(), max.is_finite()) {
                (true, true) => format!("a number between {min} and {max}"),
                (true, false) => format!("a number of at least {min}"),
                (false, true) => format!("a number of at most {max}"),
                (false, false) => "a number".to_owned(),
            },
            Kind::Int { min, max } => match (*min, *max) {
                (min, i64::MAX) => format!("a whole number of at least {min}"),
                (min, max) => format!("a whole number between {min} and {max}"),
            },
            Kind::Bool => "true or false".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Text => "a text".to_owned(),
            Kind::Path => "the path of a file, relative to the experiment file".to_owned(),
        }
    }

    /// The unit of the kind's values on an axis (see [`Value::number`]); empty if it has none.
    #[must_use]
    pub fn axis_unit(&self) -> &'static str {
        match self {
            Kind::Rate => "Gb/s",
            Kind::Bytes => "B",
            Kind::Duration => "µs",
            _ => "",
        }
    }

    /// Whether axis values of this kind are numbers in result tables: of its [`axis_unit`](Self::axis_unit), if
    /// it has one.
    #[must_use]
    pub fn is_number(&self) -> bool {
        match self {
            Kind::Rate | Kind::Bytes | Kind::Duration | Kind::Float { .. } | Kind::Int { .. } => {
                true
            }
            Kind::Bool | Kind::Choice(_) | Kind::Text | Kind::Path => false,
        }
    }

    /// Reads a text, as in a default or in `--set`.
    ///
    /// # Errors
    /// One sentence that says what was expected.
    pub fn read_text(&self, text: &str) -> Result<Value, String> {
        let unit = |error: forebay_units::ParseUnitError| error.to_string();
        match self {
            Kind::Rate => text.parse().map(Value::Rate).map_err(unit),
            Kind::Bytes => text.parse().map(Value::Bytes).map_err(unit),
            Kind::Duration => text.parse().map(Value::Duration).map_err(unit),
            Kind::Float { .. } => match text.trim().parse() {
                Ok(number) => self.in_range(Value::Float(number)),
                Err(_) => Err(format!("\"{text}\" is not {}", self.describe())),
            },
            Kind::Int { .. } => match text.trim().parse() {
                Ok(number) => self.in_range(Value::Int(number)),
                Err(_) => Err(format!("\"{text}\" is not {}", self.describe())),
            },
            Kind::Bool => match text.trim() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(format!("\"{text}\" is not {}", self.describe())),
            },
            Kind::Choice(words) if !words.contains(&text) => Err(format!(
                "\"{text}\" is not {}; {}",
                self.describe(),
                suggest(text, words.iter().copied())
            )),
            Kind::Choice(_) | Kind::Text | Kind::Path => Ok(Value::Text(text.to_owned())),
        }
    }

    /// The value, if it is in the kind's range.
    ///
    /// # Errors
    /// One sentence that says what was expected.
    pub fn in_range(&self, value: Value) -> Result<Value, String> {
        let fits = match (self, &value) {
            (Kind::Float { min, max }, Value::Float(x)) => x.is_finite() && min <= x && x <= max,
            (Kind::Int { min, max }, Value::Int(x)) => min <= x && x <= max,
            _ => true,
        };
        let value = if value == Value::Float(0.0) { Value::Float(0.0) } else { value }; // no -0
        if fits { Ok(value) } else { Err(format!("{value} is not {}", self.describe())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_read_and_refuse() {
        let share = Kind::Float { min: 0.0, max: 1.0 };
        assert_eq!(share.read_text("-0").unwrap().to_string(), "0");
        assert!(share.in_range(Value::Float(f64::NAN)).is_err());
        assert!(Kind::Bytes.read_text("5 Gb/s").is_err());
        let word = Kind::Choice(&["fifo", "strict"]);
        assert!(word.read_text("fifi").unwrap_err().contains("did you mean `fifo`?"));
    }

    proptest! {
        #[test]
        fn canonical_texts_read_back(bits in any::<u64>(), real in any::<f64>(), whole in any::<i64>()) {
            let any_float = Kind::Float { min: f64::MIN, max: f64::MAX };
            let any_int = Kind::Int { min: i64::MIN, max: i64::MAX };
            let cases = [
                (Kind::Rate, Value::Rate(Rate::from_bps(bits))),
                (Kind::Bytes, Value::Bytes(Bytes::new(bits))),
                (Kind::Duration, Value::Duration(Duration::from_ps(bits))),
                (any_int, Value::Int(whole)),
            ];
            for (kind, value) in cases {
                prop_assert_eq!(kind.read_text(&value.to_string()), Ok(value));
            }
            if real.is_finite() {
                let value = Value::Float(real);
                prop_assert_eq!(any_float.read_text(&value.to_string()), Ok(value));
            }
        }
    }
}
