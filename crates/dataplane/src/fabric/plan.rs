//! The fabric of a topology: which devices there are, how they are joined, and which addresses
//! hosts have.
//!
//! A host is `h1`, `h2` …, a switch `s1`, `s2` …, in the topology's order. A host's network card is
//! a device of its own, so that what a host sends leaves at its link's rate, whatever its kernel
//! thinks of an interface without a rate.
//!
//! HostAddresses are chosen here: host `n` is 10.0.0.0 plus `n` and fd64:1:: plus `n`. With
//! learning, all are in one network (10.0.0.0/16, fd64:1::/64) and find each other by ARP and
//! neighbour discovery, through the switches. With routes, each host has its address alone and a
//! gateway, 169.254.0.1 and fe80::fb, whose hardware address it is told.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use forebay_net::route::Routes;
use forebay_net::topology::{Graph, Link, Node};
use forebay_switch::SwitchConfig;
use forebay_units::{Duration, Rate};

use super::config::{DeviceConfig, Peer, PortConfig};
use super::forwarding::{Forwarding, MacAddress, MacTable, NextHop, RouteTable};
use crate::link::{EmulationConfig, Pace, Rules};

/// The most hosts of a lab: each is a namespace.
const MOST_HOSTS: u32 = 1_000;
/// The most switches of a lab.
const MOST_SWITCHES: u32 = 1_000;

/// How the switches of a lab forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By what they have learnt: one Ethernet.
    Learning,
    /// By routes to every host.
    Routes,
}

impl Mode {
    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Learning => "learning",
            Mode::Routes => "routes",
        }
    }

    /// What suits a topology: learning, unless there are loops.
    #[must_use]
    pub fn of(graph: &Graph) -> Self {
        if graph.has_cycle() { Mode::Routes } else { Mode::Learning }
    }
}

/// What a lab is made of.
pub struct LabConfig {
    /// Hosts, switches and links.
    pub graph: Graph,
    /// How switches forward.
    pub mode: Mode,
    /// How every switch stores and schedules frames.
    pub switch: SwitchConfig,
    /// Those that are otherwise, by their numbers from 0.
    pub others: BTreeMap<u32, SwitchConfig>,
    /// Ports of switches to the outside, besides those of the topology. Only switches that learn
    /// have some, since nobody knows what is behind them.
    pub ports: Vec<OutsidePort>,
    /// Classes and ranks in it.
    pub rules: Rules,
    /// The queue of a host's network card.
    pub card: SwitchConfig,
    /// What happens on every wire besides the delay of the topology, and the seed.
    pub link: EmulationConfig,
}

/// A port of a switch to the outside: what comes in there has arrived at the switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsidePort {
    /// Its name, as that of an interface.
    pub name: String,
    /// The switch, from 0.
    pub switch: u32,
    /// How fast the switch sends there.
    pub rate: Rate,
    /// How long that is on its way.
    pub delay: Duration,
}

impl LabConfig {
    /// The switch of this number, from 0.
    #[must_use]
    pub fn switch_of(&self, number: u32) -> &SwitchConfig {
        self.others.get(&number).unwrap_or(&self.switch)
    }
}

/// Where a host's packets go that are for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gateway {
    /// Its addresses on the host's link.
    pub v4: Ipv4Addr,
    /// The same for IPv6.
    pub v6: Ipv6Addr,
    /// Its Ethernet address.
    pub hardware: MacAddress,
}

/// A host's name and addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAddresses {
    /// As `h1`.
    pub name: String,
    /// Its address and the length of its network's prefix.
    pub v4: (Ipv4Addr, u8),
    /// The same for IPv6.
    pub v6: (Ipv6Addr, u8),
    /// Its Ethernet address.
    pub hardware: MacAddress,
    /// Its gateway, if its network is itself alone.
    pub gateway: Option<Gateway>,
}

/// A fabric, and the hosts at its edges: host `i` is at edge `i`, and behind them are the ports to
/// the outside.
pub struct LabPlan {
    /// The switches, and behind them each host's network card.
    pub devices: Vec<DeviceConfig>,
    /// Where frames of each host come in, and behind them those of each port to the outside.
    pub entrances: Vec<(u32, u16)>,
    /// What each host is called and where it is reached.
    pub hosts: Vec<HostAddresses>,
}

