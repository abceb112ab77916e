//! How a [`Handle`] becomes the packet that a traffic manager knows, and is read off it again when that packet
//! leaves.
//!
//! A flow has a size, known in advance by whoever ranks by it; the direction back to its source carries no
//! data, so acknowledgements rank as a flow of 0 bytes. The packet's tag is the handle's name.
//!
//! O(1). Memory: 8 bytes a flow where sizes are wanted.

use alloc::vec::Vec;

use forebay_sched::Packet;
use forebay_units::Bytes;

use crate::packet::{FlowId, Handle};

/// The number by which traffic managers know one direction of a flow: 2 · flow, and one more for the
/// direction back to its source. Weights of flows are given by this number.
///
/// ```
/// use forebay_switch::flow_number;
///
/// assert_eq!((flow_number(3, false), flow_number(3, true)), (6, 7));
/// ```
#[must_use]
#[inline]
pub const fn flow_number(flow: FlowId, back: bool) -> u32 {
    flow << 1 | back as u32
}

/// The flows of a switch: how they are numbered, and their sizes.
#[derive(Clone, Debug)]
pub(crate) struct Flows {
    sizes: Vec<u64>,
    /// Bits of a flow's number that say which way it goes: 0 or 1.
    ways: u32,
}

impl Flows {
    /// Flows both of whose directions come through the switch, by [`flow_number`].
    pub(crate) fn both_ways() -> Self {
        Flows { sizes: Vec::new(), ways: 1 }
    }

    /// Flows that only go to their destinations: known by their own numbers.
    pub(crate) fn one_way() -> Self {
        Flows { sizes: Vec::new(), ways: 0 }
    }

    /// Remembers a flow's size.
    pub(crate) fn add(&mut self, id: FlowId, bytes: Bytes) {
        let index = id as usize;
        if self.sizes.len() <= index {
            self.sizes.resize(index + 1, 0);
        }
        self.sizes[index] = bytes.get();
    }

    /// The packet that a handle stands for.
    #[inline]
    pub(crate) fn packet(&self, handle: Handle) -> Packet {
        let size = if handle.is_back() { None } else { self.sizes.get(handle.flow() as usize) };
        Packet {
            size: handle.size(),
            flow: handle.flow() << self.ways | u32::from(handle.is_back()),
            input: handle.input(),
            class: handle.class(),
            flow_size: size.copied().unwrap_or(0),
            ecn: handle.ecn(),
            tag: handle.packet().get(),
        }
    }

    /// The handle of a packet that was made here.
    #[inline]
    pub(crate) fn handle(&self, packet: &Packet) -> Handle {
        let handle = Handle::numbered(packet.tag, packet.flow >> self.ways, packet.size)
            .with_class(packet.class)
            .with_input(packet.input)
            .with_ecn(packet.ecn);
        if packet.flow & self.ways == 1 { handle.sent_back() } else { handle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;

    #[test]
    fn a_handle_becomes_a_packet_and_comes_back() {
        for (mut flows, number) in [(Flows::both_ways(), 2), (Flows::one_way(), 1)] {
            flows.add(1, Bytes::new(5_000_000_000));
            let one = Handle::numbered(9, 1, 1500).with_input(3).with_ecn(Ecn::Capable);
            let two = Handle::new(2, 64).with_class(5);
            let (a, b) = (flows.packet(one), flows.packet(two));
            assert_eq!((a.flow, a.size, a.input, a.flow_size), (number, 1500, 3, 5_000_000_000));
            assert_eq!((b.flow, b.class, b.flow_size), (2 * number, 5, 0));
            assert_eq!((flows.handle(&a), flows.handle(&b)), (one, two));
        }
        let flows = Flows::both_ways();
        let back = Handle::numbered(1, u32::MAX >> 1, 64).sent_back();
        assert_eq!(flows.handle(&flows.packet(back)), back);
    }
}
