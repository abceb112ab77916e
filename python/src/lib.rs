//! The extension module behind `import forebay`.
//!
//! One folder per part of the package, each a thin layer over the crate of the same concern: what
//! is decided is decided there. Here arguments are checked, errors become exceptions, arrays become
//! slices without a copy, and long work runs without the interpreter's lock.
//!
//! | module | Python | crate |
//! |---|---|---|
//! | `queues` | `forebay.queues` | `forebay-pifo` |
//! | `experiments` | `forebay.Experiment`, `forebay.Results` | `forebay-lab` |
//! | `engine` | `forebay.Scheduler`, `PortScheduler`, `GearboxCore`, `JobScheduler`, `WsjfCore`, `Buffer`, `OccamyPipeline`, `AdmissionPipeline`, `ThemisManager`, `Switch`, `Cache`, `Hbm`, `SramPort`, `Expression` | `sched`, `surge`, `buffer`, `net`, `cache`, `mem`, `expression` |
//! | `ranks` | `forebay.register_rank`, and `rank=` wherever it stands | `sched`, `expression` |
//! | `replay` | `forebay.replay` | `forebay-replay` |
//! | `net` | `forebay.net` | `forebay-net-run` |
//!
//! Panics: none is meant to happen. Where the engine works, one is caught and raised as
//! `forebay.InternalError` ([`errors::guarded`]).

mod arguments;
mod arrays;
mod catalogue;
#[cfg(feature = "command")]
mod command;
mod declared;
mod detached;
mod engine;
mod errors;
mod experiments;

mod net;
mod parameters;
mod queues;
mod ranks;
mod replay;
mod rows;
mod settings;
mod shown;

pub use catalogue::{Scenarios, extend};

use pyo3::prelude::*;

/// The extension module, for a stranger's that has it inside.
pub fn module(py: Python<'_>) -> Py<PyModule> {
    pyo3::wrap_pymodule!(_forebay)(py)
}

/// The parts of the package that are written in Rust.
#[pymodule]
mod _forebay {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::experiments::{
        experiment::Experiment,
        results::{Claim, Figure, Results},
        table::Table,
    };

    #[pymodule_export]
    use crate::engine::{
        buffer::{
            Buffer, manager::ThemisManager, pipeline::OccamyPipeline, verdicts::AdmissionPipeline,
        },
        cache::{Cache, own_policy::CacheArrival},
        job_core::WsjfCore,
        jobs::JobScheduler,
        memory::{Hbm, sram::SramPort},
        rule::Expression,
        scheduler::{Scheduler, core::GearboxCore, port::PortScheduler},
        switch::Switch,
        trace::read_trace,
    };

    #[pymodule_export]
    use crate::net::{
        flows::{incast_table, permutation_table, poisson_table},
        run::net_run,
    };

    #[cfg(feature = "command")]
    #[pymodule_export]
    use crate::command::run_command;

    #[pymodule_export]
    use crate::declared::parameter_types;

    #[pymodule_export]
    use crate::ranks::add_rank;

    #[pymodule_export]
    use crate::replay::replay_file;

    #[pymodule_export]
    use crate::queues::{
        approximate::{
            Aifo, ApproximateQueue, CalendarQueue, DropTailQueue, ProgrammableCalendar, PushOut,
            RefuseWhenFull, SpPifo,
        },
        buckets::{BucketQueue, CircularWindow, RollingWindow},
        cycles::{LatencyFree, Pipelined},
        exact::{ExactQueue, ReferenceQueue, SampleQueue},
        handles::{Handle, HandleQueue},
        hardware::{
            BmwTree, ClubHeap, IntervalClubHeap, PHeap, PieoQueue, PipelinedHeap, ShiftRegister,
        },
        ids::{
            IndexedBuckets, IndexedExact, IndexedQueue, TieredBuckets, TieredExact, TieredQueue,
            TieredReference,
        },
        logical::{
            PartitionedBuckets, PartitionedClubHeap, PartitionedPipelinedHeap,
            PartitionedShiftRegister,
        },
        partitioned::{DoubleEndedPartitionedQueue, PartitionedQueue},
        pieo::Pieo,
        ranked::{DoubleEndedQueue, Queue},
        shapes::ClubLevel,
        themis::ThemisCore,
    };
}
