//! Credit-based flow control in whole networks.

use super::parallel::{Observed, outcome, random_graph};
use super::*;
use crate::network::{NetworkError, Nic, PauseRecord};
use forebay_parameters::set;
use forebay_switch::{
    AnySwitch, DropCause, OnChip, OnChipConfig, PauseCounts, SwitchConfig, SwitchShape,
};
use proptest::prelude::*;

/// Dynamic Threshold whose one class needs credit, and these parameters.
fn granted(given: &[(&str, &str)]) -> SwitchConfig {
    let mut config = SwitchConfig::OnChip(OnChipConfig::named("dt").unwrap());
    set(&mut config, &[("pfc.lossless", "0"), ("pfc.form", "credits")]).unwrap();
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

/// 400 packets of 1.2 µs over two links, with room for so many packets at the end of each: when
/// they are complete, and how long host 0 waited for credit.
///
/// From when a packet begins until its room is granted again, there pass the packet, twice 10 µs of
/// cable, 51.2 ns of frame and 2748.8 ns of response: 24 µs, the time of 20 packets.
fn line(packets: u32, given: &[(&str, &str)]) -> (Duration, Duration) {
    let graph = Graph::star(2, link(10, 10));
    let buffer = alloc::format!("{} B", packets * 1500);
    let own = [
        ("pool", "300 KB"),
        ("cell", "1500 B"),
        ("pfc.response", "2748800 ps"),
        ("credits.buffer", &buffer),
    ];
    let switch = granted(&[&own, given].concat());
    let mut network = Network::of(&switch, &graph, fair(datagrams(10))).unwrap();
    network.add_flows([Flow::new(0, 1, Bytes::new(400 * 1448), Time::ZERO)]).unwrap();
    network.run().unwrap();
    network.audit_credits();
    let first = network.pauses().find(|one| one.from == Node::Host(0));
    let finish = network.records().next().and_then(|record| record.finish).unwrap();
    (finish.since(Time::ZERO), first.map_or(Duration::ZERO, |one| one.paused))
}

#[test]
fn a_buffer_below_the_round_trip_starves_its_link() {
    let at = |ps: u64| Duration::from_ps(ps);
    // The last packet begins when 399 are sent, and passes two links.
    let ideal = at(400 * 1_200_000 + 1_200_000 + 2 * 10_000_000);
    assert_eq!(line(20, &[]), (ideal, Duration::ZERO), "as much as passes until it is granted");
    assert_eq!(line(0, &[]), (ideal, Duration::ZERO), "computed");
    // So many packets in 24 µs: a buffer a round trip.
    for packets in [19, 10, 1] {
        let (rounds, last) = (399 / packets, 399 % packets);
        let begun = at(u64::from(rounds) * 24_000_000 + u64::from(last) * 1_200_000);
        let waited = at(u64::from(rounds) * (24_000_000 - u64::from(packets) * 1_200_000));
        let complete = begun + at(2 * (1_200_000 + 10_000_000));
        assert_eq!(line(packets, &[]), (complete, waited), "{packets} packets");
    }
}

/// Where room is granted some packets at a time, the computed buffer has room for these, too; and
/// what is left at the end is granted in time.
#[test]
fn frames_may_grant_several_packets_at_once() {
    let (ideal, _) = line(0, &[]);
    for after in ["1500 B", "7500 B", "30 KB"] {
        let late = [("credits.return_after", after), ("credits.return_within", "50 us")];
        assert_eq!(line(0, &late), (ideal, Duration::ZERO), "{after}");
    }
    // Nineteen packets' room comes back at once, and the first has waited for the last.
    let late = line(19, &[("credits.return_after", "28500 B")]).0;
    assert!(late > line(19, &[]).0 + Duration::from_us(100), "{late}");
}

/// What is seen of flow control.
type Paused = (Vec<PauseRecord>, Option<PauseCounts>);

fn run(
    graph: &Graph,
    (partitions, threads): (usize, bool),
    switch: &SwitchConfig,
    transport: &Transport,
    flows: &[Flow],
) -> (Observed, Paused) {
    let config = NetworkConfig { partitions, ..fair(transport.clone()) };
    let mut network = Network::of(switch, graph, config).unwrap();
    network.add_flows(flows).unwrap();
    let stop = Time::ZERO + Duration::from_ms(3);
    let result = if threads { network.run_parallel_until(stop) } else { network.run_until(stop) };
    network.audit_credits();
    let paused = (network.pauses().collect(), network.pause_counts());
    (outcome(&network, result), paused)
}

/// Buffers, and what must come free before it is granted again.
const BUFFERS: [(&str, Option<&str>); 5] = [
    ("0 B", None),
    ("0 B", Some("6 KB")),
    ("1600 B", None),
    ("1600 B", Some("200 B")),
    ("20 KB", Some("6 KB")),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the graph, the bursts and the buffers: nothing is lost, nobody sends more than was
    /// granted or grants more than there is, and all of it is the same however the network is cut.
    #[test]
    fn nothing_is_lost_and_credit_is_conserved(
        (hosts, switches, extra) in (2u32..12, 1u32..7, 0u32..5),
        which in prop_oneof![Just(None), Just(Some("new-reno")), Just(Some("cubic"))],
        (count, largest) in (1u64..30, prop_oneof![Just(3_000u64), Just(400_000u64)]),
        (buffer, after) in prop::sample::select(&BUFFERS[..]),
        (ports, response) in (1u16..9, prop_oneof![Just("0 ns"), Just("2 us")]),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let mut switch = granted(&[
            ("pool", "20 MB"),
            ("ports_per_pool", &alloc::format!("{ports}")),
            ("credits.buffer", buffer),
            ("pfc.response", response),
        ]);
        if let Some(after) = after {
            let late = [("credits.return_after", after), ("credits.return_within", "30 us")];
            set(&mut switch, &late).unwrap();
        }
        let transport = which.map_or(datagrams(40), transport);
        let flows = some_flows(hosts, count, largest, seed ^ 5);
        let whole = run(&graph, (1, false), &switch, &transport, &flows);
        prop_assert!(whole.0.3.is_empty(), "{:?}", whole.0.3);
        for cut in [(3, false), (3, true)] {
            prop_assert_eq!(&run(&graph, cut, &switch, &transport, &flows), &whole);
        }
    }

    /// The accounts of credit and those of the switches' memories, which know nothing of each
    /// other, agree on what every switch holds.
    #[test]
    fn what_is_held_is_what_the_memories_hold(
        (hosts, switches) in (2u32..12, 1u32..7),
        (count, stop) in (1u64..30, 1u64..400),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, 0, seed);
        let switch = granted(&[("pool", "4 MB"), ("credits.buffer", "9 KB")]);
        let SwitchConfig::OnChip(chip) = &switch else { unreachable!() };
        let flow_control = switch.flow_control();
        let config = NetworkConfig { flow_control, ..fair(datagrams(40)) };
        let make = |shape: &SwitchShape<'_>| OnChip::new(shape, chip).unwrap();
        let mut network = Network::new(&graph, config, make).unwrap();
        network.add_flows(some_flows(hosts, count, 400_000, seed)).unwrap();
        network.run_until(Time::ZERO + Duration::from_us(stop)).unwrap();
        network.audit_credits();
        for (index, switch) in (0..).zip(network.switches()) {
            let held: u32 = switch.pools().iter().map(|pool| pool.headroom().0).sum();
            prop_assert_eq!(network.held_by(index), held);
        }
        network.run().unwrap();
        network.audit_credits();
        prop_assert_eq!(network.finished() as u64, count);
    }
}

