//! Captures made by tests.

use etherparse::PacketBuilder;
use forebay_workload::{CaptureLimits, Recording};

/// A UDP packet of 100 bytes on the wire, unless told otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) time_us: u32,
    /// The last byte of its source address.
    pub(crate) source: u8,
    /// The last byte of its destination address.
    pub(crate) destination: u8,
    pub(crate) source_port: u16,
    pub(crate) dscp: u8,
    pub(crate) ttl: u8,
    pub(crate) bytes: u32,
}

impl Default for Made {
    fn default() -> Self {
        Made { time_us: 0, source: 1, destination: 0, source_port: 7, dscp: 0, ttl: 64, bytes: 100 }
    }
}

/// The frame of a packet, whole.
pub(crate) fn frame(made: &Made) -> Vec<u8> {
    let mut frame = Vec::new();
    let builder = PacketBuilder::ethernet2([2; 6], [4; 6])
        .ipv4([10, 0, 0, made.source], [10, 1, 0, made.destination], made.ttl)
        .udp(made.source_port, 80);
    builder.write(&mut frame, &vec![0; made.bytes as usize - 42]).unwrap();
    frame[15] = made.dscp << 2;
    frame
}

/// A pcap file of them.
pub(crate) fn capture(packets: &[Made]) -> Vec<u8> {
    let words = |values: &[u32]| -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    };
    let mut file = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1]);
    for made in packets {
        let frame = frame(made);
        let (seconds, rest) = (made.time_us / 1_000_000, made.time_us % 1_000_000);
        file.extend(words(&[seconds, rest, frame.len() as u32, made.bytes]));
        file.extend(frame);
    }
    file
}

/// What is read of a file.
pub(crate) fn recording(file: &[u8]) -> Recording {
    Recording::read(file, "made.pcap", CaptureLimits::default()).unwrap()
}
