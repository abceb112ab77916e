//! Random trees.

use forebay_sched::tree::{NodeConfig, Rule, Shaper, TreeConfig};
use forebay_units::{Bytes, Rate};
use proptest::prelude::*;

/// The largest packet in these trees.
pub(crate) const MTU: u32 = 1500;

const SCHEDULERS: [&str; 3] = ["sp", "wfq", "drr"];

/// What is drawn for a node: parent, scheduler, weight, priority, shaper, order, limit.
type Draw = (usize, usize, u32, u32, Option<(u64, u64)>, usize, usize);

/// Trees of up to 12 nodes for a port of 10 Gb/s. Weights are powers of two and rates divide
/// 8 Tb/s, so that tags and times come out whole. The leaf of node `n` takes class `n`.
pub(crate) fn trees() -> impl Strategy<Value = TreeConfig> {
    let node = (
        0usize..100,
        0usize..3,
        0u32..4,
        0u32..3,
        prop::option::weighted(0.3, (0u64..3, 1u64..17)),
        0usize..4,
        1usize..30,
    );
    prop::collection::vec(node, 1..12).prop_map(|draws: Vec<Draw>| config(&draws))
}

fn config(draws: &[Draw]) -> TreeConfig {
    let mut config = TreeConfig::new(Rate::from_gbps(10));
    config.mtu = Bytes::new(MTU.into());
    config.capacity = 60;
    let parents: Vec<usize> = draws.iter().enumerate().map(|(n, draw)| draw.0 % n.max(1)).collect();
    for (number, draw) in draws.iter().enumerate() {
        let by_priority = number > 0 && SCHEDULERS[draws[parents[number]].1] == "sp";
        let is_leaf = !parents.iter().skip(1).any(|&parent| parent == number) || draws.len() == 1;
        let mut node = node(number, parents[number], is_leaf, draw);
        node.priority = if by_priority { node.priority } else { 0 };
        config.nodes.push(node);
    }
    // No shaper above those over it; parents come first.
    let mut most = vec![config.rate; draws.len()];
    for number in 0..draws.len() {
        most[number] = most[parents[number]];
        if let Some(shaper) = &mut config.nodes[number].shaper {
            shaper.rate = shaper.rate.min(most[number]);
            most[number] = shaper.rate;
        }
    }
    config
}

fn node(number: usize, parent: usize, is_leaf: bool, draw: &Draw) -> NodeConfig {
    let &(_, scheduler, weight, priority, shaper, order, limit) = draw;
    let shaper = shaper.map(|(rate, packets)| Shaper {
        rate: Rate::from_gbps(1 << rate),
        burst: Bytes::new(packets * u64::from(MTU)),
    });
    let name = number.to_string();
    let base = match number {
        0 => NodeConfig::root(&name),
        _ => NodeConfig::below(&parent.to_string(), &name),
    };
    let base = NodeConfig { weight: Some(1 << weight), priority, shaper, ..base };
    if is_leaf {
        let order = ["fifo", "sff", "las", "strict-priority"][order];
        let rules = vec![Rule::class(number as u8)];
        return NodeConfig { order: Some(order.into()), limit: Some(limit), rules, ..base };
    }
    NodeConfig { scheduler: Some(SCHEDULERS[scheduler].into()), ..base }
}

/// The numbers of the leaves.
pub(crate) fn leaves(config: &TreeConfig) -> Vec<usize> {
    (0..config.nodes.len()).filter(|&node| !config.nodes[node].rules.is_empty()).collect()
}

/// The number of a node's parent.
pub(crate) fn parent(config: &TreeConfig, node: usize) -> Option<usize> {
    config.nodes[node].parent.as_ref()?.parse().ok()
}

/// The numbers of a node's children.
pub(crate) fn children(config: &TreeConfig, node: usize) -> Vec<usize> {
    (1..config.nodes.len()).filter(|&child| parent(config, child) == Some(node)).collect()
}
