//! Priority flow control in whole networks.

use super::parallel::{outcome, random_graph};
use super::*;
use crate::network::{NetworkError, Nic, PauseRecord};
use forebay_parameters::set;
use forebay_switch::{AnySwitch, DropCause, HybridConfig, OnChipConfig, PauseCounts, SwitchConfig};
use proptest::prelude::*;

/// Dynamic Threshold with flow control for its one class, and these parameters.
fn lossless(given: &[(&str, &str)]) -> SwitchConfig {
    let mut config = SwitchConfig::OnChip(OnChipConfig::named("dt").unwrap());
    set(&mut config, &[("pfc.lossless", "0")]).unwrap();
    set(&mut config, given).unwrap();
    config
}

const HYBRIDS: &[&str] = &["themis", "greedy-hybrid", "dt-hybrid", "occamy-hybrid"];

/// A hybrid switch of this scheme with flow control for class 0, and so little SRAM that it pauses.
fn deep(scheme: &str, given: &[(&str, &str)]) -> SwitchConfig {
    let mut config = HybridConfig::named(scheme).unwrap();
    config.memory.hbm.geometry.rows = 64;
    let mut config = SwitchConfig::Hybrid(config);
    set(&mut config, &[("pfc.lossless", "0"), ("sram", "20 MB")]).unwrap();
    set(&mut config, given).unwrap();
    config
}

fn datagrams(gbps: u64) -> Transport {
    Transport::Datagrams { payload: Bytes::new(1448), rate: Rate::from_gbps(gbps) }
}

fn fair(transport: Transport) -> NetworkConfig {
    NetworkConfig { nic: Nic::Fair, ..NetworkConfig::new(transport) }
}

fn at_ns(ns: u64) -> Time {
    Time::ZERO + Duration::from_ns(ns)
}

/// A worst case to the packet, of 1.2 µs each: when host 0 has sent what fits below the threshold,
/// a packet of host 2 to host 0 begins, and the pause waits behind it; and when host 0 obeys, it
/// has just begun another packet. The link to host 1 takes 12 ms a packet.
fn worst_case(headroom: &str) -> Network<AnySwitch> {
    let mut graph = Graph { hosts: 3, switches: 1, links: Vec::new() };
    let slow = LinkConfig { rate: Rate::from_bps(1_000_000), delay: Duration::from_us(1) };
    for (host, link) in [(0, link(10, 1)), (1, slow), (2, link(10, 1))] {
        graph.connect(Node::Host(host), Node::Switch(0), link);
    }
    // 2 µs of cable, 51.2 ns of frame and this are the time of four packets.
    let switch = lossless(&[
        ("pool", "300 KB"),
        ("cell", "1500 B"),
        ("pfc.smallest_packet", "1500 B"),
        ("pfc.pause_above", "4500 B"),
        ("pfc.response", "2748800 ps"),
        ("pfc.headroom", headroom),
    ]);
    let mut network = Network::of(&switch, &graph, fair(datagrams(10))).unwrap();
    let burst = Flow::new(0, 1, Bytes::new(60 * 1448), Time::ZERO);
    // The first packet leaves at once, three wait, the fifth finds no room: after 7 µs.
    let back = Flow::new(2, 0, Bytes::new(1448), at_ns(4_800));
    network.add_flows([burst, back]).unwrap();
    network.run_until(at_ns(1_000_000)).unwrap();
    network
}

#[test]
fn the_computed_headroom_is_just_enough_for_the_worst_case() {
    let network = worst_case("0 B");
    assert!(network.losses().is_empty());
    let counts = network.pause_counts().unwrap();
    // The packet that calls for the pause, four of cable, frame and response, one that the frame
    // waits for, one that has just begun.
    assert_eq!((counts.headroom_most, counts.asked), (Bytes::new(7 * 1500), 1));
    let paused: Vec<PauseRecord> = network.pauses().collect();
    assert_eq!(paused.len(), 1);
    assert_eq!((paused[0].from, paused[0].class, paused[0].pauses), (Node::Host(0), 0, 1));
    // Called for at 7 µs, obeyed 1.2 + 0.0512 + 1 + 2.7488 µs later.
    assert_eq!(paused[0].paused, Duration::from_us(1000) - Duration::from_us(12));
    assert_eq!(network.totals().made.packets, 4 + 7 + 1);
}

