use super::*;
use crate::flow::LATEST_START;
use crate::measure::{FlowRecord, Transit};
use crate::network::{NetworkError, NetworkRunError};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::ToString;
use core::cell::RefCell;
use proptest::prelude::*;

fn graph(which: u8) -> Graph {
    match which {
        0 => Graph::star(5, link(10, 1)),
        1 => Graph::dumbbell(3, link(10, 1), link(5, 7)),
        2 => small_leaf_spine(),
        _ => small_fat_tree(),
    }
}

/// Every packet made has arrived, was dropped, or is still there; the same for bytes at the end.
fn assert_conserved<S: SwitchModel>(network: &Network<S>) {
    let totals = network.totals();
    let accounted = totals.arrived.packets + totals.dropped.packets;
    assert_eq!(totals.made.packets, accounted + network.live_packets());
    let lost: u64 = network.losses().iter().map(|loss| loss.packets).sum();
    assert_eq!(lost, totals.dropped.packets);
    let transit = network.records().map(|record| record.transit);
    let transit = transit.fold(Transit::default(), |sum, one| sum + one);
    assert!(transit.lost <= lost && transit.packets <= totals.arrived.packets);
    if network.live_packets() == 0 {
        assert_eq!(totals.made.bytes, totals.arrived.bytes + totals.dropped.bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the topology, the transport and the buffers: everything is delivered, nothing is
    /// lost track of, and no flow is faster than on the empty network.
    #[test]
    fn all_flows_end_and_everything_is_accounted_for(
        which in 0u8..4,
        name in prop_oneof![Just("new-reno"), Just("cubic"), Just("dctcp")],
        limit in 4_000u64..200_000,
        seed in any::<u64>(),
    ) {
        let graph = graph(which);
        let mut network = network(&graph, transport(name), limit);
        let flows = some_flows(graph.hosts, 25, 300_000, seed);
        network.add_flows(&flows).unwrap();
        while network.totals().arrived.packets < 2_000 {
            let before = network.now();
            network.run_until(network.now() + Duration::from_us(50)).unwrap();
            assert_conserved(&network);
            if network.now() == before { break; }
        }
        network.run().unwrap();
        assert_conserved(&network);
        prop_assert_eq!(network.live_packets(), 0);
        for record in network.records() {
            prop_assert_eq!(record.delivered, record.flow.bytes);
            prop_assert!(record.fct() >= Some(record.ideal), "{record:?}");
        }
        let hops: u64 = network.totals().packet_hops;
        prop_assert!(hops >= 2 * network.totals().arrived.packets);
    }

    /// A lone flow whose window never limits it takes exactly its ideal time.
    #[test]
    fn a_lone_flow_is_ideal(which in 0u8..4, bytes in 1u64..100_000, seed in any::<u64>()) {
        let graph = graph(which);
        let payload = Bytes::new(1448);
        let lone = |transport| {
            let mut network = network(&graph, transport, 1_000_000);
            let mut flows = some_flows(graph.hosts, 1, 1, seed);
            flows[0].bytes = Bytes::new(bytes);
            network.add_flows(&flows).unwrap();
            network.run().unwrap();
            network.records().next().unwrap()
        };
        let window = Transport::window(
            SenderConfig { initial_window: 100, ..SenderConfig::default() },
            congestion_controls().named("new-reno").unwrap(),
        );
        let record = lone(window.unwrap());
        prop_assert_eq!(record.fct(), Some(record.ideal));
        let record = lone(Transport::Datagrams { payload, rate: Rate::from_gbps(10) });
        prop_assert_eq!(record.fct(), Some(record.ideal));
    }
}

#[test]
fn a_repeated_run_is_the_same_bit_for_bit() {
    let run = |ecmp_seed| {
        let mut config = NetworkConfig::new(transport("dctcp"));
        config.ecmp_seed = ecmp_seed;
        let switch = PortLimits { limit: Bytes::new(50_000), mark_above: None };
        let graph = small_fat_tree();
        let mut network =
            Network::new(&graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
        network.add_flows(some_flows(16, 60, 500_000, 3)).unwrap();
        network.run().unwrap();
        (network.records().collect::<Vec<_>>(), network.totals(), network.losses())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0, "another seed takes other paths");
}

/// Without losses, packets of a flow pass every switch of their path in the same order.
#[test]
fn flows_are_not_reordered() {
    let passed: Rc<RefCell<BTreeMap<_, Vec<_>>>> = Rc::default();
    let config = PortLimits { limit: Bytes::new(u64::MAX), mark_above: None };
    let mut network =
        Network::new(&small_fat_tree(), NetworkConfig::new(transport("cubic")), |shape| {
            let (passed, switch) = (Rc::clone(&passed), shape.index);
            let note = move |_now: Time, packet: &Handle, _: Bytes| {
                let key = (packet.flow(), packet.is_back(), switch);
                passed.borrow_mut().entry(key).or_default().push(packet.packet());
            };
            Watched { inner: DropTailSwitch::new(shape, &config), note }
        })
        .unwrap();
    network.add_flows(some_flows(16, 80, 200_000, 9)).unwrap();
    network.run().unwrap();
    assert!(network.records().all(|record| record.sender.recoveries == 0));
    let passed = passed.borrow();
    for ((key, here), (next_key, there)) in passed.iter().zip(passed.iter().skip(1)) {
        let same_way = (key.0, key.1) == (next_key.0, next_key.1);
        assert!(!same_way || here == there, "flow {} at switch {}", next_key.0, next_key.2);
    }
    assert!(passed.values().map(Vec::len).sum::<usize>() > 10_000);
}

/// Equal paths are all used, and each flow stays on one.
#[test]
fn flows_spread_over_equal_paths() {
    let mut network = network(&small_leaf_spine(), transport("new-reno"), 1 << 20);
    network.add_flows(some_flows(12, 400, 3_000, 5)).unwrap();
    network.run().unwrap();
    let up = |spine| {
        let used = network.links().filter(|l| l.to == Node::Switch(spine));
        used.map(|l| l.sent.get()).sum::<u64>() as f64
    };
    let ratio = up(3) / up(4);
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
    assert!(network.links().all(|link| link.utilization(network.now().since(Time::ZERO)) < 1.0));
}

#[test]
fn a_run_without_progress_stops_and_keeps_its_results() {
    // No data packet fits into the buffer; a small one does.
    let mut network = network(&Graph::star(3, link(10, 1)), transport("new-reno"), 1000);
    let flow = |bytes| Flow::new(0, 1, Bytes::new(bytes), Time::ZERO);
    network.add_flows([flow(500), flow(50_000)]).unwrap();
    let error = network.run().unwrap_err();
    assert!(matches!(error, NetworkRunError::NoProgress { flow: 1, timeouts: 16, .. }), "{error}");
    assert!(error.to_string().starts_with("flow 1 made no progress for 16 "));
    let finished: Vec<_> = network.records().map(|record| record.finish.is_some()).collect();
    assert_eq!(finished, [true, false]);
}

#[test]
fn impossible_flows_are_named() {
    let mut split = Graph::dumbbell(1, link(10, 1), link(10, 1));
    split.links.pop();
    let mut network = network(&split, transport("new-reno"), 1_000_000);
    let flow = Flow::new(0, 1, Bytes::new(1), Time::ZERO);
    let error = |network: &mut Network<DropTailSwitch>, flow| {
        network.add_flows([flow]).unwrap_err().to_string()
    };
    let text = error(&mut network, flow);
    assert_eq!(text, "flow 0: no path leads from host 0 to host 1: connect their switches");
    assert!(error(&mut network, Flow { dst: 0, ..flow }).contains("to itself"));
    assert!(error(&mut network, Flow { dst: 2, ..flow }).contains("host 2 is not in the topology"));
    assert!(error(&mut network, Flow { bytes: Bytes::ZERO, ..flow }).contains("0 bytes"));
    assert_eq!(network.run(), Ok(()));

    split.links[0].config.rate = Rate::from_bps(0);
    let config = NetworkConfig::new(transport("new-reno"));
    let refused = Network::new(&split, config, |s| DropTailSwitch::new(s, &PortLimits::default()));
    assert!(matches!(refused, Err(NetworkError::Graph(_))));
    for max_timeouts in [0, 41] {
        let own = NetworkConfig::new(transport("new-reno"));
        let config = NetworkConfig { max_timeouts, ..own };
        let graph = Graph::star(2, link(10, 1));
        let made = Network::new(&graph, config, |s| DropTailSwitch::new(s, &PortLimits::default()));
        assert_eq!(made.err(), Some(NetworkError::Timeouts(max_timeouts)));
    }
    let late = Flow { start: Time::from_ps(LATEST_START.as_ps() + 1), ..flow };
    assert!(error(&mut network, late).contains("too late"));
}

/// Flows may be added while a network runs; those given out of order begin in order.
#[test]
fn flows_can_be_added_later() {
    let at = |us, src| Flow::new(src, 3, Bytes::new(10_000), Time::ZERO + Duration::from_us(us));
    let flows = [at(500, 0), at(100, 1), at(900, 2)];
    let all = |chunks: usize| -> Vec<FlowRecord> {
        let mut network = network(&Graph::star(4, link(10, 1)), transport("cubic"), 1_000_000);
        for chunk in flows.chunks(chunks) {
            network.add_flows(chunk).unwrap();
            network.run_until(Time::ZERO + Duration::from_us(50)).unwrap();
        }
        network.run().unwrap();
        network.records().collect()
    };
    assert_eq!(all(3).len(), 3);
    assert!(all(3).iter().all(|record| record.finish.is_some()));
}
