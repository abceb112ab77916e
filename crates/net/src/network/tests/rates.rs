//! Controls that send by RoCE, in whole networks.

use std::cell::Cell;
use std::rc::Rc;

use super::parallel::outcome;
use super::*;
use crate::network::{HostConfig, Nic};
use forebay_parameters::set;

const ALL: [&str; 5] = ["dcqcn", "hpcc", "swift", "timely", "powertcp"];

fn hosts(control: &str, given: &[(&str, &str)]) -> NetworkConfig {
    let mut hosts = HostConfig::default();
    set(&mut hosts, &[&[("control", control)], given].concat()).unwrap();
    let transport = hosts.transport(hosts.sender()).unwrap();
    NetworkConfig { nic: Nic::Fair, ..NetworkConfig::new(transport) }
}

/// Seven hosts send 4 MB each to the eighth; the network afterwards, and the longest queue.
fn incast(control: &str) -> (Network<impl SwitchModel>, u64) {
    let graph = Graph::star(8, link(40, 2));
    let longest = Rc::new(Cell::new(0));
    let mut network = Network::new(&graph, hosts(control, &[]), |shape| {
        let longest = Rc::clone(&longest);
        let note = move |_: Time, _: &Handle, backlog: Bytes| {
            longest.set(backlog.get().max(longest.get()));
        };
        let limit = Bytes::new(100_000_000);
        let limits = PortLimits { limit, mark_above: Some(Bytes::new(50_000)) };
        Watched { inner: DropTailSwitch::new(shape, &limits), note }
    })
    .unwrap();
    let flow = |src| Flow::new(src, 7, Bytes::new(4_000_000), Time::ZERO);
    network.add_flows((0..7).map(flow).collect::<Vec<_>>()).unwrap();
    network.run().unwrap();
    (network, longest.get())
}

/// Every flow ends. TIMELY reduces all seven at once, and comes back by 10 Mb/s a step.
#[test]
fn every_control_shares_a_link() {
    let busy = Rate::from_gbps(40).time_for(Bytes::new(28_000_000)).as_ps() as f64;
    let most = [2.0, 1.3, 1.2, 20.0, 1.3];
    for (control, most) in ALL.into_iter().zip(most) {
        let (network, longest) = incast(control);
        assert_eq!(network.finished(), 7, "{control}");
        let last = network.records().filter_map(|record| record.finish).max().unwrap();
        let took = last.as_ps() as f64 / busy;
        println!("{control}: {took:.3} of the link's time, {longest} bytes at most");
        assert!((1.0..most).contains(&took), "{control}: {took}");
    }
}

/// Switches that say what waits keep it short: at first seven windows meet, which hold 20 us each.
#[test]
fn telemetry_keeps_the_queue_short() {
    let window = 40_000 / 8 * 10;
    for control in ["hpcc", "powertcp"] {
        let (network, longest) = incast(control);
        assert!(longest < 7 * window, "{control}: {longest}");
        assert!(network.senders().all(|sender| sender.resent == 0));
    }
    assert!(incast("timely").1 > 7 * window);
}

#[test]
fn a_lone_flow_takes_little_longer_than_its_ideal() {
    let graph = small_leaf_spine();
    for control in ALL {
        let limits = PortLimits::default();
        let config = hosts(control, &[]);
        let mut network =
            Network::new(&graph, config, |shape| DropTailSwitch::new(shape, &limits)).unwrap();
        network.add_flows([Flow::new(0, 11, Bytes::new(2_000_000), Time::ZERO)]).unwrap();
        network.run().unwrap();
        let slowdown = network.records().next().and_then(|record| record.slowdown()).unwrap();
        println!("{control}: {slowdown:.4}");
        assert!(slowdown < 1.1, "{control}: {slowdown}");
    }
}

#[test]
fn telemetry_takes_room_in_packets() {
    let graph = Graph::star(2, link(10, 1));
    let sent = |given: &[(&str, &str)], control| {
        let limits = PortLimits::default();
        let config = hosts(control, given);
        let mut network =
            Network::new(&graph, config, |shape| DropTailSwitch::new(shape, &limits)).unwrap();
        network.add_flows([Flow::new(0, 1, Bytes::new(1448 * 10), Time::ZERO)]).unwrap();
        network.run().unwrap();
        network.totals().made
    };
    let (without, with) = (sent(&[], "timely"), sent(&[], "hpcc"));
    assert_eq!((without.packets, with.packets), (20, 20));
    assert_eq!(with.bytes, without.bytes + 20 * 42);
    assert_eq!(sent(&[("telemetry_bytes", "0 B")], "powertcp").bytes, without.bytes);
}

#[test]
fn what_ports_write_down_is_the_same_in_any_number_of_partitions() {
    let (graph, flows) = (small_leaf_spine(), some_flows(12, 80, 400_000, 11));
    for (control, recovery) in [("hpcc", "go-back-n"), ("powertcp", "selective")] {
        let run = |partitions| {
            let config = hosts(control, &[("recovery", recovery)]);
            let config = NetworkConfig { partitions, ..config };
            let limits = PortLimits { limit: Bytes::new(30_000), mark_above: None };
            let mut network =
                Network::new(&graph, config, |shape| DropTailSwitch::new(shape, &limits)).unwrap();
            network.add_flows(&flows).unwrap();
            let result = network.run_parallel();
            outcome(&network, result)
        };
        let whole = run(1);
        assert!(whole.2.dropped.packets > 0 && whole.0.is_ok(), "{control}");
        for partitions in [2, 3] {
            assert_eq!(run(partitions), whole, "{control}");
        }
    }
}
