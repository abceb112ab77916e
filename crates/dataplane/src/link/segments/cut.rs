//! A segment is cut as a card would: each piece has the headers of the whole, with its own lengths,
//! sequence number, flags and identification. Checksums of TCP and UDP stay as the sender left
//! them, unfinished, over the piece's own pseudo-header; that of IPv4 is finished. O(pieces).

use std::sync::Arc;

use forebay_workload::Parsed;

use super::{FIRST, Kind, LAST, Segment, Stretch, finish_header, folded, protocol};
use crate::link::Frame;

/// The most pieces of a segment: as many as the kernel would make of its largest.
const MOST: usize = 1 << 16;

/// The pieces that `segment` is cut to, in order, their headers in such buffers; `None` if it is
/// not what it claims to be.
pub(crate) fn cut(
    segment: &Arc<Segment>,
    mut buffer: impl FnMut() -> Vec<u8>,
) -> Option<Vec<Frame>> {
    let (bytes, size) = (segment.bytes(), usize::from(segment.size));
    let Parsed::Ip { link_bytes, .. } = Parsed::of_ethernet(bytes) else { return None };
    let (network, transport) = (link_bytes as usize, usize::from(segment.checksum.start));
    let header = match segment.kind {
        Kind::Tcp => usize::from(bytes.get(transport + 12)? >> 4) * 4,
        Kind::Udp => 8,
    };
    let begin = transport.checked_add(header)?;
    if size == 0 || transport <= network || (segment.kind == Kind::Tcp && header < 20) {
        return None;
    }
    let (headers, data) = bytes.split_at_checked(begin)?;
    let count = data.len().div_ceil(size).max(1);
    if count > MOST {
        return None;
    }
    let cutting = Cutting { segment, headers, network, transport };
    let mut pieces = Vec::with_capacity(count);
    for number in 0..count {
        let from = begin + number * size;
        let end = (from + size).min(bytes.len()) as u32;
        let (begin, number, count) = (from as u32, number as u32, count as u32);
        let (segment, network) = (Arc::clone(segment), network as u16);
        let stretch = Stretch { segment, begin, end, number, count, network };
        pieces.push(cutting.piece(buffer(), stretch)?);
    }
    if let Some(first) = pieces.first() {
        segment.read.get_or_init(|| first.read());
    }
    Some(pieces)
}

struct Cutting<'a> {
    segment: &'a Segment,
    headers: &'a [u8],
    network: usize,
    transport: usize,
}

impl Cutting<'_> {
    fn piece(&self, mut head: Vec<u8>, stretch: Stretch) -> Option<Frame> {
        head.clear();
        head.extend_from_slice(self.headers);
        let before = stretch.begin as usize - self.headers.len();
        let from_transport = u16::try_from(head.len() - self.transport + stretch.len()).ok()?;
        let ip = head.get_mut(self.network..self.transport)?;
        let first = u16::from_be_bytes([*ip.get(4)?, *ip.get(5)?]);
        let identification = first.wrapping_add(stretch.number as u16);
        let addresses = finish_header(ip, from_transport.into(), identification)?;
        match self.segment.kind {
            Kind::Tcp => {
                let sequence = head.get_mut(self.transport + 4..self.transport + 8)?;
                let first = u32::from_be_bytes(sequence.try_into().ok()?);
                sequence.copy_from_slice(&first.wrapping_add(before as u32).to_be_bytes());
                let flags = head.get_mut(self.transport + 13)?;
                *flags &= if stretch.number + 1 == stretch.count { u8::MAX } else { !LAST };
                *flags &= if stretch.number == 0 { u8::MAX } else { !FIRST };
            }
            Kind::Udp => {
                let length = head.get_mut(self.transport + 4..self.transport + 6)?;
                length.copy_from_slice(&from_transport.to_be_bytes());
            }
        }
        let checksum = self.segment.checksum;
        let sum = folded(addresses + protocol(self.segment.kind) + u64::from(from_transport));
        let place = self.transport + usize::from(checksum.offset);
        head.get_mut(place..place + 2)?.copy_from_slice(&sum.to_be_bytes());
        Some(Frame::piece(head, stretch, checksum))
    }
}
