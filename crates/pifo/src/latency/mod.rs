//! Queues whose answers take time, and how to hide it.
//!
//! A pipelined queue starts an operation every cycle and finishes it some cycles later.
//! [`Pipelined`] gives any ranked queue such a delay; [`LatencyFree`] is the arrangement that hides
//! it: a small sorted queue in front of a large pipelined one. Both are clocked by their caller.

mod free;
mod pipelined;

pub use free::{Cycle, LatencyFree, LatencyFreeError};
pub use pipelined::{Pipelined, bbq_stages};
