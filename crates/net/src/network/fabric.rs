//! What all partitions of a network read and none changes: the connections, the routes, the flows.

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate};

use super::channel::Channel;
use super::cut::Cut;
use super::gates::Gates;
use super::states::Counts;
use super::{NetworkConfig, Transport};
use crate::flow::{Flow, FlowList, FlowProblem};
use crate::packet::Wire;
use crate::route::{ChannelId, Routes, Ways, mix};
use crate::topology::{Graph, Node};
use crate::transport::{Path, SenderCounters};
use forebay_switch::{FlowControl, FlowId, Handle};

#[derive(Debug)]
pub(super) struct Fabric {
    pub(super) config: NetworkConfig,
    pub(super) graph: Graph,
    /// Events of channels, two each.
    channel_events: u32,
    /// The event for the next flow to begin, after those of channels, switches, pauses and pulls.
    start_event: u32,
    /// The first event of pulls.
    first_pull_event: u32,
    /// For each link, whether it is up.
    pub(super) up: Vec<bool>,
    pub(super) routes: Routes,
    /// The routes while every link was up, if one has failed since: for the ideal completion times.
    pub(super) whole: Option<Routes>,
    /// For each transport, what telemetry adds to its packets; empty if it adds nothing.
    telemetry: Vec<Option<u32>>,
    pub(super) cut: Cut,
    /// The given flows; one that waits for a gate has no start.
    pub(super) flows: FlowList,
    pub(super) gates: Gates,
}

impl Fabric {
    pub(super) fn new(graph: &Graph, config: NetworkConfig) -> Self {
        let channel_events = 4 * graph.links.len() as u32;
        let pause_events = match config.flow_control {
            None => 0,
            Some(FlowControl { credits: None, .. }) => channel_events,
            Some(FlowControl { credits: Some(_), .. }) => channel_events + channel_events / 2,
        };
        let first_pull_event = channel_events + graph.switches + pause_events;
        let pull_events = if config.pulls() { graph.hosts } else { 0 };
        Fabric {
            first_pull_event,
            start_event: first_pull_event + pull_events,
            up: alloc::vec![true; graph.links.len()],
            routes: Routes::new(graph, config.ecmp_seed, |_| true),
            whole: None,
            telemetry: telemetry(&config.transports),
            cut: Cut::new(graph, config.partitions),
            graph: graph.clone(),
            channel_events,
            flows: FlowList::default(),
            gates: Gates::default(),
            config,
        }
    }

    /// The first event number of switches, after those of channels.
    #[inline]
    pub(super) fn first_switch_event(&self) -> u32 {
        self.channel_events
    }

    /// The first event number of flow control, two per channel if there is any.
    pub(super) fn first_pause_event(&self) -> u32 {
        self.first_switch_event() + self.graph.switches
    }

    /// The first event number of pulls, one per host if any flow is pulled.
    pub(super) fn first_pull_event(&self) -> u32 {
        self.first_pull_event
    }

    /// The first event number of credit, one per channel if there is any.
    pub(super) fn first_grant_event(&self) -> u32 {
        self.first_pause_event() + self.channel_events
    }

    /// The event for the next flow to begin.
    #[inline]
    pub(super) fn start_event(&self) -> u32 {
        self.start_event
    }

    /// The first event number of timers, two per flow.
    #[inline]
    pub(super) fn first_timer(&self) -> u32 {
        self.start_event() + 1
    }

    /// The longest delay of a link.
    pub(super) fn longest_delay(&self) -> Duration {
        let delays = self.graph.links.iter().map(|link| link.config.delay);
        delays.max().unwrap_or(Duration::ZERO)
    }

    /// The transport of a class of flows; the network was made with at least one.
    #[inline]
    pub(super) fn transport(&self, class: u8) -> &Transport {
        let transports = &self.config.transports;
        &transports[usize::from(class).min(transports.len() - 1)]
    }

    /// Whether ports write down what they know on packets.
    pub(super) fn reads_telemetry(&self) -> bool {
        cfg!(feature = "fabrics") && !self.telemetry.is_empty()
    }

    /// How large packets of a class are.
    #[inline]
    pub(super) fn wire(&self, class: u8) -> Wire {
        if self.reads_telemetry() { self.wire_with_telemetry(class) } else { self.config.wire }
    }

    #[cold]
    fn wire_with_telemetry(&self, class: u8) -> Wire {
        let last = self.telemetry.len().saturating_sub(1);
        let more = self.telemetry.get(usize::from(class).min(last)).copied().flatten();
        let (wire, more) = (self.config.wire, more.unwrap_or(0));
        let [headers, ack] = [wire.headers, wire.ack].map(|bytes| bytes.saturating_add(more));
        Wire { headers, ack }
    }

    /// The channel on which `packet` leaves `switch`, if there is a path to its host.
    #[inline]
    pub(super) fn route(&self, switch: u32, packet: &Handle) -> Option<ChannelId> {
        let [src, dst] = self.flows.hosts(packet.flow())?;
        let [from, to] = if packet.is_back() { [dst, src] } else { [src, dst] };
        self.routes.next(switch, to, || self.hash(packet.flow(), from, to))
    }

    /// The channels on which `packet` may leave `switch`, if there is a path to its host, and the
    /// hash of its flow.
    pub(super) fn ways(&self, switch: u32, packet: &Handle) -> Option<(Ways<'_>, u32)> {
        let [src, dst] = self.flows.hosts(packet.flow())?;
        let [from, to] = if packet.is_back() { [dst, src] } else { [src, dst] };
        Some((self.routes.ways(switch, to)?, self.hash(packet.flow(), from, to)))
    }

