//! The classes of logical queues over one memory.

use forebay_pifo::{ClubError, ClubGeometry, PartitionedQueue as Logical, Stable};
use pyo3::prelude::*;

use super::Item;
use super::partitioned::{DoubleEndedPartitionedQueue, PartitionedQueue};
use super::shapes::{ClubLevel, by_constant, by_ways, by_width, holds, levels};
use crate::arguments::{Whole, whole};
use crate::errors;

/// A rank and an arrival number.
type Numbered = (u64, u64);

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
    #[pyo3(signature = (partitions, buckets, capacity, *, width=64))]
    fn new(
        partitions: Whole<usize>,
        buckets: Whole<usize>,
        capacity: Whole<usize>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<PyClassInitializer<Self>> {
        by_width!(width, W => partitioned_buckets::<W>(partitions.0, buckets.0, capacity.0))
    }
}

fn partitioned_buckets<const W: usize>(
    partitions: usize,
    buckets: usize,
    capacity: usize,
) -> Result<PyClassInitializer<PartitionedBuckets>, String> {
    let queue = forebay_pifo::PartitionedBuckets::<Item, W>::new(partitions, buckets, capacity)
        .map_err(|error| error.to_string())?;
    holds(capacity, Logical::capacity(&queue))?;
    let class = PartitionedBuckets { max_rank: queue.max_rank() };
    Ok(DoubleEndedPartitionedQueue::of(queue).add_subclass(class))
}

/// Logical PIFOs over the levels of one ClubHeap; any of them may hold all elements.
#[pyclass(extends = PartitionedQueue, module = "forebay.queues")]
pub(crate) struct PartitionedClubHeap {
    geometry: ClubGeometry,
}

#[pymethods]
impl PartitionedClubHeap {
    #[new]
    #[pyo3(signature = (cluster, capacity, partitions, *, ways=2, fifo_ties=false))]
    fn new(
        cluster: Whole<usize>,
        capacity: Whole<usize>,
        partitions: Whole<usize>,
        #[pyo3(from_py_with = whole)] ways: usize,
        fifo_ties: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        by_ways!(ways, W => {
            partitioned_club_heap::<W>(cluster.0, capacity.0, partitions.0, fifo_ties)
        })
    }

    /// The size of every level, from the roots down.
    #[getter]
    fn levels(&self) -> Vec<ClubLevel> {
        levels(&self.geometry)
    }
}

fn partitioned_club_heap<const W: usize>(
    cluster: usize,
    capacity: usize,
    partitions: usize,
    fifo_ties: bool,
) -> Result<PyClassInitializer<PartitionedClubHeap>, ClubError> {
    type Heap<R, const W: usize> = forebay_pifo::PartitionedClubHeap<R, Item, W>;
    let geometry = ClubGeometry::new(cluster, capacity, partitions, W)?;
    let queue = if fifo_ties {
        let heap = Heap::<Numbered, W>::new(cluster, capacity, partitions)?;
        PartitionedQueue::one(Stable::new(heap))
    } else {
        PartitionedQueue::one(Heap::<u64, W>::new(cluster, capacity, partitions)?)
    };
    Ok(PyClassInitializer::from(queue).add_subclass(PartitionedClubHeap { geometry }))
}

/// Logical SR-PIFOs: one sorted shift register, searched by partition.
#[pyclass(extends = DoubleEndedPartitionedQueue, module = "forebay.queues")]
pub(crate) struct PartitionedShiftRegister;

#[pymethods]
impl PartitionedShiftRegister {
    #[new]
    fn new(partitions: Whole<usize>, capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        type Register = forebay_pifo::PartitionedShiftRegister<u64, Item>;
        let queue = Register::new(partitions.0, capacity.0).map_err(errors::shape)?;
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
        type Heap = forebay_pifo::PartitionedPipelinedHeap<u64, Item>;
        let queue = Heap::new(partitions.0, share.0).map_err(errors::shape)?;
        let class = PartitionedPipelinedHeap { share: queue.share(), levels: queue.levels() };
        Ok(PyClassInitializer::from(PartitionedQueue::one(queue)).add_subclass(class))
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PartitionedBuckets>()?;
    module.add_class::<PartitionedClubHeap>()?;
    module.add_class::<PartitionedShiftRegister>()?;
    module.add_class::<PartitionedPipelinedHeap>()
}