/// Why a topology is no lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabPlanError {
    /// It has more hosts than a machine has room for.
    Hosts(u32),
    /// It has too many switches.
    Switches(u32),
    /// Frames to everybody would go round for ever.
    Loop,
    /// A port to the outside is of a switch that forwards by routes.
    RoutedPort {
        /// Whether it cannot do otherwise, since the topology has loops.
        has_loops: bool,
    },
}

impl LabPlanError {
    /// What it is about: `topology`, or `forwarding`.
    #[must_use]
    pub const fn parameter(&self) -> &'static str {
        match self {
            LabPlanError::Hosts(_) | LabPlanError::Switches(_) => "topology",
            LabPlanError::Loop | LabPlanError::RoutedPort { .. } => "forwarding",
        }
    }
}

impl fmt::Display for LabPlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabPlanError::Hosts(hosts) => {
                write!(f, "{hosts} hosts are too many: a lab has at most {MOST_HOSTS}")
            }
            LabPlanError::Switches(switches) => {
                write!(f, "{switches} switches are too many: a lab has at most {MOST_SWITCHES}")
            }
            LabPlanError::Loop => f.write_str(
                "this topology has loops, in which frames to everybody would go round for ever: \
                 forward by routes",
            ),
            LabPlanError::RoutedPort { has_loops } => write!(
                f,
                "nobody knows which addresses are behind a port to the outside, and routers of a \
                 lab neither ask for addresses nor answer (ARP), so that no route leads there: {}",
                match has_loops {
                    true => "take a topology without loops, whose switches can learn",
                    false => "let the switches learn",
                }
            ),
        }
    }
}

impl std::error::Error for LabPlanError {}

impl LabPlan {
    /// The fabric of a topology that was [checked](Graph::check). O(switches · hosts).
    ///
    /// # Errors
    /// It is too large, or its switches would learn and it has loops.
    pub fn new(lab: &LabConfig) -> Result<Self, LabPlanError> {
        let graph = &lab.graph;
        if graph.hosts > MOST_HOSTS {
            return Err(LabPlanError::Hosts(graph.hosts));
        }
        if graph.switches > MOST_SWITCHES {
            return Err(LabPlanError::Switches(graph.switches));
        }
        if lab.mode == Mode::Learning && graph.has_cycle() {
            return Err(LabPlanError::Loop);
        }
        if lab.mode == Mode::Routes && !lab.ports.is_empty() {
            return Err(LabPlanError::RoutedPort { has_loops: graph.has_cycle() });
        }
        let cabling = Cabling::of(graph);
        let paths = Routes::new(graph, lab.link.seed, |_| true);
        let switches = (0..graph.switches).map(|switch| DeviceConfig {
            name: format!("s{}", switch + 1),
            switch: lab.switch_of(switch).clone(),
            rules: lab.rules.clone(),
            forwarding: match lab.mode {
                Mode::Learning => Forwarding::Learning(MacTable::default()),
                Mode::Routes => Forwarding::Routes(cabling.routes(graph, &paths, switch, lab)),
            },
            ports: cabling.ports(graph, lab, Node::Switch(switch)),
        });
        let cards = (0..graph.hosts).map(|host| DeviceConfig {
            name: format!("h{}", host + 1),
            switch: lab.card.clone(),
            rules: Rules::default(),
            forwarding: Forwarding::Only,
            ports: cabling.ports(graph, lab, Node::Host(host)),
        });
        let mut devices: Vec<DeviceConfig> = switches.chain(cards).collect();
        let mut entrances: Vec<(u32, u16)> =
            (0..graph.hosts).map(|host| (graph.switches + host, 0)).collect();
        for (edge, port) in (graph.hosts..).zip(&lab.ports) {
            let OutsidePort { switch, rate, delay, .. } = *port;
            // Ports of switches that there are not are nowhere.
            let Some(device) = devices[..graph.switches as usize].get_mut(switch as usize) else {
                continue;
            };
            entrances.push((switch, device.ports.len() as u16));
            let link = EmulationConfig { rate, delay, ..lab.link.clone() };
            device.ports.push(PortConfig { peer: Peer::Edge(edge), pace: Pace::of(rate), link });
        }
        Ok(LabPlan {
            devices,
            entrances,
            hosts: (0..graph.hosts).map(|host| cabling.addresses(graph, lab.mode, host)).collect(),
        })
    }
}

/// Which link is at which port.
struct Cabling {
    /// By switch: its links and the end of each that it is, in the order of its ports.
    switches: Vec<Vec<(usize, usize)>>,
    /// By host: its link, and the end that it is.
    hosts: Vec<(usize, usize)>,
    /// By link: the port at each end.
    ports: Vec<[u16; 2]>,
}

