//! Buffer managers: in which memory a waiting packet is kept, when it moves, and when it is
//! dropped.
//!
//! A hybrid buffer is a small on-chip SRAM and a large off-chip HBM. [`Buffer`] is its state:
//! packet descriptors, SRAM cells, HBM space, a staging buffer in front of the HBM, and the rank
//! order of all that waits. [`HybridPolicy`] is the one trait behind which the schemes stand: it
//! says where an arriving packet goes, what gives way when memory is full, and which packets to
//! move in the background. [`policies`] lists the built-in ones; a caller's own is a
//! [`Choice`](forebay_parameters::Choice) like them.
//!
//! Nothing there knows about time: `forebay-switch` adds memory bandwidth and drives the
//! transitions.
//!
//! A buffer that is on-chip SRAM alone, shared by the queues of all ports, is
//! [`onchip::SharedBuffer`], complete in itself.
//!
//! ```
//! use forebay_buffer::{Buffer, BufferConfig, HbmGeometry, HybridShape, HbmLayout, Placement, policies};
//! use forebay_pifo::TieredExact;
//! use forebay_sched::{Packet, Rank};
//! use forebay_units::{Bytes, Time};
//!
//! let config = BufferConfig {
//!     sram: Bytes::new(1 << 20), cell: Bytes::new(256), staging: Bytes::new(1 << 16),
//!     queues: 64, descriptors: 4096,
//!     hbm: HbmGeometry { rows: 1024, columns: 32, column_bytes: 512 },
//!     layout: HbmLayout::Batches, largest_packet: 1500,
//! };
//! let mut buffer = Buffer::new(&config, vec![TieredExact::new()]);
//! let batch = Bytes::new(16 * 1024);
//! let mut themis = policies().named("themis")?.build(&HybridShape { batch })?;
//!
//! let packet = Packet { size: 1500, flow_size: 9000, ..Packet::default() };
//! let arriving = buffer.arriving(Time::ZERO, 0, 0, packet, 9000);
//! assert_eq!(themis.place(&buffer, &arriving), Placement::Sram); // nothing in HBM is more urgent
//! let id = buffer.arrive_sram(&arriving).expect("an empty buffer has room");
//! assert_eq!(buffer.commit(0), Some(id));
//! assert_eq!(buffer.depart(id), packet);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod audit;
mod buffer;
mod cells;
mod descriptor;
mod hbm;
mod lists;
mod manager;
pub mod onchip;
mod policy;
mod queues;
mod reaction;
mod staging;
mod threshold;
mod tournament;
mod view;

pub use audit::AuditError;
pub use buffer::{Buffer, BufferConfig, Unstaged};
pub use cells::{CellCount, CellPool};
pub use descriptor::{Descriptor, Descriptors, HbmAddress, NONE, PacketState};
pub use hbm::{HbmGeometry, HbmLayout, HbmSpace, SlotOrder};
pub use manager::{ThemisAnswer, ThemisCycle, ThemisManager, ThemisManagerConfig, ThemisOperation};
pub use policy::{
    DtHybrid, DtHybridConfig, GreedyHybrid, HybridPolicy, HybridShape, Move, MoveRoom,
    OccamyHybrid, OccamyHybridConfig, Placement, Pressure, Themis, ThemisConfig, policies,
};
pub use queues::Queues;
pub use reaction::Reaction;
pub use staging::Staging;
pub use threshold::{Alpha, Comparison};
pub use tournament::Tournament;
pub use view::BufferView;

pub use forebay_sched::{DropCause, DropTally, Tally};
