//! The arena: what every packet in the network carries, half a cache line each.
//!
//! A place holds a segment or an acknowledgement; the SACK blocks that some acknowledgements have
//! are kept apart. Free places form a list through the places themselves, the last one freed first,
//! since it is the most likely to be in the cache. Places are allocated 1,024 at a time and never
//! move: growing copies nothing and leaves no holes behind. Constant time. 32 bytes a packet, 52
//! more for SACK blocks.

use alloc::boxed::Box;
use alloc::vec::Vec;
use forebay_switch::{Ecn, PacketId};
use forebay_units::Time;

use super::Body;
use crate::transport::{Ack, Segment};
use forebay_pifo::prefetch;

const NIL: u32 = u32::MAX;
const BLOCK_BITS: u32 = 10;
/// Places allocated at a time.
const BLOCK: usize = 1 << BLOCK_BITS;

/// The block of a packet, and its place in it.
#[inline]
const fn at(packet: PacketId) -> (usize, usize) {
    ((packet.get() >> BLOCK_BITS) as usize, packet.get() as usize % BLOCK)
}

/// What a packet carries, in the fewest bytes.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Header {
    /// Of a segment's first byte, or the cumulative acknowledgement, or the number of a pull.
    position: u64,
    /// When a segment was sent, or the echo.
    stamp: Time,
    /// A segment's length.
    len: u32,
    /// The next free place, or where the acknowledgement with SACK blocks is.
    link: u32,
    ecn: Ecn,
    flags: u8,
}

const DATA: u8 = 1;
const CWR: u8 = 1 << 1;
const FIN: u8 = 1 << 2;
const RESENT: u8 = 1 << 3;
const ECE: u8 = 1 << 4;
const SACK: u8 = 1 << 5;
const NACK: u8 = 1 << 6;
const PULL: u8 = 1 << 7;

impl Header {
    const FREE: Header =
        Header { position: 0, stamp: Time::MAX, len: 0, link: NIL, ecn: Ecn::NotCapable, flags: 0 };

    #[inline]
    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    #[inline]
    fn segment(&self) -> Segment {
        Segment {
            seq: self.position,
            sent_at: self.stamp,
            len: self.len,
            ecn: self.ecn,
            cwr: self.has(CWR),
            fin: self.has(FIN),
            resent: self.has(RESENT),
        }
    }

    #[inline]
    fn ack(&self) -> Ack {
        let mut ack = Ack::cumulative(self.position);
        (ack.echo, ack.ece, ack.nack) = (self.stamp, self.has(ECE), self.has(NACK));
        ack
    }
}

#[inline]
fn flag(set: bool, flag: u8) -> u8 {
    if set { flag } else { 0 }
}

/// All packets of a network, or of one of its partitions.
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
    blocks: Vec<Box<[Header; BLOCK]>>,
    free: u32,
    live: u32,
    peak: u32,
    /// Acknowledgements with SACK blocks, and which of their places are free.
    selective: Vec<Ack>,
    spare: Vec<u32>,
}

impl Default for Arena {
    fn default() -> Self {
        let (selective, spare) = (Vec::new(), Vec::new());
        Arena { blocks: Vec::new(), free: NIL, live: 0, peak: 0, selective, spare }
    }
}

impl Arena {
    /// Makes a packet.
    #[inline(always)] // its few callers make every packet
    pub fn insert(&mut self, body: Body) -> PacketId {
        let (position, stamp, len, ecn, flags, mut link) = match body {
            Body::Data(s) => {
                let flags = flag(s.cwr, CWR) | flag(s.fin, FIN) | flag(s.resent, RESENT);
                (s.seq, s.sent_at, s.len, s.ecn, flags | DATA, NIL)
            }
            Body::Ack(a) => {
                let flags = flag(a.ece, ECE) | flag(a.has_sack(), SACK) | flag(a.nack, NACK);
                (a.cumulative, a.echo, 0, Ecn::NotCapable, flags, NIL)
            }
            // One question tells whether a packet is one of the rare ones.
            Body::Pull(number) => (number, Time::MAX, 0, Ecn::NotCapable, PULL | SACK, NIL),
        };
        if let Body::Ack(ack) = body
            && ack.has_sack()
        {
            link = self.keep(&ack);
        }
        if self.free == NIL {
            self.grow();
        }
        let id = PacketId::numbered(self.free);
        self.live += 1;
        self.peak = self.peak.max(self.live);
        let (block, place) = at(id);
        let place = &mut self.blocks[block][place];
        self.free = place.link;
        *place = Header { position, stamp, len, link, ecn, flags };
        id
    }