    /// The total bytes of the flow's data packets, headers included, if none is sent twice.
    pub(super) fn bytes_on_wire(&self, flow: &Flow) -> Bytes {
        let payload = self.transport(flow.class).payload().get().max(1);
        let headers =
            flow.bytes.get().div_ceil(payload).saturating_mul(self.wire(flow.class).headers.into());
        Bytes::new(flow.bytes.get().saturating_add(headers))
    }

    /// Prefetches the route of `packet` at `switch`.
    #[inline]
    pub(super) fn approach_route(&self, switch: u32, packet: &Handle) {
        let Some([src, dst]) = self.flows.hosts(packet.flow()) else { return };
        self.routes.approach(switch, if packet.is_back() { src } else { dst });
    }

    /// The channels that a flow's data takes across the network.
    pub(super) fn path(&self, id: FlowId, channels: &[Channel]) -> Vec<ChannelId> {
        let routes = self.whole.as_ref().unwrap_or(&self.routes);
        let Flow { src, dst, .. } = self.flows.at(id);
        let mut path = alloc::vec![routes.uplink(src)];
        while let Some(&last) = path.last() {
            let Node::Switch(switch) = channels[last as usize].to else { break };
            let Some(next) = routes.next(switch, dst, || self.hash(id, src, dst)) else {
                break;
            };
            path.push(next);
        }
        path
    }

    /// What a sender knows of a flow's path: its acknowledgements come back over as many links.
    pub(super) fn empty_path(&self, id: FlowId, channels: &[Channel]) -> Path {
        let path = self.path(id, channels);
        let class = self.flows.at(id).class;
        let (payload, wire) = (self.transport(class).payload().get() as u32, self.wire(class));
        let (full, ack) = (payload + wire.headers, wire.ack);
        let of = |&id: &ChannelId| &channels[id as usize];
        let there_and_back =
            |link: &Channel| link.time_for(full) + link.time_for(ack) + link.delay() * 2;
        Path {
            line: path.first().map_or(Rate::default(), |first| of(first).rate()),
            round_trip: path.iter().map(of).map(there_and_back).sum(),
            hops: path.len() as u32,
        }
    }

    /// The hash of the five-tuple of packets of a flow from one of its hosts to the other: the two
    /// hosts, the flow's number instead of the ports, and one protocol.
    #[inline]
    fn hash(&self, flow: FlowId, from: u32, to: u32) -> u32 {
        let hosts = u64::from(from) << 32 | u64::from(to);
        (mix(mix(hosts ^ self.config.ecmp_seed) ^ u64::from(flow)) >> 32) as u32
    }

    /// Whether a flow's sender is in a partition, and whether its receiver is.
    pub(super) fn ends_in(&self, part: usize, flow: FlowId) -> [bool; 2] {
        let Flow { src, dst, .. } = self.flows.at(flow);
        [src, dst].map(|host| self.cut.of(Node::Host(host)) == part)
    }

    /// What a partition counts of a flow of which nothing was lost, sent again or marked.
    pub(super) fn usual_counts(&self, part: usize, flow: FlowId) -> Counts {
        let Flow { bytes, class, .. } = self.flows.at(flow);
        let [sends, receives] = self.ends_in(part, flow);
        let transport = self.transport(class);
        let packets = bytes.div_ceil(transport.payload());
        let counted = match transport {
            Transport::Window { .. } | Transport::Roce(_) => packets,
            #[cfg(feature = "fabrics")]
            Transport::Pull(_) => packets,
            Transport::Datagrams { .. } => 0,
        };
        let segments = if sends { counted } else { 0 };
        let sender = SenderCounters { segments, ..SenderCounters::default() };
        Counts { sender, packets: if receives { packets } else { 0 }, lost: 0 }
    }

    /// Whether the flow is possible, and paths exist both ways now.
    pub(super) fn check_flow(&self, flow: &Flow, channels: &[Channel]) -> Result<(), FlowProblem> {
        flow.check(self.graph.hosts)?;
        let joined = |from: u32, to: u32| match channels[self.routes.uplink(from) as usize].to {
            Node::Switch(switch) => self.routes.next(switch, to, || 0).is_some(),
            Node::Host(host) => host == to,
        };
        if joined(flow.src, flow.dst) && joined(flow.dst, flow.src) {
            return Ok(());
        }
        Err(FlowProblem::NoPath { src: flow.src, dst: flow.dst })
    }
}

/// What telemetry adds to packets of each transport; none at all if no transport reads it.
fn telemetry(transports: &[Transport]) -> Vec<Option<u32>> {
    if !cfg!(feature = "fabrics") {
        return Vec::new();
    }
    let of_all: Vec<_> = transports.iter().map(Transport::telemetry).collect();
    if of_all.iter().any(Option::is_some) { of_all } else { Vec::new() }
}

/// The two directions of every link, and the rates of every switch's ports.
pub(super) fn channels(graph: &Graph) -> (Vec<Channel>, Vec<Vec<Rate>>) {
    let mut ports = alloc::vec![Vec::new(); graph.switches as usize];
    let mut channels = Vec::with_capacity(2 * graph.links.len());
    for link in &graph.links {
        let [a, b] = link.ends.map(|end| match end {
            Node::Host(_) => (end, 0),
            Node::Switch(switch) => {
                let rates: &mut Vec<Rate> = &mut ports[switch as usize];
                rates.push(link.config.rate);
                (end, (rates.len() - 1) as u16)
            }
        });
        channels.push(Channel::new([a, b], link.config));
        channels.push(Channel::new([b, a], link.config));
    }
    (channels, ports)
}
