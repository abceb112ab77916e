//! What happens in a switch, as a trace to look into with [Perfetto](https://ui.perfetto.dev):
//! ports as tracks, packets as slices from arrival to departure, occupancy and thresholds as
//! counters, losses, expulsions and swaps as instants with their causes.
//!
//! [`SwitchTracer`] watches a switch ([`forebay_switch::Observed`]) and writes into a [`Trace`],
//! which is Perfetto's file format, as it goes; [`Bounds`] say which part of a run.
//!
//! ```
//! use forebay_switch::{Handle, Losses, Observed, SwitchConfig, SwitchModel, SwitchShape};
//! use forebay_trace::{Bounds, Shared, SwitchTracer};
//! use forebay_units::{Rate, Time};
//!
//! let file = Shared::new(Vec::new());
//! let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
//! let tracer = SwitchTracer::new(file.clone(), "switch 0", &shape, Bounds::default());
//! let mut switch = Observed::new(SwitchConfig::named("occamy")?.build(&shape)?, tracer);
//! let mut lost = Losses::default();
//! switch.arrive(Time::ZERO, 1, Handle::numbered(0, 7, 1500), &mut lost);
//! assert!(switch.next(Time::from_ps(5_000), 1, &mut lost).is_some());
//! file.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod bounds;
mod perfetto;
mod shared;
mod tracer;
mod tracing;
mod wire;

pub use bounds::{Bounds, TraceWindow, WindowError};
pub use perfetto::{Trace, Track, Unit, Value};
pub use shared::Shared;
pub use tracer::SwitchTracer;
pub use tracing::{TraceOutput, Tracing};