#[test]
fn headroom_one_packet_too_small_loses_a_packet() {
    let network = worst_case("9 KB");
    let losses = network.losses();
    assert_eq!((losses.len(), losses[0].packets), (1, 1));
    assert_eq!(losses[0].cause, DropCause::HeadroomFull);
}

/// What is seen of flow control.
type Paused = (Vec<PauseRecord>, Option<PauseCounts>);

fn run(
    graph: &Graph,
    (partitions, threads): (usize, bool),
    switch: &SwitchConfig,
    transport: &Transport,
    flows: &[Flow],
) -> (super::parallel::Observed, Paused) {
    let config = NetworkConfig { partitions, ..fair(transport.clone()) };
    let mut network = Network::of(switch, graph, config).unwrap();
    network.add_flows(flows).unwrap();
    let stop = Time::ZERO + Duration::from_ms(3);
    let result = if threads { network.run_parallel_until(stop) } else { network.run_until(stop) };
    let paused = (network.pauses().collect(), network.pause_counts());
    (outcome(&network, result), paused)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the graph, the bursts and the thresholds: nothing is lost, and all of it is the
    /// same however the network is cut. (Flows may get stuck: a graph with circles can deadlock.)
    #[test]
    fn nothing_is_lost_with_the_computed_headroom(
        (hosts, switches, extra) in (2u32..12, 1u32..7, 0u32..5),
        which in prop_oneof![Just(None), Just(Some("new-reno")), Just(Some("cubic"))],
        (count, largest) in (1u64..30, prop_oneof![Just(3_000u64), Just(400_000u64)]),
        threshold in prop_oneof![Just("0 B"), Just("3 KB"), Just("40 KB")],
        (ports, response) in (1u16..9, prop_oneof![Just("0 ns"), Just("2 us")]),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let switch = lossless(&[
            ("pool", "20 MB"),
            ("ports_per_pool", &alloc::format!("{ports}")),
            ("pfc.pause_above", threshold),
            ("pfc.response", response),
            // The last packet of a flow may have a byte of data.
            ("pfc.smallest_packet", "53 B"),
        ]);
        let transport = which.map_or(datagrams(40), transport);
        let flows = some_flows(hosts, count, largest, seed ^ 5);
        let whole = run(&graph, (1, false), &switch, &transport, &flows);
        prop_assert!(whole.0.3.is_empty(), "{:?}", whole.0.3);
        for cut in [(3, false), (3, true)] {
            prop_assert_eq!(&run(&graph, cut, &switch, &transport, &flows), &whole);
        }
    }
}

