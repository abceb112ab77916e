//! What can be wrong with a tree: each problem one sentence with the node's name and the fix.

use alloc::string::String;
use core::fmt;

use forebay_parameters::UnknownName;
use forebay_units::{Bytes, Rate, printable};

use crate::functions::RankFunctionError;

/// Why no tree can be built, and which node is the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeError {
    /// The name of the node; `None` if it is the tree as a whole.
    pub node: Option<String>,
    /// What is wrong.
    pub problem: TreeProblem,
}

/// What is wrong with a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeProblem {
    /// There are no nodes.
    Empty,
    /// A quantity of the whole tree is zero.
    Zero(&'static str),
    /// More than there may be.
    TooMany {
        /// Of what.
        what: &'static str,
        /// The most there may be.
        most: usize,
    },
    /// Another node has this name.
    DuplicateName,
    /// Another node has no parent either.
    TwoRoots {
        /// The other node without a parent.
        other: String,
    },
    /// There is no node of its parent's name.
    UnknownParent(String),
    /// It is its own ancestor.
    Cycle,
    /// There is no such discipline.
    UnknownScheduler(UnknownName),
    /// The rank function of a leaf cannot be had.
    Order(RankFunctionError),
    /// The rank function of a leaf delays packets.
    OrderDelays(String),
    /// A leaf has something that only inner nodes have, or the other way round.
    WrongKind {
        /// The key that nodes of its kind do not have.
        key: &'static str,
        /// Whether the node is a leaf.
        is_leaf: bool,
    },
    /// A leaf that no packet can reach.
    NoRule,
    /// A range that ends before it begins.
    EmptyRange(&'static str),
    /// A weight of zero.
    ZeroWeight,
    /// A weight and a guaranteed rate.
    WeightAndGuaranteed,
    /// A limit of zero packets.
    ZeroLimit,
    /// A rate of zero.
    ZeroRate(&'static str),
    /// A shaper's rate above that of an ancestor, or of the port.
    ShaperAboveParent {
        /// The rate of its own shaper.
        rate: Rate,
        /// The ancestor; `None` for the port.
        above: Option<String>,
        /// The ancestor's rate.
        limit: Rate,
    },
    /// A burst that the largest packet does not fit into.
    BurstBelowMtu {
        /// The burst that the shaper was given.
        burst: Bytes,
        /// The largest packet, which a burst has to hold.
        mtu: Bytes,
    },
    /// It guarantees itself more than its shaper lets through.
    GuaranteedAboveShaper {
        /// What the node is promised, which it can never send.
        guaranteed: Rate,
        /// The shaper's.
        shaper: Rate,
    },
    /// Its children are guaranteed more than it has.
    GuaranteedSum {
        /// What they are guaranteed together, saturated.
        sum: Rate,
        /// What it has.
        rate: Rate,
    },
    /// It has a guaranteed rate, but a sibling has none.
    GuaranteedAlone {
        /// The sibling without a guarantee.
        sibling: String,
    },
    /// It has a guaranteed rate, but its parent gives by priority.
    GuaranteedByPriority {
        /// Its parent's name.
        parent: String,
    },
    /// It has a priority, but its parent goes by weight alone.
    PriorityByWeight {
        /// Its parent's name.
        parent: String,
    },
    /// Every packet that it would take is taken by an earlier leaf.
    Shadowed {
        /// A leaf that takes some of them.
        by: String,
    },
    /// It has a guaranteed rate, but its parent has none to pass on.
    GuaranteedFromNothing {
        /// Its parent's name.
        parent: String,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "node \"{}\": {}", printable(node), self.problem),
            None => write!(f, "scheduling tree: {}", self.problem),
        }
    }
}

impl core::error::Error for TreeError {}

impl fmt::Display for TreeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TreeProblem as P;
        match self {
            P::Empty => write!(f, "it has no nodes; add a root and a leaf"),
            P::Zero(what) => write!(f, "`{what}` is 0; give at least 1"),
            P::TooMany { what, most } => write!(f, "there are too many {what}; use at most {most}"),
            P::DuplicateName => write!(f, "another node has this name; rename one of them"),
            P::TwoRoots { other } => {
                let other = printable(other);
                write!(f, "neither it nor \"{other}\" has a parent; give one of them a parent")
            }
            P::UnknownParent(parent) => write!(
                f,
                "there is no node \"{}\" to be its parent; add it, or correct the name",
                printable(parent)
            ),
            P::Cycle => {
                write!(f, "it is its own ancestor; give one node of the circle another parent")
            }
            P::UnknownScheduler(error) => write!(f, "{error}"),
            P::Order(error) => write!(f, "{error}"),
            P::OrderDelays(name) => {
                write!(f, "the order \"{name}\" delays packets; give the node a shaper instead")
            }
            P::WrongKind { key, is_leaf: true } => {
                write!(f, "a leaf has no `{key}`; remove it, or give the node children")
            }
            P::WrongKind { key, is_leaf: false } => {
                write!(f, "a node with children has no `{key}`; move it to a leaf below")
            }
            P::NoRule => write!(f, "no packet can reach this leaf; give it a `match` rule"),
            P::Shadowed { by } => write!(
                f,
                "no packet can reach this leaf, since \"{}\" comes first and takes all of them; \
                 give that one narrower rules, or put it later",
                printable(by)
            ),
            P::EmptyRange(key) => {
                write!(f, "the range of `{key}` ends before it begins; swap its ends")
            }
            P::ZeroWeight => write!(f, "its weight is 0; give at least 1"),
            P::WeightAndGuaranteed => {
                write!(f, "it has a weight and a guaranteed rate; remove one of them")
            }
            P::ZeroLimit => write!(f, "its limit is 0 packets; give at least 1"),
            P::ZeroRate(key) => write!(f, "its {key} rate is 0; give a rate, or remove it"),
            P::ShaperAboveParent { rate, above: Some(above), limit } => write!(
                f,
                "its shaper's {rate} is above the {limit} of \"{}\"; lower it, or remove it",
                printable(above)
            ),
            P::ShaperAboveParent { rate, above: None, limit } => {
                write!(f, "its shaper's {rate} is above the port's {limit}; lower it, or remove it")
            }
            P::BurstBelowMtu { burst, mtu } => write!(
                f,
                "its burst of {burst} does not hold the largest packet of {mtu}; raise it, or \
                 lower `mtu`"
            ),
            P::GuaranteedAboveShaper { guaranteed, shaper } => write!(
                f,
                "its guaranteed {guaranteed} is above its shaper's {shaper}; lower it, or raise \
                 the shaper"
            ),
            P::GuaranteedSum { sum, rate } => write!(
                f,
                "its children are guaranteed {sum} together, but it has {rate}; lower theirs"
            ),
            P::GuaranteedAlone { sibling } => write!(
                f,
                "it has a guaranteed rate and its sibling \"{}\" has none; give all of them \
                 one, or none",
                printable(sibling)
            ),
            P::GuaranteedByPriority { parent } => write!(
                f,
                "it has a guaranteed rate, but \"{}\" goes by priority; make that one wfq or \
                 drr",
                printable(parent)
            ),
            P::PriorityByWeight { parent } => write!(
                f,
                "it has a priority, but \"{}\" goes by weight; remove it, or make that one sp",
                printable(parent)
            ),
            P::GuaranteedFromNothing { parent } => write!(
                f,
                "it has a guaranteed rate, but \"{}\" has none to pass on; give that one a \
                 rate",
                printable(parent)
            ),
        }
    }
}
