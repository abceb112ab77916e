//! Reads and replays whole capture files: the one that ships with the project, and all of the
//! folder named by the environment variable FOREBAY_EXTRA_CAPTURES, where it is set.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::{Path, PathBuf};

use forebay_units::{Bytes, Rate, Time};
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, CaptureWarning, PacketSource, ReplayConfig,
};

fn shipped() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("experiments/themis/captures/mixed-programs.pcap")
}

/// Replays `capture` for 20 passes on 8 inputs and checks time, spacing and the load.
fn replay(capture: &Capture) {
    let rate = Rate::from_gbps(50);
    let mut config = ReplayConfig::new(8, rate, 0.6);
    let pass = CaptureReplay::new(capture, config).unwrap().pass_time();
    // A whole number of rounds in which every sender was on every input.
    let span = pass * 40;
    config.stop = Some(Time::ZERO + span);
    let mut source = CaptureReplay::new(capture, config).unwrap();
    let (mut bytes, mut last, mut free) = (0u64, Time::ZERO, [Time::ZERO; 8]);
    while let Some(packet) = source.next_packet() {
        assert!(packet.at >= last);
        last = packet.at;
        let needed = rate.time_for(Bytes::new(u64::from(packet.size)));
        let free = &mut free[usize::from(packet.input)];
        assert!(packet.at.since(*free) >= needed);
        *free = packet.at;
        bytes += u64::from(packet.size);
    }
    let load = bytes as f64 * 8.0 / (8.0 * 50e9 * span.as_secs_f64());
    // At the end, what the busiest inputs still have to send is missing: below 8 passes' worth
    // of 40.
    assert!(load < 0.6 * 1.001 && load > 0.6 * 0.8, "{}: {load}", capture.name());
}

#[test]
fn the_shipped_capture_is_what_its_readme_says() {
    let capture = Capture::open(&shipped(), CaptureLimits::default()).unwrap();
    assert_eq!(capture.warnings(), []);
    assert_eq!(capture.packets().len(), 5728);
    assert_eq!((capture.sources(), capture.flows()), (13, 194));
    assert!(capture.span_ns() > 1_000_000_000);
    assert!(capture.packets().iter().all(|packet| packet.bytes <= 1514));
    replay(&capture);
}

#[test]
fn extra_captures_replay() {
    let Some(folder) = std::env::var_os("FOREBAY_EXTRA_CAPTURES") else {
        eprintln!("skipped: set FOREBAY_EXTRA_CAPTURES to a folder of captures to replay them");
        return;
    };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "pcap" || end == "pcapng"));
    files.sort();
    assert!(!files.is_empty(), "no captures in {}", folder.display());
    for path in files {
        let capture = Capture::open(&path, CaptureLimits::default()).unwrap();
        eprintln!(
            "{}: {} packets, {} sources, {} flows, {} ns",
            capture.name(),
            capture.packets().len(),
            capture.sources(),
            capture.flows(),
            capture.span_ns()
        );
        for warning in capture.warnings() {
            eprintln!("  {warning}");
            assert!(!matches!(warning, CaptureWarning::Limited { .. }));
        }
        replay(&capture);
    }
}