    /// Adds a block of free places.
    #[cold]
    fn grow(&mut self) {
        let first = (self.blocks.len() * BLOCK) as u32;
        let mut block = Box::new([Header::FREE; BLOCK]);
        for (place, next) in block.iter_mut().zip(first + 1..first + BLOCK as u32) {
            place.link = next;
        }
        self.blocks.push(block);
        self.free = first;
    }

    #[cold]
    fn keep(&mut self, ack: &Ack) -> u32 {
        let Some(index) = self.spare.pop() else {
            self.selective.push(*ack);
            return self.selective.len() as u32 - 1;
        };
        self.selective[index as usize] = *ack;
        index
    }

    /// Takes a packet out of the network.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Body {
        let free = core::mem::replace(&mut self.free, id.get());
        let (block, place) = at(id);
        let place = &mut self.blocks[block][place];
        let taken = *place;
        place.link = free;
        self.live -= 1;
        if taken.has(DATA) {
            return Body::Data(taken.segment());
        }
        if taken.has(SACK) {
            if taken.has(PULL) {
                return Body::Pull(taken.position);
            }
            self.spare.push(taken.link);
            return Body::Ack(self.selective[taken.link as usize]);
        }
        Body::Ack(taken.ack())
    }

    /// Brings a packet that will soon be taken into the cache.
    #[inline]
    pub(crate) fn touch(&self, id: PacketId) {
        let (block, place) = at(id);
        if let Some(block) = self.blocks.get(block) {
            prefetch(&block[place]);
        }
    }

    /// Packets in the network now.
    #[must_use]
    pub const fn live(&self) -> u32 {
        self.live
    }

    /// The most packets that were in the network at once.
    #[must_use]
    pub const fn peak(&self) -> u32 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_packet_is_half_a_cache_line() {
        assert_eq!((size_of::<Header>(), align_of::<Header>()), (32, 32));
    }

    #[test]
    fn places_are_used_again() {
        let mut arena = Arena::default();
        let body = |position| Body::Ack(Ack::cumulative(position));
        let first = arena.insert(body(1));
        let second = arena.insert(body(2));
        assert_eq!(arena.remove(first), body(1));
        assert_eq!(arena.insert(body(3)), first);
        assert_eq!((arena.remove(first), arena.remove(second)), (body(3), body(2)));
        assert_eq!((arena.live(), arena.peak()), (0, 2));
    }

    fn bodies() -> impl Strategy<Value = Body> {
        let ecn = prop_oneof![Just(Ecn::NotCapable), Just(Ecn::Capable), Just(Ecn::Experienced)];
        let segment = (any::<u64>(), any::<u64>(), any::<u32>(), ecn, any::<[bool; 3]>());
        let data = segment.prop_map(|(seq, at, len, ecn, [cwr, fin, resent])| {
            Body::Data(Segment { seq, sent_at: Time::from_ps(at), len, ecn, cwr, fin, resent })
        });
        let sack = proptest::collection::vec((1u64..1000, 1u64..1000), 0..4);
        let ack = (any::<u32>(), any::<u64>(), any::<[bool; 2]>(), sack).prop_map(
            |(cumulative, echo, [ece, nack], sack)| {
                let mut ack = Ack::cumulative(cumulative.into());
                (ack.echo, ack.ece, ack.nack) = (Time::from_ps(echo), ece, nack);
                for (start, len) in sack {
                    ack.add_sack(ack.cumulative + start, ack.cumulative + start + len);
                }
                Body::Ack(ack)
            },
        );
        let pull = any::<u64>().prop_map(Body::Pull);
        prop_oneof![data, ack, pull]
    }

    proptest! {
        /// What is taken out is what was put in, whatever comes between.
        #[test]
        fn it_agrees_with_a_map(
            steps in proptest::collection::vec(
                (bodies(), any::<bool>(), any::<prop::sample::Index>()),
                1..200,
            )
        ) {
            let (mut arena, mut model) = (Arena::default(), Vec::new());
            for (body, remove, which) in steps {
                if remove && !model.is_empty() {
                    let (id, body) = model.swap_remove(which.index(model.len()));
                    prop_assert_eq!(arena.remove(id), body);
                } else {
                    model.push((arena.insert(body), body));
                }
                prop_assert_eq!(arena.live() as usize, model.len());
            }
            for (id, body) in model {
                prop_assert_eq!(arena.remove(id), body);
            }
        }
    }
}
