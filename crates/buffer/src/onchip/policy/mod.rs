//! Buffer management (BM) schemes: who may have how much of a shared pool (occamy §2.2).
//!
//! A scheme decides at two moments. *Admission*: may this packet enter, and must another leave for it?
//! *Expulsion*: which waiting packet should be dropped with the memory bandwidth that departures leave?
//! Non-preemptive schemes use only the first.
//!
//! Adding one: a file with a small type that implements [`OnChipPolicy`], a line in [`policies`].

mod abm;
mod complete_sharing;
mod dt;
mod harmonic;
mod longest;
mod occamy;
mod occamy_longest;
mod occamy_rank;
mod over_allocated;
mod partition;
mod pot;
mod pushout;
mod quasi_pushout;
mod smxq;

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_parameters::{Choices, Family, Registry};
use forebay_units::{Bytes, Rate};

pub use abm::{Abm, AbmConfig};
pub use complete_sharing::CompleteSharing;
pub use dt::{DtConfig, DynamicThreshold};
pub use harmonic::Harmonic;
pub use longest::End;
pub use occamy::Occamy;
pub use occamy_longest::OccamyLongest;
pub use occamy_rank::OccamyRank;
pub use over_allocated::OccamyConfig;
pub use partition::StaticPartition;
pub use pot::{PotConfig, ThresholdPushout};
pub use pushout::{Pushout, PushoutConfig, Victims};
pub use quasi_pushout::{QuasiPushout, QuasiPushoutConfig};
pub use smxq::{Smxq, SmxqConfig};

use super::occupancy::PoolView;
use crate::descriptor::Descriptor;
use crate::threshold::Alpha;

/// A waiting packet that is to be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The oldest packet of this queue (head drop).
    Head(u32),
    /// The youngest packet of this queue.
    Tail(u32),
    /// The packet with this id.
    Packet(u32),
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It enters. If the pool has too little room it is dropped all the same.
    Accept,
    /// It is dropped.
    Drop,
    /// This packet is dropped first, then the policy is asked again.
    PushOut(Victim),
}

/// How a packet left the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Its port took it.
    Dequeued,
    /// Dropped for an arriving packet, or by the caller.
    PushedOut,
    /// Expelled, as [`OnChipPolicy::next_expulsion`] asked.
    Expelled,
}

/// A buffer management scheme for one shared pool.
///
/// Methods are called in the order of events and may keep state; they read the [`PoolView`] and never change
/// it. Lengths and thresholds are in cells of the pool; what a queue holds of its reservation is not
/// counted, and packets that fit in a reservation are admitted without asking.
pub trait OnChipPolicy: Send {
    /// May `arriving` take `cells` cells (at least one) of the pool?
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission;

    /// The most cells that `queue` may hold now, if the scheme has such a number.
    fn threshold(&self, _pool: PoolView<'_>, _queue: u32) -> Option<u32> {
        None
    }

    /// The waiting packet to expel now, if any. It is asked for until it says `None`, whenever bandwidth is
    /// to spare, and may be asked several times before the packet goes: what changes with an expulsion
    /// belongs in [`OnChipPolicy::removed`].
    fn next_expulsion(&mut self, _pool: PoolView<'_>) -> Option<Victim> {
        None
    }

    /// Whether it reads the ranks of packets, so that a switch should give them some.
    fn reads_ranks(&self) -> bool {
        false
    }

    /// Packet `id` has entered its queue; the pool counts it.
    fn enqueued(&mut self, _pool: PoolView<'_>, _id: u32, _packet: &Descriptor) {}

    /// Packet `id` has left its queue; the pool no longer counts it.
    fn removed(&mut self, _pool: PoolView<'_>, _id: u32, _packet: &Descriptor, _how: Removal) {}
}

/// What a policy may know of a queue when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueShape {
    /// Whether it draws on the policy's pool.
    pub member: bool,
    /// The output port that it belongs to, from 0.
    pub port: u16,
    /// Its place among the queues of its port.
    pub class: u16,
    /// α in place of the policy's own.
    pub alpha: Option<Alpha>,
    /// Static maximum in cells in place of the policy's own.
    pub limit: Option<u32>,
}

/// What a policy may know of its pool when it is built.
#[derive(Clone, Debug)]
pub struct PoolShape {
    /// Cells of the pool: B.
    pub capacity: u32,
    /// Bytes per cell.
    pub cell: Bytes,
    /// All queues of the buffer by number.
    pub queues: Vec<QueueShape>,
    /// Queues of a port.
    pub classes: u16,
    /// Rate of a port.
    pub port_rate: Rate,
}

impl PoolShape {
    /// Queues that draw on the pool: N, at least 1.
    #[must_use]
    pub fn members(&self) -> u32 {
        (self.queues.iter().filter(|queue| queue.member).count() as u32).max(1)
    }

    /// Whole cells in `size`.
    #[must_use]
    pub fn cells(&self, size: Bytes) -> u32 {
        (size.get() / self.cell.get().max(1)).min(u64::from(u32::MAX)) as u32
    }

    /// α of every queue: its own, or `default`.
    #[must_use]
    pub fn alphas(&self, default: Alpha) -> Vec<Alpha> {
        self.queues.iter().map(|queue| queue.alpha.unwrap_or(default)).collect()
    }

    /// Static maximum of every queue: its own, or `default`.
    #[must_use]
    pub fn limits(&self, default: u32) -> Vec<u32> {
        self.queues.iter().map(|queue| queue.limit.unwrap_or(default)).collect()
    }
}

/// The family of buffer policies of an on-chip buffer, one for each of its pools.
impl Family for dyn OnChipPolicy {
    const WHAT: &'static str = "buffer policy";
    type Shape = PoolShape;
    type Built = Box<dyn OnChipPolicy>;
}

/// The built-in policies.
#[must_use]
pub fn policies() -> Choices<dyn OnChipPolicy> {
    Registry::of([
        complete_sharing::choice(),
        partition::choice(),
        smxq::choice(),
        harmonic::choice(),
        dt::choice(),
        abm::choice(),
        pushout::choice(),
        pot::choice(),
        quasi_pushout::choice(),
        occamy::choice(),
        occamy_longest::choice(),
        occamy_rank::choice(),
    ])
}
