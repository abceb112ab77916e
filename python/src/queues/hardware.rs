//! The classes of queues as hardware builds them.

use forebay_pifo::{ClubGeometry, IntervalClubHeap as Intervals, PieoQueue as Sublists};
use pyo3::prelude::*;

use super::Item;
use super::ranked::{DoubleEndedQueue, Queue};
use super::shapes::{ClubLevel, by_constant, by_ties, by_ways, levels};
use crate::arguments::{Whole, whole};
use crate::errors::shape;

/// ClubHeap: a clustered heap with one replace per cycle. `ways` is 2, 3 or 4.
#[pyclass(extends = Queue, module = "forebay.queues")]
pub(crate) struct ClubHeap {
    /// The size of every level, from the root down.
    #[pyo3(get)]
    levels: Vec<ClubLevel>,
}

#[pymethods]
impl ClubHeap {
    #[new]
    #[pyo3(signature = (cluster, capacity, *, ways: "SupportsIndex" = 2, fifo_ties=false))]
    fn new(
        cluster: Whole<usize>,
        capacity: Whole<usize>,
        #[pyo3(from_py_with = whole)] ways: usize,
        fifo_ties: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (cluster, capacity) = (cluster.0, capacity.0);
        let queue = by_ways!(ways, W => by_ties!(fifo_ties, Queue, R => {
            forebay_pifo::ClubHeap::<R, Item, W>::new(cluster, capacity).map_err(shape)?
        }));
        let geometry = ClubGeometry::new(cluster, capacity, 1, ways).map_err(shape)?;
        Ok(queue.add_subclass(ClubHeap { levels: levels(&geometry) }))
    }
}

/// A ClubHeap of intervals: both ends in one pass. `ways` is 2, 3 or 4.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct IntervalClubHeap {
    /// The size of every level, from the root down.
    #[pyo3(get)]
    levels: Vec<ClubLevel>,
}

#[pymethods]
impl IntervalClubHeap {
    #[new]
    #[pyo3(signature = (cluster, capacity, *, ways: "SupportsIndex" = 2, fifo_ties=false))]
    fn new(
        cluster: Whole<usize>,
        capacity: Whole<usize>,
        #[pyo3(from_py_with = whole)] ways: usize,
        fifo_ties: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let levels;
        let queue = by_ways!(ways, W => by_ties!(fifo_ties, DoubleEndedQueue, R => {
            let heap = Intervals::<R, Item, W>::new(cluster.0, capacity.0).map_err(shape)?;
            levels = self::levels(heap.geometry());
            heap
        }));
        Ok(queue.add_subclass(IntervalClubHeap { levels }))
    }
}

/// SR-PIFO: a sorted shift register.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct ShiftRegister;

#[pymethods]
impl ShiftRegister {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = forebay_pifo::ShiftRegister::new(capacity.0).map_err(shape)?;
        Ok(DoubleEndedQueue::of(queue).add_subclass(ShiftRegister))
    }
}

/// PIEO's sublists, used as a ranked queue.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct PieoQueue;

#[pymethods]
impl PieoQueue {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = Sublists::<u64, Item>::new(capacity.0).map_err(shape)?;
        Ok(DoubleEndedQueue::of(queue).add_subclass(PieoQueue))
    }
}

/// BMW-Tree: a balanced tree of `ways`-way nodes (R-BMW, RPU-BMW).
#[pyclass(extends = Queue, module = "forebay.queues")]
pub(crate) struct BmwTree {
    /// The levels of the tree.
    #[pyo3(get)]
    levels: usize,
}

#[pymethods]
impl BmwTree {
    #[new]
    #[pyo3(signature = (ways, capacity, *, fifo_ties=false))]
    fn new(
        ways: Whole<usize>,
        capacity: Whole<usize>,
        fifo_ties: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let levels;
        let queue = by_ties!(fifo_ties, Queue, R => {
            let tree = forebay_pifo::BmwTree::<R, Item>::new(ways.0, capacity.0).map_err(shape)?;
            levels = tree.levels();
            tree
        });
        Ok(queue.add_subclass(BmwTree { levels }))
    }
}

/// P-Heap: a pipelined binary heap with counts of free places.
#[pyclass(extends = Queue, module = "forebay.queues")]
pub(crate) struct PHeap {
    /// The levels of the tree.
    #[pyo3(get)]
    levels: usize,
}

#[pymethods]
impl PHeap {
    #[new]
    #[pyo3(signature = (capacity, *, fifo_ties=false))]
    fn new(capacity: Whole<usize>, fifo_ties: bool) -> PyResult<PyClassInitializer<Self>> {
        let levels;
        let queue = by_ties!(fifo_ties, Queue, R => {
            let heap = forebay_pifo::PHeap::<R, Item>::new(capacity.0).map_err(shape)?;
            levels = heap.levels();
            heap
        });
        Ok(queue.add_subclass(PHeap { levels }))
    }
}

/// A binary heap in pipeline stages, one level each.
#[pyclass(extends = Queue, module = "forebay.queues")]
pub(crate) struct PipelinedHeap {
    /// The levels of the tree.
    #[pyo3(get)]
    levels: usize,
}

#[pymethods]
impl PipelinedHeap {
    #[new]
    #[pyo3(signature = (capacity, *, fifo_ties=false))]
    fn new(capacity: Whole<usize>, fifo_ties: bool) -> PyResult<PyClassInitializer<Self>> {
        let levels;
        let queue = by_ties!(fifo_ties, Queue, R => {
            let heap = forebay_pifo::PipelinedHeap::<R, Item>::new(capacity.0).map_err(shape)?;
            levels = heap.levels();
            heap
        });
        Ok(queue.add_subclass(PipelinedHeap { levels }))
    }
}
