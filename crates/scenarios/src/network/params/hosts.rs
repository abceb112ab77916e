//! What hosts are connected by, and how they send.

use forebay_net::network::{HostConfig, Nic, walk_own};
use forebay_net::transport::{CongestionControl, Dctcp};
use forebay_parameters::{
    Choice, Choices, Configure, Entry, Kind, Parameter, Renamed, Setting, Source, UnknownName,
    Value, Walk, Word,
};
use forebay_units::{Duration, Rate};

use TopologyKind::{FatTree, File, LeafSpine};

use super::{COUNT, NONE, OCCAMY};

/// What hosts are connected by, and how they send.
#[derive(Clone, Debug, Configure)]
pub struct HostPart {
    /// Leaves and spines, hosts at one switch, a three-level fat-tree, or topology.file.
    #[parameter(source = OCCAMY, name = "topology.kind", default = TopologyKind::LeafSpine)]
    pub kind: TopologyKind,
    /// The graph, where topology.kind is file: nodes and links, a line each (docs/network.md).
    #[parameter(
        name = "topology.file",
        kind = Kind::Path,
        default = String::new(),
        when = self.kind == File,
    )]
    #[parameter(source = NONE)]
    pub file: String,
    /// Leaf switches (leaf-spine).
    #[parameter(name = "topology.leaves", kind = COUNT, default = 8, when = self.kind == LeafSpine)]
    #[parameter(source = OCCAMY)]
    pub leaves: u32,
    /// Spine switches (leaf-spine).
    #[parameter(name = "topology.spines", kind = COUNT, default = 8, when = self.kind == LeafSpine)]
    #[parameter(source = OCCAMY)]
    pub spines: u32,
    /// Hosts of a leaf or an edge switch; of a star, all.
    #[parameter(
        name = "topology.hosts",
        range = 2..=65_536,
        default = 16,
        when = self.kind != File,
    )]
    #[parameter(source = OCCAMY)]
    pub hosts: u32,
    /// Pods (fat-tree).
    #[parameter(name = "topology.pods", kind = COUNT, default = 4, when = self.kind == FatTree)]
    #[parameter(source = USUAL)]
    pub pods: u32,
    /// Edge switches of a pod (fat-tree).
    #[parameter(
        name = "topology.edges_per_pod",
        kind = COUNT,
        default = 2,
        when = self.kind == FatTree,
    )]
    #[parameter(source = USUAL)]
    pub edges_per_pod: u32,
    /// Aggregation switches of a pod (fat-tree).
    #[parameter(
        name = "topology.aggregations_per_pod",
        kind = COUNT,
        default = 2,
        when = self.kind == FatTree,
    )]
    #[parameter(source = USUAL)]
    pub aggregations_per_pod: u32,
    /// Core switches of each group (fat-tree).
    #[parameter(
        name = "topology.cores_per_group",
        kind = COUNT,
        default = 2,
        when = self.kind == FatTree,
    )]
    #[parameter(source = USUAL)]
    pub cores_per_group: u32,
    /// Rate of hosts' links.
    #[parameter(source = OCCAMY, name = "topology.host_rate", default = Rate::from_gbps(100))]
    pub host_rate: Rate,
    /// Rate of links between switches.
    #[parameter(
        name = "topology.fabric_rate",
        default = Rate::from_gbps(100),
        when = matches!(self.kind, LeafSpine | FatTree),
    )]
    #[parameter(source = OCCAMY)]
    pub fabric_rate: Rate,
    /// Propagation delay of every link: 80 us of RTT across a spine.
    #[parameter(name = "topology.delay", default = Duration::from_us(10), when = self.kind != File)]
    #[parameter(source = OCCAMY)]
    pub delay: Duration,
    /// Propagation delay of hosts' links, where it is another; 0: the same.
    #[parameter(name = "topology.host_delay", default = None, when = self.kind != File)]
    #[parameter(assumed = "most papers have one delay for all links")]
    pub host_delay: Option<Duration>,
    /// How they send, but for what experiments say otherwise or not at all.
    #[parameter(part = in_experiments, default = sending())]
    pub sending: HostConfig,
    /// Congestion control of the background traffic, where it is another, with its parameters.
    #[parameter(part, default = None)]
    #[parameter(by = |choice, walk| walk_background(choice, &self.sending, walk))]
    background_control: Option<Choice<dyn CongestionControl>>,
    /// First window of queries, in segments, where it is another; 0: the same.
    #[parameter(
        name = "transport.query_window",
        range = 0..=10_000,
        default = None,
        when = self.has_windows(),
    )]
    #[parameter(assumed = "the papers give no class a window of its own")]
    pub query_window: Option<u32>,
    /// Whether a flow knows the round trip of the empty network when it starts.
    #[parameter(name = "transport.known_rtt", default = true, when = self.has_windows())]
    #[parameter(
        assumed = "a handshake, which is left out, would have measured it; otherwise the first \
                   loss costs a second (RFC 6298)"
    )]
    pub known_rtt: bool,
    /// Acknowledge every second segment, or after 40 us.
    #[parameter(name = "transport.delayed_ack", default = false, when = self.has_windows())]
    #[parameter(assumed = "data-centre practice; neither paper says")]
    pub delayed_ack: bool,
    /// Class of acknowledgements, which choose a queue of a port by it; same: that of their flow.
    #[parameter(
        name = "transport.ack_class",
        kind = Kind::Choice(&["same", "0", "1", "2", "3", "4", "5", "6", "7"]),
        default = "same".to_owned(),
        apart,
    )]
    #[parameter(assumed = "they go where data goes")]
    pub ack_class: String,
}

