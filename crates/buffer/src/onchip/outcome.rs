//! What becomes of packets, and the totals of it.

use forebay_sched::{DropCause, DropTally, Packet, Tally};
use forebay_units::Time;

use super::memory::MemoryCycles;

/// What became of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChipVerdict {
    /// It waits in its queue.
    Queued,
    /// It was dropped.
    Dropped(DropCause),
}

/// A packet that its port took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnChipDeparture {
    /// The packet, as it was handed in.
    pub packet: Packet,
    /// The queue that it left.
    pub queue: u32,
    /// When it arrived.
    pub arrived: Time,
}

/// A packet that was lost after it had been accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnChipLoss {
    /// The packet, as it was handed in.
    pub packet: Packet,
    /// The queue that it waited in.
    pub queue: u32,
    /// Why.
    pub cause: DropCause,
    /// When.
    pub at: Time,
}

/// What a buffer has done since it was built. Only ever grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnChipCounters {
    /// Packets handed to `enqueue`.
    pub arrived: Tally,
    /// Packets dequeued.
    pub departed: Tally,
    /// Packets lost, by cause.
    pub dropped: DropTally,
    /// Busy cycles of the memories' write sides (arrivals).
    pub written: MemoryCycles,
    /// Busy cycles of the memories' read sides (departures, head drops).
    pub read: MemoryCycles,
}
