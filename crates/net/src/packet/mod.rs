//! Packets: what hosts exchange, in an arena, and the handles that travel in their place.
//!
//! A [`Handle`] is all that queues, links and switches see of a packet: 16 bytes, copied from one to the
//! next. What the packet carries, half a cache line in the [`Arena`], is touched twice: when a host makes it
//! and when a host takes it. Nothing is allocated once the arena and the pools have reached their largest
//! size. 32 bytes a packet. Limit: 2^32 - 1 packets at once.

mod arena;
mod list;
mod prefetch;

pub use arena::{Arena, PacketId};
pub use list::{HandlePool, List, Pool};

use crate::transport::{Ack, Ecn, Segment};

/// The number of a flow, in the order in which flows were given.
pub type FlowId = u32;

/// Set in a handle's flow if the packet goes back to the flow's source. [`MAX_FLOWS`] leaves the bit free.
///
/// [`MAX_FLOWS`]: crate::flow::MAX_FLOWS
const BACK: u32 = 1 << 31;

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Data, towards the flow's destination.
    Data(Segment),
    /// An acknowledgement, towards the flow's source.
    Ack(Ack),
}

/// How many bytes packets are on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Bytes that a data packet has beside its payload. Default 52: IP, TCP and timestamps, so that 1448
    /// bytes of payload make 1500 (Themis §6.3.2 counts so).
    pub headers: u32,
    /// Bytes of an acknowledgement. Default 64.
    pub ack: u32,
}

impl Default for Wire {
    fn default() -> Self {
        Wire { headers: 52, ack: 64 }
    }
}

impl Wire {
    /// Bytes on the wire of a packet that carries `body`.
    #[inline]
    #[must_use]
    pub const fn size(&self, body: &Body) -> u32 {
        match body {
            Body::Data(segment) => segment.len.saturating_add(self.headers),
            Body::Ack(_) => self.ack,
        }
    }
}

/// What queues, links and switches see of a packet.
///
/// ```
/// use forebay_net::packet::Handle;
/// use forebay_net::transport::Ecn;
///
/// let mut packet = Handle::new(7, 1500).with_class(2);
/// assert_eq!((packet.flow(), packet.size(), packet.class(), packet.input()), (7, 1500, 2, 0));
/// assert!(!packet.is_back() && !packet.mark(), "its flow does not understand marks");
/// packet = packet.with_ecn(Ecn::Capable);
/// assert!(packet.mark());
/// assert_eq!(packet.ecn(), Ecn::Experienced);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    packet: PacketId,
    flow: u32,
    size: u32,
    input: u16,
    class: u8,
    ecn: Ecn,
}

impl Handle {
    /// The handle of a packet of `flow` with `size` bytes on the wire: towards the flow's destination,
    /// class 0, not markable. It names no packet: for tests of switches, which never ask.
    #[must_use]
    pub const fn new(flow: FlowId, size: u32) -> Self {
        let ecn = Ecn::NotCapable;
        Handle { packet: PacketId::NONE, flow: flow & !BACK, size, input: 0, class: 0, ecn }
    }

    /// The handle of a packet in the arena.
    #[inline]
    pub(crate) fn of(packet: PacketId, flow: FlowId, class: u8, size: u32, body: &Body) -> Self {
        let (back, ecn) = match body {
            Body::Data(segment) => (0, segment.ecn),
            Body::Ack(_) => (BACK, Ecn::NotCapable),
        };
        Handle { packet, flow: flow | back, size, input: 0, class, ecn }
    }

    /// The same packet in another arena.
    pub(crate) const fn renamed(mut self, packet: PacketId) -> Self {
        self.packet = packet;
        self
    }

    /// The same packet in another class.
    #[must_use]
    pub const fn with_class(mut self, class: u8) -> Self {
        self.class = class;
        self
    }

    /// The same packet with this congestion field.
    #[must_use]
    pub const fn with_ecn(mut self, ecn: Ecn) -> Self {
        self.ecn = ecn;
        self
    }

    /// The same packet, come in through this port.
    #[must_use]
    #[inline]
    pub const fn with_input(mut self, port: u16) -> Self {
        self.input = port;
        self
    }

    /// Marks the packet (CE), if its flow understands marks. Returns whether it is marked now.
    #[inline]
    pub fn mark(&mut self) -> bool {
        if self.ecn != Ecn::NotCapable {
            self.ecn = Ecn::Experienced;
        }
        self.ecn == Ecn::Experienced
    }

    /// Its place in the arena. Two packets that are in the network at once have different ones, and nothing
    /// else follows from it: it differs between runs on one thread and on several.
    #[must_use]
    #[inline]
    pub const fn packet(&self) -> PacketId {
        self.packet
    }

    /// Its flow.
    #[must_use]
    #[inline]
    pub const fn flow(&self) -> FlowId {
        self.flow & !BACK
    }

    /// Whether it goes back to its flow's source: it is an acknowledgement.
    #[must_use]
    #[inline]
    pub const fn is_back(&self) -> bool {
        self.flow & BACK != 0
    }

    /// Bytes on the wire.
    #[must_use]
    #[inline]
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Its flow's class.
    #[must_use]
    #[inline]
    pub const fn class(&self) -> u8 {
        self.class
    }

    /// The port through which it came into the switch that it is in; 0 at a host.
    #[must_use]
    #[inline]
    pub const fn input(&self) -> u16 {
        self.input
    }

    /// Whether switches may mark it, and whether one did.
    #[must_use]
    #[inline]
    pub const fn ecn(&self) -> Ecn {
        self.ecn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_a_quarter_of_a_cache_line() {
        assert_eq!(size_of::<Handle>(), 16);
    }

    #[test]
    fn acknowledgements_go_back_and_cannot_be_marked() {
        let mut arena = Arena::default();
        let body = Body::Ack(Ack::cumulative(5));
        let mut handle = Handle::of(arena.insert(body), 9, 3, 64, &body).with_input(4);
        assert!(handle.is_back() && !handle.mark());
        assert_eq!((handle.flow(), handle.class(), handle.input()), (9, 3, 4));
    }
}
