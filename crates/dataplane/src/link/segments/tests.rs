//! Cutting and joining, against bytes written by hand, and against a cut that shares no code with
//! ours.

use std::sync::Arc;

use etherparse::{PacketBuilder, SlicedPacket, TransportSlice};
use forebay_units::{Duration, Time};
use proptest::prelude::*;

use super::testing::tcp;
use super::*;
use crate::link::Frame;

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| (byte % 251) as u8).collect()
}

/// A segment of these bytes, whose pieces have so much data.
fn segment(bytes: &[u8], kind: Kind, size: u16, checksum: Checksum) -> Arc<Segment> {
    let mut segment = Segment::of_room(bytes.len().max(1));
    segment.buffer[..bytes.len()].copy_from_slice(bytes);
    (segment.length, segment.kind, segment.size) = (bytes.len(), kind, size);
    segment.checksum = checksum;
    Arc::new(segment)
}

fn start(bytes: &[u8], kind: Kind) -> Checksum {
    let network = if bytes[14] >> 4 == 6 { 40 } else { 20 };
    Checksum { start: 14 + network, offset: if kind == Kind::Tcp { 16 } else { 6 } }
}

fn pieces(bytes: &[u8], kind: Kind, size: u16) -> Vec<Frame> {
    cut(&segment(bytes, kind, size, start(bytes, kind)), Vec::new).unwrap()
}

/// A frame as it is on the wire: with its checksum finished.
fn on_the_wire(frame: &Frame) -> Vec<u8> {
    with_checksum(frame.parts().concat(), frame.checksum().unwrap())
}

