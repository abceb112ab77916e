use super::*;
use crate::measure::{QueryRecord, SizeClasses, Throughput, by_class, queries};
use crate::network::{Nic, SampleError, StopRule};
use crate::workload::{
    CollectiveConfig, Gate, IncastConfig, Pattern, Repeat, Workload, collective, incast,
};
use proptest::prelude::*;

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// A window that never limits, so that only links do.
fn wide_window() -> Transport {
    let sender = SenderConfig { initial_window: 1000, ..SenderConfig::default() };
    Transport::window(sender, congestion_controls().named("new-reno").unwrap()).unwrap()
}

fn query_records<S: SwitchModel>(network: &Network<S>, workload: &Workload) -> Vec<QueryRecord> {
    let records: Vec<_> = network.records().collect();
    workload.queries().iter().map(|query| QueryRecord::new(query, 0, &records)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A query alone on a star takes its ideal time exactly where servers just send. Where they are
    /// asked, the questions wait for each other at the client's link, which the ideal leaves out.
    #[test]
    fn a_lone_query_is_ideal(
        degree in 1u32..8, bytes in 20_000u64..400_000, asks in any::<bool>(), seed in any::<u64>(),
    ) {
        let query = Bytes::new(bytes);
        let request = asks.then_some(Bytes::new(100));
        let config = IncastConfig {
            clients: 3..4,
            request,
            seed,
            ..IncastConfig::new(8, degree, query, 2000.0, Duration::from_ms(1))
        };
        let mut workload = incast(&config).unwrap();
        prop_assume!(!workload.queries().is_empty());
        // The first query only.
        let flows = workload.queries()[0].responses.end as usize;
        let mut alone = Workload::from(workload.flows()[..flows].to_vec());
        for (request, response) in workload.queries()[0].requests.clone().zip(degree..) {
            let gate = alone.add_gate(Gate::at(workload.flows()[response as usize].src));
            alone.count(request, gate);
            alone.begin_at(response, gate);
        }
        alone.add_query(workload.queries()[0].clone());
        workload = alone;
        let mut network = network(&Graph::star(8, link(10, 1)), wide_window(), u64::MAX);
        network.add_workload(&workload).unwrap();
        network.run().unwrap();
        let record = query_records(&network, &workload)[0];
        let (qct, ideal) = (record.qct().unwrap(), record.ideal);
        let questions = Rate::from_gbps(10).time_for(Bytes::new(152)) * u64::from(degree - 1);
        // Acknowledgements of questions use the servers' links, too.
        let acks = Rate::from_gbps(10).time_for(Bytes::new(64)) * 2;
        let slack = if asks { questions + acks } else { Duration::ZERO };
        prop_assert!(qct >= ideal && qct <= ideal + slack, "{} {}", qct, ideal);
    }

    /// Among others, no query is faster than its ideal, and all complete.
    #[test]
    fn no_query_beats_its_ideal(limit in 8_000u64..200_000, asks in any::<bool>(), seed in any::<u64>()) {
        let span = Duration::from_us(500);
        let config = IncastConfig {
            request: asks.then_some(Bytes::new(100)),
            servers_per_host: 2,
            seed,
            ..IncastConfig::new(12, 16, Bytes::new(60_000), 5_000.0, span)
        };
        let workload = incast(&config).unwrap();
        let mut network = network(&small_leaf_spine(), transport("dctcp"), limit);
        network.add_workload(&workload).unwrap();
        network.run().unwrap();
        let records = query_records(&network, &workload);
        prop_assert!(records.iter().all(|record| record.qct() >= Some(record.ideal)));
        let all = queries(&records, &(Time::ZERO..Time::MAX));
        let counted = all.time.map_or(0, |time| time.count);
        prop_assert_eq!((all.unfinished, counted), (0, workload.queries().len()));
    }
}

/// Measured flows are waited for while others still run; idle time and an empty queue end the wait.
#[test]
fn the_stop_rule_waits_for_what_is_measured() {
    let flow = |src, bytes, start| Flow::new(src, 3, Bytes::new(bytes), start);
    let run = |give_up| {
        let mut network = network(&Graph::star(4, link(10, 1)), transport("dctcp"), 1 << 20);
        let flows = [
            flow(0, 1 << 40, at(0)),
            flow(1, 1_000_000, at(100)),
            flow(2, 5_000_000, at(190)),
            flow(2, 1 << 40, at(250)),
        ];
        network.add_flows(flows).unwrap();
        let rule = StopRule { window: at(100)..at(200), give_up };
        let unfinished = network.run_measured(&rule).unwrap();
        (unfinished, network.records().map(|r| r.finish.is_some()).collect::<Vec<_>>())
    };
    assert_eq!(run(Time::MAX), (0, alloc::vec![false, true, true, false]));
    assert_eq!(run(at(300)), (2, alloc::vec![false; 4]));
    assert_eq!(run(at(150)).0, 2, "what has not begun has not finished either");
    // Datagrams that are lost never arrive: the run ends although it may wait for ever.
    let payload = Bytes::new(1000);
    let datagrams = Transport::Datagrams { payload, rate: Rate::from_gbps(10) };
    let mut network = network(&Graph::star(3, link(10, 1)), datagrams, 2000);
    let flow = |src| Flow::new(src, 2, Bytes::new(100_000), at(1));
    network.add_flows([flow(0), flow(1)]).unwrap();
    let rule = StopRule { window: Time::ZERO..at(10), give_up: Time::MAX };
    // The phase effect takes one of the two whole through.
    assert_eq!(network.run_measured(&rule), Ok(1));
    assert!(network.totals().dropped.packets > 0);
}

/// Rates over time add up to what was delivered, and show a flow's beginning and end.
#[test]
fn rates_over_time_are_those_of_the_flows() {
    let payload = Bytes::new(1198);
    let datagrams = Transport::Datagrams { payload, rate: Rate::from_gbps(4) };
    let mut network = network(&Graph::star(3, link(10, 1)), datagrams, 1 << 20);
    let flow = |src, bytes, us| Flow::new(src, 2, Bytes::new(bytes), at(us));
    network.add_flows([flow(0, 1 << 40, 0), flow(1, 2_000_000, 1000)]).unwrap();
    let every = Duration::from_us(500);
    let (mut rates, mut backlogs) = (Throughput::new(every, 2), Vec::new());
    network
        .run_sampled(every, at(8000), |network| {
            rates.observe([0, 1].map(|flow| network.delivered(flow)));
            backlogs.extend(network.switches().map(|switch| switch.backlog()));
        })
        .unwrap();
    let gbps = |flow| -> Vec<f64> { rates.rates(flow).map(|r| r.as_bps() as f64 / 1e9).collect() };
    let goodput = 4.0 * 1198.0 / 1250.0;
    assert!(gbps(0)[1..].iter().all(|rate| (rate / goodput - 1.0).abs() < 0.01), "{:?}", gbps(0));
    // 2 MB at that rate take 4.17 ms from 1 ms on.
    let second = gbps(1);
    assert!(second[..2].iter().all(|rate| *rate == 0.0) && second[2] > 0.95 * goodput);
    assert!(second[9] > 0.95 * goodput && second[11..].iter().all(|rate| *rate == 0.0));
    let moved: f64 = second.iter().sum::<f64>() * 500e-6 * 1e9 / 8.0;
    assert!((moved - 2e6).abs() < 1.0, "{moved}");
    assert!(backlogs.iter().all(|backlog| *backlog < Bytes::new(5000)));
    let nothing = network.run_sampled(Duration::ZERO, at(9000), |_| ());
    assert_eq!(nothing, Err(SampleError::NoStep));
}

/// A packet that is being sent counts as far as it has been sent.
#[test]
fn no_link_is_used_more_than_all_the_time() {
    for nic in [Nic::Fifo, Nic::Fair] {
        let slow = LinkConfig { rate: Rate::from_bps(1_000), delay: Duration::from_us(1) };
        let config = NetworkConfig { nic, ..NetworkConfig::new(wide_window()) };
        let deep = PortLimits { limit: Bytes::new(1 << 30), mark_above: None };
        let graph = Graph::star(3, slow);
        let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &deep)).unwrap();
        let flow = |src| Flow::new(src, 2, Bytes::new(10_000), Time::ZERO);
        network.add_flows([flow(0), flow(1)]).unwrap();
        let mut busiest: f64 = 0.0;
        for step in 1..200u64 {
            network.run_until(Time::ZERO + Duration::from_ms(900) * step).unwrap();
            let span = network.now().since(Time::ZERO);
            if span > Duration::ZERO {
                let used = network.links().map(|link| link.utilization(span));
                busiest = used.fold(busiest, f64::max);
            }
        }
        assert!((0.999..=1.0).contains(&busiest), "{nic:?}: {busiest}");
    }
}

