//! Topologies: hosts, switches, and full-duplex links with a rate and a delay.
//!
//! A [`Graph`] is checked when a network is built from it. Every host has exactly one link. Links
//! have a delay above zero: a packet always takes time to reach the next device, which runs in
//! partitions rely on.

mod error;
mod file;
mod notation;
mod shapes;

use alloc::vec::Vec;
use forebay_units::{Duration, Rate};

pub use error::GraphError;
pub use file::{GraphFileError, read_graph};
pub use notation::{TopologyShapeError, is_shape, read_shape};
pub use shapes::{FatTree, LeafSpine};

/// The most hosts, and the most switches, of a graph.
pub const MAX_NODES: u32 = 1 << 20;
/// The largest topology file that is worth reading, in bytes: [`MAX_LINKS`] lines of usual length.
pub const LARGEST_FILE: u64 = 1 << 29;
/// The most links of a graph.
pub const MAX_LINKS: usize = 1 << 24;
/// The most routes: switches times switches with hosts, 4 bytes each (1 GiB).
pub const MAX_ROUTES: u64 = 1 << 28;
/// The most links of one switch.
pub const MAX_PORTS: usize = u16::MAX as usize;

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A host, numbered from 0.
    Host(u32),
    /// A switch, numbered from 0.
    Switch(u32),
}

/// The rate and delay of a link, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkConfig {
    /// What each direction can carry.
    pub rate: Rate,
    /// How long a bit takes from one end to the other.
    pub delay: Duration,
}

/// A full-duplex link between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The two nodes that it joins.
    pub ends: [Node; 2],
    /// Its rate and delay.
    pub config: LinkConfig,
}

/// Hosts, switches and links.
///
/// ```
/// use forebay_net::topology::{Graph, LinkConfig};
/// use forebay_units::{Duration, Rate};
///
/// let link = LinkConfig { rate: Rate::from_gbps(100), delay: Duration::from_us(1) };
/// let graph = Graph::star(32, link);
/// assert_eq!((graph.hosts, graph.switches, graph.links.len()), (32, 1, 32));
/// assert!(graph.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The number of hosts.
    pub hosts: u32,
    /// The number of switches.
    pub switches: u32,
    /// The links, in any order; it determines the order of a switch's ports.
    pub links: Vec<Link>,
}

impl Graph {
    /// Adds a link.
    pub fn connect(&mut self, a: Node, b: Node, config: LinkConfig) {
        self.links.push(Link { ends: [a, b], config });
    }

    /// Whether a network can be built from it. O(links).
    ///
    /// # Errors
    /// [`GraphError`] names the first impossible link or node.
    pub fn check(&self) -> Result<(), GraphError> {
        if self.hosts > MAX_NODES || self.switches > MAX_NODES || self.links.len() > MAX_LINKS {
            return Err(GraphError::TooLarge);
        }
        let mut host_links = alloc::vec![0u32; self.hosts as usize];
        let mut ports = alloc::vec![0usize; self.switches as usize];
        for (index, link) in self.links.iter().enumerate() {
            check_link(index, link)?;
            for end in link.ends {
                let known = match end {
                    Node::Host(host) => host_links.get_mut(host as usize).map(|n| *n += 1),
                    Node::Switch(switch) => ports.get_mut(switch as usize).map(|n| *n += 1),
                };
                known.ok_or(GraphError::UnknownNode { link: index, node: end })?;
            }
        }
        let wrong = |(host, links): (usize, &u32)| (*links != 1).then_some((host as u32, *links));
        if let Some((host, links)) = host_links.iter().enumerate().find_map(wrong) {
            return Err(GraphError::HostLinks { host, links });
        }
        if let Some(switch) = ports.iter().position(|&ports| ports > MAX_PORTS) {
            return Err(GraphError::TooManyPorts { switch: switch as u32 });
        }
        match self.routes() > MAX_ROUTES {
            true => {
                let (switches, racks) = (self.switches, self.racks());
                Err(GraphError::TooManyRoutes { switches, racks })
            }
            false => Ok(()),
        }
    }

    /// How many routes there are: one from each switch to each that has hosts. O(links).
    pub(crate) fn routes(&self) -> u64 {
        u64::from(self.switches) * u64::from(self.racks())
    }

