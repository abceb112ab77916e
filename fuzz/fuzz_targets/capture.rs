//! Any bytes as a capture file: a capture or an error that names the file, never a panic; and whatever
//! was read replays in the order of time, with packets that belong to their flows.
#![no_main]

use forebay_units::{Rate, Time};
use forebay_workload::{Capture, CaptureLimits, CaptureReplay, PacketSource, ReplayConfig};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
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
