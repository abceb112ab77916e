//! Any bytes as a capture file: a capture or an error that names the file, never a panic; and
//! whatever was read replays in the order of time, with packets that belong to their flows. The
//! same bytes as a recording: packets in the order of time, whose addresses, flows and bytes are
//! there. And the same bytes as the packets of a capture whose own heads are right, since most
//! bytes are refused at those.
#![no_main]

use forebay_units::{Rate, Time};
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, PacketSource, Recording, ReplayConfig,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    checked(file);
    checked(&framed(file));
});

/// A pcap (nanoseconds, Ethernet) of these bytes: a packet begins with its length, and with how
/// much later it is than the one before.
fn framed(mut bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend(word.to_le_bytes());
    }
    let mut at = 0;
    while let [length, later, rest @ ..] = bytes {
        let (packet, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        at += u32::from(*later);
        let length = packet.len() as u32;
        for word in [at / 1000, at % 1000 * 1_000_000, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(packet);
        bytes = rest;
    }
    file
}

fn checked(file: &[u8]) {
    recorded(file);
    let capture = match Capture::read(file, "fuzzed.pcap", CaptureLimits::default()) {
        Ok(capture) => capture,
        Err(error) => {
            assert!(error.to_string().starts_with("fuzzed.pcap "));
            return;
        }
    };
    assert!(capture.packets().is_sorted_by_key(|packet| packet.at_ns));
    for inputs in [1, 5] {
        let config = ReplayConfig::new(inputs, Rate::from_gbps(50), 0.9);
        let Ok(mut replay) = CaptureReplay::new(&capture, config) else { continue };
        let mut last = Time::ZERO;
        for packet in (0..200).map_while(|_| replay.next_packet()) {
            assert!(packet.at >= last && packet.input < inputs);
            assert!(packet.size > 0 && packet.flow_size >= u64::from(packet.size));
            last = packet.at;
        }
    }
}

/// What the replay of a whole file reads.
fn recorded(file: &[u8]) {
    let recording = match Recording::read(file, "fuzzed.pcap", CaptureLimits::default()) {
        Ok(recording) => recording,
        Err(error) => {
            assert!(error.to_string().starts_with("fuzzed.pcap "));
            return;
        }
    };
    let packets = recording.packets();
    assert!(!packets.is_empty() && packets.is_sorted_by_key(|packet| packet.at_ns));
    let (addresses, flows) = (recording.addresses().len(), recording.flow_bytes().len());
    for packet in packets {
        assert!((packet.source.max(packet.destination) as usize) < addresses);
        assert!((packet.flow as usize) < flows);
    }
    let bytes: u64 = packets.iter().map(|packet| u64::from(packet.bytes)).sum();
    assert_eq!(bytes, recording.bytes());
    let _ = recording.span_ns();
    if let Some(cut) = recording.cut() {
        assert!(cut.packets <= packets.len() && cut.error.to_string().starts_with("fuzzed.pcap "));
    }
}
