//! How a network is cut into partitions that run at the same time.
//!
//! A switch with hosts stays with its hosts: racks are assigned in their order, with as many hosts
//! to each partition. A switch without hosts goes where all its neighbours assigned so far are, if
//! that is one partition (a pod's), otherwise to the partition with the fewest ports so far. This
//! is our choice; results do not depend on it. O(links) time, 4 bytes per host and switch.

use alloc::vec::Vec;

use forebay_units::Duration;

use crate::topology::{Graph, Link, Node};

/// The partition of each node.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) parts: usize,
    hosts: Vec<u32>,
    switches: Vec<u32>,
    /// The shortest delay of a link between two partitions: how far one can run ahead of another.
    pub(super) lookahead: Duration,
}

/// More would only wait for each other, and each keeps all channels and flows.
const MAX_PARTITIONS: usize = 64;
/// How many partitions a network of this graph has if so many are wanted: at most one for each
/// switch with hosts, and 64. O(links).
#[must_use]
pub fn partitions(graph: &Graph, wanted: usize) -> usize {
    limited(&racks(graph), &pairs(graph), wanted)
}

fn limited(racks: &[Vec<u32>], pairs: &[[u32; 2]], wanted: usize) -> usize {
    let places = racks.iter().filter(|rack| !rack.is_empty()).count() + pairs.len();
    wanted.min(MAX_PARTITIONS).clamp(1, places.max(1))
}

/// Not assigned yet.
const NONE: u32 = u32::MAX;

impl Cut {
    pub(super) fn new(graph: &Graph, parts: usize) -> Self {
        let (racks, pairs) = (racks(graph), pairs(graph));
        let parts = limited(&racks, &pairs, parts);
        let mut cut = Cut {
            parts,
            hosts: alloc::vec![NONE; graph.hosts as usize],
            switches: alloc::vec![NONE; graph.switches as usize],
            lookahead: Duration::from_ps(u64::MAX),
        };
        let mut ports = alloc::vec![0usize; parts];
        for (pair, part) in pairs.iter().zip((0..parts as u32).cycle()) {
            pair.iter().for_each(|&host| cut.hosts[host as usize] = part);
        }
        cut.deal_racks(&racks, &mut ports);
        cut.deal_others(graph, &mut ports);
        for link in &graph.links {
            let [a, b] = link.ends;
            if cut.of(a) != cut.of(b) {
                cut.lookahead = cut.lookahead.min(link.config.delay);
            }
        }
        cut
    }

    /// The partition of a node.
    #[inline]
    pub(super) fn of(&self, node: Node) -> usize {
        let part = match node {
            Node::Host(host) => self.hosts[host as usize],
            Node::Switch(switch) => self.switches[switch as usize],
        };
        part as usize
    }

    fn deal_racks(&mut self, racks: &[Vec<u32>], ports: &mut [usize]) {
        let all = racks.iter().map(Vec::len).sum::<usize>().max(1);
        let mut before = 0;
        for (rack, switch) in racks.iter().zip(0..).filter(|(rack, _)| !rack.is_empty()) {
            // By the rack's middle, so that rounding favours no partition.
            let part = (2 * before + rack.len()) * self.parts / (2 * all);
            self.switches[switch] = part as u32;
            rack.iter().for_each(|&host| self.hosts[host as usize] = part as u32);
            ports[part] += rack.len();
            before += rack.len();
        }
    }

    fn deal_others(&mut self, graph: &Graph, ports: &mut [usize]) {
        let mut neighbours = alloc::vec![Vec::new(); graph.switches as usize];
        for link in &graph.links {
            if let [Node::Switch(a), Node::Switch(b)] = link.ends {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
        }
        for (switch, neighbours) in neighbours.iter().enumerate() {
            if self.switches[switch] == NONE {
                let dealt = |&other: &u32| self.switches[other as usize];
                let mut parts = neighbours.iter().map(dealt).filter(|&part| part != NONE);
                let first = parts.next().unwrap_or(NONE);
                let alone = first != NONE && parts.all(|part| part == first);
                let fewest = (0..).zip(&*ports).min_by_key(|(_, ports)| **ports);
                self.switches[switch] =
                    if alone { first } else { fewest.map_or(0, |(part, _)| part) };
            }
            ports[self.switches[switch] as usize] += neighbours.len();
        }
    }
}

/// For each switch, its hosts.
fn racks(graph: &Graph) -> Vec<Vec<u32>> {
    let mut racks = alloc::vec![Vec::new(); graph.switches as usize];
    for link in &graph.links {
        if let [Node::Host(host), Node::Switch(switch)] | [Node::Switch(switch), Node::Host(host)] =
            link.ends
        {
            racks[switch as usize].push(host);
        }
    }
    racks
}

/// Two hosts each without a switch.
fn pairs(graph: &Graph) -> Vec<[u32; 2]> {
    let pair = |link: &Link| match link.ends {
        [Node::Host(a), Node::Host(b)] => Some([a, b]),
        [Node::Host(_), Node::Switch(_)] | [Node::Switch(_), Node::Host(_) | Node::Switch(_)] => {
            None
        }
    };
    graph.links.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{FatTree, LeafSpine, LinkConfig};
    use forebay_units::Rate;

    fn link() -> LinkConfig {
        LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(3) }
    }

    #[test]
    fn racks_stay_together_and_parts_are_alike() {
        let shape =
            LeafSpine { leaves: 9, spines: 4, hosts_per_leaf: 16, host: link(), fabric: link() };
        let graph = shape.graph().unwrap();
        let cut = Cut::new(&graph, 2);
        assert_eq!(cut.lookahead, Duration::from_us(3));
        for link in &graph.links {
            let rack = link.ends.iter().any(|end| matches!(end, Node::Host(_)));
            assert!(!rack || cut.of(link.ends[0]) == cut.of(link.ends[1]));
        }
        let load = |part| {
            let inside = |node: &&Node| cut.of(**node) == part;
            graph.links.iter().flat_map(|link| &link.ends).filter(inside).count()
        };
        let (one, two) = (load(0), load(1));
        assert!(one.abs_diff(two) * 10 <= one + two, "{one} and {two}");
    }

    #[test]
    fn pods_stay_together() {
        let graph = FatTree::k_ary(4, link()).unwrap().graph().unwrap();
        let cut = Cut::new(&graph, 4);
        let crossing =
            graph.links.iter().filter(|link| cut.of(link.ends[0]) != cut.of(link.ends[1]));
        // Only links to the four core switches, each of which is in one of the pods' partitions.
        assert_eq!(crossing.count(), 12);
    }

    #[test]
    fn there_are_never_more_parts_than_racks() {
        let cut = Cut::new(&Graph::star(3, link()), 9);
        assert_eq!((cut.parts, cut.lookahead), (1, Duration::from_ps(u64::MAX)));
        let mut pairs = Graph { hosts: 4, switches: 0, links: Vec::new() };
        pairs.connect(Node::Host(0), Node::Host(3), link());
        pairs.connect(Node::Host(1), Node::Host(2), link());
        let cut = Cut::new(&pairs, 9);
        assert_eq!((cut.parts, cut.of(Node::Host(0)), cut.of(Node::Host(3))), (2, 0, 0));
        let shape =
            LeafSpine { leaves: 100, spines: 1, hosts_per_leaf: 1, host: link(), fabric: link() };
        assert_eq!(Cut::new(&shape.graph().unwrap(), 1000).parts, MAX_PARTITIONS);
    }
}
