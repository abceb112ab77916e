//! What a form refuses, and how it is said.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::ops::Range;

use forebay_units::printable;
use serde::de::{Expected, Unexpected};
use toml::de::DeValue;

use crate::{grouped, suggest};

/// What a form asks for, where something else stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Text,
    Flag,
    Number,
    /// A whole number, the least and the most possible.
    Whole(i64, u64),
    List,
    Table,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// What is wrong.
#[derive(Debug)]
enum Problem {
    /// There is no such key, but these.
    Key(String, &'static [&'static str]),
    /// There is no such word, but these.
    Word(String, &'static [&'static str]),
    /// This key is missing.
    Missing(&'static str),
    /// The value is something else.
    Wanted(Wanted),
    /// A sentence of the form's own, which says what would do.
    Said(String),
}

/// Where it is wrong.
#[derive(Debug)]
struct Place {
    span: Range<usize>,
    /// The key that has the value, or "" in a list.
    key: String,
    /// What stands there.
    found: Found,
}

/// A value, as messages show it.
#[derive(Debug)]
pub(super) enum Found {
    /// A key itself, before its value is looked at.
    Key,
    Text(String),
    Number(String),
    /// A word, as true or a date.
    Word(String),
    List,
    Table,
}

/// What is wrong, and where once that is known.
#[derive(Debug)]
pub(super) struct Refusal {
    problem: Problem,
    place: Option<Box<Place>>,
}

impl Refusal {
    /// A value is not what is wanted.
    pub(super) fn wanted(wanted: Wanted) -> Self {
        Problem::Wanted(wanted).into()
    }

    /// The same at a place, unless one is known that is closer.
    pub(super) fn at(mut self, span: Range<usize>, key: &str, found: Found) -> Self {
        let place = || Box::new(Place { span, key: key.to_owned(), found });
        self.place.get_or_insert_with(place);
        self
    }

    /// Where it is; nowhere in particular if the file as a whole lacks something.
    pub(super) fn span(&self) -> Option<Range<usize>> {
        self.place.as_ref().map(|place| place.span.clone())
    }

    /// What is wrong, and what to do unless that has been said.
    pub(super) fn said(&self) -> (String, Option<String>) {
        let place = self.place.as_deref();
        let key = place.map(|place| place.key.as_str()).filter(|key| !key.is_empty());
        let subject = key.map_or("this".to_owned(), |key| format!("`{}`", printable(key)));
        let found = place.map_or("the file".to_owned(), |place| place.found.described());
        match &self.problem {
            Problem::Key(name, known) => {
                let message = format!("there is no key `{}`", printable(name).at_most(64));
                (message, Some(suggest(name, known.iter().copied())))
            }
            Problem::Word(name, known) => {
                let message = format!("{subject} cannot be \"{}\"", printable(name).at_most(64));
                (message, Wanted::Word(known).fix(key))
            }
            Problem::Missing(missing) => {
                let whose = place.map_or("the file".to_owned(), |_| subject);
                (format!("{whose} has no `{missing}`"), Some(format!("add {missing} = …")))
            }
            Problem::Wanted(wanted) => {
                (format!("{subject} is {found}, not {}", wanted.described()), wanted.fix(key))
            }
            Problem::Said(sentence) => {
                let value = place.and_then(|place| place.found.value());
                let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
                let key = key.map(|key| format!("{}{value}: ", printable(key)));
                (format!("{}{sentence}", key.unwrap_or_default()), None)
            }
        }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Refusal { problem, place: None }
    }
}

impl Wanted {
    fn described(self) -> String {
        match self {
            Wanted::Text => "a text".to_owned(),
            Wanted::Flag => "true or false".to_owned(),
            Wanted::Number => "a number".to_owned(),
            Wanted::Whole(least, most) if most >= i64::MAX as u64 => {
                format!("a whole number, at least {least}")
            }
            Wanted::Whole(least, most) => {
                format!("a whole number from {least} to {}", grouped(most))
            }
            Wanted::List => "a list".to_owned(),
            Wanted::Table => "a table".to_owned(),
            Wanted::Word(_) => "a word in quotes".to_owned(),
        }
    }

    /// What to do about the value of this key.
    fn fix(self, key: Option<&str>) -> Option<String> {
        let key = key.map(printable);
        let fix = match (self, key) {
            (Wanted::Text, _) => "put it between quotes".to_owned(),
            (Wanted::Flag, _) => "write true or false, without quotes".to_owned(),
            (Wanted::Number | Wanted::Whole(..), _) => {
                "write such a number, without quotes".to_owned()
            }
            (Wanted::List, Some(key)) => {
                format!("write {key} = [ … ], or [[{key}]] above keys")
            }
            (Wanted::List, None) => "write [ … ]".to_owned(),
            (Wanted::Table, Some(key)) => format!("write [{key}] above its keys"),
            (Wanted::Table, None) => "write { … } with its keys".to_owned(),
            (Wanted::Word(known), _) => format!("write one of \"{}\"", known.join("\", \"")),
        };
        Some(fix)
    }
}

impl Found {
    /// The value of a file.
    pub(super) fn of(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Found::Text(printable(text).at_most(64).to_string()),
            DeValue::Integer(number) => Found::Number(number.to_string()),
            DeValue::Float(number) => Found::Number(number.to_string()),
            DeValue::Boolean(flag) => Found::Word(flag.to_string()),
            DeValue::Datetime(date) => Found::Word(date.to_string()),
            DeValue::Array(_) => Found::List,
            DeValue::Table(_) => Found::Table,
        }
    }

    fn described(&self) -> String {
        match self {
            Found::Key => "a key".to_owned(),
            Found::Text(text) => format!("the text \"{text}\""),
            Found::Number(number) => format!("the number {number}"),
            Found::Word(word) => format!("`{word}`"),
            Found::List => "a list".to_owned(),
            Found::Table => "a table".to_owned(),
        }
    }

    /// As the file writes it, if it is short.
    fn value(&self) -> Option<String> {
        match self {
            Found::Text(text) => Some(format!("\"{text}\"")),
            Found::Number(text) | Found::Word(text) => Some(text.clone()),
            Found::Key | Found::List | Found::Table => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said().0)
    }
}

impl core::error::Error for Refusal {}

impl serde::de::Error for Refusal {
    fn custom<T: fmt::Display>(sentence: T) -> Self {
        Problem::Said(sentence.to_string()).into()
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Problem::Key(key.to_owned(), known).into()
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        Problem::Word(word.to_owned(), known).into()
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Problem::Said(format!("give {expected}")).into()
    }

    fn missing_field(key: &'static str) -> Self {
        Problem::Missing(key).into()
    }
}
