//! The network: hosts, links and switches, driven by one event queue.
//!
//! [`Network`] owns everything that moves. What a device does is decided by that device's own state only;
//! the arena, the event queue and the totals are the only things shared, so that a network can later be
//! cut into partitions that each have their own.
//!
//! A host has one first-in first-out queue without limit in front of its link: a flow puts into it at once
//! what its window allows, and acknowledgements wait there too. A switch stores a packet completely, then
//! forwards. Per link direction at most two events are pending: the arrival of the first packet in flight,
//! and the end of the transmission if more wait.
//!
//! Nothing is random between the hosts: where all links have one rate, arrivals can lock into departures
//! (the phase effect), and drop-tail then starves some flows.
//!
//! Memory: 64 bytes a packet and 16 more in flight, 104 a link direction, 32 of its events, about 150 a flow and 400 more while it
//! is active.

mod channel;
mod endpoint;
mod error;
mod results;
mod run;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use forebay_units::{Rate, Time};

use crate::event::EventQueue;
use crate::flow::{Flow, FlowProblem, MAX_FLOWS};
use crate::measure::{Loss, Totals};
use crate::packet::{Arena, FlowId, HandleList, HandlePool, Wire};
use crate::route::{ChannelId, Routes, mix};
use crate::switch::{Losses, SwitchModel, SwitchShape};
use crate::topology::{Graph, Node};
use channel::Channel;
pub use endpoint::Transport;
use endpoint::{Sink, Source};
pub use error::{NetworkError, RunError};
pub use results::LinkUse;

/// What is chosen for a network beside its graph and its switches.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// How hosts send.
    pub transport: Transport,
    /// How large packets are.
    pub wire: Wire,
    /// Seeds the choice among equal paths.
    pub ecmp_seed: u64,
    /// A flow whose timer runs out so often in a row stops the run.
    pub max_timeouts: u8,
}

impl NetworkConfig {
    /// Default packet sizes, seed 1, and at most 16 timeouts in a row.
    #[must_use]
    pub fn new(transport: Transport) -> Self {
        NetworkConfig { transport, wire: Wire::default(), ecmp_seed: 1, max_timeouts: 16 }
    }
}

/// One flow, with both its ends.
#[derive(Debug)]
struct FlowState {
    flow: Flow,
    source: Source,
    sink: Sink,
    finish: Option<Time>,
    counters: crate::transport::Counters,
}

/// Where a flow's packets go: what switches need of it, kept apart so that it stays in the cache.
#[derive(Clone, Copy, Debug)]
struct Address {
    src: u32,
    dst: u32,
    /// The hash of the five-tuple, forward and back.
    hash: [u32; 2],
}

/// A network with its flows.
///
/// ```
/// use forebay_net::flow::Flow;
/// use forebay_net::network::{Network, NetworkConfig, Transport};
/// use forebay_net::switch::{DropTail, DropTailConfig};
/// use forebay_net::topology::{Graph, LinkConfig};
/// use forebay_net::transport::{ControllerConfig, SenderConfig};
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
/// let transport = Transport::window(SenderConfig::default(), ControllerConfig::named("new-reno")?)?;
/// let mut network = Network::new(&Graph::star(3, link), NetworkConfig::new(transport), |shape| {
///     DropTail::new(shape, &DropTailConfig::default())
/// })?;
/// let flow = |src, dst| Flow::new(src, dst, Bytes::new(1_000_000), Time::ZERO);
/// network.add_flows(&[flow(0, 2), flow(1, 2)])?;
/// network.run()?;
/// // Two flows share a link that takes 0.8 ms for each.
/// assert!(network.records().all(|record| record.fct() > Some(Duration::from_us(1500))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Network<S> {
    config: NetworkConfig,
    events: EventQueue,
    arena: Arena,
    channels: Vec<Channel>,
    /// Per host, what waits for its link.
    nics: Vec<HandleList>,
    nic_pool: HandlePool,
    switches: Vec<S>,
    /// The ports of switches that stall.
    stalled: Vec<ChannelId>,
    /// What a switch gave up in the present call.
    lost: Losses,
    routes: Routes,
    flows: Vec<FlowState>,
    addresses: Vec<Address>,
    /// The flows that have not begun, the next one last.
    upcoming: Vec<FlowId>,
    totals: Totals,
    losses: Vec<Loss>,
    now: Time,
}

