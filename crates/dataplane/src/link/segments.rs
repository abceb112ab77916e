//! Large segments, which a sender leaves to its card to cut, and what a wire would carry of them.
//!
//! What a card does with a segment (Linux calls it GSO) is cut here: each piece has the headers of
//! the whole, with its own lengths, sequence number, flags and identification. Checksums of TCP and
//! UDP stay as the sender left them, unfinished, over the piece's own pseudo-header; that of IPv4
//! is finished. O(bytes).

use forebay_workload::Parsed;

use super::frame::{Checksum, Frame};

/// What a segment is cut as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A stretch of a stream of TCP.
    Tcp,
    /// Several datagrams of UDP, of one size but for the last.
    Udp,
}

/// The most pieces of a segment: as many as the kernel would make of its largest.
const MOST: usize = 1 << 16;
/// The flags of TCP that only the last piece has (FIN and PSH), and that only the first has (CWR;
/// RFC 3168, §6.1.2).
const LAST: u8 = 0x09;
const FIRST: u8 = 0x80;

/// The frames that `segment` is cut to, `size` bytes of data in each; `None` if it is not what it
/// claims to be.
pub(crate) fn cut(
    segment: &[u8],
    kind: Kind,
    size: usize,
    checksum: Checksum,
) -> Option<Vec<Frame>> {
    let Parsed::Ip { link_bytes, .. } = Parsed::of_ethernet(segment) else { return None };
    let (network, transport) = (link_bytes as usize, usize::from(checksum.start));
    let header = match kind {
        Kind::Tcp => usize::from(segment.get(transport + 12)? >> 4) * 4,
        Kind::Udp => 8,
    };
    let data = transport.checked_add(header)?;
    if size == 0 || transport <= network || (kind == Kind::Tcp && header < 20) {
        return None;
    }
    let (headers, rest) = segment.split_at_checked(data)?;
    let count = rest.len().div_ceil(size).max(1);
    if count > MOST {
        return None;
    }
    let cutting = Cutting { headers, network, transport, kind, checksum };
    let piece = |number: usize| {
        let begin = number * size;
        let end = (begin + size).min(rest.len());
        cutting.piece(number, number + 1 == count, begin, &rest[begin..end])
    };
    (0..count).map(piece).collect()
}

struct Cutting<'a> {
    headers: &'a [u8],
    network: usize,
    transport: usize,
    kind: Kind,
    checksum: Checksum,
}

impl Cutting<'_> {
    fn piece(&self, number: usize, is_last: bool, begin: usize, data: &[u8]) -> Option<Frame> {
        let mut bytes = Vec::with_capacity(self.headers.len() + data.len());
        bytes.extend_from_slice(self.headers);
        bytes.extend_from_slice(data);
        let from_transport = u16::try_from(bytes.len() - self.transport).ok()?;
        let pseudo = self.network_header(&mut bytes, number)?;
        match self.kind {
            Kind::Tcp => {
                let sequence = bytes.get_mut(self.transport + 4..self.transport + 8)?;
                let first = u32::from_be_bytes(sequence.try_into().ok()?);
                sequence.copy_from_slice(&first.wrapping_add(begin as u32).to_be_bytes());
                let flags = bytes.get_mut(self.transport + 13)?;
                *flags &= if is_last { u8::MAX } else { !LAST };
                *flags &= if number == 0 { u8::MAX } else { !FIRST };
            }
            Kind::Udp => {
                let length = bytes.get_mut(self.transport + 4..self.transport + 6)?;
                length.copy_from_slice(&from_transport.to_be_bytes());
            }
        }
        let sum = folded(pseudo + u64::from(from_transport));
        let place = self.transport + usize::from(self.checksum.offset);
        bytes.get_mut(place..place + 2)?.copy_from_slice(&sum.to_be_bytes());
        Some(Frame { bytes, checksum: Some(self.checksum) })
    }

    /// Gives the IP header of a piece its length, identification and checksum; the sum of its
    /// addresses and protocol.
    fn network_header(&self, bytes: &mut [u8], number: usize) -> Option<u64> {
        let protocol = match self.kind {
            Kind::Tcp => 6,
            Kind::Udp => 17,
        };
        let length = bytes.len() - self.network;
        let header = bytes.get_mut(self.network..self.transport)?;
        if header.first()? >> 4 == 6 {
            let payload = u16::try_from(length.checked_sub(40)?).ok()?;
            header.get_mut(4..6)?.copy_from_slice(&payload.to_be_bytes());
            return Some(summed(header.get(8..40)?) + protocol);
        }
        header.get_mut(2..4)?.copy_from_slice(&u16::try_from(length).ok()?.to_be_bytes());
        let identification = header.get_mut(4..6)?;
        let first = u16::from_be_bytes(identification.try_into().ok()?);
        identification.copy_from_slice(&first.wrapping_add(number as u16).to_be_bytes());
        header.get_mut(10..12)?.fill(0);
        let sum = !folded(summed(header));
        header.get_mut(10..12)?.copy_from_slice(&sum.to_be_bytes());
        Some(summed(header.get(12..20)?) + protocol)
    }
}

