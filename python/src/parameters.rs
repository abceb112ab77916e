//! Parameters by name, each read once by whatever uses it. What nothing has asked for in the end is an error
//! that says what there is.

use forebay_parameters::{Configure, Given, Kind, Parameter, Value, Walk, suggest};
use forebay_units::{Bytes, Duration, Rate};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{bits_per_second, bytes, picoseconds, whole};
use crate::errors;

/// Keyword arguments on their way into a configuration.
pub(crate) struct Parameters<'py> {
    /// What takes them, as `scheduler "drr"`.
    of: String,
    given: Option<Bound<'py, PyDict>>,
    known: Vec<String>,
}

impl<'py> Parameters<'py> {
    /// Those of `of`; none if nothing is given.
    pub(crate) fn new(of: impl Into<String>, given: Option<&Bound<'py, PyDict>>) -> Self {
        Parameters { of: of.into(), given: given.cloned(), known: Vec::new() }
    }

    /// The parameter called `name` as `read` makes it; `None` where it is not given, or None.
    pub(crate) fn read<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        self.known.push(name.to_owned());
        let value = self.given.as_ref().map(|given| given.get_item(name)).transpose()?.flatten();
        match value.filter(|value| !value.is_none()) {
            Some(value) => read(&value).map(Some).map_err(|error| named(&value, name, &error)),
            None => Ok(None),
        }
    }

    /// Sets `place` to what `read` makes of the parameter, if it is given.
    pub(crate) fn set<T>(
        &mut self,
        name: &str,
        place: &mut T,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<()> {
        if let Some(value) = self.read(name, read)? {
            *place = value;
        }
        Ok(())
    }

    /// A whole number.
    pub(crate) fn whole<T: TryFrom<u64>>(&mut self, name: &str, place: &mut T) -> PyResult<()> {
        self.set(name, place, whole)
    }

    /// A size in bytes.
    pub(crate) fn bytes(&mut self, name: &str, place: &mut Bytes) -> PyResult<()> {
        self.set(name, place, |value| bytes(value).map(Bytes::new))
    }

    /// A span in picoseconds.
    pub(crate) fn span(&mut self, name: &str, place: &mut Duration) -> PyResult<()> {
        self.set(name, place, |value| picoseconds(value).map(Duration::from_ps))
    }

    /// A rate in bits a second.
    pub(crate) fn rate(&mut self, name: &str, place: &mut Rate) -> PyResult<()> {
        self.set(name, place, |value| bits_per_second(value).map(Rate::from_bps))
    }

    /// True or False.
    pub(crate) fn flag(&mut self, name: &str, place: &mut bool) -> PyResult<()> {
        self.set(name, place, |value| value.extract())
    }

    /// One of some words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        name: &str,
        place: &mut T,
        words: &[(&str, T)],
    ) -> PyResult<()> {
        self.set(name, place, |value| {
            let word: String = value.extract()?;
            let found = words.iter().find(|(known, _)| *known == word);
            found.map(|(_, meaning)| *meaning).ok_or_else(|| {
                let known: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
                PyValueError::new_err(format!("\"{word}\" is none of {}", known.join(", ")))
            })
        })
    }

    /// Fills a configuration with what is given of its parameters.
    pub(crate) fn fill(&mut self, config: &mut (impl Configure + ?Sized)) -> PyResult<()> {
        self.fill_by(|walk| config.walk(walk))
    }

    /// The same for what `show` shows.
    pub(crate) fn fill_by(&mut self, show: impl FnOnce(&mut dyn Walk)) -> PyResult<()> {
        let mut failed = None;
        let mut walk = Given::new(|parameter: &Parameter| {
            let read = self.read(&parameter.name, |given| {
                match PAIRS.iter().find(|pair| pair.0 == parameter.name) {
                    Some(pair) => paired(&parameter.kind, pair, given),
                    None => value(&parameter.kind, given),
                }
            });
            read.or_else(|error| {
                failed.get_or_insert(error);
                Ok(None)
            })
        });
        show(&mut walk);
        let filled = walk.finish(std::iter::empty::<&str>());
        match failed {
            Some(error) => Err(error),
            None => filled.map_err(errors::shape),
        }
    }

    /// Every name that has been asked for.
    pub(crate) fn known(&self) -> &[String] {
        &self.known
    }

    /// Whether all that was given has been asked for.
    pub(crate) fn finish(&self) -> PyResult<()> {
        for name in self.given.iter().flat_map(|given| given.keys()) {
            let name: String = name.extract()?;
            if self.known.contains(&name) {
                continue;
            }
            let of = &self.of;
            return Err(errors::shape(match self.known.as_slice() {
                [] => format!("{of} takes no `{name}`, and no other parameter"),
                known => {
                    let hint = suggest(&name, known.iter().map(String::as_str));
                    let hint = if hint.starts_with("did") { hint } else { String::new() };
                    let known = known.join(", ");
                    format!("{of} takes no `{name}`; it takes {known}. {hint}")
                        .trim_end()
                        .to_owned()
                }
            }));
        }
        Ok(())
    }
}

/// The value given for a parameter: rates in bits a second, sizes in bytes, spans in picoseconds, or texts with
/// their units.
fn value(kind: &Kind, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(match kind {
        Kind::Rate => Value::Rate(Rate::from_bps(bits_per_second(given)?)),
        Kind::Bytes => Value::Bytes(Bytes::new(bytes(given)?)),
        Kind::Duration => Value::Duration(Duration::from_ps(picoseconds(given)?)),
        Kind::Float { .. } => Value::Float(given.extract()?),
        Kind::Int { .. } => Value::Int(given.extract()?),
        Kind::Bool => Value::Bool(given.extract()?),
        Kind::Choice(_) | Kind::Text | Kind::Path => Value::Text(given.extract()?),
        Kind::List(of) => {
            let items: Vec<Bound<'_, PyAny>> = given.extract()?;
            Value::List(items.iter().map(|item| value(of, item)).collect::<PyResult<_>>()?)
        }
    })
}

/// Parameters whose texts have two parts, which Python may give as pairs: what is between the parts in the text, and
/// what they are.
const PAIRS: [(&str, &str, &str); 3] = [
    ("levels", "@", "FIFOs and granularity, finest first"),
    ("job_costs", "+", "work per packet and work per byte"),
    ("quantizer", " ", "a way to make buckets and its number"),
];

/// The value of one of [`PAIRS`]: a text, a pair, or a list of them.
fn paired(kind: &Kind, pair: &(&str, &str, &str), given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = given.extract() {
        return Ok(Value::Text(text));
    }
    let wrong = || PyValueError::new_err(format!("expected pairs of {}", pair.2));
    if let Kind::List(of) = kind {
        let items: Vec<Bound<'_, PyAny>> = given.extract().map_err(|_| wrong())?;
        let items = items.iter().map(|item| paired(of, pair, item));
        return Ok(Value::List(items.collect::<PyResult<_>>()?));
    }
    let parts: (Bound<'_, PyAny>, Bound<'_, PyAny>) = given.extract().map_err(|_| wrong())?;
    Ok(Value::Text(format!("{}{}{}", parts.0.str()?, pair.1, parts.1.str()?)))
}

/// The same error with the parameter's name in front.
fn named(value: &Bound<'_, PyAny>, name: &str, error: &PyErr) -> PyErr {
    let py = value.py();
    let text = format!("{name}: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(text)
    } else if error.is_instance_of::<errors::ShapeError>(py) {
        errors::shape(text)
    } else {
        PyValueError::new_err(text)
    }
}
