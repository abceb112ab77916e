//! What becomes of packets, and the totals of it.

use forebay_sched::Packet;
use forebay_units::Time;

use super::memory::MemoryCycles;
use crate::drop_cause::DropCause;
use crate::tally::Tally;

/// What became of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits in its queue.
    Queued,
    /// It was dropped.
    Dropped(DropCause),
}

/// A packet that its port took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The packet, as it was handed in.
    pub packet: Packet,
    /// Its queue.
    pub queue: u32,
    /// When it arrived.
    pub arrived: Time,
}

/// A packet that was lost after it had been accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The packet, as it was handed in.
    pub packet: Packet,
    /// Its queue.
    pub queue: u32,
    /// Why.
    pub cause: DropCause,
    /// When.
    pub at: Time,
}

/// What a buffer has done since it was built. Only ever grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets handed to `enqueue`.
    pub arrived: Tally,
    /// Packets dequeued.
    pub departed: Tally,
    /// Packets lost, by [`DropCause::index`].
    pub dropped: [Tally; DropCause::ALL.len()],
    /// Busy cycles of the memories' write sides (arrivals).
    pub written: MemoryCycles,
    /// Busy cycles of the memories' read sides (departures, head drops).
    pub read: MemoryCycles,
}

impl Counters {
    /// Packets lost for `cause`.
    #[must_use]
    pub fn dropped(&self, cause: DropCause) -> Tally {
        self.dropped[cause.index()]
    }

    /// Packets lost for whatever cause.
    #[must_use]
    pub fn lost(&self) -> Tally {
        let mut sum = Tally::default();
        for tally in self.dropped {
            sum += tally;
        }
        sum
    }
}
