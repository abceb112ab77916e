//! `Table`: a result table that any Arrow library reads without a copy.
//!
//! Columns are made once, when the table is, and numbers are not even copied then; a reader shares
//! their memory through the C stream of the Arrow PyCapsule interface. Complexity: linear in the
//! cells, once.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use forebay_lab::results::frame::{Column, DataFrame};
use forebay_lab::results::number::plural;
use forebay_units::printable;
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::errors::InternalError;
use crate::shown::one_line;

/// A table of named columns: texts, numbers and whole numbers.
#[pyclass(frozen, module = "forebay")]
pub(crate) struct Table(RecordBatch);

impl Table {
    pub(crate) fn new(frame: DataFrame) -> PyResult<Self> {
        batch(frame).map(Table).map_err(|error| InternalError::new_err(error.to_string()))
    }

    /// The table as a stream of one batch, which shares its memory.
    pub(super) fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.0.schema();
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

fn batch(frame: DataFrame) -> Result<RecordBatch, ArrowError> {
    let mut fields = Vec::with_capacity(frame.columns.len());
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(frame.columns.len());
    for (name, column) in frame.columns {
        let (kind, array): (DataType, ArrayRef) = match column {
            Column::Text(texts) => {
                let texts = texts.iter().map(|text| Some(&**text));
                (DataType::Utf8, Arc::new(texts.collect::<StringArray>()))
            }
            Column::Number(numbers) => (DataType::Float64, Arc::new(Float64Array::from(numbers))),
            Column::Whole(numbers) => (DataType::Int64, Arc::new(Int64Array::from(numbers))),
        };
        fields.push(Field::new(name, kind, false));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

/// A column as it came.
enum Held<'a> {
    Text(&'a StringArray),
    Number(&'a Float64Array),
    Whole(&'a Int64Array),
}

impl<'a> Held<'a> {
    fn of(array: &'a dyn Array) -> PyResult<Self> {
        let any = array.as_any();
        let text = any.downcast_ref().map(Held::Text);
        let number = || any.downcast_ref().map(Held::Number);
        let whole = || any.downcast_ref().map(Held::Whole);
        let unknown = || InternalError::new_err("a table has a column of another type");
        text.or_else(number).or_else(whole).ok_or_else(unknown)
    }
}

#[pymethods]
impl Table {
    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A column: a numpy array of numbers, or a list of texts.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let Some(column) = self.0.column_by_name(name) else {
            let known = self.columns().join(", ");
            return Err(PyKeyError::new_err(format!(
                "no column \"{}\"; there are {known}",
                printable(name)
            )));
        };
        Ok(match Held::of(column)? {
            Held::Text(texts) => PyList::new(py, texts.iter().flatten())?.into_any(),
            Held::Number(numbers) => PyArray1::from_slice(py, numbers.values()).into_any(),
            Held::Whole(numbers) => PyArray1::from_slice(py, numbers.values()).into_any(),
        })
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        let rows = plural(self.0.num_rows(), "row", "rows");
        one_line(&format!("<Table: {rows} of {}>", self.columns().join(", ")))
    }

    /// The table as CSV, with a header.
    fn to_csv(&self) -> PyResult<String> {
        let column = |(name, array): (String, &ArrayRef)| {
            let column = match Held::of(array)? {
                Held::Text(texts) => Column::Text(texts.iter().flatten().map(Arc::from).collect()),
                Held::Number(numbers) => Column::Number(numbers.values().to_vec()),
                Held::Whole(numbers) => Column::Whole(numbers.values().to_vec()),
            };
            Ok((name, column))
        };
        let columns = self.columns().into_iter().zip(self.0.columns());
        let columns = columns.map(column).collect::<PyResult<_>>()?;
        Ok(DataFrame { columns, facts: Vec::new() }.to_csv())
    }

    /// Arrow's PyCapsule interface: what polars, pandas and pyarrow read without a copy.
    #[pyo3(signature = (requested_schema: "object | None" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A request is a wish; the consumer casts what it did not get.
        drop(requested_schema);
        self.stream(py)
    }
}
