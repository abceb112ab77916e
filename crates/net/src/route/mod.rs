//! Routing: shortest paths, and which of several a flow takes.
//!
//! Paths are the shortest in hops, found by breadth-first search from each switch that has hosts.
//! Where several next links are as short, a hash of the flow's addresses and ports picks one per
//! flow (ECMP), at each switch with another seed, so that the choices at successive levels are
//! independent. Left open by the papers and chosen here: the hash (a 64-bit mixer), and that a link
//! may not be chosen by its rate. [`BalanceConfig`] has other ways to choose among equal links.
//!
//! Computing takes O(switches with hosts · links); a choice is constant. Memory: 4 bytes per switch
//! and switch with hosts (sets of equal choices are shared), 8 per host: 2.6 MB for a fat-tree of
//! 8,192 hosts.

mod adjacency;
mod balance;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::topology::{Graph, Node};
use adjacency::Adjacency;
pub(crate) use balance::{Asked, Balancer};
pub use balance::{Balance, BalanceConfig};
use forebay_pifo::prefetch;

/// No link leads there.
const UNREACHABLE: u32 = u32::MAX;
/// The entry is a set's number, not a link's.
const SET: u32 = 1 << 31;

/// A direction of a link: link `i` has `2i`, from its first end to its second, and `2i + 1` back.
pub type ChannelId = u32;

/// Mixes a key so that every bit of it changes about half of the result's (a splitmix64 step).
#[must_use]
pub const fn mix(key: u64) -> u64 {
    let z = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Where packets go next.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Per host: the number of its switch among those with hosts.
    edge_of: Vec<u32>,
    /// Per host: the channels from and to it.
    host_channels: Vec<[ChannelId; 2]>,
    /// Per switch: the number among those with hosts, or [`UNREACHABLE`].
    edge_number: Vec<u32>,
    edges: usize,
    /// Per switch and switch with hosts: a channel, or a set.
    next: Vec<u32>,
    /// Per set: where it starts in `members`, and how many it has.
    sets: Vec<(u32, u32)>,
    members: Vec<ChannelId>,
    seed: u64,
}

impl Routes {
    /// The routes of a graph that was checked, over the links between switches that are `up`.
    #[must_use]
    pub fn new(graph: &Graph, seed: u64, up: impl Fn(usize) -> bool) -> Self {
        let mut routes = Routes {
            edge_of: alloc::vec![UNREACHABLE; graph.hosts as usize],
            host_channels: alloc::vec![[0; 2]; graph.hosts as usize],
            edge_number: alloc::vec![UNREACHABLE; graph.switches as usize],
            edges: 0,
            next: Vec::new(),
            sets: Vec::new(),
            members: Vec::new(),
            seed,
        };
        let mut edges = Vec::new();
        for (index, link) in graph.links.iter().enumerate() {
            let forward = 2 * index as u32;
            match link.ends {
                [Node::Host(host), Node::Switch(switch)] => {
                    routes.attach(host, switch, [forward, forward + 1], &mut edges);
                }
                [Node::Switch(switch), Node::Host(host)] => {
                    routes.attach(host, switch, [forward + 1, forward], &mut edges);
                }
                [Node::Host(_), Node::Host(_)] | [Node::Switch(_), Node::Switch(_)] => {}
            }
        }
        routes.edges = edges.len();
        routes.fill(&Adjacency::new(graph, up), &edges);
        routes
    }

    fn attach(&mut self, host: u32, switch: u32, ways: [ChannelId; 2], edges: &mut Vec<u32>) {
        let number = &mut self.edge_number[switch as usize];
        if *number == UNREACHABLE {
            *number = edges.len() as u32;
            edges.push(switch);
        }
        self.edge_of[host as usize] = *number;
        self.host_channels[host as usize] = ways;
    }

    fn fill(&mut self, adjacency: &Adjacency, edges: &[u32]) {
        let switches = self.edge_number.len();
        self.next = alloc::vec![UNREACHABLE; switches * self.edges];
        let mut known: BTreeMap<Vec<ChannelId>, u32> = BTreeMap::new();
        let (mut choices, mut distance) = (Vec::new(), alloc::vec![u32::MAX; switches]);
        for (number, &edge) in edges.iter().enumerate() {
            adjacency.distances(edge, &mut distance);
            for switch in (0..switches).filter(|&s| s != edge as usize) {
                choices.clear();
                let closer = adjacency.of(switch).iter().filter(|(_, neighbour)| {
                    distance[*neighbour as usize].saturating_add(1) == distance[switch]
                        && distance[switch] != u32::MAX
                });
                choices.extend(closer.map(|(channel, _)| *channel));
                let entry = self.entry(&choices, &mut known);
                self.next[switch * self.edges + number] = entry;
            }
        }
    }