/// Occamy's mix in small: a collective in the background for the whole run, queries in a class of
/// their own, and only what begins after the warm-up is measured.
#[test]
fn queries_beside_a_collective_are_measured_apart() {
    let stop = at(2000);
    let mut workload = collective(&CollectiveConfig {
        pattern: Pattern::TreeAllReduce,
        hosts: (0..12).collect(),
        bytes: Bytes::new(100_000),
        start: Time::ZERO,
        at_once: None,
        barrier: false,
        delay: Duration::ZERO,
        repeat: Repeat::Until { stop, rate: Rate::from_gbps(10), trip: Duration::ZERO },
    })
    .unwrap();
    let config = IncastConfig::new(12, 6, Bytes::new(50_000), 500.0, Duration::from_us(2000));
    let queried = workload.append(incast(&config).unwrap().with_class(1));
    let mut network = network(&small_leaf_spine(), transport("dctcp"), 60_000);
    network.add_workload(&workload).unwrap();
    let rule = StopRule { window: at(500)..at(1500), give_up: at(20_000) };
    assert_eq!(network.run_measured(&rule), Ok(0));
    let records: Vec<_> = network.records().collect();
    let measured = |class| {
        let own = records.iter().filter(|record| record.flow.class == class);
        let classes = by_class(own, &rule.window, &SizeClasses::small_and_large());
        classes[0].completions
    };
    let (background, answers) = (measured(0), measured(1));
    assert_eq!((background.unfinished, answers.unfinished), (0, 0));
    assert!(background.time.unwrap().count >= 44, "a round begins in the window");
    let inside = |flow: &Flow| rule.window.contains(&flow.start);
    let asked = workload.flows()[queried.start as usize..].iter().filter(|flow| inside(flow));
    assert_eq!(answers.time.unwrap().count, asked.count());
    let all = queries(&query_records(&network, &workload), &rule.window);
    // A query is as slow as its slowest response.
    assert!(all.time.unwrap().mean > answers.time.unwrap().mean);
    assert!(all.slowdown.unwrap().p50 >= 1.0);
}
