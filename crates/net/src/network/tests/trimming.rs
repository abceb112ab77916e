//! Flows that their receivers pull, over switches that trim, in whole networks.

use super::parallel::{outcome, random_graph};
use super::*;
use crate::network::{HostConfig, NetworkError, Nic, Trimming};
use crate::route::{Balance, BalanceConfig};
use crate::transport::{PullConfig, PullTransport};
use forebay_parameters::set;
use forebay_switch::{AnySwitch, SwitchConfig};
use proptest::prelude::*;

/// Packets of 9000 bytes.
const PAYLOAD: Bytes = Bytes::new(8_948);

fn ndp(first_window: u32) -> NetworkConfig {
    let config = PullConfig { first_window, ..PullConfig::default() };
    let transport = Transport::Pull(PullTransport { mtu: PAYLOAD, config });
    NetworkConfig { nic: Nic::Fair, ..NetworkConfig::new(transport) }
}

fn sprayed(config: NetworkConfig, balance: Balance) -> NetworkConfig {
    NetworkConfig { balance: BalanceConfig { balance, ..BalanceConfig::default() }, ..config }
}

/// Ports with queues of so many packets, which trim.
fn trimming(packets: u64, given: &[(&str, &str)]) -> SwitchConfig {
    let limit = Bytes::new(9_000 * packets);
    let mut switch = SwitchConfig::named("drop-tail").unwrap().with_buffer(limit);
    set(&mut switch, &[&[("trim", "true")], given].concat()).unwrap();
    switch
}

fn made(network: &Network<AnySwitch>) -> Trimming {
    network.trimming().unwrap()
}

/// So many hosts of 100 Gb/s send so much each to another at once.
fn incast(degree: u32, bytes: u64, switch: &SwitchConfig) -> Network<AnySwitch> {
    let graph = Graph::star(degree + 1, link(100, 1));
    let mut network = Network::of(switch, &graph, ndp(30)).unwrap();
    let flow = |src| Flow::new(src, degree, Bytes::new(bytes), Time::ZERO);
    network.add_flows((0..degree).map(flow).collect::<Vec<_>>()).unwrap();
    network.run().unwrap();
    network
}

/// Packets and bytes: made is arrived, lost, cut off or there.
fn assert_conserved(network: &Network<AnySwitch>) {
    let totals = network.totals();
    let accounted = totals.arrived.packets + totals.dropped.packets + network.live_packets();
    assert_eq!(totals.made.packets, accounted);
    let ended = |record: crate::measure::FlowRecord| record.transit.packets + record.transit.lost;
    let sent: u64 = network.senders().map(|sender| sender.segments).sum();
    assert!(network.records().map(ended).sum::<u64>() <= sent);
    if network.live_packets() == 0 {
        let cut = made(network).trimmed.bytes;
        assert_eq!(totals.made.bytes, totals.arrived.bytes + totals.dropped.bytes + cut);
        assert_eq!(network.records().map(ended).sum::<u64>(), sent);
    }
}

/// A flow within its first window, and one that is pulled for most of its length, are as fast as
/// the empty network lets them be.
#[test]
fn a_lone_flow_is_ideal() {
    for bytes in [100, 200_000, 5_000_000] {
        let mut network = Network::of(&trimming(8, &[]), &small_leaf_spine(), ndp(30)).unwrap();
        network.add_flows([Flow::new(0, 11, Bytes::new(bytes), Time::ZERO)]).unwrap();
        network.run().unwrap();
        let record = network.records().next().unwrap();
        assert_eq!(record.fct(), Some(record.ideal), "{bytes}");
        assert_eq!((record.sender.resent, made(&network).trimmed.packets), (0, 0));
    }
}

/// The last link is busy from the first packet to the last, and no timer is needed.
#[test]
fn an_incast_takes_the_time_of_its_bytes() {
    for degree in [8, 64] {
        let network = incast(degree, 450_000, &trimming(8, &[]));
        assert_conserved(&network);
        let counts = made(&network);
        // Of 64 first windows not all headers find room: 1125 of them fill their queue.
        assert_eq!((network.finished(), counts.returned > 0), (degree as usize, degree == 64));
        assert!(network.losses().is_empty() && network.senders().all(|one| one.timeouts == 0));
        assert!(counts.trimmed.packets > 0);
        assert_eq!(counts.nacks, counts.trimmed.packets - counts.returned);
        let packets = u64::from(degree) * 450_000_u64.div_ceil(PAYLOAD.get());
        let busy =
            Rate::from_gbps(100).time_for(Bytes::new(450_000 * u64::from(degree) + 52 * packets));
        let last = network.records().filter_map(|record| record.finish).max().unwrap();
        let over = last.as_ps() as f64 / busy.as_ps() as f64;
        assert!((1.0..1.04).contains(&over), "{degree}: {over}");
    }
}

