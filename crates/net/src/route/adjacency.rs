//! Which switches are neighbours, and how far they are.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::ChannelId;
use crate::topology::{Graph, Node};

/// The links of every switch to other switches.
pub(super) struct Adjacency {
    starts: Vec<u32>,
    /// The channel away from the switch, and the neighbour.
    links: Vec<(ChannelId, u32)>,
}

impl Adjacency {
    pub(super) fn new(graph: &Graph, up: impl Fn(usize) -> bool) -> Self {
        let between = |(index, link): (usize, &crate::topology::Link)| match link.ends {
            [Node::Switch(a), Node::Switch(b)] => up(index).then_some((2 * index as u32, a, b)),
            [Node::Host(_), Node::Host(_) | Node::Switch(_)] | [Node::Switch(_), Node::Host(_)] => {
                None
            }
        };
        let pairs = || graph.links.iter().enumerate().filter_map(between);
        let mut starts = alloc::vec![0; graph.switches as usize + 1];
        for (_, a, b) in pairs() {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut places = starts.clone();
        let mut links = alloc::vec![(0, 0); places.last().map_or(0, |&n| n as usize)];
        for (channel, a, b) in pairs() {
            for (channel, from, to) in [(channel, a, b), (channel + 1, b, a)] {
                links[places[from as usize] as usize] = (channel, to);
                places[from as usize] += 1;
            }
        }
        Adjacency { starts, links }
    }

    pub(super) fn of(&self, switch: usize) -> &[(ChannelId, u32)] {
        &self.links[self.starts[switch] as usize..self.starts[switch + 1] as usize]
    }

    /// Hops from every switch to `target`; `u32::MAX` where there is no way.
    pub(super) fn distances(&self, target: u32, distance: &mut [u32]) {
        distance.fill(u32::MAX);
        distance[target as usize] = 0;
        let mut queue = VecDeque::from([target]);
        while let Some(switch) = queue.pop_front() {
            let next = distance[switch as usize] + 1;
            for &(_, neighbour) in self.of(switch as usize) {
                if distance[neighbour as usize] == u32::MAX {
                    distance[neighbour as usize] = next;
                    queue.push_back(neighbour);
                }
            }
        }
    }
}
