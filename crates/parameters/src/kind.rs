//! What a parameter may be: what a text means for it, and which range it has.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use forebay_units::{ParseUnitError, printable};

use crate::suggest::nearest;
use crate::{Value, Word};

/// The most entries of a list: hostile texts such as `1x4000000000` stay small.
const MAX_LIST: usize = 1 << 16;

/// A number with its thousands apart, as `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A bound in a message: from a million on its thousands stand apart.
fn legible(bound: i64) -> String {
    match u64::try_from(bound) {
        Ok(large @ 1_000_000..) => grouped(large),
        Ok(_) | Err(_) => bound.to_string(),
    }
}

/// The same of a real number; a small one as a fraction, where it is one: 1/65536.
fn legible_real(bound: f64) -> String {
    let parts = 1.0 / bound;
    match parts.is_finite() && parts > 1000.0 && (parts as u64) as f64 == parts {
        true => format!("1/{parts}"),
        false if bound >= 1e6 && (bound as u64) as f64 == bound => grouped(bound as u64),
        false => bound.to_string(),
    }
}

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
    /// A file, relative to the experiment file (with `--set`, to the working directory first); an
    /// empty text means no file.
    Path,
    /// Values of one kind with colons between them, `40:1x3` for `40:1:1:1`; at most 65,536.
    List(&'static Kind),
}

impl Kind {
    /// A whole number of at least `min`.
    #[must_use]
    pub const fn at_least(min: i64) -> Self {
        Kind::Int { min, max: i64::MAX }
    }

    /// One of the words of a type, at most 16.
    #[must_use]
    pub const fn of<W: Word>() -> Self {
        Kind::Choice(Names::<W>::SLICE)
    }

    /// What the kind accepts, for messages and listings.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Kind::Rate => "a rate such as \"50 Gb/s\"".to_owned(),
            Kind::Bytes => "a size such as \"16 KiB\" or \"5 MB\"".to_owned(),
            Kind::Duration => "a span of time such as \"10 ms\"".to_owned(),
            Kind::Float { min, max } => {
                let [least, most] = [*min, *max].map(legible_real);
                match (min.is_finite(), max.is_finite()) {
                    (true, true) => format!("a number between {least} and {most}"),
                    (true, false) => format!("a number of at least {least}"),
                    (false, true) => format!("a number of at most {most}"),
                    (false, false) => "a number".to_owned(),
                }
            }
            Kind::Int { min, max } => match (legible(*min), *max) {
                (min, i64::MAX) => format!("a whole number of at least {min}"),
                (min, max) => format!("a whole number between {min} and {}", legible(max)),
            },
            Kind::Bool => "true or false".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Text => "a text".to_owned(),
            Kind::Path => "the path of a file, relative to the experiment file".to_owned(),
            Kind::List(of) => {
                let each = of.describe();
                format!("a list such as 40:1x3, which means 40:1:1:1; each value is {each}")
            }
        }
    }

    /// The unit of the kind's values on an axis (see [`Value::number`]); empty if it has none.
    #[must_use]
    pub const fn axis_unit(&self) -> &'static str {
        match self {
            Kind::Rate => "Gb/s",
            Kind::Bytes => "B",
            Kind::Duration => "µs",
            Kind::Float { .. }
            | Kind::Int { .. }
            | Kind::Bool
            | Kind::Choice(_)
            | Kind::Text
            | Kind::Path
            | Kind::List(_) => "",
        }
    }

    /// Whether axis values of this kind are numbers in result tables: of its
    /// [`axis_unit`](Self::axis_unit), if it has one.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        match self {
            Kind::Rate | Kind::Bytes | Kind::Duration | Kind::Float { .. } | Kind::Int { .. } => {
                true
            }
            Kind::Bool | Kind::Choice(_) | Kind::Text | Kind::Path | Kind::List(_) => false,
        }
    }

    /// Reads a text, as in a default or in `--set`. O(length).
    ///
    /// # Errors
    /// One sentence that says what was expected.
    pub fn read_text(&self, text: &str) -> Result<Value, String> {
        let unit = |error: ParseUnitError| error.to_string();
        let refused = || format!("\"{}\" is not {}", printable(text), self.describe());
        let outside = || format!("{} is not {}", text.trim(), self.describe());
        match self {
            Kind::Rate => text.parse().map(Value::Rate).map_err(unit),
            Kind::Bytes => text.parse().map(Value::Bytes).map_err(unit),
            Kind::Duration => text.parse().map(Value::Duration).map_err(unit),
            // A number is repeated as it was given: of a large one, the value has other digits.
            Kind::Float { .. } => match text.trim().parse().map(Value::Float) {
                Ok(number) => self.within(number).map_err(|_| outside()),
                Err(_) => Err(refused()),
            },
            Kind::Int { .. } => match text.trim().parse().map(Value::Int) {
                Ok(number) => self.within(number).map_err(|_| outside()),
                Err(_) => Err(refused()),
            },
            Kind::Bool => match text.trim() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(refused()),
            },
            Kind::Choice(words) if !words.contains(&text) => Err(match nearest(text, words) {
                Some(word) => format!("{}; did you mean `{word}`?", refused()),
                None => refused(),
            }),
            Kind::Choice(_) | Kind::Text | Kind::Path => Ok(Value::Text(text.to_owned())),
            Kind::List(of) => read_list(of, text),
        }
    }

    /// The value, if it is of this kind and within its range.
    ///
    /// # Errors
    /// One sentence that says what was found and what was expected.
    pub fn within(&self, value: Value) -> Result<Value, String> {
        let fits = match (self, &value) {
            (Kind::Float { min, max }, Value::Float(x)) => x.is_finite() && min <= x && x <= max,
            (Kind::Int { min, max }, Value::Int(x)) => min <= x && x <= max,
            (Kind::Rate, Value::Rate(_))
            | (Kind::Bytes, Value::Bytes(_))
            | (Kind::Duration, Value::Duration(_))
            | (Kind::Bool, Value::Bool(_))
            | (Kind::Text | Kind::Path, Value::Text(_)) => true,
            (Kind::Choice(words), Value::Text(word)) => words.contains(&word.as_str()),
            (Kind::List(of), Value::List(values)) => {
                // What is wrong with a list is one of its values.
                let wrong = values.iter().find_map(|value| of.within(value.clone()).err());
                if let Some(problem) = wrong {
                    return Err(problem);
                }
                values.len() <= MAX_LIST
            }
            _ => false,
        };
        let value = if value == Value::Float(0.0) { Value::Float(0.0) } else { value }; // no -0
        if fits { Ok(value) } else { Err(format!("{value} is not {}", self.describe())) }
    }
}