/// Five switches in a ring, each with a host that sends so many switches further.
fn ring(hops: u32) -> Network<AnySwitch> {
    let mut graph = Graph { hosts: 5, switches: 5, links: Vec::new() };
    for n in 0..5 {
        graph.connect(Node::Host(n), Node::Switch(n), link(10, 1));
        graph.connect(Node::Switch(n), Node::Switch((n + 1) % 5), link(10, 1));
    }
    let switch = granted(&[("credits.buffer", "9 KB")]);
    let rto = RtoConfig {
        initial: Duration::from_ms(1),
        min: Duration::from_ms(1),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { rto, initial_window: 200, ..SenderConfig::default() };
    let window = Transport::window(sender, congestion_controls().named("new-reno").unwrap());
    let mut network = Network::of(&switch, &graph, fair(window.unwrap())).unwrap();
    let flow = |n| Flow::new(n, (n + hops) % 5, Bytes::new(3_000_000), Time::ZERO);
    network.add_flows((0..5).map(flow).collect::<Vec<_>>()).unwrap();
    network
}

#[test]
fn a_ring_deadlocks_and_says_so() {
    let mut network = ring(2);
    network.run_until(Time::ZERO + Duration::from_ms(20)).unwrap();
    let (nodes, class) = network.deadlock().unwrap();
    assert_eq!((nodes, class), ((0..5).map(Node::Switch).collect(), 0));
    assert_eq!((network.finished(), network.losses().len()), (0, 0));
    network.audit_credits();
}

/// Between neighbours every link is busy, and often without credit, but nobody waits in a circle.
#[test]
fn a_busy_ring_is_no_deadlock() {
    let mut network = ring(1);
    for us in (100..2_000).step_by(37) {
        network.run_until(Time::ZERO + Duration::from_us(us)).unwrap();
        assert_eq!(network.deadlock(), None, "{us} µs");
    }
    assert!(network.pauses().next().is_some());
    network.run().unwrap();
    assert_eq!((network.finished(), network.losses().len()), (5, 0));
}

/// The link fails with frames and packets on it, and while its sender waits for credit; both ends
/// begin anew.
#[test]
fn a_failure_loses_no_credit() {
    let graph = Graph::star(4, link(10, 1));
    for at in [400_000, 400_700, 401_300, 402_000] {
        let switch = granted(&[("credits.buffer", "6 KB")]);
        let mut network = Network::of(&switch, &graph, fair(transport("new-reno"))).unwrap();
        let flow = |n| Flow::new(n, 3, Bytes::new(2_000_000), Time::ZERO);
        network.add_flows([flow(0), flow(1), flow(2)]).unwrap();
        network.fail_link(at_ns(at), 0).unwrap();
        network.repair_link(at_ns(900_000), 0).unwrap();
        network.fail_link(at_ns(1_400_000), 3).unwrap();
        network.repair_link(at_ns(1_500_000), 3).unwrap();
        network.run().unwrap();
        assert_eq!(network.finished(), 3);
        assert!(!network.losses().is_empty());
        assert!(network.losses().iter().all(|loss| loss.cause == DropCause::LinkDown));
        network.audit_credits();
    }
}

/// Of two classes that share every link one lacks credit; the other is served as if it were alone.
#[test]
fn only_the_lane_without_credit_waits() {
    let graph = Graph::star(5, link(10, 1));
    let mut config = SwitchConfig::OnChip(OnChipConfig::named("dt").unwrap());
    let given = [
        ("classes", "2"),
        ("scheduler", "strict-priority"),
        ("pfc.lossless", "1"),
        ("pfc.form", "credits"),
        ("credits.buffer", "9 KB"),
    ];
    set(&mut config, &given).unwrap();
    let mut network = Network::of(&config, &graph, fair(datagrams(10))).unwrap();
    let flow =
        |src, dst, class| Flow { class, ..Flow::new(src, dst, Bytes::new(1448 * 200), Time::ZERO) };
    // Three senders of class 1 to host 3; class 0 of the first goes to host 4, which is idle.
    let flows = [flow(0, 3, 1), flow(1, 3, 1), flow(2, 3, 1), flow(0, 4, 0)];
    network.add_flows(flows).unwrap();
    network.run().unwrap();
    assert_eq!((network.losses(), network.finished()), (Vec::new(), 4));
    let counts = network.pause_counts().unwrap();
    assert!(counts.asked == 0 && counts.headroom_most <= Bytes::new(5 * 9_000), "{counts:?}");
    let paused: Vec<_> = network.pauses().map(|one| (one.from, one.class)).collect();
    assert!((0..3).all(|host| paused.contains(&(Node::Host(host), 1))), "{paused:?}");
    assert!(paused.iter().all(|(_, class)| *class == 1), "{paused:?}");
    assert!(network.credit_frames() > Some(400));
    let done: Vec<_> = network.records().map(|record| record.finish.unwrap()).collect();
    assert!(done[3] < done[0], "{done:?}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let graph = Graph::star(2, link(10, 1));
    let made = Network::of(&granted(&[]), &graph, NetworkConfig::new(transport("cubic")));
    assert_eq!(made.err(), Some(NetworkError::OneQueue));
    let graph = Graph::star(8, link(100, 10));
    let made = Network::of(&granted(&[("pool", "1 MB")]), &graph, fair(transport("cubic")));
    let error = alloc::string::ToString::to_string(&made.err().unwrap());
    assert!(error.starts_with("pool: buffers of inputs and reservations of "), "{error}");
}
