use super::*;
use crate::flow::Flow;
use alloc::string::ToString;
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

fn config(pattern: Pattern, hosts: u32, bytes: u64, repeat: Repeat) -> CollectiveConfig {
    CollectiveConfig {
        pattern,
        hosts: (0..hosts).map(|rank| rank * 3 + 1).collect(),
        bytes: Bytes::new(bytes),
        start: Time::from_ps(5),
        at_once: None,
        barrier: false,
        delay: Duration::ZERO,
        repeat,
    }
}

/// Bytes that each host receives.
fn received(workload: &Workload, hosts: u32) -> Vec<u64> {
    let mut received = alloc::vec![0; hosts as usize];
    for flow in workload.flows() {
        received[(flow.dst as usize - 1) / 3] += flow.bytes.get();
    }
    received
}

proptest! {
    /// Whatever the pattern: the rounds can run, and carry what the collective needs and no more.
    #[test]
    fn rounds_carry_what_is_needed(
        pattern in proptest::sample::select(&Pattern::ALL[..]), hosts in 2u32..40, more in 0u64..100_000, rounds in 1u32..4,
        at_once in proptest::option::of(0u32..45), barrier in any::<bool>(),
    ) {
        let exchange = pattern.exchange();
        let bytes = exchange.least_bytes(hosts.into()) + more;
        let config = CollectiveConfig {
            at_once,
            barrier,
            ..config(pattern, hosts, bytes, Repeat::Times(rounds))
        };
        let workload = collective(&config).unwrap();
        prop_assert_eq!(workload.check(3 * hosts), Ok(()));
        let (n, rounds) = (u64::from(hosts), u64::from(rounds));
        prop_assert_eq!(workload.flows().len() as u64, rounds * exchange.flows(n));
        // Stages follow each other without a gap, and each round ends one.
        let ends: Vec<u32> = workload.stages().iter().map(|stage| stage.flows.end).collect();
        let starts = workload.stages().iter().map(|stage| stage.flows.start);
        prop_assert!(starts.eq([0].into_iter().chain(ends.clone()).take(ends.len())));
        let of_round = exchange.flows(n) as u32;
        prop_assert!((1..=rounds as u32).all(|round| ends.contains(&(round * of_round))));
        let received = received(&workload, hosts);
        let total: u64 = received.iter().sum();
        let least = exchange.received(n, Bytes::new(bytes)).get();
        prop_assert!(received.iter().max() >= Some(&(rounds * least)));
        match pattern {
            Pattern::AllToAll => {
                prop_assert!(received.iter().all(|&sum| sum == rounds * (n - 1) * bytes));
            }
            Pattern::HalvingAllReduce => prop_assert_eq!(total, rounds * 2 * (n - 1) * bytes),
            // An all-reduce needs to move 2·(n − 1) vectors in all, however it is done.
            Pattern::RingAllReduce => {
                prop_assert_eq!(total, rounds * 2 * (n - 1) * bytes);
                // A host receives every part twice but two parts, which it receives once.
                let parts = [bytes / n, bytes.div_ceil(n)];
                let range = 2 * (bytes - parts[1])..=2 * (bytes - parts[0]);
                prop_assert!(received.iter().all(|&sum| range.contains(&(sum / rounds))));
            }
            Pattern::TreeAllReduce => {
                prop_assert_eq!(total, rounds * 2 * (n - 1) * bytes);
                // At most two children in one tree, none in the other, and two parents.
                prop_assert!(received.iter().all(|&sum| sum <= rounds * 2 * (bytes + 1)));
            }
        }
    }
}

