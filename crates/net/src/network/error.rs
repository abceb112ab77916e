//! Why a network cannot be built, and why a run stops early.

use core::fmt;

use forebay_parameters::grouped;
use forebay_switch::{FlowId, SwitchBuildError};
use forebay_units::{Bytes, Time};

use crate::flow::FlowProblem;
use crate::topology::GraphError;
use crate::transport::{ConfigError, MAX_BACKOFF};
use crate::workload::WorkloadProblem;

/// A network that cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum NetworkError {
    /// Nodes or links that are no network.
    Graph(GraphError),
    /// One of its switches.
    Switch(SwitchBuildError),
    /// More memory than there is, before the first switch is built.
    Memory {
        /// How many hosts there are.
        hosts: u32,
        /// How many switches.
        switches: u32,
        /// How many links.
        links: usize,
        /// About what the links and the routes need.
        needed: Bytes,
    },
    /// The memory ran out at a switch.
    SwitchMemory {
        /// How many switches there are.
        switches: u32,
        /// How many of them there was memory for.
        built: u32,
    },
    /// No switch could hold the hosts' packets, although its own parameters fit.
    Packet {
        /// The payload of the hosts' largest packet.
        mss: Bytes,
        /// What headers add to that payload on the wire.
        headers: Bytes,
        /// The largest packet that a switch has room for.
        room: Bytes,
    },
    /// Parameters that no transport can run with.
    Transport(ConfigError),
    /// No transport at all.
    NoTransport,
    /// A limit of timeouts that no flow reaches, or that every flow has reached.
    Timeouts(u8),
    /// A flow that this network cannot carry.
    Flow {
        /// Its number, counted from 0 in the given order.
        index: usize,
        /// What is wrong with the flow.
        problem: FlowProblem,
    },
    /// Flows or gates that do not fit each other.
    Workload(WorkloadProblem),
    /// Hosts with one queue, in a network that pauses classes.
    OneQueue,
    /// Switches that trim packets, and hosts that do not know what to do with their headers.
    Trimmed,
    /// More flows than fit.
    TooManyFlows,
    /// A link that is not in the topology.
    UnknownLink {
        /// The number that no link has.
        link: usize,
        /// The number of links.
        links: usize,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Graph(error) => write!(f, "{error}"),
            NetworkError::Transport(error) => write!(f, "{error}"),
            NetworkError::Switch(error) => write!(f, "{error}"),
            NetworkError::Memory { hosts, switches, links, needed } => write!(
                f,
                "{} hosts, {} switches and {} links need about {needed} of memory, more than \
                 there is: give a smaller topology or fewer partitions",
                grouped((*hosts).into()),
                grouped((*switches).into()),
                grouped(*links as u64),
            ),
            NetworkError::SwitchMemory { switches, built } => write!(
                f,
                "there is memory for about {} of the {} switches: give a smaller topology, or \
                 switches that keep less at each port",
                grouped((*built).into()),
                grouped((*switches).into()),
            ),
            NetworkError::Packet { mss, headers, room } => write!(
                f,
                "segments of {mss} with headers of {headers} do not fit into a switch, which has \
                 room for packets of {room}: choose at most {}",
                Bytes::new(room.get().saturating_sub(headers.get()))
            ),
            NetworkError::NoTransport => {
                write!(f, "hosts have no transport: give at least one, for all classes of flows")
            }
            NetworkError::Timeouts(limit) => {
                write!(
                    f,
                    "a run cannot stop after {limit} timeouts in a row: give 1 to {MAX_BACKOFF}"
                )
            }
            NetworkError::Flow { index, problem } => write!(f, "flow {index}: {problem}"),
            NetworkError::Workload(problem) => write!(f, "{problem}"),
            NetworkError::UnknownLink { link, links } => {
                write!(f, "link {link} is not in the topology: its {links} links count from 0")
            }
            NetworkError::OneQueue => write!(
                f,
                "a host with one queue for all its flows cannot pause a class of them: let flows \
                 take turns (fair), or leave out lossless classes"
            ),
            NetworkError::Trimmed => write!(
                f,
                "switches trim packets, and these hosts do not ask again for what was cut off: \
                 choose ndp for all, or let switches drop"
            ),
            NetworkError::TooManyFlows => {
                write!(f, "more than {} flows: split the run", crate::flow::MAX_FLOWS)
            }
        }
    }
}

impl core::error::Error for NetworkError {}

/// A run that stopped before its end. What was measured so far is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkRunError {
    /// A flow's timer expired again and again without an answer.
    NoProgress {
        /// The flow's number, in the order in which flows were added.
        flow: FlowId,
        /// How many times in a row.
        timeouts: u8,
        /// When.
        at: Time,
    },
}

impl fmt::Display for NetworkRunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NetworkRunError::NoProgress { flow, timeouts, at } = self;
        write!(
            f,
            "flow {flow} made no progress for {timeouts} retransmission timeouts in a row at {at}: \
             check that buffers hold a packet and that paths are up, or raise max_timeouts"
        )
    }
}

impl core::error::Error for NetworkRunError {}
