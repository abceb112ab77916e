//! A transport per class of flow.

use super::*;
use crate::measure::FlowRecord;
use crate::network::NetworkError;
use forebay_switch::{OnChip, OnChipConfig, SwitchShape};

fn two_classes(transports: &[&str], flows: &[Flow]) -> Vec<FlowRecord> {
    let config = NetworkConfig {
        transports: transports.iter().map(|name| transport(name)).collect(),
        ..NetworkConfig::new(transport("new-reno"))
    };
    let switch = PortLimits { limit: Bytes::new(1 << 20), mark_above: Some(Bytes::new(9_000)) };
    let graph = Graph::star(5, link(10, 1));
    let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
    network.add_flows(flows).unwrap();
    network.run().unwrap();
    network.records().collect()
}

/// Both flows pass the same congested port; only the one whose transport has ECN is marked.
#[test]
fn only_classes_with_ecn_are_marked() {
    let flow = |src, class| Flow { class, ..Flow::new(src, 4, Bytes::new(2_000_000), Time::ZERO) };
    let echoes = |transports: &[&str]| -> Vec<bool> {
        let flows: Vec<Flow> = (0..).zip([0, 1, 7]).map(|(src, class)| flow(src, class)).collect();
        let records = two_classes(transports, &flows);
        records.iter().map(|record| record.sender.echoes > 0).collect()
    };
    assert_eq!(echoes(&["dctcp", "cubic"]), [true, false, false]);
    assert_eq!(echoes(&["cubic", "dctcp"]), [false, true, true], "class 7 uses the last one");
    assert_eq!(echoes(&["dctcp"]), [true, true, true]);
}

/// Each class has segments, and so ideal times, of its own.
#[test]
fn the_ideal_is_that_of_the_flows_class() {
    let small = Transport::Datagrams { payload: Bytes::new(500), rate: Rate::from_gbps(10) };
    let large = Transport::Datagrams { payload: Bytes::new(8_000), rate: Rate::from_gbps(10) };
    let config = NetworkConfig {
        transports: alloc::vec![large, small.clone()],
        ..NetworkConfig::new(small)
    };
    let switch = PortLimits::default();
    let graph = Graph::star(4, link(10, 1));
    let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
    let flow =
        |src, class| Flow { class, ..Flow::new(src, src + 1, Bytes::new(99_999), Time::ZERO) };
    network.add_flows([flow(0, 0), flow(2, 1)]).unwrap();
    network.run().unwrap();
    let records: Vec<_> = network.records().collect();
    assert!(records.iter().all(|record| record.fct() == Some(record.ideal)), "{records:?}");
    assert_ne!(records[0].ideal, records[1].ideal);
}

/// Data goes through queue 1 of the receiver's port, acknowledgements through a queue 0 of the
/// sender's.
#[test]
fn acknowledgements_may_have_a_class_of_their_own() {
    for (ack_class, queue) in [(None, 1), (Some(0), 0)] {
        let config = NetworkConfig { ack_class, ..NetworkConfig::new(transport("new-reno")) };
        let chip = OnChipConfig { queues: 2, ..OnChipConfig::named("dt").unwrap() };
        let made = |shape: &SwitchShape<'_>| OnChip::new(shape, &chip).unwrap();
        let mut network = Network::new(&Graph::star(2, link(10, 1)), config, made).unwrap();
        let flow = Flow { class: 1, ..Flow::new(0, 1, Bytes::new(50_000), Time::ZERO) };
        network.add_flows([flow]).unwrap();
        network.run().unwrap();
        let switch = network.switches().next().unwrap();
        let arrived = |queue| switch.pools()[0].account(queue).unwrap().arrived().packets;
        // Ports 0 and 1, two queues each; 35 segments, each with its acknowledgement.
        let mut expected = [0, 0, 0, 35];
        expected[queue] = 35;
        assert_eq!([0, 1, 2, 3].map(arrived), expected);
    }
}

#[test]
fn no_transport_is_refused() {
    let config =
        NetworkConfig { transports: Vec::new(), ..NetworkConfig::new(transport("new-reno")) };
    let made = Network::new(&small_fat_tree(), config, |shape| {
        DropTailSwitch::new(shape, &PortLimits::default())
    });
    assert_eq!(made.err(), Some(NetworkError::NoTransport));
}
