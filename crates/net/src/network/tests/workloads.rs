use super::*;
use crate::measure::FlowRecord;
use crate::workload::{
    CollectiveConfig, IncastConfig, Pattern, Repeat, Workload, collective, incast,
};
use alloc::string::ToString;
use proptest::prelude::*;

/// When each gate opened by the arrivals in the records; `None` if it did not.
fn opened(workload: &Workload, records: &[FlowRecord]) -> Vec<Option<Time>> {
    let mut opened: Vec<Option<Time>> = alloc::vec![None; workload.gates().len()];
    // A gate that another waits for may have a higher number: go on until nothing changes.
    loop {
        let mut last = alloc::vec![Some(Time::ZERO); workload.gates().len()];
        let flows = workload.counted().iter().map(|&(f, gate)| (gate, records[f as usize].finish));
        let gates = workload.gates().iter().zip(&opened);
        let gates = gates.filter_map(|(gate, at)| gate.then.map(|then| (then, *at)));
        for (gate, at) in flows.chain(gates) {
            let last = &mut last[gate as usize];
            *last = last.zip(at).map(|(a, b)| a.max(b));
        }
        let open = |(at, gate): (Option<Time>, &crate::workload::Gate)| {
            at.filter(|at| *at + gate.delay < gate.until)
        };
        let now: Vec<_> = last.into_iter().zip(workload.gates()).map(open).collect();
        if now == opened {
            return opened;
        }
        opened = now;
    }
}

/// Every flow that waits began when its gate opened; the others at their start.
fn assert_begun_in_time(workload: &Workload, records: &[FlowRecord]) {
    let opened = opened(workload, records);
    let mut expected: Vec<Time> = workload.flows().iter().map(|flow| flow.start).collect();
    for &(flow, gate) in workload.begun() {
        let delay = workload.gates()[gate as usize].delay;
        let start = expected[flow as usize];
        expected[flow as usize] =
            opened[gate as usize].map_or(Time::MAX, |at| (at + delay).max(start));
    }
    for (index, (record, start)) in records.iter().zip(expected).enumerate() {
        assert_eq!(record.flow.start, start, "flow {index}");
        assert!(record.fct().is_none_or(|fct| fct >= record.ideal), "{record:?}");
    }
}

fn rounds(pattern: Pattern, hosts: u32, bytes: u64, repeat: Repeat) -> Workload {
    collective(&config(pattern, hosts, bytes, repeat)).unwrap()
}

