//! A scheduling tree as data: named nodes with parents, in the shape that users of Linux tc classes
//! and of DPDK's traffic-management API know.
//!
//! | here | tc (HTB, prio) | rte_tm |
//! |---|---|---|
//! | `parent` | `parent`, `classid` | parent node |
//! | `scheduler = "sp"`, `priority` | `prio` bands | priority among siblings |
//! | `scheduler = "wfq"` or `"drr"`, `weight` | `quantum` | weight among siblings |
//! | `shaper` (rate, burst) | `ceil`, `cburst` | private shaper, peak bucket |
//! | `guaranteed` | `rate` | committed rate |
//! | `match` rules of a leaf | filters | leaf node of a queue |
//!
//! Nothing runs before it is checked: see [`TreeProblem`].

mod check;
mod error;
mod levels;
#[cfg(feature = "serde")]
mod read;
mod shares;
#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use forebay_parameters::{Choices, Registry};
use forebay_units::{Bytes, Rate};

use super::discipline::{DisciplineInfo, disciplines};
use crate::Packet;
use crate::functions::{RankConfig, RankFunction, rank_functions};
pub use error::{TreeError, TreeProblem};
pub(super) use levels::{Plan, Planned};
#[cfg(feature = "serde")]
pub use read::TreeFileError;
#[cfg(feature = "schema")]
pub use read::schema;

/// A limit on what leaves a node: at most `rate` · t + `burst` in any span t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaper {
    /// Bits per second.
    pub rate: Rate,
    /// At least the largest packet.
    pub burst: Bytes,
}

/// A packet matches a rule if it matches all that the rule names; both ends of a range count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Flows.
    pub flow: Option<RangeInclusive<u32>>,
    /// Priority classes.
    pub class: Option<RangeInclusive<u8>>,
    /// Inputs.
    pub input: Option<RangeInclusive<u16>>,
}

impl Rule {
    /// The rule that every packet matches.
    #[must_use]
    pub fn any() -> Self {
        Rule::default()
    }

    /// Whether `packet` is all that the rule names.
    #[must_use]
    pub fn matches(&self, packet: &Packet) -> bool {
        self.flow.as_ref().is_none_or(|flows| flows.contains(&packet.flow))
            && self.class.as_ref().is_none_or(|classes| classes.contains(&packet.class))
            && self.input.as_ref().is_none_or(|inputs| inputs.contains(&packet.input))
    }

    /// The rule for one class.
    #[must_use]
    pub fn class(class: u8) -> Self {
        Rule { class: Some(class..=class), ..Rule::default() }
    }

    /// The rule for a range of flows.
    #[must_use]
    pub fn flows(flows: RangeInclusive<u32>) -> Self {
        Rule { flow: Some(flows), ..Rule::default() }
    }
}

/// One node. A node with children is an inner one and has a `scheduler`; a node without is a leaf
/// and has rules, an order and a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeConfig {
    /// Its name, unlike any other's.
    pub name: String,
    /// The name of its parent; the root alone has none.
    pub parent: Option<String>,
    /// Inner: how it chooses among its children, a name of [`TreeConfig::disciplines`]; `wfq` if
    /// nothing is said.
    pub scheduler: Option<String>,
    /// Its weight among its siblings, if their parent shares by weight; 1 if nothing is said.
    pub weight: Option<u32>,
    /// Its priority among its siblings, 0 the highest, if their parent goes by priority.
    pub priority: u32,
    /// The most that may leave it.
    pub shaper: Option<Shaper>,
    /// What it gets at least while it has packets, whatever its siblings do. It takes the place of
    /// the weight: siblings share by their guaranteed rates, so all or none have one.
    pub guaranteed: Option<Rate>,
    /// Leaf: the rank function that orders its packets, a name of [`TreeConfig::orders`]; `fifo` if
    /// nothing is said.
    pub order: Option<String>,
    /// Leaf: packets that may wait there.
    pub limit: Option<usize>,
    /// Leaf: a packet that matches any of these goes here, unless an earlier leaf takes it.
    pub rules: Vec<Rule>,
}

impl NodeConfig {
    /// A node below `parent` with everything else left open.
    #[must_use]
    pub fn below(parent: &str, name: &str) -> Self {
        NodeConfig { parent: Some(parent.to_string()), ..NodeConfig::root(name) }
    }

    /// A root with everything else left open.
    #[must_use]
    pub fn root(name: &str) -> Self {
        NodeConfig {
            name: name.to_string(),
            parent: None,
            scheduler: None,
            weight: None,
            priority: 0,
            shaper: None,
            guaranteed: None,
            order: None,
            limit: None,
            rules: Vec::new(),
        }
    }
}

