//! Cut into partitions, a network does the same.

use super::*;
use crate::measure::{FlowRecord, LossCount, Totals};
use crate::network::{LinkUse, NetworkRunError, Nic};
use proptest::prelude::*;

/// Everything that a run shows.
pub(super) type Observed = (
    Result<(), NetworkRunError>,
    Vec<FlowRecord>,
    Totals,
    Vec<LossCount>,
    Vec<LinkUse>,
    (Time, u64),
);

pub(super) fn outcome<S: SwitchModel>(
    network: &Network<S>,
    result: Result<(), NetworkRunError>,
) -> Observed {
    let at = (network.now(), network.live_packets());
    let links = network.links().collect();
    (result, network.records().collect(), network.totals(), network.losses(), links, at)
}

/// A random connected graph: a tree of switches with extra links, hosts anywhere, unlike links.
pub(super) fn random_graph(hosts: u32, switches: u32, extra: u32, seed: u64) -> Graph {
    let draw = |n: u32, salt: u64, below: u32| {
        (mix(mix(seed ^ salt << 40) ^ u64::from(n)) % u64::from(below)) as u32
    };
    let any_link = |n| link(u64::from(1 + draw(n, 1, 40)), u64::from(1 + draw(n, 2, 9)));
    let mut graph = Graph { hosts, switches, links: Vec::new() };
    for host in 0..hosts {
        let switch = Node::Switch(draw(host, 3, switches));
        graph.connect(Node::Host(host), switch, any_link(host));
    }
    for switch in 1..switches {
        let other = Node::Switch(draw(switch, 4, switch));
        graph.connect(Node::Switch(switch), other, any_link(switch ^ 1 << 20));
    }
    for n in 0..extra {
        let (a, b) = (draw(n, 5, switches), draw(n, 6, switches));
        if a != b {
            graph.connect(Node::Switch(a), Node::Switch(b), any_link(n ^ 1 << 21));
        }
    }
    graph
}

/// What is asked of a network: flows from the start, flows that are added between two runs, and
/// what happens to a link.
struct Story<'a> {
    flows: &'a [Flow],
    later: &'a [Flow],
    failure: Option<Failures>,
}

struct Failures {
    link: usize,
    at: Time,
    repaired: bool,
}

fn run(
    graph: &Graph,
    (partitions, threads): (usize, bool),
    name: &str,
    limit: u64,
    story: &Story<'_>,
) -> [Observed; 2] {
    let mut config = NetworkConfig::new(transport(name));
    (config.partitions, config.max_timeouts) = (partitions, 6);
    config.detection = Duration::from_us(30);
    config.nic = if limit.is_multiple_of(2) { Nic::Fifo } else { Nic::Fair };
    let switch = PortLimits { limit: Bytes::new(limit), mark_above: Some(Bytes::new(20_000)) };
    let mut network = Network::new(graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
    network.add_flows(story.flows).unwrap();
    if let &Some(Failures { link, at, repaired }) = &story.failure {
        network.fail_link(at, link).unwrap();
        if repaired {
            network.repair_link(at + Duration::from_us(400), link).unwrap();
        }
    }
    [Time::ZERO + Duration::from_us(300), Time::MAX].map(|stop| {
        let result =
            if threads { network.run_parallel_until(stop) } else { network.run_until(stop) };
        let observed = outcome(&network, result);
        if stop < Time::MAX {
            // A failure may have left no path.
            let _ = network.add_flows(story.later);
        }
        observed
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Flows that get stuck and links that fail included.
    #[test]
    fn results_do_not_depend_on_the_partitions(
        (hosts, switches, extra) in (2u32..14, 1u32..9, 0u32..8),
        name in prop_oneof![Just("new-reno"), Just("cubic"), Just("dctcp")],
        // Below 1500 bytes no full packet passes, and long flows are stuck.
        limit in prop_oneof![1 => 1_000u64..1_500, 6 => 3_000u64..60_000],
        (flows, later) in (1u64..40, 0u64..10),
        largest in prop_oneof![Just(3_000u64), Just(300_000u64)],
        failure in proptest::option::of((any::<proptest::sample::Index>(), 0u64..600, any::<bool>())),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let flows = some_flows(hosts, flows, largest, seed ^ 5);
        let later = some_flows(hosts, later, largest, seed ^ 6);
        let failure = failure.map(|(link, us, repaired)| Failures {
            link: link.index(graph.links.len()),
            at: Time::ZERO + Duration::from_us(us),
            repaired,
        });
        let story = Story { flows: &flows, later: &later, failure };
        let run = |how| run(&graph, how, name, limit, &story);
        let whole = run((1, false));
        for how in [(2, false), (3, false), (2, true), (4, true)] {
            prop_assert_eq!(&run(how), &whole);
        }
    }
}

#[test]
fn a_leaf_spine_is_the_same_on_threads() {
    let (graph, flows) = (small_leaf_spine(), some_flows(12, 120, 400_000, 11));
    let story = Story { flows: &flows, later: &[], failure: None };
    let whole = run(&graph, (1, false), "dctcp", 40_000, &story);
    assert!(whole[1].2.dropped.packets > 0 && whole[1].0.is_ok());
    for partitions in [2, 3, 4] {
        assert_eq!(run(&graph, (partitions, true), "dctcp", 40_000, &story), whole);
    }
}

/// Some racks have nothing to do and others much when a run ends, so their event queues have come
/// unlike far: what is added begins where the run ended, in each of them. (Found by a fuzzer.)
#[test]
fn what_is_added_between_runs_begins_at_the_end_of_the_last() {
    let (graph, flows) = (small_leaf_spine(), some_flows(12, 20, 60_000, 3));
    let past = Flow::new(5, 1, Bytes::new(1_000), Time::ZERO);
    let ends = (1..400).map(|step| Time::ZERO + Duration::from_ns(2_000 * step + 77));
    let begins = |partitions, end| {
        let mut config = NetworkConfig::new(transport("new-reno"));
        config.partitions = partitions;
        let limits = PortLimits::default();
        let mut network =
            Network::new(&graph, config, |s| DropTailSwitch::new(s, &limits)).unwrap();
        network.add_flows(&flows).unwrap();
        network.run_until(end).unwrap();
        network.add_flows([past, Flow { src: 9, dst: 2, ..past }]).unwrap();
        network.run().unwrap();
        network.records().map(|record| record.finish).collect::<Vec<_>>()
    };
    for end in ends {
        let whole = begins(1, end);
        assert!(whole.iter().rev().take(2).all(|&finish| finish > Some(end)));
        for partitions in [2, 3] {
            assert_eq!(begins(partitions, end), whole, "{end:?}");
        }
    }
}

/// A switch that panics on one thread ends the run on all of them.
#[test]
#[should_panic(expected = "scoped thread panicked")]
fn a_panic_on_one_thread_is_passed_on() {
    let mut config = NetworkConfig::new(transport("new-reno"));
    config.partitions = 3;
    let mut network = Network::new(&small_leaf_spine(), config, |shape| {
        let fails = shape.index == 1;
        let note = move |now: Time, _packet: &Handle, _: Bytes| {
            assert!(!fails || now < Time::ZERO + Duration::from_us(100), "on purpose");
        };
        Watched { inner: DropTailSwitch::new(shape, &PortLimits::default()), note }
    })
    .unwrap();
    network.add_flows(some_flows(12, 50, 300_000, 2)).unwrap();
    let _ = network.run_parallel();
}