fn with_checksum(mut bytes: Vec<u8>, Checksum { start, offset }: Checksum) -> Vec<u8> {
    let mut sum = 0_u32;
    for word in bytes[usize::from(start)..].chunks(2) {
        sum += u32::from(word[0]) << 8 | u32::from(word.get(1).copied().unwrap_or(0));
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    let place = usize::from(start + offset);
    // No checksum of UDP is zero (RFC 768): that says that there is none.
    let sum = if offset == 6 && sum == 0xffff { 0xffff } else { !(sum as u16) };
    bytes[place..place + 2].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// Seven bytes, three in each packet, by hand: RFC 791 (§3.1), RFC 9293 (§3.1).
#[test]
fn a_segment_of_tcp_over_ipv4_is_cut_to_the_bytes_of_the_standards() {
    let ethernet = [[0x02, 0, 0, 0, 0, 0x0b], [0x02, 0, 0, 0, 0, 0x0a]].concat();
    let ip = |length: u8, id: u8, sum: [u8; 2]| {
        let fixed = [0x45, 0x00, 0, length, 0xff, id, 0x40, 0x00, 64, 6];
        [&fixed[..], &sum, &[10, 0, 0, 1], &[10, 0, 0, 2]].concat()
    };
    let tcp = |sequence: [u8; 4], flags: u8, sum: [u8; 2]| {
        let ports = [0x1f, 0x90, 0xc0, 0x00];
        let rest = [0x50, flags, 0x01, 0xf5];
        [&ports[..], &sequence, &[0, 0, 0, 9], &rest, &sum, &[0, 0]].concat()
    };
    // CWR, ACK, PSH and FIN; the sequence number wraps, and so does what counts the packets.
    let whole = [
        ethernet.clone(),
        vec![8, 0],
        ip(47, 0xff, [0, 0]),
        tcp([0xff, 0xff, 0xff, 0xfe], 0x99, [0, 0]),
        b"abcdefg".to_vec(),
    ];
    // Checksums are those of RFC 1071: of 16-bit words, by hand.
    let first = [
        ethernet.clone(),
        vec![8, 0],
        ip(43, 0xff, [0x26, 0xcb]),
        tcp([0xff, 0xff, 0xff, 0xfe], 0x90, [0xf5, 0x5e]),
        b"abc".to_vec(),
    ];
    let mut second = [
        ethernet.clone(),
        vec![8, 0],
        ip(43, 0, [0x26, 0xcb]),
        tcp([0, 0, 0, 1], 0x10, [0xef, 0xd9]),
        b"def".to_vec(),
    ];
    second[2][4] = 0; // It comes after 0xffff.
    let mut third = [
        ethernet,
        vec![8, 0],
        ip(41, 1, [0x26, 0xcc]),
        tcp([0, 0, 0, 4], 0x19, [0x53, 0x35]),
        b"g".to_vec(),
    ];
    third[2][4] = 0;
    let cut = pieces(&whole.concat(), Kind::Tcp, 3);
    assert_eq!(
        cut.iter().map(on_the_wire).collect::<Vec<_>>(),
        [first, second, third].map(|parts| parts.concat())
    );
}

/// Over IPv6 (RFC 8200, §3 and §8.1), with four bytes in two packets.
#[test]
fn a_segment_of_tcp_over_ipv6_is_cut_to_the_bytes_of_the_standards() {
    let head = |length: u8| {
        let mut bytes = [&[2; 6][..], &[4; 6], &[0x86, 0xdd]].concat();
        bytes.extend([0x60, 0, 0, 0, 0, length, 6, 64]);
        bytes.extend([&[0xfd; 1][..], &[0; 14], &[1]].concat());
        bytes.extend([&[0xfd; 1][..], &[0; 14], &[2]].concat());
        bytes
    };
    let tcp = |sequence: u8, flags: u8, sum: [u8; 2]| {
        let mut bytes = vec![0, 7, 0, 9, 0, 0, 0, sequence, 0, 0, 0, 5, 0x50, flags, 0x10, 0];
        bytes.extend([&sum[..], &[0, 0]].concat());
        bytes
    };
    let whole = [head(24), tcp(1, 0x18, [0, 0]), b"abcd".to_vec()].concat();
    let first = [head(22), tcp(1, 0x10, [0x44, 0x56]), b"ab".to_vec()].concat();
    let second = [head(22), tcp(3, 0x18, [0x42, 0x4a]), b"cd".to_vec()].concat();
    let cut = pieces(&whole, Kind::Tcp, 2);
    assert_eq!(cut.iter().map(on_the_wire).collect::<Vec<_>>(), [first, second]);
}

#[test]
fn a_stretch_of_tcp_is_cut_as_a_card_would() {
    for is_v6 in [false, true] {
        let payload = data(5_000);
        let frames = pieces(&tcp(is_v6, &payload), Kind::Tcp, 1_448);
        assert_eq!(frames.len(), 4);
        let mut seen = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            let bytes = on_the_wire(frame);
            assert_eq!(Frame::new(bytes.clone()).read(), frame.read(), "headers are enough");
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

fn udp(payload: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    let builder = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    builder.udp(7, 9).write(&mut whole, payload).unwrap();
    whole
}

#[test]
fn datagrams_are_cut_apart() {
    let frames = pieces(&udp(&data(2_500)), Kind::Udp, 1_000);
    assert!(frames.iter().map(|frame| frame.len() - 42).eq([1_000, 1_000, 500]));
    for frame in frames {
        let bytes = on_the_wire(&frame);
        assert_eq!(Frame::new(bytes.clone()).read(), frame.read(), "headers are enough");
        let packet = SlicedPacket::from_ethernet(&bytes).unwrap();
        let Some(TransportSlice::Udp(udp)) = packet.transport else { panic!() };
        assert_eq!(usize::from(udp.length()), bytes.len() - 34);
    }
}

#[test]
fn what_is_no_segment_is_not_cut() {
    let whole = tcp(false, &data(3_000));
    let checksum = start(&whole, Kind::Tcp);
    let refused =
        |bytes: &[u8], kind, size, checksum| cut(&segment(bytes, kind, size, checksum), Vec::new);
    assert_eq!(refused(&whole, Kind::Tcp, 0, checksum), None);
    assert_eq!(refused(&whole[..40], Kind::Tcp, 1_000, checksum), None);
    for start in [9, u16::MAX] {
        assert_eq!(refused(&whole, Kind::Tcp, 1_000, Checksum { start, offset: 16 }), None);
    }
    assert_eq!(refused(&[], Kind::Udp, 1_000, checksum), None);
}

/// What has left, and how: the frames that a card would make of it, and how many there are in each.
#[derive(Default)]
struct Left {
    frames: Vec<Vec<u8>>,
    together: Vec<usize>,
    bytes: u64,
}

impl Sink for Left {
    fn leave(&mut self, leaving: &Leaving<'_>) {
        let bytes = leaving.parts.concat();
        let checksum = leaving.offload.checksum.unwrap();
        let before = self.frames.len();
        match leaving.offload.cut {
            None => self.frames.push(with_checksum(bytes, checksum)),
            Some(by) => recut(&bytes, by, checksum, &mut self.frames),
        }
        let count = self.frames.len() - before;
        assert_eq!(count, leaving.due.len());
        assert!(leaving.due.is_sorted());
        self.together.push(count);
        self.bytes += leaving.bytes;
    }

    fn free(&mut self, _: Vec<u8>) {}
}

/// What a receiver makes of a segment, written for itself, with headers by etherparse.
fn recut(bytes: &[u8], by: Cut, checksum: Checksum, frames: &mut Vec<Vec<u8>>) {
    let (headers, payload) = bytes.split_at(by.headers.into());
    let transport = usize::from(checksum.start);
    let count = payload.len().div_ceil(by.size.into());
    for (number, data) in payload.chunks(by.size.into()).enumerate() {
        let mut frame = [headers, data].concat();
        let length = frame.len();
        if by.is_v6 {
            frame[18..20].copy_from_slice(&((length - 54) as u16).to_be_bytes());
        } else {
            let id = u16::from_be_bytes([frame[18], frame[19]]).wrapping_add(number as u16);
            frame[16..18].copy_from_slice(&((length - 14) as u16).to_be_bytes());
            frame[18..20].copy_from_slice(&id.to_be_bytes());
            let sum = etherparse::Ipv4HeaderSlice::from_slice(&frame[14..]).unwrap();
            let sum = sum.to_header().calc_header_checksum();
            frame[24..26].copy_from_slice(&sum.to_be_bytes());
        }
        if by.kind == Kind::Tcp {
            let place = transport + 4..transport + 8;
            let first = u32::from_be_bytes(frame[place.clone()].try_into().unwrap());
            let own = first.wrapping_add((number * usize::from(by.size)) as u32);
            frame[place].copy_from_slice(&own.to_be_bytes());
            if number > 0 {
                frame[transport + 13] &= !0x80;
            }
            if number + 1 < count {
                frame[transport + 13] &= !0x09;
            }
        } else {
            let length = (length - transport) as u16;
            frame[transport + 4..transport + 6].copy_from_slice(&length.to_be_bytes());
        }
        let sum = transport_sum(&frame);
        let place = transport + usize::from(checksum.offset);
        frame[place..place + 2].copy_from_slice(&sum.to_be_bytes());
        frames.push(frame);
    }
}

/// The checksum that the TCP or UDP header of a frame should have.
fn transport_sum(frame: &[u8]) -> u16 {
    let packet = SlicedPacket::from_ethernet(frame).unwrap();
    match (packet.net.unwrap(), packet.transport.unwrap()) {
        (etherparse::NetSlice::Ipv4(ip), TransportSlice::Tcp(tcp)) => {
            let ip = ip.header().to_header();
            tcp.to_header().calc_checksum_ipv4(&ip, tcp.payload()).unwrap()
        }
        (etherparse::NetSlice::Ipv6(ip), TransportSlice::Tcp(tcp)) => {
            let ip = ip.header().to_header();
            tcp.to_header().calc_checksum_ipv6(&ip, tcp.payload()).unwrap()
        }
        (etherparse::NetSlice::Ipv4(ip), TransportSlice::Udp(udp)) => {
            let ip = ip.header().to_header();
            udp.to_header().calc_checksum_ipv4(&ip, udp.payload()).unwrap()
        }
        _ => panic!(),
    }
}

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

#[test]
fn neighbours_leave_as_one_and_what_differs_apart() {
    let whole = tcp(false, &data(5_000));
    let left = |frames: Vec<Frame>, together: u64| {
        let mut outlet = Outlet::new(Duration::from_us(together));
        let mut left = Left::default();
        frames.into_iter().for_each(|frame| outlet.add(us(1), frame, &mut left));
        outlet.flush(&mut left);
        assert_eq!(outlet.held(), 0);
        left.together
    };
    let all = || pieces(&whole, Kind::Tcp, 500);
    assert_eq!(left(all(), 20), [10]);
    assert_eq!(left(all(), 0), [1; 10], "none are joined");
    // One is lost, one is marked, two change places, one comes again.
    let mut lossy = all();
    lossy.remove(4);
    assert_eq!(left(lossy, 20), [4, 5]);
    let mut marked = all();
    marked[3].head_mut()[15] |= 3;
    assert_eq!(left(marked, 20), [3, 1, 6]);
    let mut reordered = all();
    reordered.swap(6, 7);
    assert_eq!(left(reordered, 20), [6, 1, 1, 2]);
    let mut hopped = all();
    hopped[9].head_mut()[22] -= 1;
    assert_eq!(left(hopped, 20), [9, 1]);
    let twice: Vec<Frame> = all().into_iter().zip(all()).flat_map(|(a, b)| [a, b]).collect();
    assert_eq!(left(twice, 20), [1; 20], "two segments in turn");
}

#[test]
fn a_piece_waits_only_for_one_that_comes_soon() {
    let frames = pieces(&tcp(false, &data(5_000)), Kind::Tcp, 500);
    let mut outlet = Outlet::new(Duration::from_us(20));
    let mut left = Left::default();
    let mut frames = frames.into_iter();
    let mut add = |outlet: &mut Outlet, left: &mut Left, at| {
        outlet.add(at, frames.next().unwrap(), left);
    };
    add(&mut outlet, &mut left, us(100));
    assert_eq!(outlet.wake(Some(us(112))), Some(us(120)), "nine more take longer than 20 us");
    outlet.settle(us(100), Some(us(112)), &mut left);
    assert_eq!((outlet.held(), left.together.len()), (1, 0));
    add(&mut outlet, &mut left, us(112));
    outlet.settle(us(112), Some(us(124)), &mut left);
    assert_eq!((outlet.held(), &left.together[..]), (0, &[2][..]), "the next is too late");
    assert_eq!(outlet.wake(Some(us(124))), Some(us(124)));
    add(&mut outlet, &mut left, us(300));
    outlet.settle(us(301), None, &mut left);
    assert_eq!(left.together, [2, 1], "no next is known");
    add(&mut outlet, &mut left, us(400));
    assert_eq!(outlet.wake(Some(us(401))), Some(us(406)), "six more");
    outlet.settle(us(420), Some(us(401)), &mut left);
    assert_eq!(left.together, [2, 1, 1], "it is over already");
    // Late ones leave together, however far apart they should have.
    (5..10).for_each(|at| add(&mut outlet, &mut left, us(at * 1000)));
    add(&mut outlet, &mut left, us(10_000));
    assert_eq!((outlet.held(), left.together), (0, vec![2, 1, 1, 6]), "the last needs no more");
}

proptest! {
    #[test]
    fn any_damage_is_survived(
        at in 0usize..80, byte: u8, length in 0usize..3_100, size in 0u16..3_000,
        start: u16, offset: u16, is_tcp: bool,
    ) {
        let mut whole = tcp(at % 2 == 0, &data(3_000));
        whole[at] = byte;
        whole.truncate(length);
        let kind = if is_tcp { Kind::Tcp } else { Kind::Udp };
        let start = if start % 2 == 0 { start } else { 34 };
        let segment = segment(&whole, kind, size, Checksum { start, offset });
        if let Some(frames) = cut(&segment, Vec::new) {
            let longest = frames.iter().map(Frame::len).max().unwrap_or(0);
            prop_assert!(longest <= whole.len() && frames.len() <= 3_100);
            struct Nowhere;
            impl Sink for Nowhere {
                fn leave(&mut self, _: &Leaving<'_>) {}
                fn free(&mut self, _: Vec<u8>) {}
            }
            let mut outlet = Outlet::new(Duration::from_us(1));
            frames.into_iter().for_each(|frame| outlet.add(Time::ZERO, frame, &mut Nowhere));
            outlet.flush(&mut Nowhere);
        }
    }

    /// However pieces of two segments are lost, marked and mixed: what a receiver makes of that
    /// which leaves are the very frames that would have left one by one.
    #[test]
    fn a_receiver_cannot_tell_what_was_joined(
        is_v6: bool, is_udp: bool, size in 1u16..1_500, length in 1usize..9_000,
        fates in proptest::collection::vec(0u8..12, 1..200),
    ) {
        let (kind, whole) = match is_udp {
            true => (Kind::Udp, udp(&data(length))),
            false => (Kind::Tcp, tcp(is_v6, &data(length))),
        };
        let size = size.max((length / 60) as u16 + 1);
        let mut sources = [(); 2].map(|()| pieces(&whole, kind, size).into_iter());
        let (mut outlet, mut left) = (Outlet::new(Duration::from_us(20)), Left::default());
        let mut expected = Vec::new();
        let mut bytes = 0;
        for (number, fate) in (0..).zip(fates) {
            let Some(mut frame) = sources[usize::from(fate == 0)].next() else { continue };
            if fate == 1 {
                continue;
            }
            if fate == 2 {
                frame.mark();
            }
            let sum = frame.checksum().unwrap();
            if sum.offset == 6 {
                prop_assert_eq!(finished(frame.parts(), sum), on_the_wire(&frame));
            }
            prop_assert_eq!(frame.read(), Frame::new(on_the_wire(&frame)).read());
            expected.push(on_the_wire(&frame));
            bytes += frame.len() as u64;
            outlet.add(us(number), frame, &mut left);
            if fate == 3 {
                outlet.settle(us(number), Some(us(number + 21)), &mut left);
                prop_assert_eq!(outlet.held(), 0);
            }
        }
        outlet.flush(&mut left);
        prop_assert_eq!(left.bytes, bytes);
        prop_assert_eq!(left.frames, expected);
    }
}
