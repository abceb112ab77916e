//! How hosts choose what they send next.

use super::*;
use crate::measure::FlowRecord;
use crate::network::Nic;

/// A large flow whose window nothing limits, and a small one from the same host a little later.
fn neighbours(nic: Nic) -> Vec<FlowRecord> {
    let config = NetworkConfig { nic, ..NetworkConfig::new(transport("new-reno")) };
    let deep = DropTailConfig { limit: Bytes::new(1 << 30), mark_above: None };
    let graph = Graph::star(3, link(10, 1));
    let mut network = Network::new(&graph, config, |s| DropTail::new(s, &deep)).unwrap();
    let start = Time::ZERO + Duration::from_ms(5);
    let flows = [
        Flow::new(0, 1, Bytes::new(50_000_000), Time::ZERO),
        Flow::new(0, 2, Bytes::new(14_480), start),
    ];
    network.add_flows(&flows).unwrap();
    network.run().unwrap();
    assert_eq!(network.live_packets(), 0);
    network.records().collect()
}

#[test]
fn a_small_flow_does_not_wait_behind_a_neighbours_window() {
    let [fifo, fair] = [Nic::Fifo, Nic::Fair].map(neighbours);
    assert!(fifo[1].slowdown() > Some(20.0), "{:?}", fifo[1].slowdown());
    assert!(fair[1].slowdown() < Some(4.0), "{:?}", fair[1].slowdown());
    // The link is as busy.
    assert!(fair[0].slowdown() < Some(1.01) && fifo[0].slowdown() < Some(1.01));
}
