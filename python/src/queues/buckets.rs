//! The classes of bucket queues (BBQ): `BucketQueue`, `CircularWindow`, `RollingWindow`.

use forebay_pifo::{Below, Beyond, RankedQueue, WindowPolicy};
use forebay_units::printable;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::Item;
use super::ranked::DoubleEndedQueue;
use super::shapes::{by_constant, by_width, holds};
use crate::arguments::{Whole, whole};
use crate::errors;

/// A bucket per rank, found by bitmaps of `width` bits (BBQ): both ends in constant time.
#[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
pub(crate) struct BucketQueue {
    /// The largest rank that the queue accepts.
    #[pyo3(get)]
    max_rank: u64,
    /// The levels of bitmaps, which is the number of words that a search reads.
    #[pyo3(get)]
    levels: usize,
}

#[pymethods]
impl BucketQueue {
    #[new]
    #[pyo3(signature = (ranks, capacity, *, width: "SupportsIndex" = 64))]
    fn new(
        ranks: Whole<usize>,
        capacity: Whole<usize>,
        #[pyo3(from_py_with = whole)] width: usize,
    ) -> PyResult<PyClassInitializer<Self>> {
        by_width!(width, W => {
            let queue = bbq::<W>(ranks.0, capacity.0)?;
            let class = BucketQueue { max_rank: queue.max_rank(), levels: queue.levels() };
            Ok(DoubleEndedQueue::of(queue).add_subclass(class))
        })
    }
}

/// A bucket queue that holds as many elements as were asked for.
pub(super) fn bbq<const W: usize>(
    ranks: usize,
    capacity: usize,
) -> PyResult<forebay_pifo::BucketQueue<Item, W>> {
    let queue = forebay_pifo::BucketQueue::new(ranks, capacity).map_err(errors::shape)?;
    holds(capacity, queue.capacity())?;
    Ok(queue)
}

/// What a window does with ranks outside it.
fn policy(below: &str, beyond: &str) -> PyResult<WindowPolicy> {
    let below = match below {
        "first" => Below::FirstBucket,
        "reject" => Below::Reject,
        other => return Err(unknown("below", other, "first")),
    };
    let beyond = match beyond {
        "last" => Beyond::LastBucket,
        "reject" => Beyond::Reject,
        other => return Err(unknown("beyond", other, "last")),
    };
    Ok(WindowPolicy { below, beyond })
}

fn unknown(name: &str, asked: &str, bucket: &str) -> PyErr {
    PyValueError::new_err(format!(
        "{name}: \"{}\" is neither \"{bucket}\" nor \"reject\"",
        printable(asked)
    ))
}

/// A class over a window of ranks that moves.
macro_rules! window {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[pyclass(extends = DoubleEndedQueue, module = "forebay.queues")]
        pub(crate) struct $name;

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (
                span,
                capacity,
                *,
                below: "Below" = "first",
                beyond: "Beyond" = "reject"
            ))]
            fn new(
                span: Whole<usize>,
                capacity: Whole<usize>,
                below: &str,
                beyond: &str,
            ) -> PyResult<PyClassInitializer<Self>> {
                let policy = policy(below, beyond)?;
                let queue = forebay_pifo::$name::<Item>::new(span.0, capacity.0, policy);
                let queue = queue.map_err(errors::shape)?;
                holds(capacity.0, queue.capacity())?;
                Ok(DoubleEndedQueue::of(queue).add_subclass($name))
            }

            /// The smallest and the largest rank that the window holds now.
            #[getter]
            fn window(self_: PyRef<'_, Self>) -> PyResult<(u64, u64)> {
                type Window = forebay_pifo::$name<Item>;
                Ok(self_.as_super().as_super().held_as::<Window>()?.window())
            }
        }
    };
}

window! {
    /// A window of `span` ranks that turns with the smallest that waits.
    CircularWindow
}

window! {
    /// A window of two halves of `span` ranks; when the first is empty it rolls ahead of the
    /// second.
    RollingWindow
}
