//! Links that fail: what is lost, and where the rest goes.

use alloc::string::ToString;

use super::*;
use crate::network::{NetworkError, NetworkRunError};
use forebay_switch::DropCause;

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Two leaves and two spines; links 0 and 1 are the hosts', 2 to 5 join leaves and spines.
fn square(detection: Duration) -> (Graph, Network<DropTailSwitch>) {
    let mut graph = Graph { hosts: 2, switches: 4, links: Vec::new() };
    for host in 0..2 {
        graph.connect(Node::Host(host), Node::Switch(host), link(10, 2));
    }
    for (leaf, spine) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        graph.connect(Node::Switch(leaf), Node::Switch(spine), link(10, 2));
    }
    let mut config = NetworkConfig::new(transport("new-reno"));
    (config.detection, config.max_timeouts) = (detection, 8);
    let switch = PortLimits { limit: Bytes::new(1_000_000), mark_above: None };
    let network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
    (graph, network)
}

fn flow(bytes: u64) -> Flow {
    Flow::new(0, 1, Bytes::new(bytes), Time::ZERO)
}

#[test]
fn traffic_moves_to_the_other_path() {
    for detection in [Duration::ZERO, Duration::from_us(500)] {
        let (_, mut network) = square(detection);
        network.add_flows([flow(5_000_000)]).unwrap();
        // Whichever spine the flow takes: both of its links' other ends fail in turn.
        network.fail_link(at(300), 2).unwrap();
        network.repair_link(at(2_000), 2).unwrap();
        network.fail_link(at(2_600), 3).unwrap();
        network.run().unwrap();
        let record = network.records().next().unwrap();
        assert_eq!(record.delivered, record.flow.bytes);
        assert!(record.fct() > Some(record.ideal) && record.sender.resent > 0);
        let totals = network.totals();
        assert!(totals.dropped.packets > 0 && network.live_packets() == 0);
        assert_eq!(totals.made.packets, totals.arrived.packets + totals.dropped.packets);
        assert!(network.losses().iter().all(|loss| loss.cause == DropCause::LinkDown));
        let carried = |spine| {
            let up = network.links().filter(|l| l.to == Node::Switch(spine));
            up.map(|link| link.sent.get()).sum::<u64>()
        };
        assert!(carried(2) > 300_000 && carried(3) > 300_000, "both spines were used");
    }
}

#[test]
fn what_is_in_flight_is_lost_and_nothing_else() {
    let (_, mut network) = square(Duration::ZERO);
    network.add_flows([flow(1_000)]).unwrap();
    // The packet is sent from 0 to 0.8416 µs and arrives 2 µs later.
    network.fail_link(at(2), 0).unwrap();
    network.repair_link(at(10), 0).unwrap();
    network.run().unwrap();
    let losses = network.losses();
    assert_eq!(losses.len(), 1);
    assert_eq!((losses[0].node, losses[0].packets), (Node::Host(0), 1));
    let record = network.records().next().unwrap();
    assert_eq!((record.sender.timeouts, record.finish.is_some()), (1, true));

    let (_, mut network) = square(Duration::ZERO);
    network.add_flows([flow(1_000)]).unwrap();
    network.fail_link(at(3), 0).unwrap();
    network.repair_link(at(4), 0).unwrap();
    network.run().unwrap();
    assert!(network.losses().is_empty(), "it had arrived, and nothing was under way");
}

#[test]
fn a_flow_without_a_path_stops_the_run() {
    let (_, mut network) = square(Duration::ZERO);
    network.add_flows([flow(50_000_000)]).unwrap();
    network.fail_link(at(100), 2).unwrap();
    network.fail_link(at(200), 5).unwrap();
    let error = network.run().unwrap_err();
    assert!(matches!(error, NetworkRunError::NoProgress { flow: 0, timeouts: 8, .. }));
    let no_route: Vec<_> =
        network.losses().into_iter().filter(|l| l.cause == DropCause::NoRoute).collect();
    assert!(!no_route.is_empty());
    // Now leaf 0 reaches spine 3 only, and leaf 1 spine 2 only.
    let refused = network.add_flows([flow(1)]);
    assert!(matches!(refused, Err(NetworkError::Flow { index: 0, .. })));

    network.repair_link(network.now(), 5).unwrap();
    network.run().unwrap();
    assert_eq!(network.records().next().unwrap().delivered, Bytes::new(50_000_000));
}

#[test]
fn an_unknown_link_is_named() {
    let (graph, mut network) = square(Duration::ZERO);
    let error = network.fail_link(Time::ZERO, graph.links.len()).unwrap_err();
    assert_eq!(error.to_string(), "link 6 is not in the topology: its 6 links count from 0");
}
