//! Arrays of whole numbers, from and to numpy.
//!
//! An array of `uint64` is read where it lies. Other integer types are converted after a check of
//! every element; anything else (floating point, several dimensions, gaps between elements, masked
//! elements) is an error that names the argument and the conversion to write. A list is read
//! element by element; what numpy can make an array of (a column of a data frame) is taken as that
//! array.
//!
//! Complexity: O(1) for `uint64`, O(n) otherwise. While work runs without the interpreter's lock,
//! another thread that writes to an array read here changes what is read; numpy's own functions say
//! the same.

use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyTuple};

use crate::arguments::type_name;

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
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return from_sequence(value, name).map(Column::Converted);
        }
        let array = as_array(value, name)?;
        check_shape(&array, name)?;
        if let Ok(words) = array.cast::<PyArray1<u64>>() {
            let words = words.try_readonly()?;
            elements(&words, name)?;
            return Ok(Column::Lent(words));
        }
        convert(&array, name).map(Column::Converted)
    }

    /// Reads an argument of yes and no: an array of `bool`, or of numbers of which 0 is no.
    pub(crate) fn read_flags(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Vec<bool>> {
        if let Ok(flags) = value.extract::<Vec<bool>>() {
            return Ok(flags);
        }
        let numbers = Column::read(value, name)?;
        Ok(numbers.as_slice()?.iter().map(|number| *number != 0).collect())
    }

    /// The numbers as one slice; an error if a lent array is not contiguous.
    pub(crate) fn as_slice(&self) -> PyResult<&[u64]> {
        match self {
            Column::Lent(array) => Ok(array.as_slice()?),
            Column::Converted(numbers) => Ok(numbers),
        }
    }
}

/// The numbers of a list or a tuple. numpy would make floating point of one that holds both small
/// numbers and some beyond 2^63.
fn from_sequence(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u64>> {
    let mut numbers = Vec::with_capacity(value.len()?);
    for (index, element) in value.try_iter()?.enumerate() {
        let element = element?;
        match element.extract::<u64>() {
            Ok(number) if !element.is_instance_of::<PyBool>() => numbers.push(number),
            _ => return Err(wrong_element(&element, index, name)),
        }
    }
    Ok(numbers)
}

fn wrong_element(element: &Bound<'_, PyAny>, index: usize, name: &str) -> PyErr {
    if element.is_instance_of::<PyList>() || element.is_instance_of::<PyTuple>() {
        return PyValueError::new_err(format!(
            "{name}: expected one dimension, but element {index} is a sequence itself"
        ));
    }
    if element.is_instance_of::<PyInt>() && !element.is_instance_of::<PyBool>() {
        return PyValueError::new_err(format!(
            "{name}: element {index} is {element}; it must be from 0 to 2^64 - 1"
        ));
    }
    let kind = type_name(element);
    PyTypeError::new_err(format!(
        "{name}: expected whole numbers, but element {index} is of type {kind}"
    ))
}

fn as_array<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = value.cast_exact::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    check_mask(value, name)?;
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    let made = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    made.cast_into::<PyUntypedArray>().map_err(|_| {
        let kind = type_name(value);
        PyTypeError::new_err(format!("{name}: expected an array of whole numbers, got {kind}"))
    })
}

/// A masked array's numbers are of no meaning where it is masked.
fn check_mask(value: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    let masks = value.py().import("numpy")?.getattr("ma")?;
    if value.is_instance(&masks.getattr("MaskedArray")?)?
        && masks.call_method1("is_masked", (value,))?.is_truthy()?
    {
        return Err(PyValueError::new_err(format!(
            "{name}: some of its elements are masked; pass {name}.compressed() or {name}.filled(0)"
        )));
    }
    Ok(())
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

/// The numbers of an array without gaps.
fn elements<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>, name: &str) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| {
        let size = size_of::<T>();
        PyValueError::new_err(format!(
            "{name}: its elements do not lie at multiples of {size} bytes; pass {name}.copy()"
        ))
    })
}

/// The numbers of another integer type, each checked.
fn convert(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<Vec<u64>> {
    macro_rules! from_type {
        ($($kind:ty),*) => {$(
            if let Ok(numbers) = array.cast::<PyArray1<$kind>>() {
                let numbers = numbers.try_readonly()?;
                let numbers = elements(&numbers, name)?;
                return array.py().detach(|| widen(numbers, name));
            }
        )*};
    }
    from_type!(i64, u32, i32, u16, i16, u8, i8);
    let kind = array.dtype();
    // An empty sequence becomes an array of floating point; it has no element that could be wrong.
    if array.len() == 0 && kind.kind() == b'f' {
        return Ok(Vec::new());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: expected whole numbers, got dtype {kind}; \
         numpy.asarray({name}).astype(numpy.uint64) makes them so, and cuts fractions off"
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
