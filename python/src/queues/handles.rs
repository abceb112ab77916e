//! `HandleQueue`: a queue whose elements can be found again.

use forebay_pifo::{IndexedBuckets, IndexedExact, RankedQueue};
use pyo3::prelude::*;

use super::Item;
use super::ids::Indexed;
use super::item::{Element, shown};
use super::ranked::{DoubleEndedQueue, Queue};
use super::shapes::holds;
use crate::arguments::Whole;
use crate::errors;

/// The name of an element in a `HandleQueue`, valid until the element leaves.
#[pyclass(frozen, eq, hash, from_py_object, module = "forebay.queues")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Handle(forebay_pifo::ElementHandle);

#[pymethods]
impl Handle {
    fn __repr__(&self) -> &'static str {
        "<Handle>"
    }
}

type Named = forebay_pifo::HandleQueue<Indexed, Item>;

/// Both ends, and any element by the handle that its insertion gave. With `ranks`, over buckets for
/// ranks below that; without, for any rank.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct HandleQueue;

#[pymethods]
impl HandleQueue {
    #[new]
    #[pyo3(signature = (capacity, *, ranks=None))]
    fn new(
        capacity: Whole<usize>,
        ranks: Option<Whole<u64>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let order: Indexed = match ranks {
            None => Box::new(IndexedExact::new()),
            Some(ranks) => Box::new(IndexedBuckets::new(ranks.0).map_err(errors::shape)?),
        };
        let queue = Named::new(order, capacity.0);
        holds(capacity.0, queue.capacity())?;
        Ok(DoubleEndedQueue::of(queue).add_subclass(HandleQueue))
    }

    /// Adds an element and names it.
    #[pyo3(signature = (rank, item=None))]
    fn insert(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'_>,
        rank: Whole<u64>,
        item: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Handle> {
        let queue = base(&mut self_);
        let item = queue.enter(py, item);
        match queue.held_as_mut::<Named>()?.insert(rank.0, item) {
            Ok(handle) => Ok(Handle(handle)),
            Err(rejected) => Err(queue.refuse(py, rejected)),
        }
    }

    /// Takes the element out, wherever it stands; None if it has left.
    fn remove<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
        handle: Handle,
    ) -> PyResult<Option<Element<'py>>> {
        let queue = base(&mut self_);
        let taken = queue.held_as_mut::<Named>()?.remove(handle.0);
        Ok(taken.map(|taken| queue.leave(py, taken)))
    }

    /// Shows the element; None if it has left.
    fn get<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
        handle: Handle,
    ) -> PyResult<Option<Element<'py>>> {
        let queue = base(&mut self_).held_as::<Named>()?;
        Ok(queue.get(handle.0).map(|seen| shown(py, seen)))
    }

    /// Gives the element another rank, behind all that have it; False if it has left or the rank is
    /// out of range.
    fn change_rank(
        mut self_: PyRefMut<'_, Self>,
        handle: Handle,
        rank: Whole<u64>,
    ) -> PyResult<bool> {
        Ok(base(&mut self_).held_as_mut::<Named>()?.change_rank(handle.0, rank.0))
    }
}

fn base<'a>(queue: &'a mut PyRefMut<'_, HandleQueue>) -> &'a mut Queue {
    queue.as_super().as_super()
}
