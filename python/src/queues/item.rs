//! What waits in a queue: a whole number, or any other Python object.
//!
//! Numbers are kept as numbers, so batches of them need neither the interpreter nor its lock.
//! Memory: 16 bytes.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// An element's item.
#[derive(Debug)]
pub(crate) enum Item {
    /// An `int` from 0 to 2^64 - 1.
    Number(u64),
    /// Anything else.
    Object(Py<PyAny>),
}

impl Item {
    /// Takes an object. Only `int` itself becomes a number, so that whatever else (a `bool`, a
    /// numpy scalar) comes back as it was.
    pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> Self {
        if object.is_exact_instance_of::<PyInt>()
            && let Ok(number) = object.extract::<u64>()
        {
            return Item::Number(number);
        }
        Item::Object(object.clone().unbind())
    }

    /// Takes an optional argument; without one, the item is None.
    pub(crate) fn from_argument(py: Python<'_>, object: Option<Bound<'_, PyAny>>) -> Self {
        match object {
            Some(object) => Item::from_python(&object),
            None => Item::Object(py.None()),
        }
    }

    /// Gives the object back.
    pub(crate) fn into_python(self, py: Python<'_>) -> Bound<'_, PyAny> {
        match self {
            Item::Number(number) => number_to_python(py, number),
            Item::Object(object) => object.into_bound(py),
        }
    }

    /// Shows the object.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            Item::Number(number) => number_to_python(py, *number),
            Item::Object(object) => object.bind(py).clone(),
        }
    }

    /// The object, if it is one: what the garbage collector must see.
    pub(crate) fn object(&self) -> Option<&Py<PyAny>> {
        match self {
            Item::Number(_) => None,
            Item::Object(object) => Some(object),
        }
    }
}

fn number_to_python(py: Python<'_>, number: u64) -> Bound<'_, PyAny> {
    match number.into_bound_py_any(py) {
        Ok(object) => object,
        // Making an int fails only without memory, and then there is nothing better to give.
        Err(_) => py.None().into_bound(py),
    }
}

/// A rank and its item, as Python sees them.
pub(crate) type Element<'py> = (u64, Bound<'py, PyAny>);

/// A popped element for Python.
pub(crate) fn element(py: Python<'_>, (rank, item): (u64, Item)) -> Element<'_> {
    (rank, item.into_python(py))
}

/// A peeked element for Python.
pub(crate) fn shown<'py>(py: Python<'py>, (rank, item): (u64, &Item)) -> Element<'py> {
    (rank, item.to_python(py))
}

/// A queue in one line: its class, and how full it is.
pub(crate) fn summary(
    queue: &Bound<'_, PyAny>,
    waiting: usize,
    capacity: usize,
) -> PyResult<String> {
    Ok(format!("<{}: {waiting} of {capacity} waiting>", queue.get_type().name()?))
}
