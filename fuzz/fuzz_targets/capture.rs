//! Any bytes as a capture file: a capture or an error that names the file, never a panic; and whatever
//! was read replays in the order of time, with packets that belong to their flows. The same bytes as a
//! recording: packets in the order of time, whose addresses, flows and bytes are there.
#![no_main]

use forebay_units::{Rate, Time};
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, PacketSource, Recording, ReplayConfig,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
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
});

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
