//! What all partitions of a network read and none changes: the connections, the routes, the flows.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate};

use super::channel::Channel;
use super::cut::Cut;
use super::gates::Gates;
use super::{NetworkConfig, Transport};
use crate::flow::{Flow, FlowProblem};
use crate::route::{ChannelId, Routes, mix};
use crate::topology::{Graph, Node};
use forebay_switch::{FlowId, Handle};

/// The route of a flow's packets: what switches need, stored separately so that it stays in the
/// cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) src: u32,
    pub(super) dst: u32,
    /// The hash of the five-tuple, forward and reverse.
    hash: [u32; 2],
}

#[derive(Debug)]
pub(super) struct Fabric {
    pub(super) config: NetworkConfig,
    pub(super) graph: Graph,
    /// Events of channels, two each.
    channel_events: u32,
    /// For each link, whether it is up.
    pub(super) up: Vec<bool>,
    pub(super) routes: Routes,
    /// The routes while every link was up, if one has failed since: for the ideal completion times.
    pub(super) whole: Option<Routes>,
    pub(super) cut: Cut,
    /// The given flows; one that waits for a gate has no start.
    pub(super) flows: Vec<Flow>,
    pub(super) addresses: Vec<Address>,
    pub(super) gates: Gates,
}

impl Fabric {
    pub(super) fn new(graph: &Graph, config: NetworkConfig) -> Self {
        Fabric {
            up: alloc::vec![true; graph.links.len()],
            routes: Routes::new(graph, config.ecmp_seed, |_| true),
            whole: None,
            cut: Cut::new(graph, config.partitions),
            graph: graph.clone(),
            channel_events: 4 * graph.links.len() as u32,
            flows: Vec::new(),
            addresses: Vec::new(),
            gates: Gates::default(),
            config,
        }
    }

    /// The first event number of switches, after those of channels.
    #[inline]
    pub(super) fn first_switch_event(&self) -> u32 {
        self.channel_events
    }

    /// The event for the next flow to begin.
    #[inline]
    pub(super) fn start_event(&self) -> u32 {
        self.first_switch_event() + self.graph.switches
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

    /// The channel on which `packet` leaves `switch`, if there is a path to its host.
    #[inline]
    pub(super) fn route(&self, switch: u32, packet: &Handle) -> Option<ChannelId> {
        let address = &self.addresses[packet.flow() as usize];
        let host = if packet.is_back() { address.src } else { address.dst };
        self.routes.next(switch, host, address.hash[usize::from(packet.is_back())])
    }

    /// The total bytes of the flow's data packets, headers included, if none is sent twice.
    pub(super) fn bytes_on_wire(&self, flow: &Flow) -> Bytes {
        let payload = self.transport(flow.class).payload().get().max(1);
        let headers =
            flow.bytes.get().div_ceil(payload).saturating_mul(self.config.wire.headers.into());
        Bytes::new(flow.bytes.get().saturating_add(headers))
    }

    /// Prefetches the route of `packet` at `switch`.
    #[inline]
    pub(super) fn approach_route(&self, switch: u32, packet: &Handle) {
        let Some(address) = self.addresses.get(packet.flow() as usize) else { return };
        self.routes.approach(switch, if packet.is_back() { address.src } else { address.dst });
    }

    /// The channels that a flow's data takes across the network.
    pub(super) fn path(&self, id: FlowId, channels: &[Channel]) -> Vec<ChannelId> {
        let routes = self.whole.as_ref().unwrap_or(&self.routes);
        let address = &self.addresses[id as usize];
        let mut path = alloc::vec![routes.uplink(address.src)];
        while let Some(&last) = path.last() {
            let Node::Switch(switch) = channels[last as usize].to else { break };
            let Some(next) = routes.next(switch, address.dst, address.hash[0]) else { break };
            path.push(next);
        }
        path
    }

    /// Adds flows that have been checked.
    pub(super) fn add_flows(&mut self, flows: Cow<'_, [Flow]>) {
        self.addresses.reserve(flows.len());
        for (flow, id) in flows.iter().zip(self.flows.len() as FlowId..) {
            self.addresses.push(self.address(id, flow));
        }
        if self.flows.is_empty() {
            self.flows = flows.into_owned();
        } else {
            self.flows.extend_from_slice(&flows);
        }
    }

    /// The five-tuple consists of the two hosts, the flow's number instead of the ports, and one
    /// protocol.
    fn address(&self, id: FlowId, flow: &Flow) -> Address {
        let tuple = |from: u32, to: u32| {
            let hosts = u64::from(from) << 32 | u64::from(to);
            (mix(mix(hosts ^ self.config.ecmp_seed) ^ u64::from(id)) >> 32) as u32
        };
        let hash = [tuple(flow.src, flow.dst), tuple(flow.dst, flow.src)];
        Address { src: flow.src, dst: flow.dst, hash }
    }

    /// Whether the flow is possible, and paths exist both ways now.
    pub(super) fn check_flow(&self, flow: &Flow, channels: &[Channel]) -> Result<(), FlowProblem> {
        flow.check(self.graph.hosts)?;
        let joined = |from: u32, to: u32| match channels[self.routes.uplink(from) as usize].to {
            Node::Switch(switch) => self.routes.next(switch, to, 0).is_some(),
            Node::Host(host) => host == to,
        };
        if joined(flow.src, flow.dst) && joined(flow.dst, flow.src) {
            return Ok(());
        }
        Err(FlowProblem::NoPath { src: flow.src, dst: flow.dst })
    }
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
