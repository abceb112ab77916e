//! The classes of exact software queues: `ExactQueue`, `SampleQueue`, `ReferenceQueue`.

use pyo3::prelude::*;

use super::ranked::{DoubleEndedQueue, Queue};
use crate::arguments::Whole;

/// An interval heap: both ends, any rank, logarithmic time.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct ExactQueue;

#[pymethods]
impl ExactQueue {
    #[new]
    fn new(capacity: Whole<usize>) -> PyClassInitializer<Self> {
        DoubleEndedQueue::of(forebay_pifo::ExactQueue::new(capacity.0)).add_subclass(ExactQueue)
    }
}

/// Lazily sorted by samples: the smallest end only, the fastest for a large backlog.
#[pyclass(extends = Queue, module = "forebay.queues")]
pub(crate) struct SampleQueue;

#[pymethods]
impl SampleQueue {
    #[new]
    fn new(capacity: Whole<usize>) -> PyClassInitializer<Self> {
        let queue: forebay_pifo::SampleQueue<_, _> = forebay_pifo::SampleQueue::new(capacity.0);
        Queue::of(queue).add_subclass(SampleQueue)
    }
}

/// A sorted list, searched end to end: what the others are tested against.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct ReferenceQueue;

#[pymethods]
impl ReferenceQueue {
    #[new]
    fn new(capacity: Whole<usize>) -> PyClassInitializer<Self> {
        let queue = forebay_pifo::ReferenceQueue::new(capacity.0);
        DoubleEndedQueue::of(queue).add_subclass(ReferenceQueue)
    }
}
