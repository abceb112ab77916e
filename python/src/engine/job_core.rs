//! `WsjfCore`: the golden model of `rtl/surge`.

use std::sync::{Mutex, PoisonError};

use forebay_surge::{Offered, WsjfCore as Model, WsjfCoreConfig};
use pyo3::prelude::*;

use crate::arguments::whole;
use crate::errors;

/// SurgeProtector's hardware, operation by operation: the smallest job size per packet size is
/// served, the largest dropped when too many jobs wait.
#[pyclass(module = "forebay")]
pub(crate) struct WsjfCore {
    /// Behind a lock only because schedulers are not made to be looked at from two threads.
    held: Mutex<Model<u64>>,
}

impl WsjfCore {
    fn held(&mut self) -> &mut Model<u64> {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl WsjfCore {
    /// An empty one, for so many jobs, with 2^`bits` ranks an octave of ratios to `fraction` binary
    /// places.
    #[new]
    #[pyo3(signature = (
        *,
        capacity: "SupportsIndex" = 1024,
        bits: "SupportsIndex" = 4,
        fraction: "SupportsIndex" = 14
    ))]
    fn new(
        #[pyo3(from_py_with = whole)] capacity: u32,
        #[pyo3(from_py_with = whole)] bits: u32,
        #[pyo3(from_py_with = whole)] fraction: u32,
    ) -> PyResult<Self> {
        let config = WsjfCoreConfig { capacity: capacity as usize, bits, fraction };
        Ok(WsjfCore { held: Mutex::new(Model::new(&config).map_err(errors::shape)?) })
    }

    /// A job of this size arrives, in a packet of that. What is dropped for want of room: whether
    /// it is the job itself, its rank and its tag; None if nothing is.
    #[pyo3(signature = (work: "SupportsIndex", size: "SupportsIndex", tag: "SupportsIndex" = 0))]
    fn offer(
        &mut self,
        #[pyo3(from_py_with = whole)] work: u64,
        #[pyo3(from_py_with = whole)] size: u64,
        #[pyo3(from_py_with = whole)] tag: u64,
    ) -> Option<(bool, u64, u64)> {
        match self.held().offer(work, size, tag) {
            Offered::Taken => None,
            Offered::Displaced((rank, tag)) => Some((false, rank, tag)),
            Offered::Refused((rank, tag)) => Some((true, rank, tag)),
        }
    }

    /// The job to serve next: its rank and its tag; None if none waits.
    fn poll(&mut self) -> Option<(u64, u64)> {
        self.held().poll()
    }

    /// The rank of a job of this size in a packet of that.
    #[pyo3(signature = (work: "SupportsIndex", size: "SupportsIndex"))]
    fn rank(
        &mut self,
        #[pyo3(from_py_with = whole)] work: u64,
        #[pyo3(from_py_with = whole)] size: u64,
    ) -> u64 {
        self.held().rank(work, size)
    }

    fn __len__(&mut self) -> usize {
        self.held().len()
    }

    fn __repr__(&mut self) -> String {
        format!("<WsjfCore: {} wait>", self.held().len())
    }
}
