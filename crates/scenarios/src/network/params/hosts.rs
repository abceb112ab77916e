//! What hosts are connected by, and how they send.

use forebay_net::network::Nic;
use forebay_parameters::{Configure, Kind, Parameter, Source, Walk, Word};
use forebay_units::{Bytes, Duration, Rate};

use super::{COUNT, NONE, OCCAMY, THEMIS};

/// What hosts are connected by, and how they send.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// The topology, and its numbers.
    pub kind: TopologyKind,
    /// The file of a topology.
    pub file: String,
    /// Leaf switches.
    pub leaves: u32,
    /// Spine switches.
    pub spines: u32,
    /// Hosts of a leaf or an edge switch; of a star, all.
    pub hosts: u32,
    /// Pods.
    pub pods: u32,
    /// Edge switches of a pod.
    pub edges_per_pod: u32,
    /// Aggregation switches of a pod.
    pub aggregations_per_pod: u32,
    /// Core switches of each group.
    pub cores_per_group: u32,
    /// Rate of hosts' links.
    pub host_rate: Rate,
    /// Rate of links between switches.
    pub fabric_rate: Rate,
    /// Propagation delay of links.
    pub delay: Duration,
    /// That of hosts' links, where it is another.
    pub host_delay: Option<Duration>,
    /// Congestion control.
    pub control: String,
    /// That of the background.
    pub background_control: String,
    /// Payload of a segment.
    pub mss: Bytes,
    /// First window, in segments.
    pub initial_window: u32,
    /// Shortest retransmission timeout.
    pub min_rto: Duration,
    /// Whether a flow knows the round trip of the empty network when it starts.
    pub known_rtt: bool,
    /// Selective acknowledgements.
    pub sack: bool,
    /// How much a receiver lets a sender have under way; none: any amount.
    pub receive_window: Option<Bytes>,
    /// Acknowledge every second segment, or after a while.
    pub delayed_ack: bool,
    /// How a host's flows share its link.
    pub nic: Nic,
}

/// A kind of topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyKind {
    /// Leaves and spines.
    LeafSpine,
    /// Hosts at one switch.
    Star,
    /// Three levels.
    FatTree,
    /// As a file has it.
    File,
}

impl Word for TopologyKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("leaf-spine", TopologyKind::LeafSpine),
        ("star", TopologyKind::Star),
        ("fat-tree", TopologyKind::FatTree),
        ("file", TopologyKind::File),
    ];
}

impl Default for HostConfig {
    fn default() -> Self {
        HostConfig {
            kind: TopologyKind::LeafSpine,
            file: String::new(),
            leaves: 8,
            spines: 8,
            hosts: 16,
            pods: 4,
            edges_per_pod: 2,
            aggregations_per_pod: 2,
            cores_per_group: 2,
            host_rate: Rate::from_gbps(100),
            fabric_rate: Rate::from_gbps(100),
            delay: Duration::from_us(10),
            host_delay: None,
            control: "dctcp".to_owned(),
            background_control: "same".to_owned(),
            mss: Bytes::new(1448),
            initial_window: 10,
            min_rto: Duration::from_ms(5),
            known_rtt: true,
            sack: true,
            receive_window: None,
            delayed_ack: false,
            nic: Nic::Fair,
        }
    }
}

const USUAL: Source = Source::assumed(
    "8 ToR, 8 aggregation and 4 core switches (gearbox §4.1.1) in the usual shape; Fig. 6 is not in the text",
);

pub(crate) const KIND: Parameter = Parameter::new(
    "topology.kind",
    Kind::of::<TopologyKind>(),
    OCCAMY,
    "Leaves and spines, hosts at one switch, a three-level fat-tree, or topology.file.",
);
pub(crate) const FILE: Parameter = Parameter::new(
    "topology.file",
    Kind::Path,
    NONE,
    "The graph, where topology.kind is file: nodes and links, a line each (docs/network.md).",
);
const LEAVES: Parameter =
    Parameter::new("topology.leaves", COUNT, OCCAMY, "Leaf switches (leaf-spine).");
const SPINES: Parameter =
    Parameter::new("topology.spines", COUNT, OCCAMY, "Spine switches (leaf-spine).");
const HOSTS: Parameter = Parameter::new(
    "topology.hosts",
    Kind::Int { min: 2, max: 65_536 },
    OCCAMY,
    "Hosts of a leaf or an edge switch; of a star, all.",
);
const PODS: Parameter = Parameter::new("topology.pods", COUNT, USUAL, "Pods (fat-tree).");
const EDGES_PER_POD: Parameter =
    Parameter::new("topology.edges_per_pod", COUNT, USUAL, "Edge switches of a pod (fat-tree).");
const AGGREGATIONS_PER_POD: Parameter = Parameter::new(
    "topology.aggregations_per_pod",
    COUNT,
    USUAL,
    "Aggregation switches of a pod (fat-tree).",
);
const CORES_PER_GROUP: Parameter = Parameter::new(
    "topology.cores_per_group",
    COUNT,
    USUAL,
    "Core switches of each group (fat-tree).",
);
pub(crate) const HOST_RATE: Parameter =
    Parameter::new("topology.host_rate", Kind::Rate, OCCAMY, "Rate of hosts' links.");
