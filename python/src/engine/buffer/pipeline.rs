//! `OccamyPipeline`: the golden model of `rtl/occamy`.

use forebay_buffer::onchip::{OccamyPipeline as Model, OccamyPipelineConfig};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::{Whole, whole};
use crate::errors;

/// Whether the packet that arrived four cycles before is admitted; the queue whose head packet is
/// taken out, its cells, and whether it is dropped; and the cell pointers that are given back.
type Cycle = (Option<bool>, Option<(u32, u32, bool)>, u32);

/// Occamy's hardware, cycle by cycle: admission by Dynamic Threshold and head drop from the queues
/// that are over it.
#[pyclass(module = "forebay")]
pub(crate) struct OccamyPipeline {
    model: Model,
}

#[pymethods]
impl OccamyPipeline {
    /// Of an empty buffer; the parameters are the core's, powers of two by their logarithms.
    #[new]
    #[pyo3(signature = (
        *,
        queues: "SupportsIndex" = 64,
        cells: "SupportsIndex" = 2050,
        alpha_log2: "SupportsIndex" = 3,
        sublists_log2: "SupportsIndex" = 2,
        largest: "SupportsIndex" = 8,
        burst: "SupportsIndex" = 2
    ))]
    fn new(
        #[pyo3(from_py_with = whole)] queues: u32,
        #[pyo3(from_py_with = whole)] cells: u32,
        #[pyo3(from_py_with = whole)] alpha_log2: u32,
        #[pyo3(from_py_with = whole)] sublists_log2: u32,
        #[pyo3(from_py_with = whole)] largest: u32,
        #[pyo3(from_py_with = whole)] burst: u32,
    ) -> PyResult<Self> {
        let config =
            OccamyPipelineConfig { queues, cells, alpha_log2, sublists_log2, largest, burst };
        let model = Model::new(&config).map_err(errors::shape)?;
        Ok(OccamyPipeline { model })
    }

    /// One cycle: a packet of so many cells that arrives for a queue, and a queue that is to send.
    ///
    /// Returns whether the packet that arrived four cycles before is admitted (None if none did),
    /// the queue whose head packet is taken out with its cells and whether it is dropped, and how
    /// many cell pointers are given back.
    #[pyo3(signature = (
        arrival: "tuple[SupportsIndex, SupportsIndex] | None" = None,
        departure: "SupportsIndex | None" = None
    ))]
    fn cycle(
        &mut self,
        arrival: Option<(Whole<u32>, Whole<u32>)>,
        departure: Option<Whole<u32>>,
    ) -> PyResult<Cycle> {
        let arrival = arrival.map(|(queue, cells)| (queue.0, cells.0));
        let shown = self.model.cycle(arrival, departure.map(|queue| queue.0));
        let shown = shown.map_err(|misuse| PyValueError::new_err(misuse.to_string()))?;
        Ok((shown.admitted, shown.removed, shown.pointers))
    }

    /// The cells of a queue.
    fn length(&self, queue: Whole<u32>) -> PyResult<u32> {
        let length = self.model.length(queue.0);
        length.ok_or_else(|| PyIndexError::new_err(format!("there is no queue {}", queue.0)))
    }

    /// Free cells.
    #[getter]
    fn free(&self) -> u32 {
        self.model.free()
    }

    fn __repr__(&self) -> String {
        format!("<OccamyPipeline: {} cells free>", self.model.free())
    }
}
