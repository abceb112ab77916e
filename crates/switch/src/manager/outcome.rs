//! What becomes of packets.

use forebay_buffer::DropCause;
use forebay_sched::Packet;
use forebay_units::Time;

/// What became of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits in SRAM.
    Sram,
    /// It waits for HBM.
    Hbm,
    /// It was dropped.
    Dropped(DropCause),
}

/// A packet that was lost after it had been accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The packet, as it was handed in.
    pub packet: Packet,
    /// The output port that it waited for.
    pub port: u16,
    /// Why.
    pub cause: DropCause,
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The packet, as it was handed in.
    pub packet: Packet,
    /// When it was handed in.
    pub arrived: Time,
    /// Whether it left from on-chip memory, rather than straight from a read of the HBM (an on-chip
    /// dequeue hit, themis App. B).
    pub from_sram: bool,
}