pub(crate) const FABRIC_RATE: Parameter =
    Parameter::new("topology.fabric_rate", Kind::Rate, OCCAMY, "Rate of links between switches.");
pub(crate) const DELAY: Parameter = Parameter::new(
    "topology.delay",
    Kind::Duration,
    OCCAMY,
    "Propagation delay of every link: 80 us of RTT across a spine.",
);
const HOST_DELAY: Parameter = Parameter::new(
    "topology.host_delay",
    Kind::Duration,
    Source::assumed("most papers have one delay for all links"),
    "Propagation delay of hosts' links, where it is another; 0: the same.",
);
pub(crate) const CONTROL: Parameter = Parameter::new(
    "transport.control",
    Kind::Choice(&["new-reno", "cubic", "dctcp"]),
    OCCAMY,
    "Congestion control.",
);
pub(crate) const BACKGROUND_CONTROL: Parameter = Parameter::new(
    "transport.background_control",
    Kind::Choice(&["same", "new-reno", "cubic", "dctcp"]),
    Source::paper("occamy §6.2"),
    "Congestion control of the background traffic, where it is another.",
);
const MSS: Parameter = Parameter::new(
    "transport.mss",
    Kind::Bytes,
    THEMIS,
    "Payload of a segment; 52 bytes of headers come on top.",
);
const INITIAL_WINDOW: Parameter = Parameter::new(
    "transport.initial_window",
    Kind::Int { min: 1, max: 10_000 },
    Source::assumed("RFC 6928; Themis §6.3.2 has 20"),
    "First window, in segments.",
);
const MIN_RTO: Parameter =
    Parameter::new("transport.min_rto", Kind::Duration, OCCAMY, "Shortest retransmission timeout.");
const KNOWN_RTT: Parameter = Parameter::new(
    "transport.known_rtt",
    Kind::Bool,
    Source::assumed(
        "a handshake, which is left out, would have measured it; otherwise the first loss costs a second (RFC 6298)",
    ),
    "Whether a flow knows the round trip of the empty network when it starts.",
);
const SACK: Parameter = Parameter::new(
    "transport.sack",
    Kind::Bool,
    Source::assumed("Linux and ns-3 have it on; off under plain NewReno (Themis)"),
    "Selective acknowledgements.",
);
const RECEIVE_WINDOW: Parameter = Parameter::new(
    "transport.receive_window",
    Kind::Bytes,
    Source::assumed("receivers keep up, and grow their windows"),
    "How much a receiver lets a sender have under way; 0: any amount.",
);
const DELAYED_ACK: Parameter = Parameter::new(
    "transport.delayed_ack",
    Kind::Bool,
    Source::assumed("data-centre practice; neither paper says"),
    "Acknowledge every second segment, or after 40 us.",
);
const NIC: Parameter = Parameter::new(
    "host.nic",
    Kind::of::<Nic>(),
    Source::shown(
        "as Linux hosts do; in one queue small flows wait behind their neighbours' windows whatever the switches do",
        "themis/sensitivity-nic, occamy/sensitivity-hosts",
    ),
    "Whether a host's flows take turns at its link, or wait in one queue.",
);

impl Configure for HostConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&KIND, &mut self.kind);
        let all = walk.wants_all();
        let is = |kind: TopologyKind| all || self.kind == kind;
        let [leaf_spine, fat_tree, file] =
            [TopologyKind::LeafSpine, TopologyKind::FatTree, TopologyKind::File].map(is);
        if file {
            walk.field(&FILE, &mut self.file);
        }
        if leaf_spine {
            walk.field(&LEAVES, &mut self.leaves);
            walk.field(&SPINES, &mut self.spines);
        }
        if all || self.kind != TopologyKind::File {
            walk.field(&HOSTS, &mut self.hosts);
        }
        if fat_tree {
            walk.field(&PODS, &mut self.pods);
            walk.field(&EDGES_PER_POD, &mut self.edges_per_pod);
            walk.field(&AGGREGATIONS_PER_POD, &mut self.aggregations_per_pod);
            walk.field(&CORES_PER_GROUP, &mut self.cores_per_group);
        }
        walk.field(&HOST_RATE, &mut self.host_rate);
        if leaf_spine || fat_tree {
            walk.field(&FABRIC_RATE, &mut self.fabric_rate);
        }
        if all || self.kind != TopologyKind::File {
            walk.field(&DELAY, &mut self.delay);
            walk.field(&HOST_DELAY, &mut self.host_delay);
        }
        walk.field(&CONTROL, &mut self.control);
        walk.field(&BACKGROUND_CONTROL, &mut self.background_control);
        walk.field(&MSS, &mut self.mss);
        walk.field(&INITIAL_WINDOW, &mut self.initial_window);
        walk.field(&MIN_RTO, &mut self.min_rto);
        walk.field(&KNOWN_RTT, &mut self.known_rtt);
        walk.field(&SACK, &mut self.sack);
        walk.field(&RECEIVE_WINDOW, &mut self.receive_window);
        walk.field(&DELAYED_ACK, &mut self.delayed_ack);
        walk.field(&NIC, &mut self.nic);
    }
}
