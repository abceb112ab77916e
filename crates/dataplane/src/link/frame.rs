//! A frame, and the mark that a switch may leave on it.

use forebay_switch::Ecn;
use forebay_workload::{Headers, Parsed, Service};

use super::segments::Stretch;

/// A checksum that the sender has left to its card: over everything from `start` on, to be written
/// `offset` bytes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// Where in the frame the sum begins.
    pub start: u16,
    /// Where behind that it stands.
    pub offset: u16,
}

/// An Ethernet frame, from the destination's address on, tags included, without the frame check
/// sequence: as it was received, or cut from a large segment that was.
#[derive(Clone, Debug)]
pub struct Frame {
    /// All of its bytes; of a piece of a segment, its headers.
    head: Vec<u8>,
    /// What follows them in a piece: data that it shares with the segment's other pieces.
    stretch: Option<Stretch>,
    /// A checksum that is not finished yet; passed on as it is.
    checksum: Option<Checksum>,
    /// Whether its headers are still those that it was cut with.
    is_as_cut: bool,
}

/// Frames are equal if they are so on the wire, wherever their bytes are kept.
impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        let bytes = |frame: &Self| frame.parts().concat();
        self.checksum == other.checksum && self.len() == other.len() && bytes(self) == bytes(other)
    }
}

impl Eq for Frame {}

/// What a link reads of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// Its five-tuple; `None` if it is not IP, or too damaged to tell.
    pub(crate) flow: Option<Headers>,
    /// What its IP header requests; zeros without one.
    pub(crate) service: Service,
    /// Whether it may be marked, or is.
    pub(crate) ecn: Ecn,
}

/// What became of a packet that a router sends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// It is ready to be sent.
    Done,
    /// It has taken all the hops that it may.
    Expired,
    /// Its header cannot be read.
    Damaged,
}

/// ECN's bits that say "congestion experienced" (RFC 3168, §5).
const EXPERIENCED: u8 = 0b11;
/// The bytes of an Ethernet header, and of a VLAN tag.
const ETHERNET: usize = 14;
const TAG: usize = 4;

