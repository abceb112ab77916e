//! Every queue of `forebay-pifo` as a Python class.
//!
//! | file | Python classes |
//! |---|---|
//! | `ranked` | `Queue`, `DoubleEndedQueue`: what every exact queue does |
//! | `exact`, `hardware`, `buckets`, `handles` | one class per structure, which builds it |
//! | `partitioned`, `logical` | `PartitionedQueue` and one class per structure |
//! | `ids` | `TieredQueue`, `IndexedQueue` and one class per structure |
//! | `approximate` | `ApproximateQueue` and one class per structure |
//! | `pieo`, `cycles` | `Pieo`; `Pipelined`, `LatencyFree` |
//! | `themis` | `ThemisCore`, the hardware's model |
//!
//! A base class holds any structure of its kind as a trait object and has all its methods; the
//! class of a structure is a constructor and what the structure alone has. Ranks are `u64`; an item
//! is any Python object, and a whole number travels as one.

pub(crate) mod approximate;
mod batch;
pub(crate) mod buckets;
pub(crate) mod cycles;
pub(crate) mod exact;
pub(crate) mod handles;
pub(crate) mod hardware;
pub(crate) mod ids;
mod item;
pub(crate) mod logical;
pub(crate) mod partitioned;
pub(crate) mod pieo;
pub(crate) mod ranked;
pub(crate) mod shapes;
pub(crate) mod themis;

pub(crate) use item::Item;
