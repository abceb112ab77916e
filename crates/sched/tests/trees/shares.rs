//! Who gets how much: random trees whose leaves always have packets, against the allocation computed from
//! the top down; and that a neighbour's behaviour changes nothing.

use forebay_sched::Packet;
use forebay_sched::gps::max_min;
use forebay_sched::tree::{ClubLevel, NodeConfig, PortTrees, Rule, SeparateQueues, TreeConfig};
use forebay_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use crate::drive;
use crate::random::{MTU, children, leaves, trees};

/// The most that can leave a node whose leaves always have packets.
fn demand(config: &TreeConfig, node: usize) -> u64 {
    let below: u64 = children(config, node).iter().map(|&child| demand(config, child)).sum();
    let own = config.nodes[node].shaper.map_or(config.rate, |shaper| shaper.rate).as_bps();
    if children(config, node).is_empty() { own } else { own.min(below) }
}

/// Shares `rate` out below `node`.
fn allocate(config: &TreeConfig, node: usize, rate: u64, shares: &mut [u64]) {
    shares[node] = rate;
    let children = children(config, node);
    let weighted = config.nodes[node].scheduler.as_deref() != Some("sp");
    let priority = |child: &usize| if weighted { 0 } else { config.nodes[*child].priority };
    let mut left = rate;
    for level in 0..3 {
        let group: Vec<usize> =
            children.iter().copied().filter(|child| priority(child) == level).collect();
        let demands: Vec<u64> = group.iter().map(|&child| demand(config, child)).collect();
        let weight = |child: &usize| config.nodes[*child].weight.filter(|_| weighted).unwrap_or(1);
        let weights: Vec<u32> = group.iter().map(weight).collect();
        for (child, share) in group.iter().zip(max_min(left, &demands, &weights)) {
            allocate(config, *child, share, shares);
            left -= share;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn leaves_get_the_recursive_allocation(config in trees()) {
        let mut config = config;
        // Deep bursts: a shaped node that waits its turn must not lose rate.
        let burst = Bytes::new(u64::from(MTU) * 30);
        for node in &mut config.nodes {
            node.shaper.iter_mut().for_each(|shaper| shaper.burst = burst);
            node.limit = None;
        }
        config.capacity = 1000;
        let leaves = leaves(&config);
        let mut trees: PortTrees<SeparateQueues> = PortTrees::new(&config, 1).unwrap();
        let end = Time::ZERO + Duration::from_ms(20);
        let mut waiting = vec![0; config.nodes.len()];
        // One size, because siblings of one priority take turns by packets.
        let size = 1000;
        let mut bytes = vec![0u64; config.nodes.len()];
        let mut sent_before = None;
        let sent = drive(&mut trees, &config, end, |trees, now| {
            let _ = sent_before.insert(now);
            for &leaf in &leaves {
                // Every leaf had two; at most one has left since.
                while waiting[leaf] < 2 || trees.waiting(0).0 < 2 * leaves.len() {
                    let class = leaf as u8;
                    let packet = Packet { class, size, ..Packet::default() };
                    if trees.enqueue(0, now, packet).is_err() || waiting[leaf] >= 40 {
                        break;
                    }
                    waiting[leaf] += 1;
                }
            }
        });
        prop_assert!(!sent.is_empty());
        for (_, packet) in &sent {
            bytes[usize::from(packet.class)] += u64::from(packet.size);
        }
        let mut rates = vec![0; config.nodes.len()];
        allocate(&config, 0, demand(&config, 0), &mut rates);
        for &leaf in &leaves {
            // 20 ms of a rate in bytes. A burst, and a few packets for every node there is.
            let expected = rates[leaf] / 8 / 50;
            let allowed = burst.get() * 2 + 10 * u64::from(MTU) * config.nodes.len() as u64;
            let difference = bytes[leaf].abs_diff(expected);
            prop_assert!(difference < allowed, "leaf {leaf}: {} B of {expected} B", bytes[leaf]);
        }
    }
}

/// Two tenants that are guaranteed half each; the second has `rivals` leaves.
fn tenants(rivals: u8) -> TreeConfig {
    let mut config = TreeConfig::new(Rate::from_gbps(10));
    config.mtu = Bytes::new(MTU.into());
    let guaranteed = Some(Rate::from_gbps(5));
    config.nodes = vec![
        NodeConfig::root("port"),
        NodeConfig { guaranteed, ..NodeConfig::below("port", "quiet") },
        NodeConfig { guaranteed, ..NodeConfig::below("port", "loud") },
        NodeConfig { rules: vec![Rule::class(0)], ..NodeConfig::below("quiet", "quiet-leaf") },
    ];
    for rival in 1..=rivals {
        let leaf = NodeConfig::below("loud", &format!("loud-{rival}"));
        config.nodes.push(NodeConfig { rules: vec![Rule::class(rival)], ..leaf });
    }
    config
}

/// A tenant within its guarantee waits for a packet or two, however many leaves its neighbour floods.
#[test]
fn a_subtree_is_isolated_from_its_neighbour() {
    for rivals in [1, 100] {
        let config = tenants(rivals);
        let mut trees: PortTrees<ClubLevel> = PortTrees::new(&config, 1).unwrap();
        let packet = |class| Packet { class, size: MTU, ..Packet::default() };
        for class in (1..=rivals).cycle().take(20_000) {
            trees.enqueue(0, Time::ZERO, packet(class)).unwrap();
        }
        // 4 Gb/s in packets of the largest size: one in 3 µs.
        let mut next = 0u64;
        let mut arrivals = Vec::new();
        let end = Time::ZERO + Duration::from_ms(10);
        let sent = drive(&mut trees, &config, end, |trees, now| {
            while next <= now.as_ps() {
                trees.enqueue(0, now, packet(0)).unwrap();
                arrivals.push(next);
                next += 3_000_000;
            }
        });
        let quiet: Vec<Time> =
            sent.iter().filter(|(_, packet)| packet.class == 0).map(|(at, _)| *at).collect();
        assert!(quiet.len() > 3_300, "{}", quiet.len());
        for (began, arrived) in quiet.iter().zip(arrivals) {
            // 1.2 µs a packet: the one in service, one of the neighbour's, and the wait for the port.
            let waited = began.as_ps() - arrived;
            assert!(waited <= 3 * 1_200_000, "{rivals} rivals: a packet waited {waited} ps");
        }
    }
}
