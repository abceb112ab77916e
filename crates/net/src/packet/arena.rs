//! The arena: every packet that is in the network, one cache line each.
//!
//! Free places form a list through the places themselves, the last one freed first, since it is the most
//! likely to be in the cache. Constant time. 64 bytes a packet.

use alloc::vec::Vec;

use super::Body;

const NIL: u32 = u32::MAX;

/// The name of a packet in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketId(u32);

impl PacketId {
    /// No packet.
    pub(super) const NONE: PacketId = PacketId(NIL);

    /// Its number, below the most packets that were in the network at once.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Place {
    body: Body,
    /// The next free place.
    next: u32,
}

/// All packets of a network, or of the part of it that a thread runs.
///
/// ```
/// use forebay_net::packet::{Arena, Body};
/// use forebay_net::transport::Segment;
///
/// let mut arena = Arena::default();
/// let body = Body::Data(Segment { len: 1448, ..Segment::default() });
/// let packet = arena.insert(body);
/// assert_eq!(arena.live(), 1);
/// assert_eq!(arena.remove(packet), body);
/// assert_eq!((arena.live(), arena.peak()), (0, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Arena {
    places: Vec<Place>,
    free: u32,
    live: u32,
}

impl Default for Arena {
    fn default() -> Self {
        Arena { places: Vec::new(), free: NIL, live: 0 }
    }
}

impl Arena {
    /// Makes a packet.
    #[inline]
    pub fn insert(&mut self, body: Body) -> PacketId {
        self.live += 1;
        let Some(place) = self.places.get_mut(self.free as usize) else {
            let id = self.places.len() as u32;
            if self.places.len() == self.places.capacity() {
                // By an eighth: doubling would set the run's peak of memory.
                self.places.reserve_exact((self.places.len() / 8).max(1024));
            }
            self.places.push(Place { body, next: NIL });
            return PacketId(id);
        };
        let id = core::mem::replace(&mut self.free, place.next);
        place.body = body;
        PacketId(id)
    }

    /// Takes a packet out of the network.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Body {
        let place = &mut self.places[id.0 as usize];
        place.next = core::mem::replace(&mut self.free, id.0);
        self.live -= 1;
        place.body
    }

    /// What the packet with this name carries.
    #[must_use]
    #[inline]
    pub fn get(&self, id: PacketId) -> &Body {
        &self.places[id.0 as usize].body
    }

    /// Packets in the network now.
    #[must_use]
    pub const fn live(&self) -> u32 {
        self.live
    }

    /// The most packets that were in the network at once.
    #[must_use]
    pub fn peak(&self) -> u32 {
        self.places.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Ack;

    #[test]
    fn a_packet_is_a_cache_line() {
        assert_eq!((size_of::<Place>(), align_of::<Place>()), (64, 64));
    }

    #[test]
    fn places_are_used_again() {
        let mut arena = Arena::default();
        let body = |position| Body::Ack(Ack::cumulative(position));
        let first = arena.insert(body(1));
        let second = arena.insert(body(2));
        assert_eq!(arena.remove(first), body(1));
        assert_eq!(arena.insert(body(3)), first);
        assert_eq!((arena.get(first), arena.get(second)), (&body(3), &body(2)));
        assert_eq!((arena.live(), arena.peak()), (2, 2));
    }
}
