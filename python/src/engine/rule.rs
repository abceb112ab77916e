//! Rules of the user's: a small expression, compiled, or any Python function.
//!
//! An expression runs without the interpreter's lock. A function takes the lock and makes Python
//! objects for every packet (`bench/python_overhead.py` measures both). It is called with one named
//! tuple of the fields, before anything changes: where it raises, the packet has not arrived.

use forebay_expression::Expression as Compiled;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::arguments::{List, type_name};
use crate::arrays::Column;
use crate::parameters::named;
use crate::rows::same_length;
use crate::shown::one_line;
use crate::{detached, errors};

/// Compiles a text over some fields.
fn compile(py: Python<'_>, text: &str, fields: &[&str]) -> PyResult<Compiled> {
    Compiled::parse(text, fields)
        .map_err(|error| errors::expression(py, error.to_string(), error.column))
}

/// A Python function of a named tuple of fields.
pub(crate) struct Function {
    function: Py<PyAny>,
    fields: Py<PyAny>,
}

impl Function {
    /// Reads a function of these fields, where `expected` could stand.
    pub(crate) fn read(
        value: &Bound<'_, PyAny>,
        expected: &str,
        fields: &[&str],
    ) -> PyResult<Self> {
        if !value.is_callable() {
            let kind = type_name(value);
            return Err(PyTypeError::new_err(format!("expected {expected}, got {kind}")));
        }
        // `class` cannot be an attribute's name in Python.
        let named: Vec<_> =
            fields.iter().map(|field| if *field == "class" { "class_" } else { field }).collect();
        let collections = value.py().import("collections")?;
        let fields = collections.call_method1("namedtuple", ("Fields", named))?;
        Ok(Function { function: value.clone().unbind(), fields: fields.unbind() })
    }

    /// What it answers to these values of the fields, or what it raises.
    pub(crate) fn call<'py>(&self, py: Python<'py>, values: &[i64]) -> PyResult<Bound<'py, PyAny>> {
        let fields = self.fields.bind(py).call1(PyTuple::new(py, values)?)?;
        self.function.bind(py).call1((fields,))
    }
}

/// A rule over fields that are numbers.
pub(super) enum Rule {
    Compiled(Compiled),
    Called(Function),
}

impl Rule {
    /// Reads the argument called `name`: a text, or a function.
    pub(super) fn read(value: &Bound<'_, PyAny>, name: &str, fields: &[&str]) -> PyResult<Self> {
        let py = value.py();
        if let Ok(text) = value.cast::<PyString>() {
            return compile(py, text.to_str()?, fields).map(Rule::Compiled);
        }
        let function = Function::read(value, "an expression or a function", fields);
        function.map(Rule::Called).map_err(|error| named(py, name, &error))
    }

    /// Its value, or what the function raises.
    pub(super) fn value(&self, values: &[i64]) -> PyResult<i64> {
        match self {
            Rule::Compiled(expression) => Ok(expression.evaluate(values)),
            Rule::Called(function) => {
                detached::give_way();
                Python::attach(|py| function.call(py, values)?.extract())
            }
        }
    }
}

/// A small expression over columns of whole numbers.
#[pyclass(frozen, module = "forebay")]
pub(crate) struct Expression {
    text: String,
    fields: Vec<String>,
    compiled: Compiled,
}

#[pymethods]
impl Expression {
    #[new]
    fn new(py: Python<'_>, text: String, fields: List<String>) -> PyResult<Self> {
        let List(fields) = fields;
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        let compiled = compile(py, &text, &names)?;
        Ok(Expression { text, fields, compiled })
    }

    /// Its value for each row of the columns, one for each field by name.
    #[pyo3(signature = (**columns: "ArrayLike") -> "NDArray[np.int64]")]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        columns: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, numpy::PyArray1<i64>>> {
        let mut read = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let column = columns.map(|given| given.get_item(field)).transpose()?.flatten();
            let column = column.ok_or_else(|| {
                PyTypeError::new_err(format!("{field}: there is no such column; give one"))
            })?;
            read.push(Column::read(&column, field)?);
        }
        let columns: Vec<&[u64]> = read.iter().map(Column::as_slice).collect::<PyResult<_>>()?;
        let rows = same_length(&self.fields, &columns)?;
        let compiled = &self.compiled;
        let (mut values, mut row) = (Vec::with_capacity(rows), vec![0; columns.len()]);
        let all: Result<(), ()> = detached::in_pieces(py, rows, |piece| {
            for index in piece {
                for (field, column) in row.iter_mut().zip(&columns) {
                    *field = saturated(column[index]);
                }
                values.push(compiled.evaluate(&row));
            }
            Ok(())
        })?;
        debug_assert!(all.is_ok());
        Ok(numpy::PyArray1::from_vec(py, values))
    }

    fn __repr__(&self) -> String {
        one_line(&format!("<Expression of {}: {}>", self.fields.join(", "), self.text))
    }
}

/// A number as rules read it.
pub(super) fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
