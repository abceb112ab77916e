//! Who gets how much: random trees whose leaves always have packets, against the allocation
//! computed from the top down; and that a neighbour's behaviour changes nothing.

use forebay_sched::Packet;
use forebay_sched::gps::max_min;
use forebay_sched::tree::{ClubLevel, NodeConfig, PortTrees, Rule, SeparateQueues, TreeConfig};
use forebay_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use crate::trees::drive;
use crate::trees::random::{MTU, children, leaves, trees};

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
        let weight = |child: &usize| config.nodes[*child].weight.unwrap_or(1);
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
        let packet = |class: usize| {
            let size = 1000 + 40 * class as u32;
            Packet { class: class as u8, size, ..Packet::default() }
        };
        for &leaf in leaves.iter().chain(&leaves).chain(&leaves) {
            trees.enqueue(0, Time::ZERO, packet(leaf)).unwrap();
        }
        // What leaves is replaced at once.
        let mut replaced = 0;
        let sent = drive(&mut trees, &config, end, |trees, now, sent| {
            for (_, gone) in &sent[replaced..] {
                trees.enqueue(0, now, packet(gone.class.into())).unwrap();
            }
            replaced = sent.len();
        });
        let mut bytes = vec![0u64; config.nodes.len()];
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

proptest! {
    /// The allocation that a configuration states is that of the plain recursion, to a bit a child.
    #[test]
    fn the_stated_allocation_is_the_recursive_one(config in trees()) {
        let stated = config.allocation(&vec![config.rate; config.nodes.len()]).unwrap();
        let mut plain = vec![0; config.nodes.len()];
        allocate(&config, 0, demand(&config, 0), &mut plain);
        for (stated, plain) in stated.iter().zip(plain) {
            prop_assert!(stated.as_bps().abs_diff(plain) <= 12, "{stated} {plain}");
        }
    }
}

/// Weights far apart, and none a power of two: the shares are still those of the allocation.
#[test]
fn a_weight_ten_thousand_times_another_is_kept() {
    let weights = [1, 10_000, 3, 777];
    let mut config = TreeConfig::new(Rate::from_gbps(10));
    config.nodes = vec![NodeConfig::root("port")];
    for (class, weight) in (0u8..).zip(weights) {
        let leaf = NodeConfig::below("port", &class.to_string());
        let rules = vec![Rule::class(class)];
        config.nodes.push(NodeConfig { weight: Some(weight), rules, ..leaf });
    }
    let mut trees: PortTrees<ClubLevel> = PortTrees::new(&config, 1).unwrap();
    let packet = |class| Packet { class, size: MTU, ..Packet::default() };
    for class in 0..4 {
        (0..3).for_each(|_| trees.enqueue(0, Time::ZERO, packet(class)).unwrap());
    }
    let mut bytes = [0u64; 4];
    for _ in 0..200_000 {
        let sent = trees.dequeue(0, Time::ZERO).unwrap();
        bytes[usize::from(sent.class)] += u64::from(MTU);
        trees.enqueue(0, Time::ZERO, sent).unwrap();
    }
    let total = 200_000 * u64::from(MTU);
    for (bytes, expected) in bytes.iter().zip(max_min(total, &[total; 4], &weights)) {
        let difference = bytes.abs_diff(expected);
        assert!(difference <= 2 * u64::from(MTU), "{bytes} B of {expected} B");
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

/// A tenant within its guarantee waits for a packet or two, however many leaves its neighbour
/// floods.
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
        let sent = drive(&mut trees, &config, end, |trees, now, _| {
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
            // 1.2 µs a packet: the one in service, one of the neighbour's, and the wait for the
            // port.
            let waited = began.as_ps() - arrived;
            assert!(waited <= 3 * 1_200_000, "{rivals} rivals: a packet waited {waited} ps");
        }
    }
}
