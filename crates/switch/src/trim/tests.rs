//! Trimming, packet by packet.

use alloc::vec::Vec;

use forebay_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::{PortLimits, SwitchConfig};

const SHAPE: SwitchShape<'static> = SwitchShape { index: 2, ports: &[Rate::from_gbps(10); 2] };

/// Ports of three packets of 1000 bytes.
fn switch(config: &TrimConfig) -> TrimSwitch {
    let limits = PortLimits { limit: Bytes::new(3_000), mark_above: None };
    TrimSwitch::new(&SHAPE, &limits, config).unwrap()
}

fn first_in(last: f64) -> TrimConfig {
    TrimConfig { last, ..TrimConfig::default() }
}

/// What leaves a port until it is empty: flows and sizes.
fn left(switch: &mut TrimSwitch, port: u16) -> Vec<(u32, u32)> {
    let mut lost = Losses::default();
    let next = || switch.next(Time::ZERO, port, &mut lost);
    core::iter::from_fn(next).map(|packet| (packet.flow(), packet.size())).collect()
}

fn fill(switch: &mut TrimSwitch, packets: u32) -> Losses {
    let mut lost = Losses::default();
    for flow in 0..packets {
        switch.arrive(Time::ZERO, 1, Handle::new(flow, 1_000), &mut lost);
    }
    lost
}

#[test]
fn the_packet_that_arrives_is_trimmed_or_the_last_one() {
    let mut arriving = switch(&first_in(0.0));
    let mut lost = fill(&mut arriving, 4);
    assert_eq!((lost.is_empty(), lost.take_cut(), lost.take_cut()), (true, 936, 0));
    assert_eq!(arriving.backlog(), Bytes::new(3_064));
    assert_eq!(left(&mut arriving, 1), [(3, 64), (0, 1_000), (1, 1_000), (2, 1_000)]);
    assert!(arriving.is_empty(1) && arriving.is_empty(0));

    let mut waiting = switch(&first_in(1.0));
    fill(&mut waiting, 4);
    assert_eq!(left(&mut waiting, 1), [(2, 64), (0, 1_000), (1, 1_000), (3, 1_000)]);
    let trimmed = Tally { packets: 1, bytes: 936 };
    assert_eq!(waiting.trim_counts(), Some(TrimCounts { trimmed, waiting: 1 }));
    assert_eq!(arriving.trim_counts(), Some(TrimCounts { trimmed, waiting: 0 }));
}

/// A short packet at the end would not make room for a long one.
#[test]
fn the_last_packet_is_trimmed_only_if_that_makes_room() {
    let mut switch = switch(&first_in(1.0));
    let mut lost = Losses::default();
    for (flow, size) in [(0, 1_400), (1, 1_400), (2, 100), (3, 1_000)] {
        switch.arrive(Time::ZERO, 0, Handle::new(flow, size), &mut lost);
    }
    assert_eq!(left(&mut switch, 0), [(3, 64), (0, 1_400), (1, 1_400), (2, 100)]);
}

#[test]
fn one_in_two_is_the_last() {
    let mut switch = switch(&TrimConfig::default());
    fill(&mut switch, 10_003);
    let TrimCounts { trimmed, waiting } = switch.trim_counts().unwrap();
    assert_eq!(trimmed.packets, 10_000);
    assert!((4_800..5_200).contains(&waiting), "{waiting}");
}

/// Ten headers, then one packet of data; headers that leave alone are not counted.
#[test]
fn headers_go_first_and_do_not_starve_data() {
    let config = TrimConfig { header_weight: 2, ..TrimConfig::default() };
    let mut switch = switch(&config);
    let mut lost = Losses::default();
    let back = |flow| Handle::new(flow, 64).sent_back();
    (0..4).for_each(|flow| switch.arrive(Time::ZERO, 0, back(flow), &mut lost));
    assert_eq!(switch.next(Time::ZERO, 0, &mut lost).map(|one| one.flow()), Some(0));
    for flow in [10, 11] {
        switch.arrive(Time::ZERO, 0, Handle::new(flow, 1_000), &mut lost);
    }
    let flows: Vec<u32> = left(&mut switch, 0).into_iter().map(|(flow, _)| flow).collect();
    assert_eq!(flows, [1, 2, 10, 3, 11]);
}

/// A header without room is given up, with the port that it was for.
#[test]
fn a_full_queue_of_headers_gives_up() {
    let config = TrimConfig { header_limit: Some(Bytes::new(128)), ..first_in(0.0) };
    let mut switch = switch(&config);
    let mut lost = fill(&mut switch, 6);
    let one = lost.pop().unwrap();
    assert_eq!((one.port, one.cause), (1, DropCause::QueueFull));
    assert_eq!((one.packet.flow(), one.packet.is_trimmed(), lost.is_empty()), (5, true, true));
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let refused = |given: &[(&str, &str)]| {
        let mut config = SwitchConfig::DropTail(PortLimits::default().into());
        forebay_parameters::set(&mut config, &[&[("trim", "true")], given].concat()).unwrap();
        let error = config.build(&SHAPE).err().unwrap();
        alloc::string::ToString::to_string(&error)
    };
    assert!(refused(&[("trim_to", "0 B")]).starts_with("trim_to: nothing would be left"));
    assert!(refused(&[("trim_header_limit", "63 B")]).starts_with("trim_header_limit: 63 B"));
    assert!(refused(&[("limit", "40 B")]).starts_with("trim_to: 40 B of headers"));
}

proptest! {
    /// Nothing is lost track of: what arrived in bytes has left, was cut off, or was given up.
    #[test]
    fn every_byte_is_accounted_for(
        packets in prop::collection::vec((64u32..1500, 0u8..4, 0u16..2, 0u8..3), 1..400),
        header_limit in 64u64..2_000,
    ) {
        let header_limit = Some(Bytes::new(header_limit));
        let mut switch = switch(&TrimConfig { header_limit, ..TrimConfig::default() });
        let (mut lost, mut cut) = (Losses::default(), 0);
        let (mut arrived, mut gone) = ((0, 0), (0, 0));
        let count = |sum: &mut (u64, u64), packet: &Handle| {
            *sum = (sum.0 + 1, sum.1 + u64::from(packet.size()));
        };
        for (flow, (size, kind, port, leave)) in (0..).zip(packets) {
            let packet = Handle::new(flow, size);
            let packet = if kind == 0 { packet.sent_back() } else { packet };
            count(&mut arrived, &packet);
            switch.arrive(Time::ZERO, port, packet, &mut lost);
            while let Some(one) = lost.pop() {
                prop_assert!(one.packet.is_trimmed() || one.packet.is_back());
                count(&mut gone, &one.packet);
            }
            cut += lost.take_cut();
            if leave == 0 && let Some(packet) = switch.next(Time::ZERO, port, &mut lost) {
                count(&mut gone, &packet);
            }
            let held = arrived.1 - gone.1 - cut;
            prop_assert_eq!(switch.backlog(), Bytes::new(held));
        }
        prop_assert_eq!(switch.trim_counts().unwrap().trimmed.bytes, cut);
        for port in [0, 1] {
            while let Some(packet) = switch.next(Time::ZERO, port, &mut lost) {
                count(&mut gone, &packet);
            }
        }
        prop_assert_eq!((arrived.0, arrived.1), (gone.0, gone.1 + cut));
    }
}