impl<S: SwitchModel> Network<S> {
    /// A network without flows; `make` makes each switch.
    ///
    /// # Errors
    /// [`NetworkError`] if the graph or the transport is impossible.
    pub fn new(
        graph: &Graph,
        config: NetworkConfig,
        mut make: impl FnMut(&SwitchShape<'_>) -> S,
    ) -> Result<Self, NetworkError> {
        graph.check().map_err(NetworkError::Graph)?;
        config.transport.check().map_err(NetworkError::Transport)?;
        let (channels, ports) = channels(graph);
        let shapes = ports.iter().enumerate();
        let switches = shapes
            .map(|(index, ports)| make(&SwitchShape { index: index as u32, ports }))
            .collect();
        Ok(Network {
            events: EventQueue::new(0),
            arena: Arena::default(),
            nics: alloc::vec![HandleList::default(); graph.hosts as usize],
            nic_pool: HandlePool::default(),
            stalled: Vec::new(),
            lost: Losses::default(),
            switches,
            routes: Routes::new(graph, config.ecmp_seed),
            channels,
            flows: Vec::new(),
            addresses: Vec::new(),
            upcoming: Vec::new(),
            totals: Totals::default(),
            losses: Vec::new(),
            now: Time::ZERO,
            config,
        })
    }

    /// Adds flows, numbered on from those already there. None is added if one is impossible. A flow that
    /// should have begun already begins now.
    ///
    /// # Errors
    /// [`NetworkError::Flow`] names the first that is impossible.
    pub fn add_flows(&mut self, flows: &[Flow]) -> Result<(), NetworkError> {
        if self.flows.len() + flows.len() > MAX_FLOWS {
            return Err(NetworkError::TooManyFlows);
        }
        let hosts = self.nics.len() as u32;
        for (index, flow) in flows.iter().enumerate() {
            let at = |problem| NetworkError::Flow { index, problem };
            flow.check(hosts).map_err(at)?;
            self.check_path(flow).map_err(at)?;
        }
        for flow in flows {
            let id = self.flows.len() as u32;
            self.addresses.push(self.address(id, flow));
            self.upcoming.push(id);
            self.switches.iter_mut().for_each(|switch| switch.flow_added(id, flow));
            self.flows.push(FlowState {
                flow: *flow,
                source: Source::Idle,
                sink: Sink::Untouched,
                finish: None,
                counters: crate::transport::Counters::default(),
            });
        }
        let starts = &self.flows;
        self.upcoming
            .sort_unstable_by_key(|&id| core::cmp::Reverse((starts[id as usize].flow.start, id)));
        self.events.grow(self.first_timer() + 2 * self.flows.len() as u32);
        self.schedule_next_start();
        Ok(())
    }

    /// The five-tuple is the two hosts, the flow's number in place of the ports, and one protocol.
    fn address(&self, id: FlowId, flow: &Flow) -> Address {
        let tuple = |from: u32, to: u32| {
            let hosts = u64::from(from) << 32 | u64::from(to);
            (mix(mix(hosts ^ self.config.ecmp_seed) ^ u64::from(id)) >> 32) as u32
        };
        let hash = [tuple(flow.src, flow.dst), tuple(flow.dst, flow.src)];
        Address { src: flow.src, dst: flow.dst, hash }
    }

    fn check_path(&self, flow: &Flow) -> Result<(), FlowProblem> {
        let joined = |from: u32, to: u32| match self.channels[self.routes.uplink(from) as usize].to
        {
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
fn channels(graph: &Graph) -> (Vec<Channel>, Vec<Vec<Rate>>) {
    let mut ports = alloc::vec![Vec::new(); graph.switches as usize];
    let mut channels = Vec::with_capacity(2 * graph.links.len());
    for link in &graph.links {
        let [a, b] = link.ends.map(|end| match end {
            Node::Host(_) => (end, 0),
            Node::Switch(switch) => {
                let rates = &mut ports[switch as usize];
                rates.push(link.config.rate);
                (end, (rates.len() - 1) as u16)
            }
        });
        channels.push(Channel::new([a, b], link.config));
        channels.push(Channel::new([b, a], link.config));
    }
    (channels, ports)
}
