//! Why a graph cannot be a network.

use core::fmt;

use forebay_parameters::grouped;

use super::{MAX_LINKS, MAX_NODES, MAX_PORTS, MAX_ROUTES, Node};

/// A graph that cannot be a network. Links are numbered from 0 in the order in which they were
/// added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError {
    /// More nodes or links than fit.
    TooLarge,
    /// A link to a node that does not exist.
    UnknownNode {
        /// The link's place in the graph's list, from 0.
        link: usize,
        /// The node that the graph does not have.
        node: Node,
    },
    /// A link with a rate of zero.
    NoRate {
        /// The link's place in the graph's list, from 0.
        link: usize,
    },
    /// A link with a delay of zero.
    NoDelay {
        /// The link's place in the graph's list, from 0.
        link: usize,
    },
    /// A link from a node to itself.
    Loop {
        /// The link's place in the graph's list, from 0.
        link: usize,
        /// The node that both ends name.
        node: Node,
    },
    /// A host that does not have exactly one link.
    HostLinks {
        /// The host's number, from 0.
        host: u32,
        /// How many links it has.
        links: u32,
    },
    /// A switch with too many links.
    TooManyPorts {
        /// The switch's number, from 0.
        switch: u32,
    },
    /// More routes than fit into memory.
    TooManyRoutes {
        /// How many switches there are.
        switches: u32,
        /// How many of them have hosts.
        racks: u32,
    },
    /// More links than there is memory for.
    NoMemory {
        /// How many links there are.
        links: u64,
    },
    /// A shape whose numbers do not fit together.
    Shape {
        /// The shape that was asked for, in words.
        what: &'static str,
        /// What would do instead.
        fix: &'static str,
    },
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Host(host) => write!(f, "host {host}"),
            Node::Switch(switch) => write!(f, "switch {switch}"),
        }
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::TooLarge => write!(
                f,
                "the topology is too large: at most {nodes} hosts, {nodes} switches and {} links",
                grouped(MAX_LINKS as u64),
                nodes = grouped(MAX_NODES.into()),
            ),
            GraphError::UnknownNode { link, node } => {
                write!(f, "link {link} ends at {node}, which does not exist: number nodes from 0")
            }
            GraphError::NoRate { link } => {
                write!(f, "link {link} has a rate of 0: give a rate above zero")
            }
            GraphError::NoDelay { link } => {
                write!(f, "link {link} has a delay of 0: give a delay above zero, such as \"1 us\"")
            }
            GraphError::Loop { link, node } => {
                write!(f, "link {link} leads from {node} to itself: connect two nodes")
            }
            GraphError::HostLinks { host, links } => {
                write!(f, "host {host} has {links} links: connect each host to exactly one switch")
            }
            GraphError::TooManyPorts { switch } => {
                write!(f, "switch {switch} has more than {MAX_PORTS} links: use more switches")
            }
            GraphError::TooManyRoutes { switches, racks } => write!(
                f,
                "{switches} switches, of which {racks} have hosts, need {} routes, and at most {} \
                 fit: put more hosts at each switch",
                grouped(u64::from(*switches) * u64::from(*racks)),
                grouped(MAX_ROUTES),
            ),
            GraphError::NoMemory { links } => write!(
                f,
                "there is no memory for {} links: give a smaller topology, or more memory",
                grouped(*links)
            ),
            GraphError::Shape { what, fix } => write!(f, "{what}: {fix}"),
        }
    }
}

impl core::error::Error for GraphError {}
