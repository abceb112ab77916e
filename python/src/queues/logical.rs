//! The classes of logical queues over one memory.

use forebay_pifo::{ClubGeometry, PartitionedQueue as _};
use pyo3::prelude::*;

use super::Item;
use super::partitioned::{DoubleEndedPartitionedQueue, PartitionedQueue};
use super::shapes::{ClubLevel, by_constant, by_ties, by_ways, by_width, holds, levels};
use crate::arguments::{Whole, whole};
use crate::errors::shape;

/// Logical BBQs: `buckets` ranks shared evenly among `partitions`, under bitmaps of `width` bits.
#[pyclass(extends = DoubleEndedPartitionedQueue, module = "forebay.queues")]
pub(crate) struct PartitionedBuckets {
    /// The largest rank that a partition accepts.
    #[pyo3(get)]
    max_rank: u64,
}

#[pymethods]
impl PartitionedBuckets {
    #[new]
    #[pyo3(signature = (partitions, buckets, capacity, *, width: "SupportsIndex" = 64))]
    fn new(
        partitions: Whole<usize>,
        buckets: Whole<usize>,
        capacity: Whole<usize>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<PyClassInitializer<Self>> {
        by_width!(width, W => {
            type Buckets = forebay_pifo::PartitionedBuckets<Item, W>;
            let queue = Buckets::new(partitions.0, buckets.0, capacity.0).map_err(shape)?;
            holds(capacity.0, queue.capacity())?;
            let class = PartitionedBuckets { max_rank: queue.max_rank() };
            Ok(DoubleEndedPartitionedQueue::of(queue).add_subclass(class))
        })
    }
}

/// Logical PIFOs over the levels of one ClubHeap; any of them may hold all elements.
#[pyclass(extends = PartitionedQueue, module = "forebay.queues")]
pub(crate) struct PartitionedClubHeap {
    /// The size of every level, from the roots down.
    #[pyo3(get)]
    levels: Vec<ClubLevel>,
}

#[pymethods]
impl PartitionedClubHeap {
    #[new]
    #[pyo3(signature = (
        cluster,
        capacity,
        partitions,
        *,
        ways: "SupportsIndex" = 2,
        fifo_ties=false
    ))]
    fn new(
        cluster: Whole<usize>,
        capacity: Whole<usize>,
        partitions: Whole<usize>,
        #[pyo3(from_py_with = whole)] ways: usize,
        fifo_ties: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (cluster, capacity, partitions) = (cluster.0, capacity.0, partitions.0);
        let queue = by_ways!(ways, W => by_ties!(fifo_ties, PartitionedQueue, R => {
            type Heap = forebay_pifo::PartitionedClubHeap<R, Item, W>;
            Heap::new(cluster, capacity, partitions).map_err(shape)?
        }));
        let geometry = ClubGeometry::new(cluster, capacity, partitions, ways).map_err(shape)?;
        Ok(queue.add_subclass(PartitionedClubHeap { levels: levels(&geometry) }))
    }
}

/// Logical SR-PIFOs: one sorted shift register, searched by partition.
#[pyclass(extends = DoubleEndedPartitionedQueue, module = "forebay.queues")]
pub(crate) struct PartitionedShiftRegister;

#[pymethods]
impl PartitionedShiftRegister {
    #[new]
    fn new(partitions: Whole<usize>, capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = forebay_pifo::PartitionedShiftRegister::new(partitions.0, capacity.0);
        let queue = queue.map_err(shape)?;
        Ok(DoubleEndedPartitionedQueue::of(queue).add_subclass(PartitionedShiftRegister))
    }
}

/// Logical pipelined heaps, each with a fixed share of the memory.
#[pyclass(extends = PartitionedQueue, module = "forebay.queues")]
pub(crate) struct PartitionedPipelinedHeap {
    /// The elements that one partition holds.
    #[pyo3(get)]
    share: usize,
    /// The levels of each tree.
    #[pyo3(get)]
    levels: usize,
}

#[pymethods]
impl PartitionedPipelinedHeap {
    #[new]
    fn new(partitions: Whole<usize>, share: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = forebay_pifo::PartitionedPipelinedHeap::new(partitions.0, share.0);
        let queue = queue.map_err(shape)?;
        let class = PartitionedPipelinedHeap { share: queue.share(), levels: queue.levels() };
        Ok(PartitionedQueue::of(queue).add_subclass(class))
    }
}