/// Flows of a host share its pulls: of two that begin together, both get half.
#[test]
fn flows_to_a_host_are_pulled_in_turn() {
    let graph = Graph::star(3, link(100, 1));
    let mut network = Network::of(&trimming(8, &[]), &graph, ndp(30)).unwrap();
    let flow = |src| Flow::new(src, 2, Bytes::new(1 << 32), Time::ZERO);
    network.add_flows([flow(0), flow(1)]).unwrap();
    let mut after = |us| {
        network.run_until(Time::ZERO + Duration::from_us(us)).unwrap();
        [0, 1].map(|flow| network.delivered(flow).get() as f64)
    };
    let (before, end) = (after(500), after(2_500));
    let rates = [0, 1].map(|flow| (end[flow] - before[flow]) * 8.0 / 2e6);
    // Headers and pulls take what is missing.
    assert!(rates.iter().all(|rate| (48.0..50.0).contains(rate)), "{rates:?}");
}

/// Headers that find no room come back once; without that they are lost, and timers find it.
#[test]
fn headers_without_room_come_back() {
    let full = ("trim_header_limit", "640 B");
    let returning = incast(32, 450_000, &trimming(8, &[full]));
    let losing = incast(32, 450_000, &trimming(8, &[full, ("trim_returns", "false")]));
    for network in [&returning, &losing] {
        assert_eq!(network.finished(), 32);
        assert_conserved(network);
    }
    assert!(made(&returning).returned > 0 && made(&losing).returned == 0);
    let timeouts =
        |network: &Network<AnySwitch>| network.senders().map(|sender| sender.timeouts).sum::<u32>();
    assert!(timeouts(&losing) > timeouts(&returning));
    let last = |network: &Network<AnySwitch>| network.records().filter_map(|r| r.finish).max();
    assert!(last(&returning) < last(&losing));
}

/// What leaves a link that is overloaded for good: ten headers of 64 bytes for each packet of 9000,
/// whatever the number of senders.
#[test]
fn headers_do_not_starve_data() {
    for senders in [2, 20, 100] {
        let rate = Rate::from_gbps(100);
        let transport = Transport::Datagrams { payload: PAYLOAD, rate };
        let config = NetworkConfig { nic: Nic::Fair, ..NetworkConfig::new(transport) };
        let graph = Graph::star(senders + 1, link(100, 1));
        let mut network = Network::of(&trimming(8, &[]), &graph, config).unwrap();
        let flow = |src| Flow::new(src, senders, Bytes::new(1 << 40), Time::ZERO);
        network.add_flows((0..senders).map(flow).collect::<Vec<_>>()).unwrap();
        network.run_until(Time::ZERO + Duration::from_ms(2)).unwrap();
        let delivered: u64 = (0..senders).map(|flow| network.delivered(flow).get()).sum();
        let share = delivered as f64 * 8.0 / (100e9 * 2e-3) * 9_000.0 / PAYLOAD.get() as f64;
        // With two senders fewer than ten headers come for each packet.
        let most = if senders == 2 { 1.0 } else { 9_000.0 / 9_640.0 };
        assert!((most - 0.02..most + 0.001).contains(&share), "{senders}: {share}");
    }
}

#[test]
fn hosts_that_do_not_know_headers_are_refused() {
    let error = |control: &str| {
        let mut hosts = HostConfig::default();
        set(&mut hosts, &[("control", control)]).unwrap();
        let config = NetworkConfig::new(hosts.transport(hosts.sender()).unwrap());
        Network::of(&trimming(8, &[]), &Graph::star(3, link(10, 1)), config).err()
    };
    for control in ["new-reno", "dctcp", "dcqcn", "hpcc"] {
        assert_eq!(error(control), Some(NetworkError::Trimmed), "{control}");
    }
    assert_eq!(error("ndp"), None);
}

