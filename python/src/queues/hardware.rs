//! The classes of queues as hardware builds them.
//!
//! Where a structure leaves the order of equal ranks open, `fifo_ties=True` adds arrival numbers
//! (`forebay_pifo::Stable`); without it the order is exactly that of the hardware model.

use forebay_pifo::{ClubError, ClubGeometry, HardwareShapeError, Stable};
use pyo3::prelude::*;

use super::Item;
use super::ranked::{DoubleEndedQueue, Queue};
use super::shapes::{ClubLevel, by_constant, by_ways, levels};
use crate::arguments::{Whole, whole};
use crate::errors;

/// A rank and an arrival number.
type Numbered = (u64, u64);

/// A class over a clustered heap, which `$build` makes for so many children of a node.
macro_rules! clustered {
    ($(#[$doc:meta])* $name:ident: $base:ident, $build:ident) => {
        $(#[$doc])*
        #[pyclass(extends = $base, module = "forebay.queues")]
        pub(crate) struct $name {
            geometry: ClubGeometry,
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (cluster, capacity, *, ways=2, fifo_ties=false))]
            fn new(
                cluster: Whole<usize>,
                capacity: Whole<usize>,
                #[pyo3(from_py_with = whole)] ways: usize,
                fifo_ties: bool,
            ) -> PyResult<PyClassInitializer<Self>> {
                by_ways!(ways, W => $build::<W>(cluster.0, capacity.0, fifo_ties))
            }

            /// The size of every level, from the root down.
            #[getter]
            fn levels(&self) -> Vec<ClubLevel> {
                levels(&self.geometry)
            }
        }
    };
}

clustered! {
    /// ClubHeap: a clustered heap with one replace per cycle.
    ClubHeap: Queue, club_heap
}

clustered! {
    /// A ClubHeap of intervals: both ends in one pass.
    IntervalClubHeap: DoubleEndedQueue, interval_club_heap
}

fn club_heap<const W: usize>(
    cluster: usize,
    capacity: usize,
    fifo_ties: bool,
) -> Result<PyClassInitializer<ClubHeap>, ClubError> {
    type Heap<R, const W: usize> = forebay_pifo::ClubHeap<R, Item, W>;
    let geometry = ClubGeometry::new(cluster, capacity, 1, W)?;
    let queue = if fifo_ties {
        Queue::one(Stable::new(Heap::<Numbered, W>::new(cluster, capacity)?))
    } else {
        Queue::one(Heap::<u64, W>::new(cluster, capacity)?)
    };
    Ok(PyClassInitializer::from(queue).add_subclass(ClubHeap { geometry }))
}

fn interval_club_heap<const W: usize>(
    cluster: usize,
    capacity: usize,
    fifo_ties: bool,
) -> Result<PyClassInitializer<IntervalClubHeap>, ClubError> {
    type Heap<R, const W: usize> = forebay_pifo::IntervalClubHeap<R, Item, W>;
    let queue = Heap::<u64, W>::new(cluster, capacity)?;
    let geometry = *queue.geometry();
    let queue = if fifo_ties {
        DoubleEndedQueue::of(Stable::new(Heap::<Numbered, W>::new(cluster, capacity)?))
    } else {
        DoubleEndedQueue::of(queue)
    };
    Ok(queue.add_subclass(IntervalClubHeap { geometry }))
}

/// SR-PIFO: a sorted shift register.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct ShiftRegister;

#[pymethods]
impl ShiftRegister {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = forebay_pifo::ShiftRegister::<u64, Item>::new(capacity.0);
        Ok(DoubleEndedQueue::of(queue.map_err(errors::shape)?).add_subclass(ShiftRegister))
    }
}

/// PIEO's sublists, used as a ranked queue.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct PieoQueue;

#[pymethods]
impl PieoQueue {
    #[new]
    fn new(capacity: Whole<usize>) -> PyResult<PyClassInitializer<Self>> {
        let queue = forebay_pifo::PieoQueue::<u64, Item>::new(capacity.0);
        Ok(DoubleEndedQueue::of(queue.map_err(errors::shape)?).add_subclass(PieoQueue))
    }
}

/// A class over a structure whose ties are open, built from its arguments alone.
macro_rules! open_ties {
    ($(#[$doc:meta])* $name:ident, $first:ident $(, $argument:ident)*) => {
        $(#[$doc])*
        #[pyclass(extends = Queue, module = "forebay.queues")]
        pub(crate) struct $name {
            /// The levels of the tree.
            #[pyo3(get)]
            levels: usize,
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = ($first $(, $argument)*, *, fifo_ties=false))]
            fn new(
                $first: Whole<usize>,
                $($argument: Whole<usize>,)*
                fifo_ties: bool,
            ) -> PyResult<PyClassInitializer<Self>> {
                let build = || -> Result<_, HardwareShapeError> {
                    let plain = forebay_pifo::$name::<u64, Item>::new($first.0 $(, $argument.0)*)?;
                    let levels = plain.levels();
                    let queue = if fifo_ties {
                        type Stamped = forebay_pifo::$name<Numbered, Item>;
                        Queue::one(Stable::new(Stamped::new($first.0 $(, $argument.0)*)?))
                    } else {
                        Queue::one(plain)
                    };
                    Ok(PyClassInitializer::from(queue).add_subclass($name { levels }))
                };
                build().map_err(errors::shape)
            }
        }
    };
}

open_ties! {
    /// BMW-Tree: a balanced tree of `ways`-way nodes (R-BMW, RPU-BMW).
    BmwTree, ways, capacity
}

open_ties! {
    /// P-Heap: a pipelined binary heap with counts of free places.
    PHeap, capacity
}

open_ties! {
    /// A binary heap in pipeline stages, one level each.
    PipelinedHeap, capacity
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ClubHeap>()?;
    module.add_class::<IntervalClubHeap>()?;
    module.add_class::<ShiftRegister>()?;
    module.add_class::<PieoQueue>()?;
    module.add_class::<BmwTree>()?;
    module.add_class::<PHeap>()?;
    module.add_class::<PipelinedHeap>()
}
