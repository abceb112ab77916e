//! Direct use of the engine, without experiments.
//!
//! | file | Python |
//! |---|---|
//! | `scheduler` | `Scheduler`: any scheduler by name, or a rank of the user's; `PortScheduler` over queues; `GearboxCore`, the hardware's model |
//! | `jobs` | `JobScheduler`: which job is processed next, and which dropped, with an estimator and an admission |
//! | `job_core` | `WsjfCore`, the hardware's model |
//! | `buffer` | `Buffer`: an on-chip shared buffer under any policy, or an admission of the user's; `OccamyPipeline`, `AdmissionPipeline` and `ThemisManager`, the hardware's models |
//! | `cache` | `Cache`: any caching policy, or one of the user's, with fetches that take time; the bound of a trace |
//! | `memory` | `Hbm`: the memory model, request by request or in batches; `SramPort` |
//! | `switch` | `Switch`: any switch, hybrid buffers of SRAM and HBM included |
//! | `trace` | `read_trace`: a recorded trace as arrays for `Cache` |
//! | `rule` | rules of the user's: compiled expressions and Python functions |
//!
//! Times are whole picoseconds, as in the engine (`Cache` counts the paper's time steps); sizes are
//! bytes.

pub(crate) mod buffer;
pub(crate) mod cache;
pub(crate) mod job_core;
pub(crate) mod jobs;
pub(crate) mod memory;
pub(crate) mod rule;
pub(crate) mod scheduler;
pub(crate) mod switch;
pub(crate) mod trace;
