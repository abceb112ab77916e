//! Where a frame goes next.

mod learning;
mod routes;

use forebay_units::Time;

pub use learning::MacTable;
pub use routes::{NextHop, RouteTable};

use crate::link::{Frame, LinkLoss};

/// A hardware address (IEEE 802, EUI-48).
pub type MacAddress = [u8; 6];

/// How a device finds the way of a frame.
#[derive(Clone, Debug)]
pub enum Forwarding {
    /// It has one port for all: a host's network card.
    Only,
    /// As a bridge does (IEEE 802.1D): where an address was seen, there it is; to where it was
    /// never seen, everywhere.
    Learning(MacTable),
    /// As a router does (RFC 1812): by the longest prefix of the destination's address.
    Routes(RouteTable),
}

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Out of this port.
    To(u16),
    /// Out of every port but the one that it came through.
    Everywhere,
    /// Nowhere: no route leads to its destination.
    NoRoute,
    /// Nowhere.
    Lost(LinkLoss),
}

impl Forwarding {
    /// How many frames came from an address for which there was no room.
    pub(super) fn not_learnt(&self) -> u64 {
        match self {
            Forwarding::Learning(table) => table.not_learnt(),
            Forwarding::Only | Forwarding::Routes(_) => 0,
        }
    }

    /// The way of a frame that came through `port` at `now`; a router changes the frame's header
    /// for it.
    pub(super) fn way(&mut self, now: Time, port: u16, frame: &mut Frame) -> Way {
        match self {
            Forwarding::Only => Way::To(0),
            Forwarding::Learning(table) => table.way(now, port, frame),
            Forwarding::Routes(routes) => routes.way(port, frame),
        }
    }
}
