//! `HandleQueue`: a queue whose elements can be found again.

use forebay_pifo::{IndexedBuckets, IndexedExact, IndexedQueue, RankedQueue, Rejected};
use pyo3::prelude::*;

use super::Item;
use super::item::{Element, shown};
use super::ranked::{DoubleEndedQueue, Queue};
use super::shapes::holds;
use crate::arguments::Whole;
use crate::errors;

/// The name of an element in a `HandleQueue`, valid until the element leaves.
#[pyclass(frozen, eq, hash, from_py_object, module = "forebay.queues")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Handle(forebay_pifo::Handle);

type Exact = forebay_pifo::HandleQueue<IndexedExact<u64>, Item>;
type Buckets = forebay_pifo::HandleQueue<IndexedBuckets, Item>;

/// What either can do with handles.
trait ByHandle {
    fn insert(&mut self, rank: u64, item: Item) -> Inserted;
    fn remove(&mut self, handle: forebay_pifo::Handle) -> Option<(u64, Item)>;
    fn get(&self, handle: forebay_pifo::Handle) -> Option<(u64, &Item)>;
    fn change_rank(&mut self, handle: forebay_pifo::Handle, rank: u64) -> bool;
}

type Inserted = Result<forebay_pifo::Handle, Rejected<u64, Item>>;

impl<Q: IndexedQueue<Rank = u64>> ByHandle for forebay_pifo::HandleQueue<Q, Item> {
    fn insert(&mut self, rank: u64, item: Item) -> Inserted {
        self.insert(rank, item)
    }

    fn remove(&mut self, handle: forebay_pifo::Handle) -> Option<(u64, Item)> {
        self.remove(handle)
    }

    fn get(&self, handle: forebay_pifo::Handle) -> Option<(u64, &Item)> {
        self.get(handle)
    }

    fn change_rank(&mut self, handle: forebay_pifo::Handle, rank: u64) -> bool {
        self.change_rank(handle, rank)
    }
}

/// Whichever of the two is held.
fn held(queue: &mut Queue) -> PyResult<&mut dyn ByHandle> {
    if queue.held_as::<Exact>().is_some() {
        queue.held_as_mut::<Exact>().map(|held| held as &mut dyn ByHandle)
    } else {
        queue.held_as_mut::<Buckets>().map(|held| held as &mut dyn ByHandle)
    }
    .ok_or_else(errors::lost)
}

/// Both ends, and any element by the handle that its insertion gave. With `ranks`, over buckets for ranks
/// below that; without, for any rank.
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
        let queue = match ranks {
            None => over(IndexedExact::new(), capacity.0),
            Some(ranks) => over(IndexedBuckets::new(ranks.0).map_err(errors::shape)?, capacity.0),
        };
        Ok(queue.map_err(errors::shape)?.add_subclass(HandleQueue))
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
        match held(queue)?.insert(rank.0, item) {
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
        let taken = held(queue)?.remove(handle.0);
        Ok(taken.map(|taken| queue.leave(py, taken)))
    }

    /// Shows the element; None if it has left.
    fn get<'py>(
        mut self_: PyRefMut<'_, Self>,
        py: Python<'py>,
        handle: Handle,
    ) -> PyResult<Option<Element<'py>>> {
        let queue = base(&mut self_);
        Ok(held(queue)?.get(handle.0).map(|seen| shown(py, seen)))
    }

    /// Gives the element another rank, behind all that have it; False if it has left or the rank is out
    /// of range.
    fn change_rank(
        mut self_: PyRefMut<'_, Self>,
        handle: Handle,
        rank: Whole<u64>,
    ) -> PyResult<bool> {
        Ok(held(base(&mut self_))?.change_rank(handle.0, rank.0))
    }
}

fn base<'a>(queue: &'a mut PyRefMut<'_, HandleQueue>) -> &'a mut Queue {
    queue.as_super().as_super()
}

fn over<Q: IndexedQueue<Rank = u64> + Send + Sync + 'static>(
    queue: Q,
    capacity: usize,
) -> Result<PyClassInitializer<DoubleEndedQueue>, String> {
    let queue = forebay_pifo::HandleQueue::<Q, Item>::new(queue, capacity);
    holds(capacity, queue.capacity())?;
    Ok(DoubleEndedQueue::of(queue))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Handle>()?;
    module.add_class::<HandleQueue>()
}
