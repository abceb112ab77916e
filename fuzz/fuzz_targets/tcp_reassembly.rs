//! Any bytes as a capture, else as a list of segments: bounds of memory hold, list and tree agree,
//! never a panic.
#![no_main]

use forebay_surge_processors::tcp::{
    Event, ListStore, Overlap, Reassembler, ReassemblyConfig, SegmentStore, TcpFields, TreeStore,
};
use forebay_surge_processors::{Packet, Transport, read_packets};
use forebay_workload::CaptureLimits;
use libfuzzer_sys::fuzz_target;

const MOST: usize = 4096;

fn config(overlap: Overlap) -> ReassemblyConfig {
    let (window, max_connections) = (1000, 4);
    ReassemblyConfig { overlap, window, max_connections, max_stream_bytes: 2048, max_bytes: MOST }
}

/// Sixteen bytes make a segment.
fn segments(bytes: &[u8]) -> Vec<Packet> {
    let segment = |part: &[u8]| {
        let word = |at: usize| u32::from(part[at]) << 8 | u32::from(part[at + 1]);
        let flags = part[0];
        let fields = TcpFields {
            seq: word(1).wrapping_sub(500),
            ack: (flags & 1 != 0).then(|| word(3).wrapping_sub(500)),
            syn: flags & 6 == 6,
            fin: flags & 24 == 24,
            rst: flags & 96 == 96,
        };
        let end = |port: u8| ([10, 0, 0, 1], u16::from(port % 4)).into();
        let length = usize::from(part[7] % 9);
        Packet::new(end(part[5]), end(part[6]), Transport::Tcp(fields), &part[7..7 + length])
    };
    bytes.chunks_exact(16).map(segment).collect()
}

fn delivered<S: SegmentStore>(packets: &[Packet], overlap: Overlap) -> Vec<u8> {
    let Ok(mut reassembler) = Reassembler::<S>::new(config(overlap)) else { return Vec::new() };
    let mut out = Vec::new();
    for segment in packets.iter().filter_map(Packet::segment) {
        reassembler.process(&segment, |_, event| match event {
            Event::Data(data) => out.extend_from_slice(data),
            other => out.extend(format!("{other:?}").bytes()),
        });
        assert!(reassembler.held_bytes() <= MOST && reassembler.connections() <= 4);
    }
    out
}

fuzz_target!(|file: &[u8]| {
    let read = read_packets(file, "fuzzed.pcap", CaptureLimits::default());
    let packets = read.map_or_else(|_| segments(file), |read| read.packets);
    for overlap in [Overlap::First, Overlap::Bsd, Overlap::Last] {
        let list = delivered::<ListStore>(&packets, overlap);
        assert_eq!(list, delivered::<TreeStore>(&packets, overlap));
    }
});
