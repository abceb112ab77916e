//! Why a network cannot be made, and why a run stops early.

use core::fmt;

use forebay_units::Time;

use crate::flow::FlowProblem;
use crate::packet::FlowId;
use crate::topology::GraphError;
use crate::transport::{ConfigError, MAX_BACKOFF};
use crate::workload::WorkloadProblem;

/// A network that cannot be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NetworkError {
    /// The topology.
    Graph(GraphError),
    /// A transport.
    Transport(ConfigError),
    /// No transport at all.
    NoTransport,
    /// A number of timeouts that no flow reaches, or that every flow has.
    Timeouts(u8),
    /// A flow.
    Flow {
        /// Which, counted from 0 in the order given.
        index: usize,
        /// What is wrong with it.
        problem: FlowProblem,
    },
    /// A workload.
    Workload(WorkloadProblem),
    /// More flows than fit.
    TooManyFlows,
    /// A link that is not in the topology.
    UnknownLink {
        /// The link.
        link: usize,
        /// How many there are.
        links: usize,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Graph(error) => write!(f, "{error}"),
            NetworkError::Transport(error) => write!(f, "{error}"),
            NetworkError::NoTransport => {
                write!(f, "hosts have no transport: give at least one, for all classes of flows")
            }
            NetworkError::Timeouts(limit) => write!(
                f,
                "a run cannot stop at {limit} timeouts in a row: give max_timeouts from 1 to {MAX_BACKOFF}"
            ),
            NetworkError::Flow { index, problem } => write!(f, "flow {index}: {problem}"),
            NetworkError::Workload(problem) => write!(f, "{problem}"),
            NetworkError::UnknownLink { link, links } => {
                write!(f, "link {link} is not in the topology: its {links} links count from 0")
            }
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
pub enum RunError {
    /// A flow's timer ran out again and again without an answer.
    NoProgress {
        /// The flow.
        flow: FlowId,
        /// How many times in a row.
        timeouts: u8,
        /// When.
        at: Time,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunError::NoProgress { flow, timeouts, at } = self;
        write!(
            f,
            "flow {flow} made no progress for {timeouts} retransmission timeouts in a row at {at}: \
             check that buffers hold a packet and that paths are up, or raise max_timeouts"
        )
    }
}

impl core::error::Error for RunError {}
