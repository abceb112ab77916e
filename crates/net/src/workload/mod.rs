//! Workloads: which flows there are, and which of them wait for others.
//!
//! Every generator is a pure function of its configuration; randomness comes from named substreams
//! of a seed ([`forebay_workload::random`]), so the same configuration gives the same flows on
//! every machine.
//!
//! | generator | what it makes | from |
//! |---|---|---|
//! | [`poisson_flows`] | flows between random hosts at a [`Load`] | Themis §6.3.2, Occamy §6.4, Gearbox §4.1.1 |
//! | [`incast`] | queries of one client to many servers | Occamy §6.2, §6.4 |
//! | [`collective`] | all-to-all, all-reduce by ring or double tree | Occamy §6.4 |
//! | [`pattern_flows`] | the same pairs, flow by flow at a [`Load`] | Occamy §6.4 |
//! | [`permutation_flows`] | every host to one other | |
//! | [`read_flows`](crate::flow::read_flows) | a flow file | |
//!
//! Flows wait by means of [`Gate`]s: a gate belongs to one host and counts flows that this host
//! receives; when the last of them has arrived, flows of the same host begin. So what a host does
//! depends only on what has reached it, and a network can be cut between hosts and still run the
//! same. A barrier is a gate of no host: it belongs to an experiment whose author sees all hosts.
//!
//! ```
//! use forebay_net::flow::Flow;
//! use forebay_net::workload::{Gate, Workload};
//! use forebay_units::{Bytes, Duration, Time};
//!
//! // Host 1 answers 2 µs after it has received the question.
//! let mut workload = Workload::default();
//! let start = Time::ZERO;
//! let question = workload.add(Flow::new(0, 1, Bytes::new(100), start));
//! let answer = workload.add(Flow::new(1, 0, Bytes::new(50_000), start));
//! let gate = workload.add_gate(Gate { delay: Duration::from_us(2), ..Gate::at(1) });
//! workload.count(question, gate);
//! workload.begin_at(answer, gate);
//! assert_eq!(workload.check(2), Ok(()));
//! assert!(workload.check(1).is_err(), "host 1 is not there");
//! ```

mod check;
mod collective;
mod error;
mod gate;
mod incast;
mod load;
mod pattern;
mod permutation;
mod poisson;
mod room;
mod waiting;

use alloc::vec::Vec;
use core::ops::Range;

use forebay_units::{Bytes, Time};

pub use check::WorkloadProblem;
pub use collective::{CollectiveConfig, Pattern, Repeat, collective};
pub use error::WorkloadError;
pub use gate::{Gate, GateId};
pub use incast::{Arrivals, IncastConfig, incast};
pub use load::{LinkSet, Load};
pub use pattern::{PatternConfig, pattern_flows};
pub use permutation::{PermutationConfig, permutation_flows};
pub use poisson::{PoissonConfig, poisson_flows};

use crate::flow::{Flow, MAX_FLOW_BYTES};
use crate::topology::MAX_NODES;
use forebay_switch::FlowId;

/// A request of one client to several servers, whose responses all go to that client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The host that asks.
    pub client: u32,
    /// When it asks.
    pub start: Time,
    /// The flows that carry the request, one to each server; empty if the servers send unasked.
    pub requests: Range<FlowId>,
    /// The flows of the responses, in the order of the requests.
    pub responses: Range<FlowId>,
}

/// What the hosts of a collective exchange before they go on: a round, or a step of one that takes
/// partners some at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The flows that the hosts send in it.
    pub flows: Range<FlowId>,
    /// Whether all hosts go on together. Otherwise each does when it has received its own.
    pub together: bool,
}

/// Flows, what some of them wait for, and which of them are queries or stages of a collective.
///
/// 24 bytes per flow, 32 per gate, 8 for each time that a gate counts or begins a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    flows: Vec<Flow>,
    gates: Vec<Gate>,
    /// Flows that gates count.
    counted: Vec<(FlowId, GateId)>,
    /// Flows that gates begin.
    begun: Vec<(FlowId, GateId)>,
    queries: Vec<Query>,
    stages: Vec<Stage>,
}