/// The words of a type without their meanings.
struct Names<W>(core::marker::PhantomData<W>);

impl<W: Word> Names<W> {
    const ALL: [&'static str; 16] = {
        let mut names = [""; 16];
        let mut index = 0;
        while index < W::WORDS.len() {
            names[index] = W::WORDS[index].0;
            index += 1;
        }
        names
    };
    const SLICE: &'static [&'static str] = Self::ALL.split_at(W::WORDS.len()).0;
}

/// Values with colons between them; `3x5` is five times 3.
fn read_list(of: &Kind, text: &str) -> Result<Value, String> {
    let mut values: Vec<Value> = Vec::new();
    for part in text.split(':').filter(|_| !text.trim().is_empty()) {
        let (one, times) = match part.rsplit_once('x') {
            Some((one, times)) if !times.trim().is_empty() && is_whole(times) => (one, times),
            _ => (part, "1"),
        };
        let times = times.trim().parse().unwrap_or(usize::MAX);
        let room = MAX_LIST - values.len();
        if times == 0 || times > room {
            let part = printable(part);
            return Err(format!("\"{part}\" makes a list of none, or of more than {MAX_LIST}"));
        }
        let value = of.read_text(one.trim())?;
        values.extend(core::iter::repeat_n(value, times));
    }
    Ok(Value::List(values))
}

fn is_whole(text: &str) -> bool {
    text.trim().bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::{Bytes, Duration, Rate};
    use proptest::prelude::*;

    const WEIGHTS: Kind = Kind::List(&Kind::Int { min: 1, max: 1 << 32 });

    #[test]
    fn values_read_and_refuse() {
        let share = Kind::Float { min: 0.0, max: 1.0 };
        assert_eq!(share.read_text("-0").unwrap().to_string(), "0");
        assert!(share.read_text("1.5").unwrap_err().contains("between 0 and 1"));
        assert!(share.read_text("NaN").is_err());
        assert!(Kind::Bytes.read_text("5 Gb/s").is_err());
        assert!(Kind::Bytes.within(Value::Int(5)).is_err());
        let word = Kind::Choice(&["fifo", "strict"]);
        assert!(word.read_text("fifi").unwrap_err().contains("fifo"));
        assert!(word.within(Value::Text("lifo".into())).is_err());
    }

    #[test]
    fn lists_fold_what_repeats() {
        let text = |text: &str| WEIGHTS.read_text(text).map(|list| list.to_string());
        assert_eq!(text("50:50:1:1").unwrap(), "50:50:1:1");
        assert_eq!(text("40 : 1x40").unwrap(), "40:1x40");
        assert_eq!(text("1:1:1:1").unwrap(), "1:1:1:1");
        assert_eq!(text("").unwrap(), "");
        assert!(text("1:0").unwrap_err().contains("at least 1") || text("1:0").is_err());
        assert!(text("1x4000000000").is_err() && text("1x0").is_err() && text("1::2").is_err());
        let spans = Kind::List(&Kind::Duration);
        assert_eq!(spans.read_text("10 us:1 ms").unwrap().to_string(), "10 us:1 ms");
    }

    proptest! {
        #[test]
        fn canonical_texts_read_back(
            bits in any::<u64>(),
            real in any::<f64>(),
            whole in any::<i64>(),
            list in prop::collection::vec(1i64..4, 0..40),
        ) {
            let any_float = Kind::Float { min: f64::MIN, max: f64::MAX };
            let cases = [
                (Kind::Rate, Value::Rate(Rate::from_bps(bits))),
                (Kind::Bytes, Value::Bytes(Bytes::new(bits))),
                (Kind::Duration, Value::Duration(Duration::from_ps(bits))),
                (Kind::at_least(i64::MIN), Value::Int(whole)),
                (WEIGHTS, Value::List(list.into_iter().map(Value::Int).collect())),
            ];
            for (kind, value) in cases {
                prop_assert_eq!(kind.read_text(&value.to_string()), Ok(value));
            }
            if real.is_finite() {
                let value = Value::Float(real);
                prop_assert_eq!(any_float.read_text(&value.to_string()), Ok(value));
            }
        }

        #[test]
        fn any_text_gives_a_value_or_a_sentence(text in ".{0,40}") {
            for kind in [Kind::Rate, Kind::Bytes, Kind::Duration, Kind::Bool, WEIGHTS] {
                if let Err(problem) = kind.read_text(&text) {
                    prop_assert!(!problem.is_empty());
                }
            }
        }
    }
}
