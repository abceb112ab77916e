//! The network: hosts, links and switches, driven by one event queue.
//!
//! [`Network`] owns everything that moves. It may be cut into partitions, each with its own event
//! queue, arena and totals; what all of them read is in one place and does not change while they
//! run. A device's behaviour follows from its state and from what reaches it over links, so results
//! are bit-identical with any number of partitions, on one thread ([`Network::run`]) or on several
//! ([`Network::run_parallel`]).
//!
//! In front of a host's link is one unlimited first-in first-out queue, into which a flow puts at
//! once whatever its window allows, and where acknowledgements wait too ([`Nic::Fifo`]); or flows
//! take turns, one packet each, after acknowledgements ([`Nic::Fair`]). A switch stores and
//! forwards. Per link direction at most two events are pending: the arrival of the first packet in
//! flight, and the end of the transmission if more wait. Where packets leave in order of arrival,
//! the second is not needed: a packet's departure is planned when it arrives.
//!
//! Nothing is random between the hosts: where all links have the same rate, arrivals can lock onto
//! departures (the phase effect), and drop-tail then starves some flows.
//!
//! Memory: 32 bytes per packet and 26 more in flight, 152 per link direction, 32 for its events, 32
//! per host, and 36 per flow, 8 more if its packets' delays are [kept](NetworkConfig::transits), 40
//! more if anything of it was lost, sent again or marked, and 600 while it is active. Where a host
//! reads telemetry, 328 more per packet.

mod channel;
mod config;
mod cut;
mod endpoint;
mod error;
mod fabric;
mod failure;
mod gates;
mod headers;
mod host;
mod hosts;
mod memory;
mod nic;
mod of_switch;
mod parallel;
mod partition;
mod pause;
mod plan;
mod pull_queue;
mod pulls;
mod release;
mod results;
mod run;
mod states;
mod stop;
#[cfg(test)]
mod tests;
mod upcoming;
mod waiting;

use alloc::vec::Vec;

use forebay_units::Time;

use crate::flow::{Flow, FlowList, MAX_FLOWS};
use crate::topology::{Graph, Node};
use crate::transport::MAX_BACKOFF;
pub use config::{NetworkConfig, Nic};
pub use cut::partitions;
pub use endpoint::Transport;
pub use error::{NetworkError, NetworkRunError};
use fabric::{Fabric, channels};
use failure::Change;
use forebay_switch::{SwitchModel, SwitchShape};
pub use headers::Trimming;
pub use hosts::HostConfig;
#[cfg(feature = "fabrics")]
pub use hosts::Repeats;
#[cfg(feature = "fabrics")]
pub use hosts::walk_own;
pub use of_switch::check_packets;
use partition::Partition;
pub use pause::PauseRecord;
pub use results::LinkUse;
pub use stop::{SampleError, StopRule};

/// A network with its flows.
///
/// ```
/// use forebay_net::flow::Flow;
/// use forebay_net::network::{Network, NetworkConfig, Transport};
/// use forebay_switch::{DropTailSwitch, PortLimits};
/// use forebay_net::topology::{Graph, LinkConfig};
/// use forebay_net::transport::{SenderConfig, congestion_controls};
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
/// let transport = Transport::window(SenderConfig::default(), congestion_controls().named("new-reno")?)?;
/// let mut network = Network::new(&Graph::star(3, link), NetworkConfig::new(transport), |shape| {
///     DropTailSwitch::new(shape, &PortLimits::default())
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
    fabric: Fabric,
    parts: Vec<Partition<S>>,
    /// Links that will fail or be repaired, the next one last.
    changes: Vec<(Time, Change)>,
    /// Everything up to here has happened: the end of the last run, or its last event if it had no
    /// end.
    ran_until: Time,
}