impl Cabling {
    fn of(graph: &Graph) -> Self {
        let mut cabling = Cabling {
            switches: vec![Vec::new(); graph.switches as usize],
            hosts: vec![(0, 0); graph.hosts as usize],
            ports: vec![[0; 2]; graph.links.len()],
        };
        for (index, link) in graph.links.iter().enumerate() {
            for (end, node) in link.ends.into_iter().enumerate() {
                match node {
                    Node::Host(host) => cabling.hosts[host as usize] = (index, end),
                    Node::Switch(switch) => {
                        let links = &mut cabling.switches[switch as usize];
                        cabling.ports[index][end] = links.len() as u16;
                        links.push((index, end));
                    }
                }
            }
        }
        cabling
    }

    /// The ports of a node, with what is at their other ends.
    fn ports(&self, graph: &Graph, lab: &LabConfig, node: Node) -> Vec<PortConfig> {
        let links = match node {
            Node::Host(host) => std::slice::from_ref(&self.hosts[host as usize]),
            Node::Switch(switch) => self.switches[switch as usize].as_slice(),
        };
        let port = |&(index, end): &(usize, usize)| {
            let Link { ends, config } = graph.links[index];
            let peer = match ends[1 - end] {
                // What a host receives does not pass its card's queue.
                Node::Host(host) => Peer::Edge(host),
                Node::Switch(device) => Peer::Port { device, port: self.ports[index][1 - end] },
            };
            let link =
                EmulationConfig { rate: config.rate, delay: config.delay, ..lab.link.clone() };
            PortConfig { peer, pace: Pace::of(config.rate), link }
        };
        links.iter().map(port).collect()
    }

    /// A switch's ways to every host.
    fn routes(&self, graph: &Graph, paths: &Routes, switch: u32, lab: &LabConfig) -> RouteTable {
        let ports = self.switches[switch as usize].len() as u16;
        let hardware = (0..ports).map(|port| of_port(switch, port)).collect();
        let mut routes = RouteTable::new(hardware, lab.link.seed ^ u64::from(switch) << 32);
        for host in 0..graph.hosts {
            let hop = |&channel: &u32| {
                // Channel 2i goes from the first end of link i to its second, 2i + 1 back.
                let (index, end) = ((channel / 2) as usize, (channel % 2) as usize);
                let hardware = match graph.links[index].ends[1 - end] {
                    Node::Host(host) => of_host(host),
                    Node::Switch(next) => of_port(next, self.ports[index][1 - end]),
                };
                NextHop { port: self.ports[index][end], hardware }
            };
            let ways: Vec<NextHop> = paths.choices(switch, host).iter().map(hop).collect();
            routes.add(IpAddr::V4(v4(host)), 32, ways.clone());
            routes.add(IpAddr::V6(v6(host)), 128, ways);
        }
        routes
    }

    fn addresses(&self, graph: &Graph, mode: Mode, host: u32) -> HostAddresses {
        let (index, end) = self.hosts[host as usize];
        let gateway = match (mode, graph.links[index].ends[1 - end]) {
            (Mode::Routes, Node::Switch(switch)) => Some(Gateway {
                v4: Ipv4Addr::new(169, 254, 0, 1),
                v6: Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0xfb),
                hardware: of_port(switch, self.ports[index][1 - end]),
            }),
            (Mode::Routes, Node::Host(_)) | (Mode::Learning, _) => None,
        };
        let alone = gateway.is_some();
        HostAddresses {
            name: format!("h{}", host + 1),
            v4: (v4(host), if alone { 32 } else { 16 }),
            v6: (v6(host), if alone { 128 } else { 64 }),
            hardware: of_host(host),
            gateway,
        }
    }
}

fn v4(host: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from_be_bytes([10, 0, 0, 0]) + host + 1)
}

fn v6(host: u32) -> Ipv6Addr {
    Ipv6Addr::new(0xfd64, 1, 0, 0, 0, 0, 0, host as u16 + 1)
}

/// Hardware addresses of local use.
fn of_host(host: u32) -> MacAddress {
    let [_, high, middle, low] = host.to_be_bytes();
    [0x02, 0xfb, 0x01, high, middle, low]
}

fn of_port(switch: u32, port: u16) -> MacAddress {
    let ([_, _, a, b], [c, d]) = (switch.to_be_bytes(), port.to_be_bytes());
    [0x02, 0xfc, a, b, c, d]
}
