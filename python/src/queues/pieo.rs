//! `Pieo`: a list from which the smallest eligible element leaves.

use forebay_pifo::{Eligible, PieoElement, PieoReason, PieoRefused};
use pyo3::prelude::*;

use super::Item;
use crate::arguments::Whole;
use crate::errors;

/// A flow, its rank, the time from which it may leave, and its item.
type Element<'py> = (u32, u64, u64, Bound<'py, PyAny>);

fn element<'py>(py: Python<'py>, taken: PieoElement<u64, Item>) -> Element<'py> {
    (taken.flow, taken.rank, taken.send_time, taken.item.into_python(py))
}

fn shown<'py>(py: Python<'py>, seen: &PieoElement<u64, Item>) -> Element<'py> {
    (seen.flow, seen.rank, seen.send_time, seen.item.to_python(py))
}

/// Which elements may leave: those whose time has come, of a range of flows or of all.
fn eligible(now: Whole<u64>, flows: Option<(Whole<u32>, Whole<u32>)>) -> Eligible {
    let all = Eligible::at(now.0);
    match flows {
        Some((first, end)) => all.among(first.0..end.0),
        None => all,
    }
}

fn refused(py: Python<'_>, refused: PieoRefused<u64, Item>) -> PyErr {
    let text = refused.to_string();
    let reason = match refused.reason {
        PieoReason::Full { .. } => "full",
        PieoReason::Waits => "already-queued",
        PieoReason::NoSuchFlow { .. } => "no-such-flow",
    };
    let PieoElement { rank, item, .. } = refused.element;
    errors::refusal(py, text, reason, rank, item.into_python(py), None)
}

/// PIEO: a list by rank that gives up its smallest eligible element, or that of a given flow.
#[pyclass(module = "forebay.queues")]
pub(crate) struct Pieo {
    list: forebay_pifo::Pieo<u64, Item>,
}

#[pymethods]
impl Pieo {
    #[new]
    fn new(capacity: Whole<usize>, flows: Whole<usize>) -> PyResult<Self> {
        let list = forebay_pifo::Pieo::new(capacity.0, flows.0).map_err(errors::shape)?;
        Ok(Pieo { list })
    }

    /// Adds a flow that does not wait yet.
    #[pyo3(signature = (flow, rank, send_time=Whole(0), item=None))]
    fn enqueue(
        &mut self,
        py: Python<'_>,
        flow: Whole<u32>,
        rank: Whole<u64>,
        send_time: Whole<u64>,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let item = Item::from_argument(py, item);
        let element = PieoElement { flow: flow.0, rank: rank.0, send_time: send_time.0, item };
        self.list.enqueue(element).map_err(|error| refused(py, error))
    }

    /// Takes the smallest element whose time has come at `now`, of the flows from `flows[0]` up to but
    /// not including `flows[1]`.
    #[pyo3(signature = (now, flows=None))]
    fn dequeue<'py>(
        &mut self,
        py: Python<'py>,
        now: Whole<u64>,
        flows: Option<(Whole<u32>, Whole<u32>)>,
    ) -> Option<Element<'py>> {
        self.list.dequeue(&eligible(now, flows)).map(|taken| element(py, taken))
    }

    /// Shows what dequeue would take.
    #[pyo3(signature = (now, flows=None))]
    fn peek<'py>(
        &self,
        py: Python<'py>,
        now: Whole<u64>,
        flows: Option<(Whole<u32>, Whole<u32>)>,
    ) -> Option<Element<'py>> {
        self.list.peek(&eligible(now, flows)).map(|seen| shown(py, seen))
    }

    /// Takes the element of a flow, whatever its time.
    fn dequeue_flow<'py>(&mut self, py: Python<'py>, flow: Whole<u32>) -> Option<Element<'py>> {
        self.list.dequeue_flow(flow.0).map(|taken| element(py, taken))
    }

    /// Takes the element of the largest rank, whatever its time.
    fn dequeue_last<'py>(&mut self, py: Python<'py>) -> Option<Element<'py>> {
        self.list.dequeue_last().map(|taken| element(py, taken))
    }

    /// Every element in order of rank.
    fn elements<'py>(&self, py: Python<'py>) -> Vec<Element<'py>> {
        self.list.iter().map(|seen| shown(py, seen)).collect()
    }

    /// The largest number of elements that may wait at once.
    #[getter]
    fn capacity(&self) -> usize {
        self.list.capacity()
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }

    fn __repr__(&self) -> String {
        format!("<Pieo: {} of {} waiting>", self.list.len(), self.list.capacity())
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pieo>()
}