/// The sum of 16-bit words (RFC 1071).
fn summed(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(2).map(|word| match word {
        [high, low] => u64::from(u16::from_be_bytes([*high, *low])),
        [high] => u64::from(*high) << 8,
        _ => 0,
    });
    words.sum()
}

/// A sum with its carries added in again.
fn folded(mut sum: u64) -> u16 {
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{PacketBuilder, SlicedPacket, TransportSlice};

    fn data(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|byte| (byte % 251) as u8).collect()
    }

    fn start(bytes: &[u8], is_tcp: bool) -> Checksum {
        let network = if bytes[14] >> 4 == 6 { 40 } else { 20 };
        Checksum { start: 14 + network, offset: if is_tcp { 16 } else { 6 } }
    }

    /// A frame as it is on the wire: with its checksum finished.
    fn finished(mut frame: Frame) -> Vec<u8> {
        let Checksum { start, offset } = frame.checksum.unwrap();
        let sum = !folded(summed(&frame.bytes[usize::from(start)..]));
        let place = usize::from(start + offset);
        frame.bytes[place..place + 2].copy_from_slice(&sum.to_be_bytes());
        frame.bytes
    }

    fn tcp(is_v6: bool, payload: &[u8]) -> Vec<u8> {
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

    #[test]
    fn a_stretch_of_tcp_is_cut_as_a_card_would() {
        for is_v6 in [false, true] {
            let payload = data(5_000);
            let whole = tcp(is_v6, &payload);
            let frames = cut(&whole, Kind::Tcp, 1_448, start(&whole, true)).unwrap();
            assert_eq!(frames.len(), 4);
            let mut seen = Vec::new();
            for (number, frame) in frames.into_iter().enumerate() {
                let bytes = finished(frame);
                let packet = SlicedPacket::from_ethernet(&bytes).unwrap();
                let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!() };
                let header = tcp.to_header();
                assert_eq!(header.sequence_number, 0xffff_ff00u32.wrapping_add(seen.len() as u32));
                assert_eq!(
                    (header.fin, header.psh, header.cwr),
                    (number == 3, number == 3, number == 0)
                );
                let sum = match packet.net.as_ref().unwrap() {
                    etherparse::NetSlice::Ipv4(ip) => {
                        let ip = ip.header().to_header();
                        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
                        assert_eq!(usize::from(ip.identification), number);
                        header.calc_checksum_ipv4(&ip, tcp.payload()).unwrap()
                    }
                    etherparse::NetSlice::Ipv6(ip) => {
                        header.calc_checksum_ipv6(&ip.header().to_header(), tcp.payload()).unwrap()
                    }
                    etherparse::NetSlice::Arp(_) => panic!(),
                };
                assert_eq!(header.checksum, sum);
                seen.extend_from_slice(tcp.payload());
            }
            assert_eq!(seen, payload);
        }
    }

    #[test]
    fn datagrams_are_cut_apart() {
        let mut whole = Vec::new();
        let builder =
            PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        builder.udp(7, 9).write(&mut whole, &data(2_500)).unwrap();
        let frames = cut(&whole, Kind::Udp, 1_000, start(&whole, false)).unwrap();
        let sizes: Vec<_> = frames.iter().map(|frame| frame.bytes.len() - 42).collect();
        assert_eq!(sizes, [1_000, 1_000, 500]);
        for frame in frames {
            let bytes = finished(frame);
            let packet = SlicedPacket::from_ethernet(&bytes).unwrap();
            let Some(TransportSlice::Udp(udp)) = packet.transport else { panic!() };
            assert_eq!(usize::from(udp.length()), bytes.len() - 34);
        }
    }

    #[test]
    fn what_is_no_segment_is_not_cut() {
        let whole = tcp(false, &data(3_000));
        let checksum = start(&whole, true);
        assert_eq!(cut(&whole, Kind::Tcp, 0, checksum), None);
        assert_eq!(cut(&whole[..40], Kind::Tcp, 1_000, checksum), None);
        assert_eq!(cut(&whole, Kind::Tcp, 1_000, Checksum { start: 9, offset: 16 }), None);
        assert_eq!(cut(&whole, Kind::Tcp, 1_000, Checksum { start: u16::MAX, offset: 16 }), None);
        assert_eq!(cut(&[], Kind::Udp, 1_000, checksum), None);
    }

    proptest::proptest! {
        #[test]
        fn any_damage_is_survived(
            at in 0usize..80, byte: u8, length in 0usize..3_100, size in 0usize..3_000,
            start: u16, offset: u16, is_tcp: bool,
        ) {
            let mut whole = tcp(at % 2 == 0, &data(3_000));
            whole[at] = byte;
            whole.truncate(length);
            let kind = if is_tcp { Kind::Tcp } else { Kind::Udp };
            let start = if start % 2 == 0 { start } else { 34 };
            if let Some(frames) = cut(&whole, kind, size, Checksum { start, offset }) {
                let longest = frames.iter().map(|frame| frame.bytes.len()).max().unwrap_or(0);
                proptest::prop_assert!(longest <= whole.len() && frames.len() <= 3_100);
            }
        }
    }
}
