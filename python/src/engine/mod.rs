//! Direct use of the engine, without experiments.
//!
//! | file | Python |
//! |---|---|
//! | `scheduler` | `Scheduler`: any scheduler by name, or a rank of the user's; `PortScheduler` over queues |
//! | `jobs` | `JobScheduler`: which job is processed next, and which dropped, with an estimator and an admission |
//! | `buffer` | `Buffer`: an on-chip shared buffer under any policy, or an admission of the user's |
//! | `cache` | `Cache`: any caching policy, with fetches that take time |
//! | `memory` | `Hbm`: the memory model, request by request or in batches; `SramPort` |
//! | `switch` | `Switch`: any switch, hybrid buffers of SRAM and HBM included |
//! | `rule` | rules of the user's: compiled expressions and Python functions |
//!
//! Times are whole picoseconds, as in the engine (`Cache` counts the paper's time steps); sizes are bytes.

mod buffer;
mod cache;
mod jobs;
mod memory;
mod rule;
mod scheduler;
mod switch;

use pyo3::prelude::*;

/// Adds every class.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    rule::register(module)?;
    scheduler::register(module)?;
    jobs::register(module)?;
    buffer::register(module)?;
    cache::register(module)?;
    memory::register(module)?;
    switch::register(module)
}