impl From<Vec<Flow>> for Workload {
    fn from(flows: Vec<Flow>) -> Self {
        Workload { flows, ..Workload::default() }
    }
}

impl Workload {
    /// The same workload with all flows in one class.
    #[must_use]
    pub fn with_class(mut self, class: u8) -> Self {
        self.flows.iter_mut().for_each(|flow| flow.class = class);
        self
    }

    /// Adds a flow, and returns its number in this workload.
    pub fn add(&mut self, flow: Flow) -> FlowId {
        self.flows.push(flow);
        (self.flows.len() - 1) as FlowId
    }

    /// Adds a gate.
    pub fn add_gate(&mut self, gate: Gate) -> GateId {
        self.gates.push(gate);
        (self.gates.len() - 1) as GateId
    }

    /// Makes `gate` wait until its host has received `flow`.
    pub fn count(&mut self, flow: FlowId, gate: GateId) {
        self.counted.push((flow, gate));
    }

    /// Makes `flow` begin when `gate` opens, but not before its own start.
    pub fn begin_at(&mut self, flow: FlowId, gate: GateId) {
        self.begun.push((flow, gate));
    }

    /// Adds a query whose flows have been added.
    pub fn add_query(&mut self, query: Query) {
        self.queries.push(query);
    }

    /// Adds a stage whose flows have been added.
    pub fn add_stage(&mut self, stage: Stage) {
        self.stages.push(stage);
    }

    /// Adds all of `other`, and returns the numbers that its flows have now. O(size of `other`).
    pub fn append(&mut self, other: Workload) -> Range<FlowId> {
        let (flow, gate) = (self.flows.len() as FlowId, self.gates.len() as GateId);
        self.flows.extend(other.flows);
        self.gates.extend(other.gates.into_iter().map(|inner| inner.moved_by(gate)));
        let moved = |(f, g): (FlowId, GateId)| (f.saturating_add(flow), g.saturating_add(gate));
        self.counted.extend(other.counted.into_iter().map(moved));
        self.begun.extend(other.begun.into_iter().map(moved));
        let moved =
            |range: Range<FlowId>| range.start.saturating_add(flow)..range.end.saturating_add(flow);
        self.queries.extend(other.queries.into_iter().map(|query| Query {
            requests: moved(query.requests),
            responses: moved(query.responses),
            ..query
        }));
        let moved_stage = |stage: Stage| Stage { flows: moved(stage.flows), ..stage };
        self.stages.extend(other.stages.into_iter().map(moved_stage));
        flow..self.flows.len() as FlowId
    }

    /// The flows alone.
    #[must_use]
    pub fn into_flows(self) -> Vec<Flow> {
        self.flows
    }

    /// The flows; their position is their number.
    #[must_use]
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// The gates; their position is their number.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// Each flow that a gate counts, with the gate.
    #[must_use]
    pub fn counted(&self) -> &[(FlowId, GateId)] {
        &self.counted
    }

    /// Each flow that a gate begins, with the gate.
    #[must_use]
    pub fn begun(&self) -> &[(FlowId, GateId)] {
        &self.begun
    }

    /// The queries whose requests and responses are among the flows.
    #[must_use]
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The stages of collectives, in their order.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }
}

/// Refuses too few hosts for a flow, and more than a topology can have.
fn check_hosts(hosts: u32) -> Result<(), WorkloadError> {
    match hosts {
        0 | 1 => Err(WorkloadError::Hosts { found: hosts, least: 2 }),
        2..=MAX_NODES => Ok(()),
        _ => Err(WorkloadError::TooManyHosts(hosts)),
    }
}

/// Refuses a size that a flow cannot have.
fn check_size(field: &'static str, bytes: Bytes, least: u64) -> Result<(), WorkloadError> {
    if bytes.get() < least || bytes > MAX_FLOW_BYTES {
        return Err(WorkloadError::Size { field, bytes, least });
    }
    Ok(())
}