/// The tree of a port; all ports of a device have the same one.
///
/// ```
/// use forebay_sched::tree::{NodeConfig, Rule, TreeConfig};
/// use forebay_units::Rate;
///
/// let mut config = TreeConfig::new(Rate::from_gbps(100));
/// config.nodes = vec![
///     NodeConfig { scheduler: Some("sp".into()), ..NodeConfig::root("port") },
///     NodeConfig { rules: vec![Rule::class(0)], ..NodeConfig::below("port", "voice") },
///     NodeConfig { priority: 1, rules: vec![Rule::any()], ..NodeConfig::below("prot", "rest") },
/// ];
/// assert_eq!(
///     config.check().unwrap_err().to_string(),
///     "node \"rest\": there is no node \"prot\" to be its parent; add it, or correct the name"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TreeConfig {
    /// The rate of a port.
    pub rate: Rate,
    /// The largest packet; larger ones are refused.
    pub mtu: Bytes,
    /// Packets that may wait, over all leaves and all ports.
    pub capacity: usize,
    /// The nodes, in any order. Children of equal rank are tried, and rules matched, in this order.
    pub nodes: Vec<NodeConfig>,
    /// Parameters of the rank functions of leaves.
    pub ranks: RankConfig,
    /// How inner nodes may choose among their children, by name.
    pub disciplines: Registry<DisciplineInfo>,
    /// By what leaves may order their packets, by name; the built-in ones have the parameters of
    /// `ranks`.
    pub orders: Choices<dyn RankFunction>,
}

impl TreeConfig {
    /// Whether the class of a packet may count: a rule names classes, or a leaf has an order, which
    /// may read them.
    pub(super) fn may_read_class(&self) -> bool {
        let reads = |node: &NodeConfig| {
            node.order.is_some() || node.rules.iter().any(|rule| rule.class.is_some())
        };
        self.nodes.iter().any(reads)
    }

    /// Class 0 first, then everything else, each by fair queueing: the tree of a port that is given
    /// none.
    #[must_use]
    pub fn by_class() -> Self {
        let first = NodeConfig {
            order: Some("stfq".into()),
            rules: alloc::vec![Rule::class(0)],
            ..NodeConfig::below("port", "first")
        };
        let rest = NodeConfig {
            priority: 1,
            order: Some("stfq".into()),
            rules: alloc::vec![Rule::any()],
            ..NodeConfig::below("port", "rest")
        };
        let port = NodeConfig { scheduler: Some("sp".into()), ..NodeConfig::root("port") };
        TreeConfig {
            capacity: super::MAX_CAPACITY,
            nodes: alloc::vec![port, first, rest],
            ..TreeConfig::new(Rate::from_gbps(10))
        }
    }

    /// No nodes yet; packets of up to 9216 B (jumbo frames), 65,536 of them. Assumed: room for a
    /// first try.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        TreeConfig {
            rate,
            mtu: Bytes::new(9216),
            capacity: 1 << 16,
            nodes: Vec::new(),
            ranks: RankConfig { rate, ..RankConfig::default() },
            disciplines: disciplines(),
            orders: rank_functions(),
        }
    }

    /// The same tree where flows come in pairs, such as the two directions of a connection: what it
    /// says of flow `n` holds for flows 2n and 2n + 1.
    ///
    /// ```
    /// use forebay_sched::tree::{NodeConfig, Rule, TreeConfig};
    /// use forebay_units::Rate;
    ///
    /// let mut config = TreeConfig::new(Rate::from_gbps(10));
    /// config.nodes = vec![NodeConfig { rules: vec![Rule::flows(3..=4)], ..NodeConfig::root("port") }];
    /// assert_eq!(config.of_pairs().nodes[0].rules, [Rule::flows(6..=9)]);
    /// ```
    #[must_use]
    pub fn of_pairs(mut self) -> Self {
        for rule in self.nodes.iter_mut().flat_map(|node| &mut node.rules) {
            if let Some(flows) = &mut rule.flow {
                let (first, last) =
                    (flows.start().saturating_mul(2), flows.end().saturating_mul(2));
                *flows = first..=last.saturating_add(1);
            }
        }
        self.ranks.weights = self.ranks.weights.of_pairs();
        self
    }

    /// The leaf that takes `packet`: the number of the first node one of whose rules it matches.
    /// O(rules); a [`SchedulingTree`](super::SchedulingTree) finds it faster.
    #[must_use]
    pub fn leaf_of(&self, packet: &Packet) -> Option<usize> {
        self.nodes.iter().position(|node| node.rules.iter().any(|rule| rule.matches(packet)))
    }

    /// Whether a tree can be built from it.
    ///
    /// # Errors
    /// The first [`TreeProblem`] found, and the node that has it.
    pub fn check(&self) -> Result<(), TreeError> {
        self.plan().map(|_| ())
    }
}