/// The defaults of Occamy §6.4.
fn sending() -> HostConfig {
    HostConfig { control: Dctcp::choice(), nic: Nic::Fair, ..HostConfig::default() }
}

/// What experiments call a parameter of hosts: none that they have no use for.
fn in_experiments(one: &Parameter) -> Option<Parameter> {
    match one.name.as_ref() {
        "initial_rto" | "handshake" | "delayed_ack" => None,
        "nic" => Some(one.called("host.nic")),
        "balance" => Some(one.called("route.balance")),
        name if name.starts_with("flowlet_") || name.starts_with("adaptive_") => {
            Some(one.called(format!("route.{name}")))
        }
        name => Some(one.called(format!("transport.{name}"))),
    }
}

/// The control of the background as a field; `same` stands for that of the others.
struct Background<'a> {
    choice: &'a mut Option<Choice<dyn CongestionControl>>,
    among: &'a Choices<dyn CongestionControl>,
}

const SAME: &str = "same";

impl Setting for Background<'_> {
    fn put(&mut self, value: &Value) -> Result<(), String> {
        let name = value.to_string();
        *self.choice = match self.among.get(&name) {
            Some(choice) => Some(choice.clone()),
            None if name == SAME => None,
            None => {
                let known = self.among.names().chain([SAME]);
                return Err(UnknownName::new("congestion control", &name, known).to_string());
            }
        };
        Ok(())
    }

    fn value(&self) -> Value {
        Value::Text(self.choice.as_ref().map_or(SAME, Entry::name).to_owned())
    }
}

/// Shows the control of the background, and its parameters where it is another; in a list of
/// everything those of all controls stand already.
fn walk_background(
    choice: &mut Option<Choice<dyn CongestionControl>>,
    sending: &HostConfig,
    walk: &mut dyn Walk,
) {
    let mut background = Background { choice, among: &sending.controls };
    walk.field(&HostPart::BACKGROUND_CONTROL, &mut background);
    let other = choice.as_mut().filter(|one| one.name() != sending.control.name());
    if let Some(other) = other.filter(|_| !walk.wants_all()) {
        walk_own(other, &mut Renamed::new(walk, in_experiments));
    }
}

impl HostPart {
    /// Congestion control of the background.
    pub const BACKGROUND_CONTROL: Parameter = Parameter::new(
        "transport.background_control",
        Kind::Text,
        Source::paper("occamy §6.2"),
        "Congestion control of the background traffic, where it is another.",
    );

    /// The defaults, with these congestion controls to choose among.
    #[must_use]
    pub fn among(controls: &Choices<dyn CongestionControl>) -> Self {
        let sending = HostConfig { controls: controls.clone(), ..sending() };
        HostPart { sending, ..HostPart::default() }
    }

    /// Whether any host sends by windows, and not by rates alone.
    #[must_use]
    pub fn has_windows(&self) -> bool {
        let background = HostConfig { control: self.background_control().clone(), ..sending() };
        self.sending.has_window() || background.has_window()
    }

    /// Whether any receiver pulls.
    #[must_use]
    pub fn pulls(&self) -> bool {
        let background = HostConfig { control: self.background_control().clone(), ..sending() };
        self.sending.is_pulled() || background.is_pulled()
    }

    /// First window of queries, in segments.
    #[must_use]
    pub fn query_window(&self) -> u32 {
        self.query_window.unwrap_or(self.sending.initial_window)
    }

    /// The class of acknowledgements, where they have one of their own.
    #[must_use]
    pub fn ack_class(&self) -> Option<u8> {
        // Of the words that it may be, one is no number.
        self.ack_class.parse().ok()
    }

    /// Whether queries and the background are sent in different ways, by their classes.
    #[must_use]
    pub fn has_two_transports(&self) -> bool {
        *self.background_control() != self.sending.control
            || self.query_window() != self.sending.initial_window
    }

    /// Congestion control of the background.
    #[must_use]
    pub fn background_control(&self) -> &Choice<dyn CongestionControl> {
        let queries = &self.sending.control;
        // Of one name there is one, with the parameters that it was given.
        let other = self.background_control.as_ref().filter(|one| one.name() != queries.name());
        other.unwrap_or(queries)
    }
}

/// A kind of topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
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

const USUAL: Source = Source::assumed(
    "8 ToR, 8 aggregation and 4 core switches (gearbox §4.1.1) in the usual shape; Fig. 6 is not \
     in the text",
);