fn config(pattern: Pattern, hosts: u32, bytes: u64, repeat: Repeat) -> CollectiveConfig {
    CollectiveConfig {
        pattern,
        hosts: (0..hosts).collect(),
        bytes: Bytes::new(bytes),
        start: Time::ZERO + Duration::from_us(3),
        at_once: None,
        barrier: false,
        delay: Duration::from_ns(700),
        repeat,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Collectives with losses, beside queries: everything arrives, and nothing begins early or
    /// late.
    #[test]
    fn flows_begin_when_what_they_wait_for_has_arrived(
        pattern in proptest::sample::select(&Pattern::ALL[..]), limit in 8_000u64..100_000, bytes in 12u64..60_000, seed in any::<u64>(),
        at_once in proptest::option::of(1u32..14), barrier in any::<bool>(),
    ) {
        let config =
            CollectiveConfig { at_once, barrier, ..config(pattern, 12, bytes, Repeat::Times(3)) };
        let mut workload = collective(&config).unwrap();
        let span = Duration::from_us(300);
        let queries = IncastConfig {
            request: Some(Bytes::new(64)),
            seed,
            ..IncastConfig::new(12, 6, Bytes::new(40_000), 10_000.0, span)
        };
        workload.append(incast(&queries).unwrap());
        let mut network = network(&small_leaf_spine(), transport("dctcp"), limit);
        network.add_flows(some_flows(12, 5, 10_000, seed)).unwrap();
        prop_assert_eq!(network.add_workload(&workload), Ok(5));
        network.run().unwrap();
        let records: Vec<_> = network.records().skip(5).collect();
        prop_assert!(records.iter().all(|record| record.finish.is_some()));
        assert_begun_in_time(&workload, &records);
    }

    /// With an end, no host begins a round after it, and the run ends.
    #[test]
    fn rounds_end(
        pattern in proptest::sample::select(&Pattern::ALL[..]), us in 1u64..400, bytes in 6u64..9_000,
        at_once in proptest::option::of(1u32..7), barrier in any::<bool>(),
    ) {
        let stop = Time::ZERO + Duration::from_us(us);
        let trip = Duration::from_us(2);
        let repeat = Repeat::Until { stop, rate: Rate::from_gbps(10), trip };
        let config = CollectiveConfig { at_once, barrier, ..config(pattern, 6, bytes, repeat) };
        let workload = collective(&config).unwrap();
        let mut network = network(&Graph::star(6, link(10, 1)), transport("new-reno"), 40_000);
        network.add_workload(&workload).unwrap();
        network.run().unwrap();
        let records: Vec<_> = network.records().collect();
        assert_begun_in_time(&workload, &records);
        let last = records[workload.flows().len() - 1].finish;
        prop_assert!(last.is_none_or(|at| at >= stop), "too few rounds were prepared");
        let begun = records.iter().filter(|r| r.flow.start < Time::MAX).count();
        let least = if at_once.is_some() { 6 } else { 10 };
        prop_assert!(begun >= least);
    }
}

/// Occamy's artifact, for all-reduce: a round begins everywhere when the last has ended everywhere.
#[test]
fn nobody_passes_a_barrier_before_all_have_reached_it() {
    for pattern in Pattern::ALL {
        let repeat = Repeat::Times(3);
        let config = CollectiveConfig { barrier: true, ..config(pattern, 12, 30_000, repeat) };
        let workload = collective(&config).unwrap();
        let mut whole = network(&small_leaf_spine(), transport("dctcp"), 20_000);
        whole.add_workload(&workload).unwrap();
        whole.run().unwrap();
        let records: Vec<_> = whole.records().collect();
        for pair in records.chunks(records.len() / 3).collect::<Vec<_>>().windows(2) {
            let ended = pair[0].iter().filter_map(|record| record.finish).max().unwrap();
            let begun = pair[1].iter().map(|record| record.flow.start).min().unwrap();
            assert_eq!(begun, ended + config.delay, "{pattern}");
        }
        let cut = NetworkConfig { partitions: 3, ..NetworkConfig::new(transport("dctcp")) };
        let switch = PortLimits::default();
        let graph = small_leaf_spine();
        let cut = Network::new(&graph, cut, |shape| DropTailSwitch::new(shape, &switch));
        let mut cut = cut.unwrap();
        let error = cut.add_workload(&workload).unwrap_err().to_string();
        assert!(error.ends_with("run the network in one partition"), "{error}");
    }
}

/// Of eleven others, four, four and three: each step's flows begin when the host has those of the
/// step before.
#[test]
fn an_all_to_all_takes_some_at_a_time() {
    let once = config(Pattern::AllToAll, 12, 30_000, Repeat::Times(1));
    let config = CollectiveConfig { at_once: Some(4), ..once };
    let mut network = network(&Graph::star(12, link(10, 1)), transport("dctcp"), 1 << 20);
    network.add_workload(&collective(&config).unwrap()).unwrap();
    network.run().unwrap();
    let records: Vec<_> = network.records().collect();
    let step = |src: u32, dst: u32| (dst + 12 - src) % 12;
    for host in 0..12 {
        for (before, after) in [(1..5, 5..9), (5..9, 9..12)] {
            let heard = records.iter().filter(|one| one.flow.dst == host);
            let heard = heard.filter(|one| before.contains(&step(one.flow.src, host)));
            let last = heard.filter_map(|one| one.finish).max().unwrap();
            let sent = records.iter().filter(|one| one.flow.src == host);
            let mut sent = sent.filter(|one| after.contains(&step(host, one.flow.dst)));
            assert!(sent.all(|one| one.flow.start == last + config.delay), "host {host}");
        }
    }
}

/// On a network without losses or queues a ring's step takes its flow's ideal time and the delay.
#[test]
fn a_ring_takes_its_steps() {
    let workload = rounds(Pattern::RingAllReduce, 5, 5 * 1448, Repeat::Times(2));
    let mut network = network(&Graph::star(5, link(10, 1)), transport("new-reno"), 1 << 20);
    network.add_workload(&workload).unwrap();
    network.run().unwrap();
    let records: Vec<_> = network.records().collect();
    let (steps, step) = (2 * 2 * 4, records[0].ideal);
    let expected = step * steps + Duration::from_ns(700) * (steps - 1);
    let last = records.iter().filter_map(|record| record.finish).max().unwrap();
    // Acknowledgements go against the data, and take a share of each link.
    let took = last.since(Time::ZERO + Duration::from_us(3));
    assert!(took >= expected && took <= expected + step, "{took} {expected}");
}

/// In recursive halving a host hears from others in turn, and waits for all that came before.
#[test]
fn halving_takes_its_steps_in_order() {
    // Eight in pairs, three beyond.
    let (pairs, extras, steps) = (8, 3, 6);
    let workload = rounds(Pattern::HalvingAllReduce, 11, 800_000, Repeat::Times(1));
    let mut network = network(&Graph::star(11, link(10, 1)), transport("new-reno"), 1 << 20);
    network.add_workload(&workload).unwrap();
    network.run().unwrap();
    let records: Vec<_> = network.records().collect();
    // The extras' vectors, six steps of eight, the extras' sums.
    let stage = |flow: usize| (flow + pairs - extras) / pairs;
    for (number, record) in records.iter().enumerate() {
        let heard = records.iter().enumerate().filter(|(other, one)| {
            stage(*other) < stage(number) && one.flow.dst == record.flow.src
        });
        let last = heard.filter_map(|(_, one)| one.finish).max();
        let begins =
            last.map_or(Time::ZERO + Duration::from_us(3), |last| last + Duration::from_ns(700));
        assert_eq!(record.flow.start, begins, "flow {number}");
    }
    assert_eq!(records.len(), extras + pairs * steps + extras);
    let sizes: Vec<u64> =
        records[extras..].iter().step_by(pairs).map(|one| one.flow.bytes.get()).collect();
    assert_eq!(sizes, [400_000, 200_000, 100_000, 100_000, 200_000, 400_000, 800_000]);
}

#[test]
fn impossible_workloads_are_refused_whole() {
    let mut network = network(&Graph::star(5, link(10, 1)), transport("new-reno"), 1 << 20);
    let workload = rounds(Pattern::AllToAll, 6, 1000, Repeat::Times(1));
    let error = network.add_workload(&workload).unwrap_err().to_string();
    assert_eq!(error, "flow 4: host 5 is not in the topology: its 5 hosts count from 0");
    assert_eq!(network.records().count(), 0);
}

/// Gates open at the same instants however the network is cut, and on threads.
#[test]
fn released_flows_do_not_depend_on_partitions() {
    let queries = IncastConfig {
        request: Some(Bytes::new(64)),
        ..IncastConfig::new(12, 6, Bytes::new(40_000), 5_000.0, Duration::from_us(300))
    };
    for pattern in Pattern::ALL {
        let mut workload = rounds(pattern, 12, 30_000, Repeat::Times(3));
        workload.append(incast(&queries).unwrap());
        let run = |partitions, threads| {
            let mut config = NetworkConfig::new(transport("dctcp"));
            config.partitions = partitions;
            let switch = PortLimits { limit: Bytes::new(20_000), mark_above: None };
            let graph = small_leaf_spine();
            let mut network =
                Network::new(&graph, config, |shape| DropTailSwitch::new(shape, &switch)).unwrap();
            network.add_workload(&workload).unwrap();
            if threads { network.run_parallel() } else { network.run() }.unwrap();
            (network.records().collect::<Vec<_>>(), network.totals(), network.losses())
        };
        let alone = run(1, false);
        assert_begun_in_time(&workload, &alone.0);
        assert!(alone.1.dropped.packets > 0);
        assert_eq!(alone, run(3, false), "{pattern}");
        assert_eq!(alone, run(4, true), "{pattern}");
    }
}