impl Frame {
    /// A frame with all its checksums.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Frame { head: bytes, stretch: None, checksum: None, is_as_cut: false }
    }

    /// The same, whose sender has left this checksum to others.
    #[must_use]
    pub fn with_checksum(self, checksum: Option<Checksum>) -> Self {
        Frame { checksum, ..self }
    }

    /// A piece of a segment.
    pub(super) fn piece(head: Vec<u8>, stretch: Stretch, checksum: Checksum) -> Self {
        Frame { head, stretch: Some(stretch), checksum: Some(checksum), is_as_cut: true }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head.len() + self.stretch.as_ref().map_or(0, Stretch::len)
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes it has, as buffers count: no frame is longer than an interface's largest.
    pub(crate) fn size(&self) -> u32 {
        self.len() as u32
    }

    /// Its bytes, one part behind the other; the first has all headers.
    #[must_use]
    pub fn parts(&self) -> [&[u8]; 2] {
        [&self.head, self.stretch.as_ref().map_or(&[], Stretch::data)]
    }

    /// The checksum that its sender has left to others.
    #[must_use]
    pub fn checksum(&self) -> Option<Checksum> {
        self.checksum
    }

    /// What it shares with other pieces of its segment.
    pub(super) fn stretch(&self) -> Option<&Stretch> {
        self.stretch.as_ref()
    }

    /// The same frame, which shares nothing.
    #[must_use]
    pub(crate) fn apart(mut self) -> Self {
        self.is_as_cut = false;
        if let Some(stretch) = self.stretch.take() {
            self.head.extend_from_slice(stretch.data());
        }
        self
    }

    /// The buffer of its first part, for other frames.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.head
    }

    /// Its bytes up to the end of its headers, at least.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The same, to be changed.
    pub(crate) fn head_mut(&mut self) -> &mut Vec<u8> {
        self.is_as_cut = false;
        &mut self.head
    }

    /// Its bytes behind the Ethernet header and, if there is one, the VLAN tag: what an MTU counts.
    #[must_use]
    pub(crate) fn payload(&self) -> usize {
        let tagged = matches!(self.head.get(12..14), Some([0x81, 0x00] | [0x88, 0xa8]));
        self.len().saturating_sub(if tagged { ETHERNET + TAG } else { ETHERNET })
    }

    /// The hardware addresses that it goes to and comes from; `None` if it is too short to have
    /// them and a type.
    pub(crate) fn addresses(&self) -> Option<([u8; 6], [u8; 6])> {
        let header: &[u8; ETHERNET] = self.head.first_chunk()?;
        let [destination, source] = [0, 6].map(|at| {
            let mut address = [0; 6];
            address.copy_from_slice(&header[at..at + 6]);
            address
        });
        Some((destination, source))
    }

    /// The number of its VLAN tag, if it has one.
    pub(crate) fn tag(&self) -> Option<u16> {
        match self.head.get(12..16) {
            Some(&[0x81, 0x00, high, low]) => Some(u16::from_be_bytes([high, low]) & 0x0fff),
            _ => None,
        }
    }

    /// Its five-tuple, if it is IP.
    pub(crate) fn flow(&self) -> Option<Headers> {
        self.read().flow
    }

    /// Sends it on as a router does (RFC 1812, §5.3.1): with one hop less to go, from `own` to
    /// `next`.
    pub(crate) fn hop(&mut self, next: [u8; 6], own: [u8; 6]) -> Hop {
        let Parsed::Ip { link_bytes, service, .. } = Parsed::of_ethernet(&self.head) else {
            return Hop::Damaged;
        };
        if service.ttl <= 1 {
            return Hop::Expired;
        }
        self.is_as_cut = false;
        let Some((link, ip)) = self.head.split_at_mut_checked(link_bytes as usize) else {
            return Hop::Damaged;
        };
        match ip {
            [first, _, _, _, _, _, _, limit, ..] if *first >> 4 == 6 => *limit -= 1,
            [_, _, _, _, _, _, _, _, ttl, protocol, high, low, ..] => {
                let before = u16::from_be_bytes([*ttl, *protocol]);
                *ttl -= 1;
                let after = u16::from_be_bytes([*ttl, *protocol]);
                let sum = updated(u16::from_be_bytes([*high, *low]), before, after);
                [*high, *low] = sum.to_be_bytes();
            }
            _ => return Hop::Damaged,
        }
        let Some(addresses) = link.first_chunk_mut::<12>() else { return Hop::Damaged };
        addresses[..6].copy_from_slice(&next);
        addresses[6..].copy_from_slice(&own);
        Hop::Done
    }

    pub(crate) fn read(&self) -> Read {
        let known = self.stretch.as_ref().filter(|_| self.is_as_cut).and_then(Stretch::read);
        if let Some(known) = known {
            return known;
        }
        match Parsed::of_ethernet(&self.head) {
            Parsed::Ip { headers, service, .. } => {
                let ecn = match service.traffic_class & EXPERIENCED {
                    0 => Ecn::NotCapable,
                    EXPERIENCED => Ecn::Experienced,
                    _ => Ecn::Capable,
                };
                Read { flow: Some(headers), service, ecn }
            }
            Parsed::NotIp | Parsed::UnknownLink => {
                let service = Service { traffic_class: 0, ttl: 0 };
                Read { flow: None, service, ecn: Ecn::NotCapable }
            }
        }
    }

    /// Writes "congestion experienced" into the IP header, if there is one. Returns whether it was
    /// not there before.
    pub(crate) fn mark(&mut self) -> bool {
        let Parsed::Ip { link_bytes, service, .. } = Parsed::of_ethernet(&self.head) else {
            return false;
        };
        let Some(ip) = self.head.get_mut(link_bytes as usize..) else { return false };
        let class = service.traffic_class | EXPERIENCED;
        if class == service.traffic_class {
            return false;
        }
        self.is_as_cut = false;
        match ip {
            [first, second, ..] if *first >> 4 == 6 => {
                // The traffic class lies across the first two bytes (RFC 8200, §3).
                *first = *first & 0xf0 | class >> 4;
                *second = *second & 0x0f | class << 4;
            }
            [first, service, _, _, _, _, _, _, _, _, high, low, ..] => {
                let before = u16::from_be_bytes([*first, *service]);
                let after = u16::from_be_bytes([*first, class]);
                let sum = updated(u16::from_be_bytes([*high, *low]), before, after);
                *service = class;
                [*high, *low] = sum.to_be_bytes();
            }
            _ => return false,
        }
        true
    }
}

