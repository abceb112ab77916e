//! What a hardware ranked queue costs: cycles, comparators, memory, and what partitions waste.
//! Formulas, not measurements.
//!
//! Give a [`Shape`] (how many elements, how wide, how many logical PIFOs) to a [`CostModel`] and it
//! answers with a [`Cost`]. [`STRUCTURES`] lists the models: the structures that the ClubHeap paper
//! and the BBQ thesis compare.
//!
//! Sources: clubheap §2 to §4 and §6, Table 1; thesis §4.1 to §4.5. Each model's file says which
//! formula comes from where. What the papers leave open is listed there as an assumption.
//!
//! Every model is provisioned for the same promise, so that costs compare: `elements` elements fit
//! in *any* mixture over `partitions` logical PIFOs, each with 2^`rank_bits` ranks of its own. A
//! structure that cannot share its elements pays for that with more of them ([`Sharing`]).
//!
//! What it is not: an area or clock model. Bits and gate levels rank structures of one family well;
//! they say little about wires and about how an SRAM compiler rounds.
//!
//! Complexity: a cost takes time and memory proportional to the levels of the structure (at most
//! 84). Limits: those of [`Shape::check`]; within them no formula overflows 128 bits.
//!
//! ```
//! use forebay_asic::{Shape, structure};
//!
//! let shape = Shape { elements: 65_520, cluster: 2, ..Shape::default() }.check()?;
//! let club_heap = structure("clubheap").ok_or("no such structure")?.cost(&shape);
//! let bbq = structure("bbq").ok_or("no such structure")?.cost(&shape);
//! assert_eq!(club_heap.timing.cycles_per_replace(), 1);
//! assert_eq!(bbq.timing.cycles_per_replace(), 2);
//! assert!(club_heap.memory.bits() < bbq.memory.bits());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bbq;
mod bmw;
mod club;
mod linear;
mod logic;
mod memory;
pub mod mesh;
mod model;
mod p_heap;
mod pieo;
mod pipelined_heap;
mod published;
mod scaling;
mod shape;
mod sharing;
mod timing;
mod tree;

pub use logic::{Comparators, Logic, Path};
pub use memory::{Bank, Memory, Ports};
pub use model::{Cost, CostModel, Tuning};
pub use published::{DerivedRow, Marks, PublishedRow, TABLE_1};
pub use scaling::{Growth, Scaling};
pub use shape::{CheckedShape, QueueShapeError, Shape};
pub use sharing::{Fragmentation, Sharing};
pub use timing::{Interval, Latency, Timing};

/// Every structure with formulas.
pub static STRUCTURES: &[CostModel] = &[
    linear::SHIFT_REGISTER,
    pieo::PIEO,
    bbq::BBQ,
    bbq::LATENCY_FREE_BBQ,
    p_heap::P_HEAP,
    bmw::REGISTER_BMW,
    bmw::RPU_BMW,
    pipelined_heap::PIPELINED_HEAP,
    club::CLUB_HEAP,
    club::TERNARY,
    club::FOUR_WAY,
];

/// The structure of this name.
#[must_use]
pub fn structure(name: &str) -> Option<&'static CostModel> {
    STRUCTURES.iter().find(|model| model.name == name)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