    /// Whether there is a way from a switch back to itself that takes no link twice: otherwise no
    /// two paths lead to the same host. O(links log switches).
    #[must_use]
    pub fn has_cycle(&self) -> bool {
        // Per switch, another one that it is joined with; a path of them ends at one that names
        // itself.
        let mut joined: Vec<u32> = (0..self.switches).collect();
        self.links.iter().any(|link| match link.ends {
            [Node::Switch(a), Node::Switch(b)] => {
                let (a, b) = (last_joined(&mut joined, a), last_joined(&mut joined, b));
                if let Some(place) = joined.get_mut(a as usize) {
                    *place = b;
                }
                a == b
            }
            [Node::Host(_), _] | [_, Node::Host(_)] => false,
        })
    }

    /// How many switches have hosts. O(links).
    fn racks(&self) -> u32 {
        let mut has_hosts = alloc::vec![false; self.switches as usize];
        for link in &self.links {
            if let [Node::Host(_), Node::Switch(switch)] | [Node::Switch(switch), Node::Host(_)] =
                link.ends
                && let Some(has_hosts) = has_hosts.get_mut(switch as usize)
            {
                *has_hosts = true;
            }
        }
        has_hosts.into_iter().filter(|has_hosts| *has_hosts).count() as u32
    }
}

/// Where the path from `switch` ends; it is half as long afterwards.
fn last_joined(joined: &mut [u32], switch: u32) -> u32 {
    let next = |joined: &[u32], at: u32| joined.get(at as usize).copied().unwrap_or(at);
    let mut at = switch;
    while next(joined, at) != at {
        let after = next(joined, next(joined, at));
        joined[at as usize] = after;
        at = after;
    }
    at
}

fn check_link(index: usize, link: &Link) -> Result<(), GraphError> {
    if link.config.rate.as_bps() == 0 {
        return Err(GraphError::NoRate { link: index });
    }
    if link.config.delay == Duration::ZERO {
        return Err(GraphError::NoDelay { link: index });
    }
    if link.ends[0] == link.ends[1] {
        return Err(GraphError::Loop { link: index, node: link.ends[0] });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn wire() -> LinkConfig {
        LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) }
    }

    #[test]
    fn a_cycle_is_a_second_way_between_two_switches() {
        let switches = |links: &[(u32, u32)]| {
            let mut graph = Graph { hosts: 0, switches: 5, links: Vec::new() };
            for &(a, b) in links {
                graph.connect(Node::Switch(a), Node::Switch(b), wire());
            }
            graph.has_cycle()
        };
        assert!(!Graph::star(3, wire()).has_cycle());
        assert!(!switches(&[(0, 1), (3, 4), (1, 2), (4, 0)]));
        assert!(switches(&[(0, 1), (3, 4), (1, 2), (4, 0), (3, 2)]));
        assert!(switches(&[(1, 2), (2, 1)]), "two links beside each other");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let message = |change: fn(&mut Graph)| {
            let mut graph = Graph::star(3, wire());
            change(&mut graph);
            graph.check().unwrap_err().to_string()
        };
        let text = message(|g| g.links[1].config.rate = Rate::from_bps(0));
        assert!(text.contains("link 1 has a rate of 0"), "{text}");
        let text = message(|g| g.links[2].config.delay = Duration::ZERO);
        assert!(text.contains("link 2 has a delay of 0"), "{text}");
        let text = message(|g| g.links[0].ends[1] = Node::Switch(9));
        assert!(text.contains("link 0 ends at switch 9"), "{text}");
        let text = message(|g| g.links[0].ends[1] = Node::Host(0));
        assert!(text.contains("link 0 leads from host 0 to itself"), "{text}");
        let text = message(|g| {
            g.links.pop();
        });
        assert!(text.contains("host 2 has 0 links"), "{text}");
        let text = message(|g| g.hosts = u32::MAX);
        assert!(text.contains("at most"), "{text}");
    }

    #[test]
    fn routes_that_fit_no_memory_are_refused() {
        let shape = |leaves| LeafSpine {
            leaves,
            spines: 1,
            hosts_per_leaf: 1,
            host: wire(),
            fabric: wire(),
        };
        assert!(shape(16_383).graph().unwrap().check().is_ok());
        let error = shape(16_384).graph().unwrap().check().unwrap_err();
        let (switches, racks) = (16_385, 16_384);
        assert_eq!(error, GraphError::TooManyRoutes { switches, racks });
        assert!(error.to_string().contains("268,451,840 routes"), "{error}");
    }
}
