//! `PortScheduler`: which of a port's queues (classes) sends next, by any port scheduler of the
//! registry.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use forebay_lab::results::number::plural;
use forebay_parameters::Configure;
use forebay_sched::port::PortScheduler as Engine;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{List, Size, whole};
use crate::catalogue::{names, policies};
use crate::parameters::Parameters;
use crate::rows::Columns;
use crate::{detached, errors};

/// Chooses among the queues of a port by strict priority or by weights. It holds no packets: it is
/// shown the sizes of the queues' heads.
#[pyclass(module = "forebay")]
pub(crate) struct PortScheduler {
    name: String,
    held: Mutex<Box<dyn Engine>>,
    classes: u16,
}

impl PortScheduler {
    fn held(&mut self) -> &mut dyn Engine {
        self.held.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()
    }
}

#[pymethods]
impl PortScheduler {
    #[new]
    #[pyo3(signature = (
        name,
        classes: "SupportsIndex",
        **parameters: "Unpack[PortSchedulerParameters]"
    ))]
    fn new(
        name: &str,
        #[pyo3(from_py_with = whole)] classes: u16,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut choice =
            policies().switches.port_schedulers().named(name).map_err(errors::shape)?.clone();
        let of = format!("port scheduler \"{name}\"");
        Parameters::fill_from(of, parameters, |walk| choice.walk(walk))?;
        let held = Mutex::new(choice.build(&classes).map_err(errors::shape)?);
        Ok(PortScheduler { name: name.to_owned(), held, classes })
    }

    /// Every name, with what it does.
    #[staticmethod]
    fn names() -> Vec<(String, String)> {
        names(policies().switches.port_schedulers().clone())
    }

    /// The class that sends now, where `heads` has the bytes of each queue's first packet, None if
    /// it is empty; None if all are. The scheduler counts that packet as sent.
    #[pyo3(signature = (heads: "Sequence[Size | None]"))]
    fn select(&mut self, heads: List<Option<Size<u32>>>) -> PyResult<Option<u16>> {
        let List(heads) = heads;
        if heads.len() != usize::from(self.classes) {
            return Err(pyo3::exceptions::PyValueError::new_err(format!(
                "heads: {} for {} classes; give one of each, None where it is empty",
                heads.len(),
                self.classes
            )));
        }
        let head = |class: u16| heads[usize::from(class)].map(|size| size.0);
        let held = self.held();
        errors::guarded(|| held.select(&head))
    }

    /// Sends packets that all wait at once, each behind those of its class that stand before it:
    /// their places in the order in which they leave.
    #[pyo3(signature = (classes: "ArrayLike", sizes: "ArrayLike") -> "NDArray[np.uint64]")]
    fn drain<'py>(
        &mut self,
        py: Python<'py>,
        classes: &Bound<'py, PyAny>,
        sizes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let columns = Columns::read(["classes", "sizes"], [Some(classes), Some(sizes)])?;
        let rows = columns.rows()?;
        let last = u64::from(self.classes) - 1;
        rows.at_most(py, 0, last, &format!("there are {} classes, numbered from 0", last + 1))?;
        rows.within(py, 1, 32)?;
        let mut queues = vec![VecDeque::new(); usize::from(self.classes)];
        let held = self.held();
        let mut order = Vec::with_capacity(rows.len());
        let filled: Result<(), ()> = detached::in_pieces(py, rows.len(), |piece| {
            for row in piece {
                queues[rows.at(0, row, 0) as usize].push_back(row as u64);
            }
            Ok(())
        })?;
        debug_assert!(filled.is_ok());
        let drained = detached::until_done(py, |packets| {
            (0..packets).all(|_| {
                let head = |class: u16| {
                    let row = queues[usize::from(class)].front()?;
                    Some(rows.at(1, *row as usize, 0) as u32)
                };
                let sent =
                    held.select(&head).and_then(|class| queues[usize::from(class)].pop_front());
                order.extend(sent);
                sent.is_some()
            })
        });
        let sent = order.len();
        let order = PyArray1::from_vec(py, order);
        match drained {
            Ok(()) => Ok(order),
            Err(error) => Err(errors::in_batch(py, error, sent, order.into_any())),
        }
    }
    fn __repr__(&self) -> String {
        let classes = plural(self.classes, "class", "classes");
        format!("<PortScheduler \"{}\" of {classes}>", self.name)
    }
}
