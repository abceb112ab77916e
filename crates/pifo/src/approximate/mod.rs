//! Approximate queues: what a few first-in first-out queues can do towards the order of a PIFO.
//!
//! Switches have first-in first-out queues; sorting at line rate is what they lack. Each structure
//! here is one published way to do without, behind [`ApproximateQueue`]: [`SpPifo`] approximates
//! the order, [`Aifo`] the admission, [`CalendarQueue`] (AFQ) and [`ProgrammableCalendar`] (PCQ)
//! the order of ranks that advance. [`PushOut`] is the ideal they are compared with and
//! [`DropTailQueue`] the bottom. [`Comparison`] measures any of them; `approximate_queues` (feature
//! `registry`) has them by name.

mod aifo;
mod calendar;
mod drop_tail;
mod fifos;
mod ideal;
mod measure;
mod programmable;
mod queue;
mod rank_counts;
#[cfg(feature = "registry")]
mod registry;
mod sp_pifo;

pub use aifo::{Aifo, AifoConfig};
pub use calendar::CalendarQueue;
pub use drop_tail::DropTailQueue;
pub use ideal::{PushOut, RefuseWhenFull};
pub use measure::{AccuracyReport, Comparison, Deciles, Step, compare};
pub use programmable::{Advance, ProgrammableCalendar, RotationPending};
pub use queue::{ApproximateQueue, Pushed, ShapeError};
#[cfg(feature = "registry")]
pub use registry::{AnyApproximate, ApproximateConfig, ApproximateInfo, approximate_queues};
pub use sp_pifo::SpPifo;
