//! What is planned happens as if an event had told that each transmitter is free.

use super::parallel::{Observed, outcome, random_graph};
use super::*;
use proptest::prelude::*;

/// When the network stops to plan.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Until {
    Start,
    Middle,
    Never,
}

struct Case {
    graph: Graph,
    flows: Vec<Flow>,
    control: &'static str,
    limit: u64,
    /// A link that fails, and after how many microseconds more.
    failure: Option<(usize, u64)>,
}

impl Case {
    /// What is seen in the middle and at the end, and the bytes that wait in each switch.
    fn run(&self, partitions: usize, until: Until) -> [(Observed, Vec<Bytes>); 2] {
        let mut config = NetworkConfig::new(transport(self.control));
        (config.partitions, config.max_timeouts) = (partitions, 6);
        let switch =
            PortLimits { limit: Bytes::new(self.limit), mark_above: Some(Bytes::new(20_000)) };
        let mut network =
            Network::new(&self.graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
        network.add_flows(&self.flows).unwrap();
        let middle = Time::ZERO + Duration::from_us(300);
        [(Until::Start, middle), (Until::Middle, Time::MAX)].map(|(when, stop)| {
            if until == when {
                network.stop_planning();
            }
            if let Some((link, us)) = self.failure
                && when == Until::Middle
            {
                network.fail_link(middle + Duration::from_us(us), link).unwrap();
                network.repair_link(middle + Duration::from_us(us + 400), link).unwrap();
            }
            let result = network.run_until(stop);
            let mut outcome = outcome(&network, result);
            // The only thing that may differ: how many events there were, and when the last one
            // was.
            (outcome.2.events, outcome.5.0) = (0, Time::ZERO);
            (outcome, network.switches().map(SwitchModel::backlog).collect())
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn plans_change_nothing(
        (hosts, switches, extra) in (2u32..14, 1u32..9, 0u32..8),
        control in prop_oneof![Just("new-reno"), Just("dctcp")],
        limit in prop_oneof![1 => 1_000u64..1_500, 6 => 3_000u64..60_000],
        (flows, largest) in (1u64..40, prop_oneof![Just(3_000u64), Just(300_000u64)]),
        failure in proptest::option::of((any::<proptest::sample::Index>(), 0u64..600)),
        seed in any::<u64>(),
    ) {
        let graph = random_graph(hosts, switches, extra, seed);
        let flows = some_flows(hosts, flows, largest, seed ^ 5);
        let failure = failure.map(|(link, us)| (link.index(graph.links.len()), us));
        let case = Case { graph, flows, control, limit, failure };
        let expected = case.run(1, Until::Start);
        for (partitions, until) in [(1, Until::Middle), (1, Until::Never), (3, Until::Middle)] {
            prop_assert_eq!(&case.run(partitions, until), &expected, "{} {:?}", partitions, until);
        }
    }
}

/// Full queues, drops and marks.
#[test]
fn a_busy_leaf_spine_is_the_same_without_plans() {
    for control in ["new-reno", "dctcp"] {
        let (graph, flows) = (small_leaf_spine(), some_flows(12, 120, 400_000, 11));
        let case = Case { graph, flows, control, limit: 40_000, failure: None };
        let expected = case.run(1, Until::Start);
        let waiting = expected[0].1.iter().any(|&bytes| bytes > Bytes::ZERO);
        assert!(waiting && expected[1].0.2.dropped.packets > 0);
        for until in [Until::Middle, Until::Never] {
            assert!(case.run(1, until) == expected && case.run(2, until) == expected);
        }
    }
}

/// Without an event per packet that had to wait, there are hardly more events than packets sent.
#[test]
fn a_packet_is_one_event_a_link() {
    let mut network = network(&small_leaf_spine(), transport("new-reno"), 40_000);
    network.add_flows(some_flows(12, 120, 400_000, 11)).unwrap();
    network.run().unwrap();
    let totals = network.totals();
    assert!(totals.events * 100 < totals.packet_hops * 103, "{totals:?}");
}
