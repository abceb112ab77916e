//! Segments for tests, here and elsewhere.

use std::sync::Arc;

use etherparse::PacketBuilder;

use super::{Segment, cut};
use crate::link::{Checksum, Frame};

/// A stretch of TCP with so much data, from sequence number 0xffff_ff00 on, with the flags that
/// only some of its pieces have.
pub(crate) fn tcp(is_v6: bool, payload: &[u8]) -> Vec<u8> {
    let link = PacketBuilder::ethernet2([2; 6], [4; 6]);
    let builder = if is_v6 {
        link.ipv6([1; 16], [2; 16], 64)
    } else {
        link.ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
    };
    let builder = builder.tcp(7, 9, 0xffff_ff00, 1000).psh().fin().ack(5).cwr();
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// The pieces of a segment of TCP, with so much data in each.
pub(crate) fn pieces(bytes: &[u8], size: u16) -> Vec<Frame> {
    let mut segment = Segment::of_room(bytes.len());
    segment.fill(bytes, size);
    cut(&Arc::new(segment), Vec::new).unwrap()
}

impl Segment {
    /// Becomes this segment of TCP, to be cut to pieces with so much data.
    pub(crate) fn fill(&mut self, bytes: &[u8], size: u16) {
        let network = if bytes[14] >> 4 == 6 { 40 } else { 20 };
        self.buffer[..bytes.len()].copy_from_slice(bytes);
        (self.length, self.size) = (bytes.len(), size);
        self.checksum = Checksum { start: 14 + network, offset: 16 };
    }
}