    fn entry(&mut self, choices: &[ChannelId], known: &mut BTreeMap<Vec<u32>, u32>) -> u32 {
        match choices {
            [] => UNREACHABLE,
            [only] => *only,
            several => {
                if let Some(set) = known.get(several) {
                    return SET | *set;
                }
                let set = self.sets.len() as u32;
                self.sets.push((self.members.len() as u32, several.len() as u32));
                self.members.extend_from_slice(several);
                known.insert(several.to_vec(), set);
                SET | set
            }
        }
    }

    /// The channel from `host` into the network.
    #[inline]
    pub(crate) fn uplink(&self, host: u32) -> ChannelId {
        self.host_channels[host as usize][0]
    }

    /// The channels on which a packet may leave `switch` for `host`; empty if there is no way.
    #[must_use]
    pub fn choices(&self, switch: u32, host: u32) -> &[ChannelId] {
        let Some(&edge) = self.edge_of.get(host as usize) else { return &[] };
        if self.edge_number.get(switch as usize) == Some(&edge) {
            return self.host_channels.get(host as usize).map_or(&[], |ways| &ways[1..]);
        }
        let place = switch as usize * self.edges + edge as usize;
        match self.next.get(place) {
            None | Some(&UNREACHABLE) => &[],
            Some(entry) if entry & SET == 0 => core::slice::from_ref(entry),
            Some(entry) => {
                let (start, count) =
                    self.sets.get((entry ^ SET) as usize).copied().unwrap_or_default();
                let members = self.members.get(start as usize..).unwrap_or_default();
                members.get(..count as usize).unwrap_or_default()
            }
        }
    }

    /// The way from `switch` to `host` will be asked for soon.
    #[inline]
    pub(crate) fn approach(&self, switch: u32, host: u32) {
        let edge = self.edge_of.get(host as usize).map_or(0, |&edge| edge as usize);
        if let Some(entry) = self.next.get(switch as usize * self.edges + edge) {
            prefetch(entry);
        }
    }

    /// The channel on which a packet leaves `switch` for `host`, if there is one. The hash of its
    /// flow is asked for where there are several.
    #[inline]
    pub(crate) fn next(
        &self,
        switch: u32,
        host: u32,
        hash: impl FnOnce() -> u32,
    ) -> Option<ChannelId> {
        let edge = self.edge_of[host as usize];
        if self.edge_number[switch as usize] == edge {
            return Some(self.host_channels[host as usize][1]);
        }
        let entry = *self.next.get(switch as usize * self.edges + edge as usize)?;
        if entry == UNREACHABLE {
            return None;
        }
        if entry & SET == 0 {
            return Some(entry);
        }
        let (start, count) = self.sets[(entry ^ SET) as usize];
        let draw = mix(self.seed ^ u64::from(switch) << 32 ^ u64::from(hash()));
        Some(self.members[start as usize + place(draw, count as usize)])
    }

    /// The channels on which a packet may leave `switch` for `host`, if there is one.
    pub(crate) fn ways(&self, switch: u32, host: u32) -> Option<Ways<'_>> {
        let channels = self.choices(switch, host);
        let edge = self.edge_of[host as usize] as usize;
        match channels {
            [] => None,
            [only] => Some(Ways::One(*only)),
            several => {
                let set = self.next[switch as usize * self.edges + edge] ^ SET;
                Some(Ways::Several { set, channels: several })
            }
        }
    }
}

/// Where a packet may go next.
pub(crate) enum Ways<'a> {
    One(ChannelId),
    /// Several as short ones; the set is of one switch.
    Several {
        set: u32,
        channels: &'a [ChannelId],
    },
}

/// A place among `count`, by a draw.
#[inline]
pub(crate) fn place(draw: u64, count: usize) -> usize {
    (((draw >> 32) * count as u64) >> 32) as usize
}
