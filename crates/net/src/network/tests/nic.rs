//! How hosts choose what they send next.

use super::*;
use crate::measure::FlowRecord;
use crate::network::Nic;

/// A large flow whose window nothing limits, and a small one from the same host a little later.
fn neighbours(nic: Nic) -> Vec<FlowRecord> {
    let config = NetworkConfig { nic, ..NetworkConfig::new(transport("new-reno")) };
    let deep = PortLimits { limit: Bytes::new(1 << 30), mark_above: None };
    let graph = Graph::star(3, link(10, 1));
    let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &deep)).unwrap();
    let start = Time::ZERO + Duration::from_ms(5);
    let flows = [
        Flow::new(0, 1, Bytes::new(50_000_000), Time::ZERO),
        Flow::new(0, 2, Bytes::new(14_480), start),
    ];
    network.add_flows(flows).unwrap();
    network.run().unwrap();
    assert_eq!(network.live_packets(), 0);
    network.records().collect()
}

/// A paced flow takes the time of its rate, whatever else its host sends.
#[test]
fn paced_flows_keep_their_rate() {
    for nic in [Nic::Fifo, Nic::Fair] {
        let Transport::Window { sender, receiver, control } = transport("new-reno") else {
            panic!("not a window")
        };
        // 1448 bytes in 1.448 us.
        let sender = SenderConfig { pacing: Some(Rate::from_gbps(8)), ..(*sender).clone() };
        let transports = alloc::vec![
            Transport::Window { sender: sender.into(), receiver, control },
            transport("cubic")
        ];
        let config = NetworkConfig { nic, transports, ..NetworkConfig::new(transport("new-reno")) };
        let deep = PortLimits { limit: Bytes::new(1 << 30), mark_above: None };
        let graph = Graph::star(3, link(100, 1));
        let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &deep)).unwrap();
        let flow = |dst, segments: u64| Flow::new(0, dst, Bytes::new(1448 * segments), Time::ZERO);
        network.add_flows([flow(1, 1000), Flow { class: 1, ..flow(2, 2000) }]).unwrap();
        network.run().unwrap();
        let records: Vec<_> = network.records().collect();
        let fct = records[0].fct().unwrap();
        let paced = Duration::from_ns(1448) * 999;
        assert!((paced..paced * 11 / 10).contains(&fct), "{nic:?}: {fct}");
        assert!(records[1].fct() < Some(paced) && records[0].sender.timeouts == 0);
    }
}

#[test]
fn a_small_flow_does_not_wait_behind_a_neighbours_window() {
    let [fifo, fair] = [Nic::Fifo, Nic::Fair].map(neighbours);
    assert!(fifo[1].slowdown() > Some(20.0), "{:?}", fifo[1].slowdown());
    assert!(fair[1].slowdown() < Some(4.0), "{:?}", fair[1].slowdown());
    // The link is as busy.
    assert!(fair[0].slowdown() < Some(1.01) && fifo[0].slowdown() < Some(1.01));
}
