//! The on-chip shared-memory packet buffer of a switch, and the schemes that share it out.
//!
//! [`SharedBuffer`] is the buffer of a switch chip (occamy §2.1): cell data memory, cell pointer
//! memory and packet descriptors; a FIFO per queue; accounts per queue and shared pool; and the
//! read bandwidth that departures leave for dropping packets that wait. [`OnChipPolicy`] is the one
//! trait behind which the buffer management schemes stand; [`policies`] lists them by name, and a
//! caller's own is worth the same. [`ChipConfig`] says what the chip is made of.
//!
//! It is sans-IO: every call carries the time, and between two calls nothing happens. Which queue a
//! port serves is not its business; `forebay_sched::port` has schedulers for that, and
//! [`SharedBuffer::serve`] asks one.
//!
//! ```
//! use forebay_buffer::onchip::{ChipConfig, SharedBuffer, OnChipVerdict, policies};
//! use forebay_sched::{Packet, Rank};
//! use forebay_units::Time;
//!
//! let chip = ChipConfig::default(); // 8 ports of 10 Gb/s, 410 KB
//! let mut buffer = SharedBuffer::new(&chip, policies().named("dt")?)?;
//!
//! // A burst to port 3: Dynamic Threshold with alpha 1 gives one queue half of the buffer.
//! let queue = buffer.queue(3, 0).expect("port 3 exists");
//! let packet = Packet { size: 1500, ..Packet::default() };
//! let mut held = 0;
//! while buffer.enqueue(Time::ZERO, queue, packet, Rank::default()) == OnChipVerdict::Queued {
//!     held += 1;
//! }
//! assert_eq!(held, 128); // of 256 that the memory holds
//! let departure = buffer.dequeue(Time::ZERO, queue).expect("it has packets");
//! assert_eq!(departure.packet, packet);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod admission;
mod audit;
mod buffer;
mod build;
mod config;
mod expulsion;
mod groups;
pub(crate) mod ingress;
mod inputs;
mod memory;
mod occupancy;
mod outcome;
mod pipeline;
mod policy;

pub use crate::threshold::Alpha;
pub use admission::{
    AbmPipelineConfig, AdmissionMisuse, AdmissionPipeline, AdmissionPipelineConfig,
    AdmissionScheme, DrainShift, DtPipelineConfig, ShareShifts,
};
pub use buffer::SharedBuffer;
pub use config::{ChipConfig, QueueConfig};
pub use groups::{GroupConfig, GroupState, GroupsConfig, InputPool, Resume};
pub use ingress::{IngressConfig, PRIORITIES, PauseAt, PauseCall};
pub use memory::{MemoryConfig, MemoryCycles, TooSlow};
pub use occupancy::{Account, PoolView};
pub use outcome::{OnChipCounters, OnChipDeparture, OnChipLoss, OnChipVerdict};
pub use pipeline::{OccamyCycle, OccamyMisuse, OccamyPipeline, OccamyPipelineConfig};
pub use policy::{
    Abm, AbmConfig, Admission, CompleteSharing, DtConfig, DynamicThreshold, End, Exit, Harmonic,
    Occamy, OccamyConfig, OccamyLongest, OccamyP4, OccamyP4Config, OccamyRank, OnChipPolicy,
    PoolShape, PotConfig, Pushout, PushoutConfig, QuasiPushout, QuasiPushoutConfig, QueueShape,
    Removal, Smxq, SmxqConfig, StaticPartition, ThresholdPushout, Victim, Victims, policies, says,
};
