//! Why a job cannot run.

use std::fmt;

use forebay_units::{Bytes, printable};

use crate::job::{Collective, Node};

/// A node, as a message names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName {
    /// The rank.
    pub rank: u32,
    /// The node's number.
    pub id: u64,
    /// What it is called; may be empty.
    pub name: Box<str>,
}

impl NodeName {
    pub(crate) fn new(rank: u32, node: &Node) -> Self {
        NodeName { rank, id: node.id, name: node.name.clone() }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}, node {}", self.rank, self.id)?;
        match &*self.name {
            "" => Ok(()),
            name => write!(f, " ({})", printable(name).at_most(60)),
        }
    }
}

/// What is wrong with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeProblem {
    /// Its number is not larger than that of the node before.
    Order,
    /// It waits for a node that the rank does not have.
    NoNode(u64),
    /// It belongs to an iteration that is neither that of the node before nor the next.
    Iteration(u32),
    /// A message to or from a rank that does not exist.
    NoRank(u32),
    /// A message to oneself.
    Itself,
    /// A message or a collective of no bytes.
    Empty,
    /// A send that nobody receives.
    NotReceived {
        /// The receiver.
        to: u32,
        /// The tag.
        tag: u64,
    },
    /// A receive of what nobody sends.
    NotSent {
        /// The sender.
        from: u32,
        /// The tag.
        tag: u64,
    },
    /// A receive of another size than its send.
    Size {
        /// What is received.
        received: Bytes,
        /// What is sent.
        sent: Bytes,
        /// The send.
        by: NodeName,
    },
    /// A collective of a group that does not exist.
    NoGroup(u32),
    /// A collective of a group without this rank.
    NotInGroup(String),
    /// A collective that is another one at another rank of the group, or has another size there.
    Differs {
        /// What it is here.
        here: (Collective, Bytes),
        /// What it is there.
        there: (Collective, Bytes),
        /// The node there.
        other: NodeName,
    },
    /// A collective that a rank of the group does not take part in.
    Alone {
        /// The group.
        group: String,
        /// The rank that has fewer collectives of this group.
        missing: u32,
    },
    /// It waits, in the end, for itself.
    Circle,
}

/// Why a job cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobError {
    /// It has no ranks, or more than 2^20.
    Ranks(usize),
    /// It has more than 2^24 nodes, or they wait for more than 2^26 others in all.
    TooLarge,
    /// A group is empty, or a rank is twice in it or does not exist.
    Group {
        /// The group.
        name: String,
        /// The rank; none if the group is empty.
        rank: Option<u32>,
    },
    /// A node is impossible.
    Node {
        /// Which one.
        node: NodeName,
        /// What is wrong.
        problem: NodeProblem,
    },
}

impl JobError {
    pub(crate) fn node(rank: u32, node: &Node, problem: NodeProblem) -> Self {
        JobError::Node { node: NodeName::new(rank, node), problem }
    }
}

impl fmt::Display for NodeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeProblem::Order => f.write_str("give it a larger number than the node before"),
            NodeProblem::NoNode(id) => {
                write!(
                    f,
                    "it waits for node {id}, which the rank does not have: add it, or do not wait"
                )
            }
            NodeProblem::Iteration(iteration) => write!(
                f,
                "iteration {iteration} skips one or goes back: give that of the node before, or \
                 the next"
            ),
            NodeProblem::NoRank(rank) => {
                write!(f, "there is no rank {rank}: give one of the job's")
            }
            NodeProblem::Itself => {
                f.write_str("a message to oneself touches no network: leave it out")
            }
            NodeProblem::Empty => f.write_str("it has no bytes: give at least 1 B"),
            NodeProblem::NotReceived { to, tag } => {
                write!(f, "rank {to} does not receive it: add a receive with tag {tag} there")
            }
            NodeProblem::NotSent { from, tag } => {
                write!(f, "rank {from} does not send it: add a send with tag {tag} there")
            }
            NodeProblem::Size { received, sent, by } => {
                write!(f, "it receives {received}, but {by} sends {sent}: give both one size")
            }
            NodeProblem::NoGroup(group) => write!(f, "there is no group {group}: add it"),
            NodeProblem::NotInGroup(group) => {
                let group = printable(group).at_most(60);
                write!(f, "the rank is not in group {group}: add it, or leave the node out")
            }
            NodeProblem::Differs { here, there, other } => write!(
                f,
                "{} of {} is {} of {} at {other}: let all ranks do the same in the same order",
                here.0, here.1, there.0, there.1
            ),
            NodeProblem::Alone { group, missing } => write!(
                f,
                "rank {missing} has fewer collectives of group {}: add this one there",
                printable(group).at_most(60)
            ),
            NodeProblem::Circle => {
                f.write_str("it waits, in the end, for itself: take one of the waits out")
            }
        }
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobError::Ranks(found) => write!(f, "{found} ranks: give 1 to {}", crate::MAX_RANKS),
            JobError::TooLarge => write!(
                f,
                "the job has more than {} nodes, or more than {} waits among them: give a part \
                 of it",
                crate::MAX_NODES,
                crate::MAX_WAITS
            ),
            JobError::Group { name, rank: None } => {
                write!(f, "group {} is empty: give it a rank", printable(name).at_most(60))
            }
            JobError::Group { name, rank: Some(rank) } => write!(
                f,
                "rank {rank} is twice in group {}, or does not exist: give each of the job's once",
                printable(name).at_most(60)
            ),
            JobError::Node { node, problem } => write!(f, "{node}: {problem}"),
        }
    }
}

impl std::error::Error for JobError {}
