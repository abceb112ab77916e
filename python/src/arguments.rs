//! Numbers and quantities from Python, with errors that say what was expected.

use std::path::PathBuf;

use forebay_units::{Bytes, Duration, ParseUnitError, Rate, printable};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

/// A whole number of at least 0: a size, a rank, an index. PyO3 adds the argument's name to its
/// errors.
#[derive(Clone, Copy)]
pub(crate) struct Whole<T>(pub(crate) T);

impl<'py, T> FromPyObject<'_, 'py> for Whole<T>
where
    T: TryFrom<u64>,
{
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = u64::INPUT_TYPE;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = match value.extract::<u64>() {
            Ok(number) => T::try_from(number).ok(),
            Err(_) => None,
        };
        number.map(Whole).ok_or_else(|| expected::<T>(value))
    }
}

/// The error for a value that is not a whole number of type `T`.
fn expected<T>(value: Borrowed<'_, '_, PyAny>) -> PyErr {
    let value = value.to_owned();
    if value.is_instance_of::<PyInt>() {
        let bits = 8 * size_of::<T>();
        PyValueError::new_err(format!(
            "expected a whole number from 0 to 2^{bits} - 1, got {value}"
        ))
    } else {
        let name = type_name(&value);
        PyTypeError::new_err(format!("expected a whole number of at least 0, got {name}"))
    }
}

/// What a value is, as one says it: `int`, `str`.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}

/// The same as a plain number: for arguments with a default, which then shows in the signature.
pub(crate) fn whole<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    value.extract::<Whole<T>>().map(|number| number.0)
}

/// A time or a span in picoseconds, or a text with its unit.
pub(crate) fn picoseconds<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let read = |text: &str| Ok(text.parse::<Duration>()?.as_ps());
    quantity(value, read, ("picoseconds", "'2 us'"))
}

/// A size in bytes, or a text with its unit.
pub(crate) fn bytes<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let read = |text: &str| Ok(text.parse::<Bytes>()?.get());
    quantity(value, read, ("bytes", "'100 KB'"))
}

/// A rate in bits a second, or a text with its unit.
pub(crate) fn bits_per_second<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let read = |text: &str| Ok(text.parse::<Rate>()?.as_bps());
    quantity(value, read, ("bits a second", "'10G'"))
}

/// Several values, each read by `read`.
pub(crate) fn several<T>(
    values: &Bound<'_, PyAny>,
    read: fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let List(values) = values.extract::<List<Bound<'_, PyAny>>>()?;
    values.iter().map(read).collect()
}

/// The error of a value that cannot be, with the argument's name in front. (PyO3 puts it before
/// errors of type, and only these.)
pub(crate) fn of_argument(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyTypeError>(py) {
        true => error,
        false => PyValueError::new_err(format!("{name}: {}", error.value(py))),
    }
}

/// A path as Python's own functions take them: a text, bytes, or what says that it is one.
#[derive(Clone)]
pub(crate) struct FilePath(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = PathBuf::INPUT_TYPE;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value.py().import("os")?.call_method1("fsdecode", (value,))?.extract().map(FilePath)
    }
}

/// A list, or whatever can be taken for one. A text is none: its letters are never meant.
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for List<T> {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = <Vec<T>>::INPUT_TYPE;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let elements = value.extract::<Vec<Bound<'py, PyAny>>>().map_err(|_| {
            PyTypeError::new_err(format!("expected a list, got {}", type_name(&value)))
        })?;
        let read = |element: &Bound<'py, PyAny>| element.extract::<T>().map_err(Into::into);
        elements.iter().map(read).collect::<PyResult<_>>().map(List)
    }
}

/// A size in bytes, or a text with its unit, where there may be none.
#[derive(Clone, Copy)]
pub(crate) struct Size<T>(pub(crate) T);

impl<'py, T: TryFrom<u64>> FromPyObject<'_, 'py> for Size<T> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        bytes(&value).map(Size)
    }
}

/// A whole number of the base unit, of whatever type, or a text that the engine reads as the
/// command does.
pub(crate) fn quantity<T: TryFrom<u64>>(
    value: &Bound<'_, PyAny>,
    read: impl Fn(&str) -> Result<u64, ParseUnitError>,
    (base, example): (&str, &str),
) -> PyResult<T> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        let number = read(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        return T::try_from(number).map_err(|_| {
            let bits = 8 * size_of::<T>();
            let text = printable(text);
            PyValueError::new_err(format!("\"{text}\" is too large: it must fit in {bits} bits"))
        });
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        return whole(value);
    }
    // A float that is a whole number, as 10e9 is; numpy's numbers.
    let number = match value.extract::<f64>() {
        Ok(number) if value.is_instance_of::<PyFloat>() && number.fract() == 0.0 => {
            whole(&value.call_method0("__int__")?).ok()
        }
        _ if value.is_instance_of::<PyBool>() => None,
        _ => value.extract::<u64>().ok().and_then(|number| T::try_from(number).ok()),
    };
    number.ok_or_else(|| {
        let given = match value.extract::<f64>() {
            Ok(_) => value.repr().map(|shown| shown.to_string()),
            Err(_) => Ok(type_name(value)),
        };
        let given = given.unwrap_or_default();
        PyTypeError::new_err(format!(
            "expected a whole number of at least 0 ({base}), or a text such as {example}, got \
             {given}"
        ))
    })
}
