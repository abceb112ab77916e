//! `Table`: a result table that any Arrow library reads without a copy.
//!
//! Columns are made once, when the table is; a reader shares their memory through the C stream of the
//! Arrow PyCapsule interface. Complexity: linear in the cells, once.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use forebay_lab::results::frame::{Column, Frame};
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::errors::InternalError;

/// A table of named columns: texts, numbers and whole numbers.
#[pyclass(frozen, module = "forebay")]
pub(crate) struct Table {
    frame: Frame,
    batch: RecordBatch,
}

impl Table {
    pub(crate) fn new(frame: Frame) -> PyResult<Self> {
        let batch = batch(&frame).map_err(|error| InternalError::new_err(error.to_string()))?;
        Ok(Table { frame, batch })
    }

    /// The table as a stream of one batch, which shares its memory.
    pub(super) fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = self.batch.schema();
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

fn batch(frame: &Frame) -> Result<RecordBatch, ArrowError> {
    let mut fields = Vec::with_capacity(frame.columns.len());
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(frame.columns.len());
    for (name, column) in &frame.columns {
        let (kind, array): (DataType, ArrayRef) = match column {
            Column::Text(texts) => {
                let texts = texts.iter().map(|text| Some(&**text));
                (DataType::Utf8, Arc::new(texts.collect::<StringArray>()))
            }
            Column::Number(numbers) => {
                (DataType::Float64, Arc::new(Float64Array::from(numbers.clone())))
            }
            Column::Whole(numbers) => {
                (DataType::Int64, Arc::new(Int64Array::from(numbers.clone())))
            }
        };
        fields.push(Field::new(name, kind, false));
        arrays.push(array);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

#[pymethods]
impl Table {
    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.frame.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// A column: a numpy array of numbers, or a list of texts.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = self.frame.columns.iter().find(|(other, _)| other == name);
        match column.map(|(_, column)| column) {
            Some(Column::Text(texts)) => {
                Ok(PyList::new(py, texts.iter().map(|text| &**text))?.into_any())
            }
            Some(Column::Number(numbers)) => Ok(PyArray1::from_slice(py, numbers).into_any()),
            Some(Column::Whole(numbers)) => Ok(PyArray1::from_slice(py, numbers).into_any()),
            None => {
                let known = self.columns().join(", ");
                Err(PyKeyError::new_err(format!("no column \"{name}\"; there are {known}")))
            }
        }
    }

    fn __len__(&self) -> usize {
        self.frame.rows()
    }

    fn __repr__(&self) -> String {
        format!("<Table: {} rows of {}>", self.frame.rows(), self.columns().join(", "))
    }

    /// The table as CSV, with a header.
    fn to_csv(&self) -> String {
        self.frame.to_csv()
    }

    /// Arrow's PyCapsule interface: what polars, pandas and pyarrow read without a copy.
    #[pyo3(signature = (requested_schema=None))]
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

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Table>()
}
