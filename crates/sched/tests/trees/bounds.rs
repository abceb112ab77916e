//! What no tree may ever do: exceed a shaper, reorder a flow, idle with work that may be done; and
//! how many queues the trees of a device need.

use forebay_sched::Packet;
use forebay_sched::tree::{ClubLevel, NodeConfig, PortTrees, Rule, SeparateQueues, TreeConfig};
use forebay_units::{Duration, Rate, Time};
use proptest::prelude::*;

use crate::trees::drive;
use crate::trees::random::{MTU, leaves, parent, trees};

/// Whether `node` is `leaf` or above it.
fn is_above(config: &TreeConfig, node: usize, leaf: usize) -> bool {
    node == leaf || parent(config, leaf).is_some_and(|parent| is_above(config, node, parent))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// In every span, from the beginning of a packet to the beginning of another, both included.
    #[test]
    fn no_shaper_is_exceeded_and_no_flow_reordered(
        config in trees(),
        sizes in prop::collection::vec((1u32..=MTU, 0u64..40_000_000), 50..400),
    ) {
        let leaves = leaves(&config);
        let mut trees: PortTrees<SeparateQueues> = PortTrees::new(&config, 1).unwrap();
        let mut arrivals = sizes.iter().enumerate().peekable();
        let (mut at, mut accepted) = (0, 0);
        let sent = drive(&mut trees, &config, Time::MAX, |trees, now, _| {
            // In bursts of one packet for every leaf.
            while at <= now.as_ps() || trees.waiting(0).0 == 0 {
                let Some((tag, &(size, pause))) = arrivals.next() else { return };
                for &leaf in &leaves {
                    let class = leaf as u8;
                    let packet = Packet { class, size, tag: tag as u32, ..Packet::default() };
                    accepted += usize::from(trees.enqueue(0, now, packet).is_ok());
                }
                at += pause;
            }
        });
        prop_assert_eq!(sent.len(), accepted, "all that was taken leaves");
        for (node, config_of_node) in config.nodes.iter().enumerate() {
            let through: Vec<_> = sent
                .iter()
                .filter(|(_, packet)| is_above(&config, node, usize::from(packet.class)))
                .collect();
            let Some(shaper) = config_of_node.shaper else { continue };
            for first in 0..through.len() {
                let mut bytes = 0u128;
                for (began, packet) in &through[first..] {
                    bytes += u128::from(packet.size);
                    let span = u128::from((*began - through[first].0).as_ps());
                    let allowed = span * u128::from(shaper.rate.as_bps())
                        + u128::from(shaper.burst.get()) * 8_000_000_000_000;
                    prop_assert!(bytes * 8_000_000_000_000 <= allowed, "node {node}");
                }
            }
        }
        for &leaf in &leaves {
            // "las" ranks rise and "fifo" and "strict-priority" tie; flow sizes are all alike here.
            let tags =
                sent.iter().filter(|(_, p)| usize::from(p.class) == leaf).map(|(_, p)| p.tag);
            prop_assert!(tags.is_sorted());
        }
    }

    /// A tree without shapers sends whenever it holds anything.
    #[test]
    fn without_shapers_it_is_work_conserving(
        config in trees(),
        steps in prop::collection::vec((any::<bool>(), 0usize..100), 1..200),
    ) {
        let mut config = config;
        config.nodes.iter_mut().for_each(|node| node.shaper = None);
        let leaves = leaves(&config);
        let mut trees: PortTrees<SeparateQueues> = PortTrees::new(&config, 1).unwrap();
        for (is_arrival, leaf) in steps {
            if is_arrival {
                let class = leaves[leaf % leaves.len()] as u8;
                let _ = trees.enqueue(0, Time::ZERO, Packet { class, size: 1, ..Packet::default() });
            } else {
                let waiting = trees.waiting(0).0;
                prop_assert_eq!(trees.dequeue(0, Time::ZERO).is_some(), waiting > 0);
            }
        }
    }
}

/// A class that its parent starved for long is not sent in one burst afterwards.
#[test]
fn starved_tokens_do_not_pile_up() {
    let mut config = TreeConfig::new(Rate::from_gbps(10));
    config.mtu = forebay_units::Bytes::new(1500);
    let shaper = forebay_sched::tree::Shaper {
        rate: Rate::from_gbps(1),
        burst: forebay_units::Bytes::new(3000),
    };
    config.nodes = vec![
        NodeConfig { scheduler: Some("sp".into()), ..NodeConfig::root("port") },
        NodeConfig { rules: vec![Rule::class(0)], ..NodeConfig::below("port", "high") },
        NodeConfig {
            priority: 1,
            shaper: Some(shaper),
            rules: vec![Rule::any()],
            ..NodeConfig::below("port", "low")
        },
    ];
    let mut trees: PortTrees<SeparateQueues> = PortTrees::new(&config, 1).unwrap();
    for class in [0, 1] {
        for _ in 0..1000 {
            let packet = Packet { class, size: 1500, ..Packet::default() };
            trees.enqueue(0, Time::ZERO, packet).unwrap();
        }
    }
    let sent = drive(&mut trees, &config, Time::ZERO + Duration::from_ms(2), |_, _, _| {});
    let low: Vec<u64> =
        sent.iter().filter(|(_, packet)| packet.class == 1).map(|(at, _)| at.as_ps()).collect();
    assert_eq!(low[0], 1_200_000_000, "after 1000 packets of 1.2 µs");
    assert_eq!(low[1] - low[0], 1_200_000, "the burst");
    assert!(low[5] - low[0] >= 4 * 12_000_000, "{:?}", &low[..6]);
}

/// Thesis Fig. 4.1 and clubheap §2.1 for trees: 64 ports of three levels.
#[test]
fn a_device_needs_one_queue_a_level() {
    let mut config = TreeConfig::new(Rate::from_gbps(400));
    config.nodes.push(NodeConfig::root("port"));
    for tenant in 0..16u16 {
        let name = format!("tenant-{tenant}");
        config.nodes.push(NodeConfig::below("port", &name));
        for class in 0..8 {
            let rule = Rule { input: Some(tenant..=tenant), ..Rule::class(class) };
            let leaf = NodeConfig::below(&name, &format!("{name}-{class}"));
            config.nodes.push(NodeConfig { rules: vec![rule], ..leaf });
        }
    }
    let trees: PortTrees<ClubLevel> = PortTrees::new(&config, 64).unwrap();
    let nodes = 64 * (1 + 16 + 16 * 8);
    assert_eq!((trees.queues().logical, trees.queues().physical), (nodes, 3));
    let apart: PortTrees<SeparateQueues> = PortTrees::new(&config, 64).unwrap();
    assert_eq!((apart.queues().logical, apart.queues().physical), (nodes, nodes));
    // One shaped node more, and there is one shaping queue, with a partition for each port.
    config.nodes[1].shaper = Some(forebay_sched::tree::Shaper {
        rate: Rate::from_gbps(1),
        burst: forebay_units::Bytes::new(100_000),
    });
    let shaped: PortTrees<ClubLevel> = PortTrees::new(&config, 64).unwrap();
    assert_eq!((shaped.queues().logical, shaped.queues().physical), (nodes + 64, 4));
}
