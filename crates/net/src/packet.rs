//! Packets: one cache line each, in an arena, on lists that run through the packets themselves.
//!
//! A packet is on at most one list at a time: of a queue or of free places. Nothing is allocated once the arena has reached its largest size. 64 bytes a packet.
//! Limit: 2^32 - 1 packets at once.

use crate::transport::{Ack, Ecn, Segment};
use alloc::vec::Vec;

/// The number of a flow, in the order in which flows were given.
pub type FlowId = u32;

const NIL: u32 = u32::MAX;

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

/// A packet in the network.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Packet {
    /// What it carries.
    pub body: Body,
    /// Its flow.
    pub flow: FlowId,
    /// The packet behind it on its list.
    next: u32,
}

/// The name of a packet in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketId(u32);

impl PacketId {
    /// Its number, by which another structure may refer to it.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// All packets of a network.
///
/// ```
/// use forebay_net::packet::{Arena, Body, PacketList, Wire};
/// use forebay_net::transport::Segment;
///
/// let mut arena = Arena::new(Wire::default());
/// let body = Body::Data(Segment { len: 1448, ..Segment::default() });
/// let (first, second) = (arena.insert(0, body), arena.insert(1, body));
/// assert_eq!(arena.size(first), 1500);
///
/// let mut queue = PacketList::default();
/// queue.push(&mut arena, first);
/// queue.push(&mut arena, second);
/// assert_eq!(queue.pop(&arena), Some(first));
/// ```
#[derive(Clone, Debug)]
pub struct Arena {
    packets: Vec<Packet>,
    free: u32,
    live: u32,
    wire: Wire,
}

impl Arena {
    /// No packets yet.
    #[must_use]
    pub const fn new(wire: Wire) -> Self {
        Arena { packets: Vec::new(), free: NIL, live: 0, wire }
    }

    /// Makes a packet.
    #[inline]
    pub fn insert(&mut self, flow: FlowId, body: Body) -> PacketId {
        self.live += 1;
        let packet = Packet { body, flow, next: NIL };
        let Some(place) = self.packets.get_mut(self.free as usize) else {
            let id = self.packets.len() as u32;
            if self.packets.len() == self.packets.capacity() {
                // By an eighth: doubling would set the run's peak of memory.
                self.packets.reserve_exact((self.packets.len() / 8).max(1024));
            }
            self.packets.push(packet);
            return PacketId(id);
        };
        let id = core::mem::replace(&mut self.free, place.next);
        *place = packet;
        PacketId(id)
    }

    /// Takes a packet out of the network.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> (FlowId, Body) {
        let place = &mut self.packets[id.0 as usize];
        let taken = (place.flow, place.body);
        place.next = core::mem::replace(&mut self.free, id.0);
        self.live -= 1;
        taken
    }

    /// The packet with this name.
    #[must_use]
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        &self.packets[id.0 as usize]
    }

    /// Its bytes on the wire.
    #[must_use]
    #[inline]
    pub fn size(&self, id: PacketId) -> u32 {
        self.wire.size(&self.get(id).body)
    }

    /// How many bytes packets are on the wire.
    #[must_use]
    pub const fn wire(&self) -> Wire {
        self.wire
    }

    /// Marks a packet (CE), if its flow understands marks. Returns whether it is marked now.
    pub fn mark(&mut self, id: PacketId) -> bool {
        match &mut self.packets[id.0 as usize].body {
            Body::Data(segment) if segment.ecn != Ecn::NotCapable => {
                segment.ecn = Ecn::Experienced;
                true
            }
            _ => false,
        }
    }

    /// Packets in the network now.
    #[must_use]
    pub const fn live(&self) -> u32 {
        self.live
    }

    /// The most packets that were in the network at once.
    #[must_use]
    pub fn peak(&self) -> u32 {
        self.packets.len() as u32
    }
}

/// Packets in the order they came.
#[derive(Clone, Copy, Debug)]
pub struct PacketList {
    head: u32,
    tail: u32,
}

impl Default for PacketList {
    fn default() -> Self {
        PacketList { head: NIL, tail: NIL }
    }
}

impl PacketList {
    /// Adds a packet that is on no list at the end.
    #[inline]
    pub fn push(&mut self, arena: &mut Arena, id: PacketId) {
        arena.packets[id.0 as usize].next = NIL;
        if self.head == NIL {
            self.head = id.0;
        } else {
            arena.packets[self.tail as usize].next = id.0;
        }
        self.tail = id.0;
    }

    /// Takes the first packet.
    #[inline]
    pub fn pop(&mut self, arena: &Arena) -> Option<PacketId> {
        let id = self.head;
        self.head = arena.packets.get(id as usize)?.next;
        Some(PacketId(id))
    }

    /// Whether there is no packet.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.head == NIL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_a_cache_line() {
        assert_eq!((size_of::<Packet>(), align_of::<Packet>()), (64, 64));
    }

    #[test]
    fn places_are_used_again() {
        let mut arena = Arena::new(Wire::default());
        let body = Body::Ack(Ack::cumulative(7));
        let first = arena.insert(1, body);
        arena.insert(2, body);
        assert_eq!(arena.remove(first), (1, body));
        assert_eq!(arena.insert(3, body), first);
        assert_eq!((arena.live(), arena.peak()), (2, 2));
        assert!(!arena.mark(first), "acknowledgements are not markable");
    }
}