impl<S: SwitchModel> Network<S> {
    /// A network without flows; `make` builds each switch.
    ///
    /// # Errors
    /// [`NetworkError`] if the graph or the transport is impossible, or there is no memory for it.
    pub fn new(
        graph: &Graph,
        config: NetworkConfig,
        mut make: impl FnMut(&SwitchShape<'_>) -> S,
    ) -> Result<Self, NetworkError> {
        graph.check().map_err(NetworkError::Graph)?;
        if config.transports.is_empty() {
            return Err(NetworkError::NoTransport);
        }
        if !(1..=MAX_BACKOFF).contains(&config.max_timeouts) {
            return Err(NetworkError::Timeouts(config.max_timeouts));
        }
        if config.flow_control.is_some() && config.nic == Nic::Fifo {
            return Err(NetworkError::OneQueue);
        }
        if config.trims && !config.transports.iter().all(Transport::takes_headers) {
            return Err(NetworkError::Trimmed);
        }
        config.transports.iter().try_for_each(Transport::check).map_err(NetworkError::Transport)?;
        memory::check(graph, &config)?;
        let fabric = Fabric::new(graph, config);
        let (mut channels, ports) = channels(graph);
        for channel in &mut channels {
            channel.into = fabric.cut.of(channel.to) as u16;
        }
        let part = |number| Partition::new(&fabric, number, channels.clone());
        let mut parts: Vec<Partition<S>> = (0..fabric.cut.parts).map(part).collect();
        let mut probe = memory::Probe::default();
        for (ports, index) in ports.iter().zip(0..) {
            probe.before(index, graph.switches, ports.len())?;
            let part = &mut parts[fabric.cut.of(Node::Switch(index))];
            part.switches[index as usize] = Some(make(&SwitchShape { index, ports }));
        }
        let mut network = Network { fabric, parts, changes: Vec::new(), ran_until: Time::ZERO };
        network.start_planning();
        Ok(network)
    }

    /// Adds flows, numbered after those already there. None is added if one is impossible. A flow
    /// that should already have begun begins where the last run ended; one whose start is
    /// [`Time::MAX`] does not begin.
    ///
    /// # Errors
    /// [`NetworkError::Flow`] names the first impossible one.
    pub fn add_flows(&mut self, flows: impl AsRef<[Flow]>) -> Result<(), NetworkError> {
        let given = flows.as_ref().iter().copied();
        self.check_flows(given.len(), given.clone())?;
        self.fabric.flows.extend(given);
        drop(flows);
        self.flows_added();
        Ok(())
    }

    /// The same with a list, which is not copied if it holds the first flows.
    ///
    /// # Errors
    /// As for [`Network::add_flows`].
    pub fn add_list(&mut self, flows: FlowList) -> Result<(), NetworkError> {
        self.check_flows(flows.len(), flows.iter())?;
        self.fabric.flows.append(flows);
        self.flows_added();
        Ok(())
    }

    fn check_flows(
        &self,
        count: usize,
        flows: impl Iterator<Item = Flow>,
    ) -> Result<(), NetworkError> {
        if self.fabric.flows.len() + count > MAX_FLOWS {
            return Err(NetworkError::TooManyFlows);
        }
        for (index, flow) in flows.enumerate() {
            let checked = self.fabric.check_flow(&flow, &self.parts[0].channels);
            checked.map_err(|problem| NetworkError::Flow { index, problem })?;
        }
        Ok(())
    }

    fn flows_added(&mut self) {
        for part in &mut self.parts {
            part.flows_added(&self.fabric, self.ran_until);
        }
    }

    /// Runs until nothing is left to happen.
    ///
    /// # Errors
    /// [`NetworkRunError`] if the run cannot end; what was measured is kept.
    pub fn run(&mut self) -> Result<(), NetworkRunError> {
        self.run_until(Time::MAX)
    }

    /// Runs everything that happens up to `stop`.
    ///
    /// # Errors
    /// [`NetworkRunError`] if the run cannot end. It then continues for the longest link delay, so
    /// that all partitions stop at one instant; what was measured is kept.
    pub fn run_until(&mut self, stop: Time) -> Result<(), NetworkRunError> {
        self.run_by(stop, parallel::run_here)
    }

    /// Like [`Network::run`], with each partition on its own thread; the results are the same.
    ///
    /// # Errors
    /// As for [`Network::run`].
    pub fn run_parallel(&mut self) -> Result<(), NetworkRunError>
    where
        S: Send,
    {
        self.run_parallel_until(Time::MAX)
    }

    /// Like [`Network::run_until`], with each partition on its own thread; the results are the
    /// same.
    ///
    /// # Errors
    /// As for [`Network::run_until`].
    pub fn run_parallel_until(&mut self, stop: Time) -> Result<(), NetworkRunError>
    where
        S: Send,
    {
        self.run_by(stop, parallel::run_threads)
    }

    fn run_by(
        &mut self,
        mut stop: Time,
        run: impl Fn(&mut [Partition<S>], &Fabric, Time),
    ) -> Result<(), NetworkRunError> {
        self.parts.iter_mut().for_each(|part| part.stuck = None);
        loop {
            let change = self.changes.last().map(|&(at, _)| at).filter(|&at| at <= stop);
            // Changes come before every event of their instant.
            let before =
                change.map_or(Some(stop), |at| at.as_ps().checked_sub(1).map(Time::from_ps));
            if let Some(before) = before {
                run(&mut self.parts, &self.fabric, before);
            }
            stop = self.parts.iter().map(Partition::stop).fold(stop, Time::min);
            let idle = self.parts.iter().all(|part| part.next() == Time::MAX);
            match self.changes.last() {
                Some(&(at, change)) if at <= stop && !idle => {
                    self.changes.pop();
                    self.apply(at, change);
                }
                _ => break,
            }
        }
        self.parts.iter_mut().for_each(|part| part.settle(stop));
        // Not the last event: the event queues have come unlike far, but none farther than this.
        let end = if stop < Time::MAX { stop } else { self.now() };
        self.ran_until = self.ran_until.max(end);
        let first = |error: &NetworkRunError| match *error {
            NetworkRunError::NoProgress { flow, at, .. } => (at, flow),
        };
        match self.parts.iter().filter_map(|part| part.stuck).min_by_key(first) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
