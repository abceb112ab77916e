//! Every queue of `forebay-pifo` as a Python class.
//!
//! | file | Python classes |
//! |---|---|
//! | `ranked`, `exact`, `hardware`, `buckets` | `Queue`, `DoubleEndedQueue` and one class per structure |
//! | `partitioned`, `logical` | `PartitionedQueue` and one class per structure |
//! | `pieo` | `Pieo` |
//! | `handles` | `HandleQueue` |
//! | `ids` | `TieredQueue`, `IndexedQueue` and one class per structure |
//! | `cycles` | `Pipelined`, `LatencyFree` |
//! | `approximate` | `ApproximateQueue` and one class per structure |
//!
//! A base class holds the structure behind a small trait of its own that can be made into an object; a
//! batch goes through it in one call, so its loop is compiled for the structure. Ranks are `u64`; an item is
//! any Python object, and a whole number travels as one.

mod approximate;
mod batch;
mod buckets;
mod cycles;
mod exact;
mod handles;
mod hardware;
mod ids;
mod item;
mod logical;
mod partitioned;
mod pieo;
mod ranked;
mod shapes;

use pyo3::prelude::*;

pub(crate) use item::Item;

/// Adds every class.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ranked::register(module)?;
    exact::register(module)?;
    buckets::register(module)?;
    hardware::register(module)?;
    shapes::register(module)?;
    partitioned::register(module)?;
    logical::register(module)?;
    pieo::register(module)?;
    handles::register(module)?;
    ids::register(module)?;
    cycles::register(module)?;
    approximate::register(module)
}
