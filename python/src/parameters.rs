//! Parameters by name, each read once by whatever uses it. What nothing has asked for in the end is
//! an error that says what there is.

use std::fmt::Display;

use forebay_parameters::{Configure, Given, Kind, Parameter, UnknownName, Value, Walk};
use forebay_units::{Bytes, Duration, Rate};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{List, bits_per_second, bytes, picoseconds, type_name};
use crate::errors;

/// Keyword arguments on their way into a configuration.
pub(crate) struct Parameters<'py> {
    /// What takes them, as `scheduler "drr"`.
    of: String,
    given: Option<Bound<'py, PyDict>>,
    known: Vec<String>,
    /// What is there for others and has no effect here, with the reason.
    idle: Vec<(String, String)>,
}

impl<'py> Parameters<'py> {
    /// Those of `of`; none if nothing is given.
    pub(crate) fn new(of: impl Into<String>, given: Option<&Bound<'py, PyDict>>) -> Self {
        Parameters { of: of.into(), given: given.cloned(), known: Vec::new(), idle: Vec::new() }
    }

    /// The parameter called `name` as `read` makes it; `None` where it is not given, or None. One
    /// with a dot may stand in the dictionary that is given for its group: `hbm.rows` in
    /// `hbm={"rows": 16384}`.
    pub(crate) fn read<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        self.list(name);
        match self.find(name)?.filter(|value| !value.is_none()) {
            Some(value) => read(&value).map(Some).map_err(|error| named(value.py(), name, &error)),
            None => Ok(None),
        }
    }

    fn find(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(given) = &self.given else { return Ok(None) };
        let found = given.get_item(name)?;
        let (None, Some((group, word))) = (&found, name.split_once('.')) else { return Ok(found) };
        match given.get_item(group)?.map(Bound::cast_into::<PyDict>) {
            Some(Ok(group)) => group.get_item(word),
            // Of something else `finish` tells.
            Some(Err(_)) | None => Ok(None),
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

    /// Fills a configuration with what is given of its parameters.
    pub(crate) fn fill(&mut self, config: &mut (impl Configure + ?Sized)) -> PyResult<()> {
        self.fill_by(|walk| config.walk(walk))
    }

    /// The same for what `show` shows.
    pub(crate) fn fill_by(&mut self, show: impl FnOnce(&mut dyn Walk)) -> PyResult<()> {
        let mut failed = None;
        let mut walk = Given::new(|parameter: &Parameter| {
            let read = self.read(&parameter.name, |given| {
                match PAIRS.iter().find(|pair| pair.0 == parameter.word()) {
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

    /// Fills what `show` shows, all that `of` takes, with what is given.
    pub(crate) fn fill_from(
        of: impl Into<String>,
        given: Option<&Bound<'py, PyDict>>,
        show: impl FnOnce(&mut dyn Walk),
    ) -> PyResult<()> {
        let mut parameters = Parameters::new(of, given);
        parameters.fill_by(show)?;
        parameters.finish()
    }

    /// That a parameter of this name, which others of the kind have, has no effect here; `why` says
    /// what it depends on.
    pub(crate) fn idle(&mut self, name: &str, why: impl Display) {
        self.idle.push((name.to_owned(), why.to_string()));
    }

    /// Notes a name as one that may be given, in other company perhaps.
    pub(crate) fn list(&mut self, name: &str) {
        if self.known.iter().all(|known| known != name) {
            self.known.push(name.to_owned());
        }
    }

    /// Every name that has been asked for, a group as one.
    pub(crate) fn names(&self) -> Vec<String> {
        self.within("").into_iter().map(str::to_owned).collect()
    }

    /// The names that begin with a group's, without that.
    fn within(&self, group: &str) -> Vec<&str> {
        let words =
            self.known.iter().filter_map(|known| known.strip_prefix(group)?.split('.').next());
        words.fold(Vec::new(), |mut names, word| {
            if !names.contains(&word) {
                names.push(word);
            }
            names
        })
    }

    /// Whether all that was given has been asked for.
    pub(crate) fn finish(&self) -> PyResult<()> {
        for (name, value) in self.given.iter().flatten() {
            let name: String = name.extract()?;
            match self.idle.iter().find(|(idle, _)| *idle == name) {
                Some(_) if value.is_none() => continue,
                Some((_, why)) => return Err(errors::shape(format!("{name}: {why}"))),
                None => {}
            }
            if self.known.contains(&name) {
                continue;
            }
            let group = format!("{name}.");
            if self.within(&group).is_empty() {
                return Err(self.unknown("", &name));
            }
            if value.is_none() {
                continue;
            }
            let words = value.cast::<PyDict>().map_err(|_| {
                let kind = type_name(&value);
                PyTypeError::new_err(format!("{name}: expected a dictionary, got {kind}"))
            })?;
            for word in words.keys() {
                let word: String = word.extract()?;
                if !self.known.contains(&format!("{group}{word}")) {
                    return Err(self.unknown(&group, &word));
                }
            }
        }
        Ok(())
    }

    fn unknown(&self, group: &str, word: &str) -> PyErr {
        let known: Vec<String> =
            self.within(group).into_iter().map(|known| format!("{group}{known}")).collect();
        let known = known.iter().map(String::as_str);
        let unknown = UnknownName::new("parameter", &format!("{group}{word}"), known);
        errors::shape(format!("{}: {unknown}", self.of))
    }
}

/// The value given for a parameter: rates in bits a second, sizes in bytes, spans in picoseconds,
/// or texts with their units.
fn value(kind: &Kind, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(match kind {
        Kind::Rate => Value::Rate(Rate::from_bps(bits_per_second(given)?)),
        Kind::Bytes => Value::Bytes(Bytes::new(bytes(given)?)),
        Kind::Duration => Value::Duration(Duration::from_ps(picoseconds(given)?)),
        Kind::Float { .. } => Value::Float(extract(kind, given)?),
        Kind::Int { .. } => Value::Int(extract(kind, given)?),
        Kind::Bool => Value::Bool(extract(kind, given)?),
        Kind::Choice(_) | Kind::Text | Kind::Path => Value::Text(extract(kind, given)?),
        Kind::List(of) => {
            let List(items) = given.extract::<List<Bound<'_, PyAny>>>()?;
            Value::List(items.iter().map(|item| value(of, item)).collect::<PyResult<_>>()?)
        }
    })
}

/// A number, a truth value or a text for a parameter of this kind, or what was expected instead.
fn extract<'py, T>(kind: &Kind, given: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    given.extract().map_err(|error: PyErr| {
        let expected = kind.describe();
        // A number that no whole number of the engine can hold.
        match error.is_instance_of::<PyOverflowError>(given.py()) {
            true => PyValueError::new_err(format!("{given} is not {expected}")),
            false => {
                let got = type_name(given);
                PyTypeError::new_err(format!("expected {expected}, got {got}"))
            }
        }
    })
}

/// Parameters whose texts have two parts, which Python may give as pairs: what is between the parts
/// in the text, and what they are.
pub(crate) const PAIRS: [(&str, &str, &str); 3] = [
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
pub(crate) fn named(py: Python<'_>, name: &str, error: &PyErr) -> PyErr {
    let text = format!("{name}: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(text)
    } else if error.is_instance_of::<errors::ShapeError>(py) {
        errors::shape(text)
    } else if error.is_instance_of::<errors::ExpressionError>(py) {
        let column = error.value(py).getattr("column").and_then(|column| column.extract());
        errors::expression(py, text, column.unwrap_or_default())
    } else {
        PyValueError::new_err(text)
    }
}