/// Five switches in a ring, each with a host that sends to the one after the next: every link of
/// the ring carries what waits for the next one.
fn ring(given: &[(&str, &str)]) -> Network<AnySwitch> {
    let mut graph = Graph { hosts: 5, switches: 5, links: Vec::new() };
    for n in 0..5 {
        graph.connect(Node::Host(n), Node::Switch(n), link(10, 1));
        graph.connect(Node::Switch(n), Node::Switch((n + 1) % 5), link(10, 1));
    }
    let switch = lossless(&[&[("pfc.pause_above", "6 KB")], given].concat());
    let rto = RtoConfig {
        initial: Duration::from_ms(1),
        min: Duration::from_ms(1),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { rto, initial_window: 200, ..SenderConfig::default() };
    let window = Transport::window(sender, congestion_controls().named("new-reno").unwrap());
    let mut network = Network::of(&switch, &graph, fair(window.unwrap())).unwrap();
    let flow = |n| Flow::new(n, (n + 2) % 5, Bytes::new(3_000_000), Time::ZERO);
    network.add_flows((0..5).map(flow).collect::<Vec<_>>()).unwrap();
    network
}

#[test]
fn a_ring_deadlocks_and_says_so() {
    let mut network = ring(&[]);
    network.run_until(Time::ZERO + Duration::from_ms(20)).unwrap();
    let (nodes, class) = network.deadlock().unwrap();
    assert_eq!((nodes, class), ((0..5).map(Node::Switch).collect(), 0));
    assert_eq!((network.finished(), network.losses().len()), (0, 0));
}

#[test]
fn a_watchdog_breaks_a_deadlock() {
    let mut network = ring(&[("pfc.watchdog", "2 ms"), ("pfc.restore", "1 ms")]);
    network.run_until(Time::ZERO + Duration::from_ms(500)).unwrap();
    assert_eq!((network.deadlock(), network.finished()), (None, 5));
    let counts = network.pause_counts().unwrap();
    assert!(counts.watchdog > 0 && counts.blocked >= Duration::from_ms(2), "{counts:?}");
    assert!(network.losses().iter().all(|loss| loss.cause == DropCause::Watchdog));
}

/// The link that is paused fails, and with it the frame that would end the pause.
#[test]
fn a_pause_ends_with_its_link() {
    let graph = Graph::star(4, link(10, 1));
    let switch = lossless(&[("pfc.pause_above", "6 KB")]);
    let mut network = Network::of(&switch, &graph, fair(transport("new-reno"))).unwrap();
    let flow = |n| Flow::new(n, 3, Bytes::new(2_000_000), Time::ZERO);
    network.add_flows([flow(0), flow(1), flow(2)]).unwrap();
    network.fail_link(at_ns(400_000), 0).unwrap();
    network.repair_link(at_ns(900_000), 0).unwrap();
    network.run().unwrap();
    assert_eq!(network.finished(), 3);
    assert!(network.losses().iter().all(|loss| loss.cause == DropCause::LinkDown));
    assert!(network.pauses().any(|one| one.from == Node::Host(0)));
}

/// Of two classes that share every link one is paused; the other is served as if it were alone.
#[test]
fn only_the_paused_class_waits() {
    let graph = Graph::star(4, link(10, 1));
    let mut config = SwitchConfig::OnChip(OnChipConfig::named("dt").unwrap());
    let given = [
        ("classes", "2"),
        ("scheduler", "strict-priority"),
        ("pfc.lossless", "1"),
        ("pfc.pause_above", "9 KB"),
    ];
    set(&mut config, &given).unwrap();
    let mut network = Network::of(&config, &graph, fair(datagrams(10))).unwrap();
    let flow =
        |src, dst, class| Flow { class, ..Flow::new(src, dst, Bytes::new(1448 * 200), Time::ZERO) };
    // Two senders of class 1 to host 3; class 0 of the first goes to host 2, which is idle.
    network.add_flows([flow(0, 3, 1), flow(1, 3, 1), flow(0, 2, 0)]).unwrap();
    network.run().unwrap();
    assert_eq!((network.losses(), network.finished()), (Vec::new(), 3));
    let paused: Vec<_> = network.pauses().map(|one| (one.from, one.class)).collect();
    assert_eq!(paused, [(Node::Host(0), 1), (Node::Host(1), 1)]);
    // The two flows of host 0 share its link, and the one of class 0 has it whenever the other is
    // paused: it is done first.
    let done: Vec<_> = network.records().map(|record| record.finish.unwrap()).collect();
    assert!(done[2] < done[0], "{done:?}");
}

#[test]
fn a_host_with_one_queue_is_refused() {
    let graph = Graph::star(2, link(10, 1));
    let made = Network::of(&lossless(&[]), &graph, NetworkConfig::new(transport("cubic")));
    assert_eq!(made.err(), Some(NetworkError::OneQueue));
}

#[test]
fn headroom_that_leaves_no_room_is_refused() {
    let graph = Graph::star(8, link(100, 10));
    let made = Network::of(&lossless(&[("pool", "2 MB")]), &graph, fair(transport("cubic")));
    let error = alloc::string::ToString::to_string(&made.err().unwrap());
    assert!(error.starts_with("pool: headroom and reservations of "), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Nor in a hybrid buffer, whose headroom is SRAM, whichever scheme moves what.
    #[test]
    fn nothing_is_lost_in_a_hybrid_buffer(
        (hosts, switches, extra) in (2u32..12, 1u32..5, 0u32..3),
        scheme in prop::sample::select(HYBRIDS),
        which in prop_oneof![Just(None), Just(Some("new-reno"))],
        (count, largest) in (1u64..30, prop_oneof![Just(3_000u64), Just(400_000u64)]),
        threshold in prop_oneof![Just("0 B"), Just("3 KB"), Just("40 KB")],
        (staging, rows) in prop::sample::select(&[("4 KB", "1"), ("4 KB", "64"), ("64 KB", "1")][..]),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let switch = deep(scheme, &[
            ("pfc.pause_above", threshold),
            ("pfc.smallest_packet", "53 B"),
            ("staging", staging),
            ("hbm.rows", rows),
        ]);
        let transport = which.map_or(datagrams(40), transport);
        let flows = some_flows(hosts, count, largest, seed ^ 5);
        let whole = run(&graph, (1, false), &switch, &transport, &flows);
        prop_assert!(whole.0.3.is_empty(), "{:?}", whole.0.3);
        for cut in [(3, false), (3, true)] {
            prop_assert_eq!(&run(&graph, cut, &switch, &transport, &flows), &whole);
        }
    }
}

/// Seven hosts send to one through an SRAM that holds little beside its headroom: what does not fit
/// goes to HBM, and pauses come when the HBM is too slow for it, not before.
#[test]
fn a_deep_buffer_pauses_when_its_hbm_cannot_follow() {
    let graph = Graph::star(8, link(100, 1));
    let run = |given: &[(&str, &str)]| {
        let given = [&[("sram", "1500 KB"), ("pfc.smallest_packet", "1500 B")], given].concat();
        let switch = deep("themis", &given);
        let mut network = Network::of(&switch, &graph, fair(datagrams(100))).unwrap();
        let flow = |n| Flow::new(n, 7, Bytes::new(2_000_000), Time::ZERO);
        network.add_flows((0..7).map(flow).collect::<Vec<_>>()).unwrap();
        network.run().unwrap();
        assert_eq!((network.losses(), network.finished()), (Vec::new(), 7));
        network.pause_counts().unwrap().asked
    };
    let (slow, small) = (run(&[("hbm.pseudo_channels", "2")]), run(&[("staging", "4 KB")]));
    assert!(slow > 0 && small > 0, "{slow} {small}");
    assert_eq!(run(&[]), 0);
}

/// The HBM is soon full of the long flows' packets, and those of the short ones, which leave first,
/// wait in staging behind packets that must not be lost and find no room there.
#[test]
fn a_full_hbm_drains_to_the_end() {
    let graph = Graph::star(8, link(100, 1));
    for scheme in HYBRIDS {
        let switch = deep(
            scheme,
            &[
                ("sram", "1500 KB"),
                ("pfc.smallest_packet", "1500 B"),
                ("hbm.rows", "1"),
                ("hbm.bank_groups", "1"),
                ("hbm.banks_per_group", "2"),
            ],
        );
        let mut network = Network::of(&switch, &graph, fair(datagrams(100))).unwrap();
        let flow = |n| {
            let bytes = Bytes::new(2_000_000 / (1 + u64::from(n)));
            Flow::new(n, 6 + n % 2, bytes, Time::ZERO + Duration::from_us(u64::from(n)) * 20)
        };
        network.add_flows((0..6).map(flow).collect::<Vec<_>>()).unwrap();
        network.run().unwrap();
        assert_eq!((network.losses(), network.finished()), (Vec::new(), 6), "{scheme}");
        assert_eq!(network.live_packets(), 0, "{scheme}");
    }
}

/// While the port sends the first, the second packet is written to HBM, and nothing more arrives
/// that would begin its read.
#[test]
fn the_last_packet_comes_back_from_hbm() {
    for scheme in HYBRIDS {
        let mut graph = Graph { hosts: 2, switches: 1, links: Vec::new() };
        graph.connect(Node::Host(0), Node::Switch(0), link(100, 1));
        graph.connect(Node::Host(1), Node::Switch(0), link(1, 1));
        // No packet is within its input's threshold, so that all go to HBM.
        let switch = deep(scheme, &[("pfc.pause_above", "1 B")]);
        let mut network = Network::of(&switch, &graph, fair(datagrams(100))).unwrap();
        network.add_flows([Flow::new(0, 1, Bytes::new(2 * 1448), Time::ZERO)]).unwrap();
        network.run().unwrap();
        assert_eq!((network.finished(), network.live_packets()), (1, 0), "{scheme}");
    }
}

/// It would have to take packets out of a port's one order.
#[test]
fn a_watchdog_is_not_for_hybrid_buffers() {
    let mut config = SwitchConfig::Hybrid(HybridConfig::named("themis").unwrap());
    let given = [("pfc.lossless", "0"), ("pfc.watchdog", "1 ms")];
    let error = set(&mut config, &given).unwrap_err();
    assert_eq!(error.name(), "pfc.watchdog");
}
