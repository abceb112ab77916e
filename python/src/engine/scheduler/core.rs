//! `GearboxCore`: the golden model of `rtl/gearbox`.

use forebay_sched::fair::gearbox::{
    Enqueued, GearboxCore as Model, GearboxCoreConfig, GearboxDescriptor,
};
use pyo3::prelude::*;

use crate::arguments::whole;
use crate::errors;

/// The unit, the level and the FIFO in the level.
type Place = (u64, u8, u8);

fn place(at: Enqueued) -> Place {
    (at.unit, at.level, at.fifo)
}

/// Gearbox's hardware, operation by operation: weighted fair queueing from levels of FIFOs.
#[pyclass(module = "forebay")]
pub(crate) struct GearboxCore {
    model: Model,
}

#[pymethods]
impl GearboxCore {
    /// An empty one; the parameters are the core's, powers of two by their logarithms.
    #[new]
    #[pyo3(signature = (
        *,
        levels: "SupportsIndex" = 4,
        fifos_log2: "SupportsIndex" = 4,
        places_log2: "SupportsIndex" = 8,
        flows_log2: "SupportsIndex" = 10,
        step_down: "bool" = false
    ))]
    fn new(
        #[pyo3(from_py_with = whole)] levels: u32,
        #[pyo3(from_py_with = whole)] fifos_log2: u32,
        #[pyo3(from_py_with = whole)] places_log2: u32,
        #[pyo3(from_py_with = whole)] flows_log2: u32,
        step_down: bool,
    ) -> PyResult<Self> {
        let config = GearboxCoreConfig { levels, fifos_log2, places_log2, flows_log2, step_down };
        let model = Model::new(&config).map_err(errors::shape)?;
        Ok(GearboxCore { model })
    }

    /// Takes a descriptor: why it is dropped or None, and where it waits: its departure time, its
    /// level and its FIFO in the level, or None.
    #[pyo3(signature = (
        pointer: "SupportsIndex",
        length: "SupportsIndex",
        time: "SupportsIndex",
        flow: "SupportsIndex"
    ))]
    fn enqueue(
        &mut self,
        #[pyo3(from_py_with = whole)] pointer: u16,
        #[pyo3(from_py_with = whole)] length: u16,
        #[pyo3(from_py_with = whole)] time: u32,
        #[pyo3(from_py_with = whole)] flow: u16,
    ) -> (Option<&'static str>, Option<Place>) {
        match self.model.enqueue(GearboxDescriptor { pointer, length, time, flow }) {
            Ok(at) => (None, Some(place(at))),
            Err(cause) => (Some(cause.name()), None),
        }
    }

    /// Gives up the next descriptor: its pointer, length and flow, and where it was: the system
    /// time, its level and its FIFO in the level. None if none waits.
    fn dequeue(&mut self) -> Option<((u16, u16, u16), Place)> {
        let (descriptor, at) = self.model.dequeue()?;
        let GearboxDescriptor { pointer, length, flow, .. } = descriptor;
        Some(((pointer, length, flow), place(at)))
    }

    /// The system time, in units.
    #[getter]
    fn system_time(&self) -> u64 {
        self.model.system_time()
    }

    fn __len__(&self) -> usize {
        self.model.len()
    }

    fn __repr__(&self) -> String {
        let (waiting, now) = (self.model.len(), self.model.system_time());
        format!("<GearboxCore: {waiting} wait, system time {now}>")
    }
}
