//! From named nodes to numbered ones: parents, children, levels, and the place of each node in the
//! queue of its level. O(n) but for names, O(n log n). Runs once.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::{NodeConfig, TreeConfig, TreeError, TreeProblem};
use crate::RankFunction;
use crate::tree::discipline::{DisciplineInfo, Share};
use crate::tree::{MAX_LEVELS, MAX_NODES};

/// A node, numbered as in the configuration.
#[derive(Clone, Debug)]
pub(in crate::tree) struct Planned {
    /// `None` for the root.
    pub parent: Option<u32>,
    /// Its number among its siblings.
    pub child: u32,
    /// The nodes below it, by number.
    pub children: Vec<u32>,
    /// 0 for the root.
    pub level: usize,
    /// Its number among the nodes of its level.
    pub place: usize,
    /// Its share among its siblings.
    pub share: Share,
    /// Inner: how it chooses; `None` for a leaf.
    pub discipline: Option<DisciplineInfo>,
}

/// A tree that has been checked.
#[derive(Debug)]
pub(in crate::tree) struct Plan {
    /// As in the configuration.
    pub nodes: Vec<Planned>,
    /// Which of them is the root.
    pub root: u32,
    /// Nodes of each level.
    pub widths: Vec<usize>,
}

impl Plan {
    /// Numbers the nodes of `config` and finds their levels.
    pub(super) fn new(config: &TreeConfig) -> Result<Self, TreeError> {
        let nodes = &config.nodes;
        if nodes.is_empty() {
            return Err(TreeError { node: None, problem: TreeProblem::Empty });
        }
        if nodes.len() > MAX_NODES {
            let problem = TreeProblem::TooMany { what: "nodes", most: MAX_NODES };
            return Err(TreeError { node: None, problem });
        }
        let parents = parents(nodes)?;
        let root = root(nodes, &parents)?;
        let mut plan = Plan { nodes: numbered(&parents), root, widths: Vec::new() };
        plan.find_levels(nodes)?;
        Ok(plan)
    }

    /// Walks down from the root, level by level; who is not reached goes round in a circle.
    fn find_levels(&mut self, nodes: &[NodeConfig]) -> Result<(), TreeError> {
        let mut level = vec![self.root];
        let mut is_reached = vec![false; nodes.len()];
        while !level.is_empty() {
            let depth = self.widths.len();
            if depth == MAX_LEVELS {
                let problem = TreeProblem::TooMany { what: "levels", most: MAX_LEVELS };
                return Err(nodes[level[0] as usize].problem(problem));
            }
            self.widths.push(level.len());
            let mut next = Vec::new();
            for (place, &number) in level.iter().enumerate() {
                let node = &mut self.nodes[number as usize];
                (node.level, node.place) = (depth, place);
                is_reached[number as usize] = true;
                next.extend_from_slice(&node.children);
            }
            level = next;
        }
        if let Some(lost) = is_reached.iter().position(|reached| !reached) {
            return Err(nodes[self.circle(lost)].problem(TreeProblem::Cycle));
        }
        Ok(())
    }

    /// A node that is its own ancestor: walking up from a node that no root is above ends in the
    /// circle.
    fn circle(&self, mut number: usize) -> usize {
        for _ in 0..self.nodes.len() {
            number = self.nodes[number].parent.map_or(number, |parent| parent as usize);
        }
        number
    }
}

impl NodeConfig {
    pub(super) fn problem(&self, problem: TreeProblem) -> TreeError {
        TreeError { node: Some(self.name.clone()), problem }
    }
}

/// The number of each node's parent.
fn parents(nodes: &[NodeConfig]) -> Result<Vec<Option<u32>>, TreeError> {
    let mut numbers = BTreeMap::new();
    for (node, number) in nodes.iter().zip(0u32..) {
        if numbers.insert(node.name.as_str(), number).is_some() {
            return Err(node.problem(TreeProblem::DuplicateName));
        }
    }
    let number_of = |node: &NodeConfig| {
        let Some(parent) = &node.parent else { return Ok(None) };
        let unknown = || node.problem(TreeProblem::UnknownParent(parent.clone()));
        numbers.get(parent.as_str()).copied().map(Some).ok_or_else(unknown)
    };
    nodes.iter().map(number_of).collect()
}

/// The one node without a parent.
fn root(nodes: &[NodeConfig], parents: &[Option<u32>]) -> Result<u32, TreeError> {
    let mut roots = (0u32..).zip(parents).filter(|(_, parent)| parent.is_none());
    // Without a root, every node has a parent, so some are their own ancestors.
    let Some((root, _)) = roots.next() else {
        let plan = Plan { nodes: numbered(parents), root: 0, widths: Vec::new() };
        return Err(nodes[plan.circle(0)].problem(TreeProblem::Cycle));
    };
    match roots.next() {
        Some((second, _)) => {
            let other = nodes[root as usize].name.to_string();
            Err(nodes[second as usize].problem(TreeProblem::TwoRoots { other }))
        }
        None => Ok(root),
    }
}

/// Nodes with parents and children; levels, places, shares and disciplines to come.
fn numbered(parents: &[Option<u32>]) -> Vec<Planned> {
    let blank = |parent: &Option<u32>| Planned {
        parent: *parent,
        child: 0,
        children: Vec::new(),
        level: 0,
        place: 0,
        share: Share { weight: 1, priority: 0 },
        discipline: None,
    };
    let mut nodes: Vec<Planned> = parents.iter().map(blank).collect();
    for (number, parent) in (0u32..).zip(parents) {
        let Some(parent) = *parent else { continue };
        let siblings = &mut nodes[parent as usize].children;
        siblings.push(number);
        let child = siblings.len() as u32 - 1; // fits: at most MAX_NODES
        nodes[number as usize].child = child;
    }
    nodes
}

/// A rank function for the packets of a leaf.
pub(in crate::tree) type Order = Box<dyn RankFunction>;