#[test]
fn rounds_fill_the_time() {
    let stop = Time::ZERO + Duration::from_ms(1);
    let trip = Duration::from_us(10);
    let repeat = Repeat::Until { stop, rate: Rate::from_gbps(8), trip };
    // A host receives 3 · 10 kB in a round: 30 µs.
    let workload = collective(&config(Pattern::AllToAll, 4, 10_000, repeat)).unwrap();
    assert_eq!(workload.flows().len(), 12 * 34);
    assert!(workload.gates().iter().all(|gate| gate.until == stop));
    // Small messages: three after each other, or the two up and one down of the trees.
    let one = config(Pattern::AllToAll, 4, 1, repeat);
    let one = collective(&CollectiveConfig { at_once: Some(1), ..one }).unwrap();
    let tree = collective(&config(Pattern::TreeAllReduce, 4, 2, repeat)).unwrap();
    assert_eq!([one, tree].map(|workload| workload.flows().len()), [12 * 34; 2]);
}

#[test]
fn impossible_numbers_are_named() {
    let message = |pattern, hosts, bytes, repeat| {
        collective(&config(pattern, hosts, bytes, repeat)).unwrap_err().to_string()
    };
    let once = Repeat::Times(1);
    assert!(message(Pattern::AllToAll, 1, 10, once).starts_with("1 hosts are too few"));
    assert!(message(Pattern::AllToAll, 2, 0, once).starts_with("bytes is 0: give 1 to"));
    assert!(message(Pattern::RingAllReduce, 9, 8, once).starts_with("bytes is 8: give 9 to"));
    assert!(message(Pattern::TreeAllReduce, 9, 1, once).starts_with("bytes is 1: give 2 to"));
    assert_eq!(message(Pattern::AllToAll, 2, 1, Repeat::Times(0)), "rounds is 0: give at least 1");
    assert!(message(Pattern::AllToAll, 40_000, 1, once).starts_with("more than"));
    let stop = Time::MAX;
    let trip = Duration::ZERO;
    let never = Repeat::Until { stop, rate: Rate::from_bps(0), trip };
    assert!(message(Pattern::AllToAll, 2, 1, never).starts_with("the loaded links"));
    let ever = Repeat::Until { stop, rate: Rate::from_gbps(100), trip };
    assert!(message(Pattern::AllToAll, 2, 1, ever).starts_with("more than"));
    let mut twice = config(Pattern::AllToAll, 3, 1, once);
    twice.hosts[2] = 1;
    let text = collective(&twice).unwrap_err().to_string();
    assert_eq!(text, "host 1 is in the group twice: name each host once");
}

#[test]
fn patterns_have_names() {
    for pattern in Pattern::ALL {
        assert_eq!(Pattern::named(&pattern.to_string()), Some(pattern));
    }
    assert_eq!(Pattern::named("all-to-none"), None);
}

#[test]
fn partners_some_at_a_time_are_stages() {
    let once = Repeat::Times(2);
    let stages = |config: CollectiveConfig| {
        let workload = collective(&config).unwrap();
        let flows = workload.stages().iter().map(|stage| (stage.flows.len(), stage.together));
        flows.collect::<Vec<_>>()
    };
    let all = config(Pattern::AllToAll, 6, 10, once);
    assert_eq!(stages(all.clone()), [(30, false); 2]);
    let two = CollectiveConfig { at_once: Some(2), ..all.clone() };
    assert_eq!(stages(two), [(12, false), (12, false), (6, false)].repeat(2));
    let tree = config(Pattern::TreeAllReduce, 6, 10, once);
    assert_eq!(stages(tree.clone()), [(20, false); 2]);
    // All hosts go on together behind a barrier, whatever they take at a time.
    assert_eq!(stages(CollectiveConfig { barrier: true, ..tree }), [(20, true); 2]);
    let barrier = CollectiveConfig { barrier: true, at_once: Some(2), ..all };
    assert_eq!(stages(barrier), [(30, true); 2]);
    // Behind others they keep their flows.
    let mut behind = Workload::default();
    behind.add(Flow::new(0, 1, Bytes::new(1), Time::ZERO));
    behind.append(collective(&config(Pattern::AllToAll, 3, 10, Repeat::Times(1))).unwrap());
    assert_eq!(behind.stages()[0].flows, 1..7);
}
