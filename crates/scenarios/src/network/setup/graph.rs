//! The topology, from the parameters.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_net::topology::{FatTree, Graph, LeafSpine, LinkConfig, Node, read_graph};
use forebay_parameters::ParameterError;
use forebay_units::Duration;

use crate::network::params::hosts::{HostPart, TopologyKind};
use crate::network::traffic::read_topology;

pub(super) fn graph(config: &HostPart) -> Result<Graph, ParameterError> {
    if config.kind == TopologyKind::File {
        let text = read_topology(&config.file, &HostPart::FILE)?;
        return read_graph(&text).map_err(|error| HostPart::FILE.refuse(error));
    }
    for (rate, of) in
        [(config.host_rate, &HostPart::HOST_RATE), (config.fabric_rate, &HostPart::FABRIC_RATE)]
    {
        if rate.as_bps() == 0 {
            return Err(of.refuse("a link's rate is 0 b/s; give a rate above 0"));
        }
    }
    let delay = config.delay;
    if delay == Duration::ZERO {
        let problem = "the delay of a link must be above 0; give 1 ns or more";
        return Err(HostPart::DELAY.refuse(problem));
    }
    let host = LinkConfig { rate: config.host_rate, delay: config.host_delay.unwrap_or(delay) };
    let fabric = LinkConfig { rate: config.fabric_rate, delay };
    let graph = match config.kind {
        TopologyKind::Star | TopologyKind::File => Ok(Graph::star(config.hosts, host)),
        TopologyKind::FatTree => FatTree {
            pods: config.pods,
            edges_per_pod: config.edges_per_pod,
            aggregations_per_pod: config.aggregations_per_pod,
            cores_per_group: config.cores_per_group,
            hosts_per_edge: config.hosts,
            host,
            edge: fabric,
            core: fabric,
        }
        .graph(),
        TopologyKind::LeafSpine => {
            let (leaves, spines) = (config.leaves, config.spines);
            LeafSpine { leaves, spines, hosts_per_leaf: config.hosts, host, fabric }.graph()
        }
    };
    graph.map_err(|error| HostPart::KIND.refuse(error))
}

/// The propagation of the longest way there and back: from the host that is farthest from the first
/// to the one that is farthest from it. Exact in trees and in the topologies that have a name; in
/// any other graph it may be less than the longest. O(links log links).
pub(super) fn round_trip(graph: &Graph) -> Duration {
    let neighbours = neighbours(graph);
    let (end, _) = farthest(graph, &neighbours, 0);
    farthest(graph, &neighbours, end as usize).1 * 2
}

/// Of every node, hosts first, the nodes that it has links to and how far they are.
fn neighbours(graph: &Graph) -> Vec<Vec<(u32, Duration)>> {
    let place = |node: Node| match node {
        Node::Host(host) => host,
        Node::Switch(switch) => graph.hosts + switch,
    };
    let mut neighbours = vec![Vec::new(); graph.hosts as usize + graph.switches as usize];
    for link in &graph.links {
        let [a, b] = link.ends.map(place);
        for (from, to) in [(a, b), (b, a)] {
            if let Some(of) = neighbours.get_mut(from as usize) {
                of.push((to, link.config.delay));
            }
        }
    }
    neighbours
}

/// The host that is farthest from a node, and how far; hosts do not forward.
fn farthest(graph: &Graph, neighbours: &[Vec<(u32, Duration)>], from: usize) -> (u32, Duration) {
    let mut reached = vec![false; neighbours.len()];
    let mut waiting = BinaryHeap::from([(Reverse(Duration::ZERO), from as u32)]);
    let mut last = (from as u32, Duration::ZERO);
    while let Some((Reverse(distance), node)) = waiting.pop() {
        let Some(seen) = reached.get_mut(node as usize) else { continue };
        if std::mem::replace(seen, true) {
            continue;
        }
        let host = node < graph.hosts;
        if host {
            last = (node, distance);
        }
        if !host || node as usize == from {
            let next = neighbours[node as usize].iter().filter(|(to, _)| !reached[*to as usize]);
            waiting.extend(next.map(|(to, delay)| (Reverse(distance + *delay), *to)));
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::Rate;

    #[test]
    fn the_longest_way_is_found() {
        let link = |us| LinkConfig { rate: Rate::from_gbps(1), delay: Duration::from_us(us) };
        let us = |graph: Graph| round_trip(&graph).as_ps() / 1_000_000;
        assert_eq!(us(Graph::star(4, link(10))), 40);
        let (host, fabric) = (link(10), link(10));
        let spines = LeafSpine { leaves: 3, spines: 2, hosts_per_leaf: 2, host, fabric };
        assert_eq!(us(spines.graph().unwrap()), 80);
        let tree = FatTree {
            pods: 2,
            edges_per_pod: 2,
            aggregations_per_pod: 2,
            cores_per_group: 1,
            hosts_per_edge: 2,
            host: link(1),
            edge: link(2),
            core: link(5),
        };
        assert_eq!(us(tree.graph().unwrap()), 2 * (2 * (1 + 2 + 5)));
        // Host 0 is in the middle of a line of switches, host 2 at its far end.
        let line = "hosts 3\nswitches 3\nlink h0 s1 1Gb/s 1us\nlink h1 s0 1Gb/s 1us\n\
                    link h2 s2 1Gb/s 7us\nlink s0 s1 1Gb/s 2us\nlink s1 s2 1Gb/s 3us\n";
        assert_eq!(us(read_graph(line).unwrap()), 2 * (1 + 2 + 3 + 7));
    }
}
