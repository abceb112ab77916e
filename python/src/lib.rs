//! The extension module behind `import forebay`.
//!
//! One folder per part of the package, each a thin layer over the crate of the same concern: what is
//! decided is decided there. Here arguments are checked, errors become exceptions, arrays become slices
//! without a copy, and long work runs without the interpreter's lock.
//!
//! | module | Python | crate |
//! |---|---|---|
//! | `queues` | `forebay.queues` | `forebay-pifo` |
//! | `experiments` | `forebay.Experiment`, `forebay.Results` | `forebay-lab` |
//! | `engine` | `forebay.Scheduler`, `PortScheduler`, `JobScheduler`, `Buffer`, `Switch`, `Cache`, `Hbm`, `SramPort`, `Expression` | `sched`, `surge`, `buffer`, `net`, `cache`, `mem`, `expression` |
//! | `replay` | `forebay.replay` | `forebay-replay` |
//! | `net` | `forebay.net` | `forebay-net-run` |
//!
//! Panics: none is meant to happen. Where the engine works, one is caught and raised as
//! `forebay.InternalError` ([`errors::guarded`]).

mod arguments;
mod arrays;
mod detached;
mod engine;
mod errors;
mod experiments;
mod net;
mod parameters;
mod queues;
mod replay;
mod rows;
mod settings;

use pyo3::prelude::*;

/// The parts of the package that are written in Rust.
#[pymodule]
fn _forebay(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    queues::register(module)?;
    experiments::register(module)?;
    engine::register(module)?;
    replay::register(module)?;
    net::register(module)
}
