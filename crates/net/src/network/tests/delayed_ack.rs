//! Acknowledgements that are held back, in whole networks.

use super::*;
use crate::network::{NetworkError, Nic};
use crate::transport::{ConfigError, DelayedAck};

/// Longer than the shortest timeout: an acknowledgement that waits for it comes too late.
const HOLD: DelayedAck = DelayedAck { timer: Duration::from_ms(2), every: 2 };

/// Many flows of every length to one host, whose port marks early and loses nothing.
fn fan_in(name: &str, nic: Nic, delayed: DelayedAck) -> Network<DropTailSwitch> {
    let transport = transport(name).with_delayed_ack(delayed).unwrap();
    let config = NetworkConfig { nic, ..NetworkConfig::new(transport) };
    let mark_above = Some(Bytes::new(4_500));
    let switch = PortLimits { limit: Bytes::new(u64::MAX), mark_above };
    let graph = Graph::star(9, link(10, 10));
    let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
    let flow = |n: u64| {
        let start = Time::ZERO + Duration::from_us(400) * (n / 8);
        Flow::new((n % 8) as u32, 8, Bytes::new(20_000 + 1_448 * (n % 7) + n), start)
    };
    network.add_flows((0..160).map(flow).collect::<Vec<_>>()).unwrap();
    network
}

/// A mark that changes with a flow's last segment makes two acknowledgements due at once; neither
/// is lost.
#[test]
fn the_last_segment_is_acknowledged_whatever_its_mark() {
    for nic in [Nic::Fifo, Nic::Fair] {
        for name in ["dctcp", "new-reno"] {
            let mut network = fan_in(name, nic, HOLD);
            network.run().unwrap();
            assert_eq!((network.totals().dropped.packets, network.live_packets()), (0, 0));
            for record in network.records() {
                assert!(record.finish.is_some(), "{record:?}");
                let sent_again = (record.sender.timeouts, record.sender.resent);
                assert_eq!(sent_again, (0, 0), "{name} {nic:?}: {record:?}");
            }
        }
    }
}

#[test]
fn acknowledgements_are_fewer() {
    let made = |every| {
        let mut network = fan_in("new-reno", Nic::Fifo, DelayedAck { every, ..HOLD });
        network.run().unwrap();
        let data: u64 = network.records().map(|record| record.transit.packets).sum();
        (network.totals().made.packets - data) as f64 / data as f64
    };
    assert!((made(1) - 1.0).abs() < 1e-9, "{}", made(1));
    assert!((0.5..0.6).contains(&made(2)), "{}", made(2));
}

#[test]
fn delays_that_cannot_be_are_refused() {
    let never = DelayedAck { every: 0, ..HOLD };
    let error = transport("cubic").with_delayed_ack(never).unwrap_err();
    assert_eq!(NetworkError::Transport(error), NetworkError::Transport(ConfigError::DelayedAck));
}
