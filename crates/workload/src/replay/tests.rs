use super::*;
use crate::CaptureLimits;
use crate::capture::testing::{Made, plain};
use proptest::collection::vec;
use proptest::prelude::*;

fn capture(packets: &[Made]) -> Capture {
    Capture::read(&plain(packets)[..], "made.pcap", CaptureLimits::default()).unwrap()
}

fn made(time_us: u32, source: u8, bytes: u32) -> Made {
    Made { time_us, source, port: 1, bytes }
}

fn packets(replay: &mut CaptureReplay, count: usize) -> Vec<Arrival> {
    std::iter::from_fn(|| replay.next_packet()).take(count).collect()
}

#[test]
fn two_passes_by_hand() {
    // Two senders, 1014 + 514 = 1528 bytes; at 8 Gb/s · 2 inputs · load 0.5 a pass lasts 1528 ns.
    // One gap of 50 us, so a cycle of 100: the second packet is ready in the middle of a pass.
    let capture = capture(&[made(0, 1, 1014), made(50, 2, 514)]);
    let config = ReplayConfig::new(2, Rate::from_gbps(8), 0.5);
    let mut replay = CaptureReplay::new(&capture, config).unwrap();
    assert_eq!(replay.pass_time(), Duration::from_ns(1528));
    let summary: Vec<_> = packets(&mut replay, 4)
        .iter()
        .map(|p| (p.at.as_ps() / 1000, p.input, p.flow, p.size, p.flow_size))
        .collect();
    assert_eq!(
        summary,
        [
            (1014, 0, 0, 1014, 1014),
            (764 + 514, 1, 1, 514, 514),
            (1528 + 1014, 1, 2, 1014, 1014),
            (1528 + 764 + 514, 0, 3, 514, 514),
        ]
    );
}

#[test]
fn assembled_packets_are_cut() {
    let capture = capture(&[made(0, 1, 14 + 3100), made(50, 2, 60)]);
    let config = ReplayConfig { mtu: 1500, ..ReplayConfig::new(4, Rate::from_gbps(8), 0.5) };
    let mut replay = CaptureReplay::new(&capture, config).unwrap();
    let sizes: Vec<u32> =
        packets(&mut replay, 20).iter().filter(|p| p.flow == 0).map(|p| p.size).collect();
    assert_eq!(sizes, [1514, 1514, 114]);
    assert_eq!(replay.flow_sizes[0], 3142);
}

#[test]
fn impossible_replays_are_named() {
    let config = ReplayConfig::new(2, Rate::from_gbps(8), 0.5);
    let error = |packets: &[Made], config| {
        CaptureReplay::new(&capture(packets), config).unwrap_err().to_string()
    };
    assert_eq!(
        error(&[made(5, 1, 60), made(5, 2, 60)], config),
        "made.pcap has no duration: its 2 IP packets have the same time stamp; record for longer"
    );
    let two = [made(5, 1, 60), made(6, 2, 60)];
    assert_eq!(
        error(&two, ReplayConfig { mtu: 67, ..config }),
        "mtu is 67 bytes: give an MTU of at least 68 bytes"
    );
    assert!(error(&two, ReplayConfig { load: -1.0, ..config }).starts_with("load is -1: "));
}

#[test]
fn a_busy_sender_still_gives_the_load() {
    // One of two senders has 90 % of the bytes, nearly three times what one input carries.
    let busy: Vec<Made> = (0..100).map(|i| made(i, u8::from(i % 10 == 0), 1514)).collect();
    let capture = capture(&busy);
    let rate = Rate::from_gbps(10);
    let stop = Time::ZERO + Duration::from_us(10_000);
    let config = ReplayConfig { stop: Some(stop), ..ReplayConfig::new(4, rate, 0.8) };
    let mut replay = CaptureReplay::new(&capture, config).unwrap();
    assert!(replay.peak_input_load() > 2.8);
    let bytes: u64 = packets(&mut replay, usize::MAX).iter().map(|p| u64::from(p.size)).sum();
    let expected = 0.8 * 4.0 * 10e9 / 8.0 * 0.01;
    assert!((bytes as f64 / expected - 1.0).abs() < 0.02, "{bytes} of {expected}");
}

proptest! {
    #[test]
    fn every_promise_holds(
        made in vec((0u32..5000, 0u8..9, 0u16..4, 60u32..9000), 2..60),
        inputs in 1u16..12,
        load in 0.05f64..=1.0,
        mtu in 68u32..4000,
    ) {
        let mut made: Vec<Made> = made
            .into_iter()
            .map(|(time_us, source, port, bytes)| Made { time_us, source, port, bytes })
            .collect();
        made[0].time_us = 5001;
        let capture = capture(&made);
        let rate = Rate::from_bps(10_000_000_019);
        let config = ReplayConfig { mtu, ..ReplayConfig::new(inputs, rate, load) };
        let parts: usize = made.iter().map(|m| (m.bytes - 14).div_ceil(mtu) as usize).sum();
        let mut replay = CaptureReplay::new(&capture, config).unwrap();
        let packets = packets(&mut replay, parts * 2 * usize::from(inputs));

        prop_assert!(packets.is_sorted_by_key(|packet| (packet.at, packet.input)));
        let mut free = vec![Time::ZERO; usize::from(inputs)];
        let mut sent = std::collections::HashMap::new();
        for packet in &packets {
            let free = &mut free[usize::from(packet.input)];
            let needed = rate.time_for(Bytes::new(u64::from(packet.size)));
            prop_assert!(packet.at.since(*free) >= needed);
            *free = packet.at;
            prop_assert!(packet.size <= mtu + 14);
            let sum = sent.entry(packet.flow).or_insert(0u64);
            *sum += u64::from(packet.size);
            prop_assert!(*sum <= packet.flow_size, "flow {} is too long", packet.flow);
            let in_pass = packet.flow as usize % capture.flows() as usize;
            prop_assert_eq!(packet.flow_size, replay.flow_sizes[in_pass]);
        }
        // The flows of the first pass are complete once their inputs are in a later pass.
        for input in 0..inputs {
            if replay.inputs[usize::from(input)].pass > 0 {
                for packet in capture.packets().iter().filter(|p| group_of(p, inputs) == usize::from(input)) {
                    let size = replay.flow_sizes[packet.flow as usize];
                    prop_assert_eq!(sent.get(&packet.flow), Some(&size));
                }
            }
        }
    }
}
