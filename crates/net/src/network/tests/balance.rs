//! Load balancing in whole networks.

use super::parallel::{Observed, outcome, random_graph};
use super::*;
use crate::network::Nic;
use crate::route::{Balance, BalanceConfig};
use forebay_switch::{AnySwitch, OnChipConfig, SwitchConfig};
use forebay_units::Bytes;
use proptest::prelude::*;

const ALL: [Balance; 4] = [Balance::Ecmp, Balance::Flowlet, Balance::Spray, Balance::Adaptive];

fn balance(balance: Balance) -> BalanceConfig {
    let flowlet_gap = Duration::from_us(2);
    BalanceConfig { balance, flowlet_gap, flowlet_entries: 64, ..BalanceConfig::default() }
}

fn balanced(balance: BalanceConfig, partitions: usize) -> NetworkConfig {
    let nic = Nic::Fair;
    let transport = transport("dctcp");
    NetworkConfig { balance, partitions, nic, max_timeouts: 6, ..NetworkConfig::new(transport) }
}

/// Two flows of two hosts to another leaf, over two spines whose links are as fast as the hosts'.
fn two_flows(way: Balance) -> Network<DropTailSwitch> {
    let (host, fabric) = (link(10, 1), link(10, 1));
    let shape = LeafSpine { leaves: 2, spines: 2, hosts_per_leaf: 2, host, fabric };
    let limits = PortLimits { limit: Bytes::new(1_000_000), mark_above: None };
    let config = balanced(balance(way), 1);
    let graph = shape.graph().unwrap();
    let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &limits)).unwrap();
    let flow = |src, dst| Flow::new(src, dst, Bytes::new(5_000_000), Time::ZERO);
    network.add_flows([flow(0, 2), flow(1, 3)]).unwrap();
    network.run().unwrap();
    network
}

/// The bytes that each spine got from the first leaf, in percent of the data.
fn shares(network: &Network<DropTailSwitch>) -> Vec<u64> {
    let links = network
        .links()
        .filter(|link| link.from == Node::Switch(0) && matches!(link.to, Node::Switch(_)));
    links.map(|link| link.sent.get() * 100 / 10_000_000).collect()
}

#[test]
fn by_packet_both_spines_get_half() {
    for way in [Balance::Spray, Balance::Adaptive] {
        let network = two_flows(way);
        assert_eq!(network.finished(), 2);
        let shares = shares(&network);
        assert!(shares.iter().all(|share| (48..=56).contains(share)), "{way:?}: {shares:?}");
    }
}

/// By queue, neither flow ever waits behind the other: both take what a flow alone takes.
#[test]
fn by_queue_two_flows_hardly_slow_each_other_down() {
    let slowdown = |way| {
        let network = two_flows(way);
        let slowdowns = network.records().filter_map(|record| record.slowdown());
        slowdowns.fold(0.0, f64::max)
    };
    let (spray, adaptive) = (slowdown(Balance::Spray), slowdown(Balance::Adaptive));
    assert!(adaptive < 1.1 && adaptive <= spray, "{adaptive} and {spray}");
}

fn run(
    graph: &Graph,
    how: BalanceConfig,
    partitions: usize,
    switch: &SwitchConfig,
    (flows, failure): (&[Flow], Option<usize>),
) -> Observed {
    let config = balanced(how, partitions);
    let mut network: Network<AnySwitch> = Network::of(switch, graph, config).unwrap();
    network.add_flows(flows).unwrap();
    if let Some(link) = failure {
        network.fail_link(Time::ZERO + Duration::from_us(200), link).unwrap();
        network.repair_link(Time::ZERO + Duration::from_us(500), link).unwrap();
    }
    let result = network.run_parallel();
    let observed = outcome(&network, result);
    // Nothing is counted as waiting that does not wait.
    let parts = network.parts.iter().filter_map(|part| part.waiting.as_ref());
    let waits = parts.map(|w| (0..2 * graph.links.len()).map(|c| w.of(c as u32)).sum::<u64>());
    let backlog = network.switches().map(|switch| switch.backlog().get()).sum::<u64>();
    if how.balance == Balance::Adaptive {
        assert_eq!(waits.sum::<u64>(), backlog);
    }
    observed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// However load is balanced, and where switches push packets out or links fail.
    #[test]
    fn results_do_not_depend_on_the_partitions(
        (hosts, switches, extra) in (4u32..14, 2u32..9, 2u32..12),
        way in prop::sample::select(&ALL[..]),
        scheme in prop_oneof![Just("dt"), Just("pushout"), Just("occamy")],
        failure in proptest::option::of(any::<proptest::sample::Index>()),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let flows = some_flows(hosts, 30, 100_000, seed ^ 5);
        let mut switch = SwitchConfig::OnChip(OnChipConfig::named(scheme).unwrap());
        forebay_parameters::set(&mut switch, &[("pool", "40 KB")]).unwrap();
        let failure = failure.map(|link| link.index(graph.links.len()));
        let run = |parts| run(&graph, balance(way), parts, &switch, (&flows, failure));
        let whole = run(1);
        for parts in [2, 4] {
            prop_assert_eq!(&run(parts), &whole);
        }
    }
}

#[test]
fn sprayed_packets_arrive_out_of_order_and_one_flow_does_not() {
    let resent = |way| two_flows(way).senders().map(|sender| sender.resent).sum::<u32>();
    // Nothing is lost: what is sent again was only overtaken.
    assert_eq!(resent(Balance::Ecmp), 0);
    assert!(resent(Balance::Spray) > 0);
}
