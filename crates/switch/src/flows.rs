//! How a [`Handle`] becomes the packet that a traffic manager knows, and is read off it again when
//! that packet leaves.
//!
//! A flow has a size, known in advance by whoever ranks by it; the direction back to its source
//! carries no data, so acknowledgements rank as a flow of 0 bytes. The packet's tag is the handle's
//! name.
//!
//! O(1). Memory: 8 bytes a flow where sizes are wanted.

use alloc::vec::Vec;

use forebay_sched::Packet;
use forebay_sched::functions::RankShape;
use forebay_units::Bytes;

use crate::packet::{FlowId, Handle};

/// The number by which traffic managers know one direction of a flow: 2 · flow, and one more for
/// the direction back to its source. Weights of flows are given by this number.
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

/// What a rank function is built for that ranks [`Flows::packet`]s of all ports.
pub(crate) fn rank_shape() -> RankShape {
    RankShape { pairs: true, ..RankShape::default() }
}

/// The sizes of a switch's flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows(Vec<u64>);

impl Flows {
    /// Remembers a flow's size.
    pub(crate) fn add(&mut self, id: FlowId, bytes: Bytes) {
        let index = id as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = bytes.get();
    }

    /// The packet that a handle stands for.
    #[inline]
    pub(crate) fn packet(&self, handle: Handle) -> Packet {
        let size = if handle.is_back() { None } else { self.0.get(handle.flow() as usize) };
        Packet {
            size: handle.size(),
            flow: flow_number(handle.flow(), handle.is_back()),
            input: handle.input(),
            class: handle.class(),
            flow_size: size.copied().unwrap_or(0),
            ecn: handle.ecn(),
            tag: handle.packet().get(),
        }
    }
}

/// The handle of a packet that [`Flows::packet`] made.
#[inline]
pub(crate) fn handle(packet: &Packet) -> Handle {
    let handle = Handle::from(Packet { flow: packet.flow >> 1, ..*packet });
    if packet.flow & 1 == 1 { handle.sent_back() } else { handle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;

    #[test]
    fn a_handle_becomes_a_packet_and_comes_back() {
        let mut flows = Flows::default();
        flows.add(1, Bytes::new(5_000_000_000));
        let one = Handle::numbered(9, 1, 1500).with_input(3).with_ecn(Ecn::Capable);
        let two = Handle::new(2, 64).with_class(5);
        let (a, b) = (flows.packet(one), flows.packet(two));
        assert_eq!((a.flow, a.size, a.input, a.flow_size), (2, 1500, 3, 5_000_000_000));
        assert_eq!((b.flow, b.class, b.flow_size), (4, 5, 0));
        assert_eq!((handle(&a), handle(&b)), (one, two));
        let back = Handle::numbered(1, u32::MAX >> 1, 64).sent_back();
        assert_eq!(handle(&flows.packet(back)), back);
    }
}
