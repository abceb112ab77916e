//! Random operations on random trees: against the naive tree, over every kind of queue, port by
//! port.

use forebay_pifo::PartitionedShiftRegister;
use forebay_sched::Packet;
use forebay_sched::scheduler::PacketScheduler;
use forebay_sched::tree::{
    ClubLevel, LevelQueue, PortTrees, SchedulingTree, SeparateQueues, TreeConfig,
};
use forebay_units::Time;
use proptest::prelude::*;

use crate::trees::naive::NaiveTree;
use crate::trees::random::{MTU, leaves, trees};

/// What happens, to which leaf, with which size, how much later.
type Step = (u8, usize, u32, u64);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pause = prop_oneof![Just(0u64), 0u64..2_000_000, 0u64..30_000_000];
    prop::collection::vec((0u8..5, 0usize..100, 1u32..=MTU, pause), 1..300)
}

fn packet(class: usize, size: u32, tag: usize) -> Packet {
    let flow = tag as u32 % 3;
    let flow_size = u64::from(flow) * 5_000;
    Packet { class: class as u8, size, tag: tag as u32, flow, flow_size, ..Packet::default() }
}

/// Plays `steps` against the naive tree, checking everything after each.
fn agrees_with_naive<Q: LevelQueue + Send>(config: &TreeConfig, steps: &[Step]) {
    let mut tree: SchedulingTree<Q> = SchedulingTree::new(config).unwrap();
    let mut naive = NaiveTree::new(config);
    let leaves = leaves(config);
    let mut now = 0;
    for (tag, &(what, leaf, size, pause)) in steps.iter().enumerate() {
        now += pause;
        let time = Time::from_ps(now);
        if what < 3 {
            let packet = packet(leaves[leaf % leaves.len()], size, tag);
            assert_eq!(tree.enqueue(time, packet).is_ok(), naive.enqueue(now, packet));
        } else {
            let expected = naive.dequeue(now);
            if expected.is_some() {
                assert!(tree.ready_at(time).is_some_and(|ready| ready <= time));
            }
            assert_eq!(tree.dequeue(time), expected, "step {tag} at {now}");
        }
        assert_eq!((tree.len(), tree.bytes().get()), (naive.len(), naive.bytes()));
        assert_eq!(tree.is_empty(), tree.ready_at(time).is_none());
    }
    drains(&mut tree, &mut naive, now, config.nodes.len());
}

/// Empties both by waiting for `ready_at` alone: it is never late, and never early for long.
fn drains<Q: LevelQueue + Send>(
    tree: &mut SchedulingTree<Q>,
    naive: &mut NaiveTree,
    mut now: u64,
    nodes: usize,
) {
    let mut polls = 0;
    while let Some(ready) = tree.ready_at(Time::from_ps(now)) {
        if ready.as_ps() > now + 1 {
            assert_eq!(naive.dequeue(ready.as_ps() - 1), None, "ready_at is late");
        }
        now = now.max(ready.as_ps());
        let expected = naive.dequeue(now);
        polls = if expected.is_some() { 0 } else { polls + 1 };
        assert!(polls <= nodes, "ready_at promises a packet again and again");
        assert_eq!(tree.dequeue(Time::from_ps(now)), expected);
    }
    assert_eq!((tree.len(), naive.len()), (0, 0), "nothing is stranded");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn over_one_club_heap_a_level(config in trees(), steps in steps()) {
        agrees_with_naive::<ClubLevel>(&config, &steps);
    }

    #[test]
    fn over_separate_queues(config in trees(), steps in steps()) {
        agrees_with_naive::<SeparateQueues>(&config, &steps);
    }

    #[test]
    fn over_shift_registers(config in trees(), steps in steps()) {
        agrees_with_naive::<PartitionedShiftRegister<u64, u32>>(&config, &steps);
    }

    /// Ports do not disturb each other, though they share every queue.
    #[test]
    fn ports_are_isolated(config in trees(), steps in prop::collection::vec((0usize..3, steps()), 1..4)) {
        let mut config = config;
        config.capacity = 10_000;
        let mut together: PortTrees = PortTrees::new(&config, 3).unwrap();
        let mut alone: Vec<SchedulingTree> =
            (0..3).map(|_| SchedulingTree::new(&config).unwrap()).collect();
        let leaves = leaves(&config);
        let (mut now, mut tag) = (0, 0);
        for (port, (what, leaf, size, pause)) in
            steps.iter().flat_map(|(port, steps)| steps.iter().map(move |step| (*port, *step)))
        {
            now += pause;
            tag += 1;
            let (time, port) = (Time::from_ps(now), (port + tag) % 3);
            if what < 3 {
                let packet = packet(leaves[leaf % leaves.len()], size, tag);
                prop_assert_eq!(together.enqueue(port, time, packet), alone[port].enqueue(time, packet));
            } else {
                prop_assert_eq!(together.dequeue(port, time), alone[port].dequeue(time));
            }
            let waiting = (alone[port].len(), alone[port].bytes());
            prop_assert_eq!(together.waiting(port), waiting);
            prop_assert_eq!(together.ready_at(port, time), alone[port].ready_at(time));
        }
    }
}

#[test]
fn no_input_makes_a_tree_panic() {
    let mut config = TreeConfig::new(forebay_units::Rate::from_gbps(1));
    config.nodes = vec![forebay_sched::tree::NodeConfig {
        rules: vec![forebay_sched::tree::Rule::class(0)],
        ..forebay_sched::tree::NodeConfig::root("root")
    }];
    config.capacity = 1;
    let mut trees: PortTrees = PortTrees::new(&config, 2).unwrap();
    let wanted = Packet { size: 9216, ..Packet::default() };
    for port in [0, 1, 2, usize::MAX] {
        for now in [Time::MAX, Time::ZERO] {
            let large = Packet { size: u32::MAX, ..wanted };
            assert!(trees.enqueue(port, now, large).is_err());
            assert!(trees.enqueue(port, now, Packet { class: 1, ..wanted }).is_err());
            let taken = trees.enqueue(port, now, wanted).is_ok();
            assert_eq!(taken, port < 2);
            assert!(trees.enqueue(port, now, wanted).is_err());
            assert_eq!(trees.ready_at(port, now).is_some(), taken);
            assert_eq!(trees.dequeue(port, now).is_some(), taken);
        }
    }
    assert!(PortTrees::<ClubLevel>::new(&config, 0).is_err());
    let error = PortTrees::<ClubLevel>::new(&config, 1 << 20).err().unwrap().to_string();
    assert_eq!(error, "scheduling tree: there are too many ports; use at most 65536");
}