/// The Internet checksum after one word of what it is over has changed (RFC 1624, eqn. 3).
fn updated(sum: u16, before: u16, after: u16) -> u16 {
    let mut total = u32::from(!sum) + u32::from(!before) + u32::from(after);
    while total >> 16 != 0 {
        total = (total & 0xffff) + (total >> 16);
    }
    !(total as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{IpDscp, IpEcn, Ipv4Header, Ipv6Header, PacketBuilder};

    fn v4(ecn: IpEcn) -> Frame {
        let mut ip =
            Ipv4Header::new(0, 64, etherparse::IpNumber::UDP, [10, 0, 0, 1], [10, 0, 0, 2])
                .unwrap();
        (ip.dscp, ip.ecn) = (IpDscp::try_new(46).unwrap(), ecn);
        let builder = PacketBuilder::ethernet2([2; 6], [4; 6])
            .ip(etherparse::IpHeaders::Ipv4(ip, Default::default()));
        let mut bytes = Vec::new();
        builder.udp(7, 9).write(&mut bytes, &[1; 40]).unwrap();
        Frame::new(bytes)
    }

    #[test]
    fn a_mark_keeps_the_checksum_right_and_everything_else() {
        let (unmarked, mut marked) = (v4(IpEcn::ONE), v4(IpEcn::ONE));
        assert_eq!(unmarked.read().ecn, Ecn::Capable);
        assert!(marked.mark() && !marked.mark());
        assert_eq!(marked, v4(IpEcn::try_new(3).unwrap()), "as if it had been built so");
        let service = Service { traffic_class: 46 << 2 | 3, ttl: 64 };
        assert_eq!(marked.read(), Read { ecn: Ecn::Experienced, service, ..unmarked.read() });
    }

    #[test]
    fn an_ipv6_packet_behind_a_tag_is_marked_in_place() {
        let ip = Ipv6Header {
            hop_limit: 9,
            source: [1; 16],
            destination: [2; 16],
            ..Ipv6Header::default()
        };
        let ip = etherparse::IpHeaders::Ipv6(ip, Default::default());
        let builder =
            PacketBuilder::ethernet2([2; 6], [4; 6]).single_vlan(7.try_into().unwrap()).ip(ip);
        let mut bytes = Vec::new();
        builder.udp(7, 9).write(&mut bytes, &[1; 40]).unwrap();
        let mut frame = Frame::new(bytes);
        let before = frame.clone();
        assert_eq!(frame.payload(), 40 + 8 + 40);
        assert!(frame.mark());
        assert_eq!(frame.head[18..20], [0x60, 0x30]);
        assert_eq!(frame.head[20..], before.head[20..]);
        assert_eq!(frame.read().flow, before.read().flow);
    }

    #[test]
    fn whatever_is_no_ip_is_left_alone() {
        for length in 0..64 {
            let mut frame = Frame::new(vec![0xff; length]);
            let before = frame.clone();
            assert!(!frame.mark());
            assert_eq!((frame.read().flow, frame.read().ecn), (None, Ecn::NotCapable));
            assert_eq!(frame, before);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_and_marked(bytes: Vec<u8>) {
            let mut frame = Frame::new(bytes);
            let length = frame.head.len();
            frame.mark();
            proptest::prop_assert!(frame.head.len() == length && frame.payload() <= length);
        }

        #[test]
        fn any_damage_to_a_real_packet_is_survived(at in 0usize..82, byte: u8, cut in 0usize..82) {
            let mut frame = v4(IpEcn::ONE);
            frame.head[at] = byte;
            frame.head.truncate(cut);
            let length = frame.head.len();
            frame.mark();
            proptest::prop_assert_eq!(frame.head.len(), length);
        }
    }
}
