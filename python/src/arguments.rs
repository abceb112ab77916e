//! Numbers from Python, with errors that say what was expected.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// A whole number of at least 0: a size, a rank, an index. PyO3 adds the argument's name to its errors.
#[derive(Clone, Copy)]
pub(crate) struct Whole<T>(pub(crate) T);

impl<'py, T> FromPyObject<'_, 'py> for Whole<T>
where
    T: TryFrom<u64>,
{
    type Error = PyErr;

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
        let name = value.get_type();
        PyTypeError::new_err(format!("expected a whole number of at least 0, got {name}"))
    }
}

/// The same as a plain number: for arguments with a default, which then shows in the signature.
pub(crate) fn whole<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    value.extract::<Whole<T>>().map(|number| number.0)
}
