//! Arrays of whole numbers, from and to numpy.
//!
//! An array of `uint64` is read where it lies. Other integer types are converted after a check of every
//! element; anything else (floating point, several dimensions, gaps between elements) is an error that
//! names the argument and the conversion to write. What numpy can make an array of (a list, a column of a
//! data frame) is taken as that array.
//!
//! Complexity: O(1) for `uint64`, O(n) otherwise. While work runs without the interpreter's lock, another
//! thread that writes to an array read here changes what is read; numpy's own functions say the same.

use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A column of whole numbers.
pub(crate) enum Column<'py> {
    /// Read where it lies.
    Lent(PyReadonlyArray1<'py, u64>),
    /// Converted from another integer type.
    Converted(Vec<u64>),
}

impl<'py> Column<'py> {
    /// Reads the argument called `name`.
    pub(crate) fn read(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        let array = as_array(value, name)?;
        check_shape(&array, name)?;
        if let Ok(words) = array.cast::<PyArray1<u64>>() {
            return Ok(Column::Lent(words.try_readonly()?));
        }
        convert(&array, name).map(Column::Converted)
    }

    /// Its numbers.
    pub(crate) fn as_slice(&self) -> PyResult<&[u64]> {
        match self {
            Column::Lent(array) => Ok(array.as_slice()?),
            Column::Converted(numbers) => Ok(numbers),
        }
    }
}

fn as_array<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    let made = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    made.cast_into::<PyUntypedArray>().map_err(|_| {
        let kind = value.get_type();
        PyTypeError::new_err(format!("{name}: expected an array of whole numbers, got {kind}"))
    })
}

fn check_shape(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<()> {
    if array.ndim() != 1 {
        let shape = array.shape();
        return Err(PyValueError::new_err(format!(
            "{name}: expected one dimension, got shape {shape:?}; pass {name}.ravel()"
        )));
    }
    if !array.is_c_contiguous() {
        let stride = array.strides().first().copied().unwrap_or(0);
        return Err(PyValueError::new_err(format!(
            "{name}: its elements are {stride} bytes apart; pass numpy.ascontiguousarray({name})"
        )));
    }
    Ok(())
}

/// The numbers of another integer type, each checked.
fn convert(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<Vec<u64>> {
    macro_rules! from_type {
        ($($kind:ty),*) => {$(
            if let Ok(numbers) = array.cast::<PyArray1<$kind>>() {
                return widen(numbers.try_readonly()?.as_slice()?, name);
            }
        )*};
    }
    from_type!(i64, u32, i32, u16, i16, u8, i8);
    let kind = array.dtype();
    // An empty list becomes an array of floating point; it has no element that could be wrong.
    if array.len() == 0 && kind.kind() == b'f' {
        return Ok(Vec::new());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: expected whole numbers, got dtype {kind}; convert them, as by {name}.astype(numpy.uint64)"
    )))
}

fn widen<T: Copy + TryInto<u64> + std::fmt::Display>(
    numbers: &[T],
    name: &str,
) -> PyResult<Vec<u64>> {
    let wide = |(index, number): (usize, &T)| {
        (*number).try_into().map_err(|_| {
            PyValueError::new_err(format!(
                "{name}: element {index} is {number}; none may be below 0"
            ))
        })
    };
    numbers.iter().enumerate().map(wide).collect()
}
