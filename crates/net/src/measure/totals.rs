//! Totals of a run, and where and why packets were lost.
//!
//! Constant memory, and 32 bytes for each place and cause at which something was lost.

use core::ops::Add;

use forebay_sched::{DropCause, Tally};

use crate::topology::Node;

/// Packets lost at one place for one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossCount {
    /// The switch or host that lost them: the sending one, if they were on a link.
    pub node: Node,
    /// Its output port; 0 for a host.
    pub port: u16,
    /// Why they were lost.
    pub cause: DropCause,
    /// How many packets.
    pub packets: u64,
    /// How many bytes on the wire.
    pub bytes: u64,
}

/// Totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets transmitted by a device, each counted at every device, acknowledgements included.
    pub packet_hops: u64,
    /// Events handled.
    pub events: u64,
    /// Packets that hosts created, and their bytes on the wire: those that arrived, were dropped or
    /// are there, and the bytes that switches [trimmed](crate::network::Network::trimming).
    pub made: Tally,
    /// Packets that arrived at their host.
    pub arrived: Tally,
    /// Packets that switches and links lost.
    pub dropped: Tally,
}

impl Add for Totals {
    type Output = Totals;

    fn add(self, other: Totals) -> Totals {
        Totals {
            packet_hops: self.packet_hops + other.packet_hops,
            events: self.events + other.events,
            made: self.made + other.made,
            arrived: self.arrived + other.arrived,
            dropped: self.dropped + other.dropped,
        }
    }
}
