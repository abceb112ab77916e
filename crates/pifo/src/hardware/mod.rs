//! Priority queues as hardware builds them: the structures that PIFO schedulers are compared with.
//!
//! Source: clubheap §2.2 and Table 1; thesis §4.4.1 and §4.6. Each file holds the published data
//! structure with its registers, levels, counters and sublists, so that a model of its cost can
//! count what it touches. An operation here runs to its end before the next begins; how a chip
//! overlaps them changes when an answer comes, not which. Each head comment gives the published
//! cycles.
//!
//! Common choices: a shape is at most [`MAX_HARDWARE_ELEMENTS`] elements. Trees have whole levels,
//! so a capacity is rounded up to them, and all their memory is there from the start, as on a chip;
//! the two sorted lists (SR-PIFO, PIEO) have the capacity asked for. Left out from Table 1: OPQ,
//! APQ and H-PQ, whose inner rules the papers at hand do not give.

mod bmw_tree;
mod forest;
mod p_heap;
mod pieo;
mod pipelined_heap;
mod shape;
mod sorted_shift_register;

#[cfg(test)]
mod checks;

pub use bmw_tree::{BmwTree, MAX_TREE_WAYS};
pub use p_heap::PHeap;
pub use pieo::{Eligible, Pieo, PieoElement, PieoQueue, PieoReason, PieoRefused};
pub use pipelined_heap::{PartitionedPipelinedHeap, PipelinedHeap};
pub use shape::{HardwareShapeError, MAX_HARDWARE_ELEMENTS};
pub use sorted_shift_register::{PartitionedShiftRegister, ShiftRegister};