#[test]
fn what_pulled_flows_do_not_read_is_refused() {
    for (name, value) in [
        ("min_rto", "1 ms"),
        ("recovery", "selective"),
        ("initial_window", "20"),
        ("receive_window", "1 MB"),
        ("telemetry_bytes", "42 B"),
        ("hpcc_target", "0.9"),
    ] {
        let mut hosts = HostConfig::default();
        let error = set(&mut hosts, &[("control", "ndp"), (name, value)]).unwrap_err();
        assert_eq!(error.name(), name);
    }
    let mut hosts = HostConfig::default();
    assert!(set(&mut hosts, &[("ndp_first_window", "8")]).is_err());
    set(&mut hosts, &[("control", "ndp"), ("ndp_first_window", "8"), ("ndp_timeout", "0 s")])
        .unwrap();
    let refused = hosts.transport(hosts.sender()).unwrap_err();
    assert_eq!(refused.parameter(), "ndp_timeout");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever the graph, the queues and the balance: every flow ends, no sooner than it could,
    /// nothing is lost track of, and any number of threads does the same.
    #[test]
    fn every_flow_ends_and_threads_change_nothing(
        (hosts, switches, extra) in (2u32..14, 1u32..9, 0u32..8),
        (packets, window) in (1u64..9, 1u32..40),
        header_limit in prop_oneof![Just("64 B"), Just("1 KB"), Just("0 B")],
        nic in prop_oneof![Just(Nic::Fifo), Just(Nic::Fair)],
        balance in prop::sample::select(alloc::vec![
            Balance::Ecmp, Balance::Permuted, Balance::Adaptive,
        ]),
        (flows, largest) in (1u64..40, prop_oneof![Just(3_000u64), Just(600_000u64)]),
        fails in proptest::option::of(0usize..30),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let flows = some_flows(hosts, flows, largest, seed ^ 5);
        let switch = trimming(packets, &[("trim_header_limit", header_limit)]);
        let run = |partitions| {
            let config = NetworkConfig { nic, partitions, ..sprayed(ndp(window), balance) };
            let mut network = Network::of(&switch, &graph, config).unwrap();
            network.add_flows(&flows).unwrap();
            if let Some(link) = fails {
                let (link, at) = (link % graph.links.len(), Time::ZERO + Duration::from_us(100));
                network.fail_link(at, link).unwrap();
                network.repair_link(at + Duration::from_us(400), link).unwrap();
            }
            let result = network.run_parallel();
            assert_conserved(&network);
            (outcome(&network, result), made(&network))
        };
        let whole = run(1);
        prop_assert!(whole.0.0.is_ok());
        for record in &whole.0.1 {
            prop_assert_eq!(record.delivered, record.flow.bytes);
            // Other paths than the usual one may be faster.
            let is_usual = fails.is_none() && balance == Balance::Ecmp;
            prop_assert!(!is_usual || record.fct() >= Some(record.ideal), "{record:?}");
        }
        prop_assert_eq!(&run(2), &whole);
        prop_assert_eq!(&run(4), &whole);
    }
}

/// Every host of a fat-tree sends to one other, with queues of eight packets, over all paths.
#[test]
fn a_permutation_fills_a_fat_tree() {
    let graph = FatTree::k_ary(4, link(10, 1)).unwrap().graph().unwrap();
    let share = |balance| {
        let config = sprayed(ndp(30), balance);
        let mut network = Network::of(&trimming(8, &[]), &graph, config).unwrap();
        let flow = |src| Flow::new(src, (src + 5) % 16, Bytes::new(1 << 34), Time::ZERO);
        network.add_flows((0..16).map(flow).collect::<Vec<_>>()).unwrap();
        let mut delivered = |us: u64| {
            network.run_until(Time::ZERO + Duration::from_us(10 * us)).unwrap();
            (0..16).map(|flow| network.delivered(flow).get()).sum::<u64>() as f64
        };
        let before = delivered(500);
        (delivered(1_500) - before) * 8.0 / (16.0 * 10e9 * 10e-3)
    };
    let shares = [Balance::Ecmp, Balance::Spray, Balance::Permuted].map(share);
    println!("{shares:?}");
    assert!(shares[0] < 0.7 && shares[1..].iter().all(|share| *share > 0.9), "{shares:?}");
}
