//! Trees from a checked configuration: nodes, places and queues. Runs once.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::{Port, PortTrees};
use crate::RankFunction;
use crate::tree::classify::Classifier;
use crate::tree::config::{Plan, Planned, TreeConfig, TreeError};
use crate::tree::discipline::Discipline;
use crate::tree::level_queue::{LevelQueue, LevelQueueError};
use crate::tree::packets::Packets;
use crate::tree::shaping::{Presence, Shaping};
use crate::tree::{MAX_PORT_NODES, MAX_PORTS, TreeProblem};

/// What an inner node or a leaf does at one port.
pub(super) enum Kind {
    Inner(Box<dyn Discipline>),
    Leaf { order: Box<dyn RankFunction>, waiting: usize, limit: usize },
}

/// The state of one node at one port.
pub(super) struct Node {
    pub kind: Kind,
    pub presence: Presence,
}

/// Where a node stands, alike at all ports.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreePosition {
    pub parent: Option<u32>,
    pub child: u32,
    pub level: usize,
    pub place: usize,
    pub is_leaf: bool,
}

impl<Q: LevelQueue> PortTrees<Q> {
    /// Empty trees for `ports` ports.
    ///
    /// # Errors
    /// If the configuration has a mistake, or a queue for a level cannot be built.
    pub fn new(config: &TreeConfig, ports: usize) -> Result<Self, BuildError> {
        let plan = config.plan()?;
        if ports == 0 {
            return Err(TreeError { node: None, problem: TreeProblem::Zero("ports") }.into());
        }
        for (number, what, most) in [
            (ports, "ports", MAX_PORTS),
            (ports.saturating_mul(plan.nodes.len()), "nodes over all ports", MAX_PORT_NODES),
        ] {
            if number > most {
                let problem = TreeProblem::TooMany { what, most };
                return Err(TreeError { node: None, problem }.into());
            }
        }
        let mut nodes = Vec::new();
        for _ in 0..ports {
            for (number, planned) in plan.nodes.iter().enumerate() {
                nodes.push(Node::new(config, &plan, number, planned)?);
            }
        }
        let rules = config
            .nodes
            .iter()
            .zip(0..)
            .flat_map(|(node, number)| node.rules.iter().map(move |rule| (rule, number)));
        Ok(PortTrees {
            classifier: Classifier::new(rules),
            levels: level_queues(&plan, ports, config.capacity)?,
            shaping: Shaping::new(config, ports)?,
            places: plan.nodes.iter().map(TreePosition::new).collect(),
            root: plan.root,
            widths: plan.widths,
            mtu: config.mtu,
            capacity: config.capacity,
            ports: alloc::vec![Port::default(); ports],
            nodes,
            packets: Packets::default(),
        })
    }
}

impl Node {
    fn new(
        config: &TreeConfig,
        plan: &Plan,
        number: usize,
        planned: &Planned,
    ) -> Result<Self, TreeError> {
        let node = &config.nodes[number];
        let kind = match planned.discipline {
            Some(info) => {
                let shares: Vec<_> = planned
                    .children
                    .iter()
                    .map(|child| plan.nodes[*child as usize].share)
                    .collect();
                Kind::Inner((info.build)(&shares, config.mtu.get() as u32)) // checked: below 2^32
            }
            None => Kind::Leaf {
                order: config.order_of(node)?,
                waiting: 0,
                limit: node.limit.unwrap_or(usize::MAX),
            },
        };
        Ok(Node { kind, presence: Presence::Absent })
    }
}

impl TreePosition {
    fn new(planned: &Planned) -> Self {
        TreePosition {
            parent: planned.parent,
            child: planned.child,
            level: planned.level,
            place: planned.place,
            is_leaf: planned.discipline.is_none(),
        }
    }
}

/// A queue per level, with room for all children of its inner nodes, and for all packets if it has
/// a leaf.
fn level_queues<Q: LevelQueue>(
    plan: &Plan,
    ports: usize,
    capacity: usize,
) -> Result<Vec<Q>, BuildError> {
    let level_queue = |(level, width): (usize, &usize)| {
        let nodes = || plan.nodes.iter().filter(|node| node.level == level);
        let children: usize = nodes().map(|node| node.children.len()).sum();
        let has_leaf = nodes().any(|node| node.discipline.is_none());
        let packets = if has_leaf { capacity } else { 0 };
        let elements = children.saturating_mul(ports).saturating_add(packets);
        Q::build(width.saturating_mul(ports), elements)
            .map_err(|error| BuildError::Queue { level, error })
    };
    plan.widths.iter().enumerate().map(level_queue).collect()
}

/// Why trees cannot be built.
#[derive(Debug)]
pub enum BuildError {
    /// The configuration has a mistake.
    Config(TreeError),
    /// The queue of a level cannot be built.
    Queue {
        /// The level, 0 for the root's; the shaping queue counts as one more.
        level: usize,
        /// Why.
        error: LevelQueueError,
    },
}

impl From<TreeError> for BuildError {
    fn from(error: TreeError) -> Self {
        BuildError::Config(error)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Config(error) => error.fmt(f),
            BuildError::Queue { level, error } => {
                write!(f, "the queue of level {level}: {error}; lower `capacity`, nodes or ports")
            }
        }
    }
}

impl core::error::Error for BuildError {}
