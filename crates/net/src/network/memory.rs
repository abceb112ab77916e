//! Whether there is memory for a network, before building it would end the program.
//!
//! What is asked for is what a network of its size takes before the first packet: its links, its
//! routes, and its switches, some at a time, as they are built. Packets and flows come later.

use forebay_switch::memory::{LEFT, PROBED, is_granted, rough};
use forebay_units::Bytes;

use super::channel::Channel;
use super::pause::PER_CHANNEL;
use super::{NetworkConfig, NetworkError};
use crate::topology::{Graph, Link};

/// What an event queue keeps for an event's number, in bytes (`event` says what).
const PER_EVENT: u64 = 20;

/// That there is memory for the links and the routes of a checked graph.
///
/// # Errors
/// [`NetworkError::Memory`] says what they need.
pub(super) fn check(graph: &Graph, config: &NetworkConfig) -> Result<(), NetworkError> {
    let needed = needed(graph, config);
    if needed <= SMALL || is_granted(needed + LEFT) {
        return Ok(());
    }
    let (hosts, switches) = (graph.hosts, graph.switches);
    Err(NetworkError::Memory { hosts, switches, links: graph.links.len(), needed })
}

fn needed(graph: &Graph, config: &NetworkConfig) -> Bytes {
    let partitions = config.partitions.max(1) as u64;
    let links = graph.links.len() as u64;
    // Each partition has all channels, and one copy is made from another.
    let channels = 2 * links * (partitions + 1) * size_of::<Channel>() as u64;
    let events = 4 * links * partitions * PER_EVENT;
    let pauses = if config.flow_control.is_some() { 2 * links * partitions } else { 0 };
    let pauses = pauses * (PER_CHANNEL + 3 * PER_EVENT);
    let routes = graph.routes() * size_of::<u32>() as u64;
    rough(channels + events + pauses + routes + links * size_of::<Link>() as u64)
}

/// For so little nobody asks.
const SMALL: Bytes = Bytes::new(10_000_000);

/// Looks at the memory while switches are built.
#[derive(Default)]
pub(super) struct Probe {
    ports: usize,
}

impl Probe {
    /// Before the switch of this number, of `switches`, with so many ports.
    ///
    /// # Errors
    /// [`NetworkError::SwitchMemory`] if next to nothing is left.
    pub(super) fn before(
        &mut self,
        index: u32,
        switches: u32,
        ports: usize,
    ) -> Result<(), NetworkError> {
        self.ports += ports;
        if self.ports < usize::from(PROBED) {
            return Ok(());
        }
        self.ports = 0;
        match is_granted(LEFT) {
            true => Ok(()),
            false => Err(NetworkError::SwitchMemory { switches, built: index }),
        }
    }
}
