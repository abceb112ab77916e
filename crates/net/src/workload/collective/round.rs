//! One round of a collective, as a pattern writes it: in terms of ranks, with gates before and
//! after.

use alloc::vec::Vec;

use forebay_units::Bytes;

use super::CollectiveConfig;
use crate::flow::Flow;
use crate::workload::{Gate, GateId, Stage, Workload};
use forebay_switch::FlowId;

/// What begins a flow of the round.
#[derive(Clone, Copy, Debug)]
pub(super) enum Begin {
    /// The beginning of the round.
    WithRound,
    /// A gate of the round.
    At(GateId),
}

/// A round being written.
pub(super) struct Round<'a> {
    config: &'a CollectiveConfig,
    workload: &'a mut Workload,
    /// For each rank, the gate that begins the round; none in the first round.
    entry: Option<Vec<GateId>>,
    /// For each rank, the gate that begins the next one; none in the last round.
    exit: Option<Vec<GateId>>,
    /// The first flow of the stage that is being written.
    first: FlowId,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        config: &'a CollectiveConfig,
        workload: &'a mut Workload,
        entry: Option<Vec<GateId>>,
        another_follows: bool,
    ) -> Self {
        let gate = |&host| Gate { delay: config.delay, until: config.until(), ..Gate::at(host) };
        let exit = another_follows
            .then(|| config.hosts.iter().map(|host| workload.add_gate(gate(host))).collect());
        let first = workload.flows().len() as FlowId;
        Round { config, workload, entry, exit, first }
    }

    /// Ends the stage; flows that are added from now on belong to the next one.
    pub(super) fn end_stage(&mut self) {
        let flows = self.first..self.workload.flows().len() as FlowId;
        if !flows.is_empty() {
            self.first = flows.end;
            self.workload.add_stage(Stage { flows, together: false });
        }
    }

    /// The gates that begin the next round.
    pub(super) fn finish(mut self) -> Option<Vec<GateId>> {
        self.end_stage();
        self.exit
    }

    /// How many ranks there are.
    pub(super) fn ranks(&self) -> u32 {
        self.config.hosts.len() as u32
    }

    /// To how many ranks each sends at a time, where the pattern lets it send to all.
    pub(super) fn at_once(&self) -> u32 {
        self.config.at_once(self.ranks().into()) as u32
    }

    /// Adds a gate of `rank`. If `ends`, the rank's round is over only when it has opened.
    pub(super) fn gate(&mut self, rank: u32, ends: bool) -> GateId {
        if ends {
            return self.gate_before(rank, None);
        }
        let host = self.config.hosts[rank as usize];
        self.workload.add_gate(Gate { delay: self.config.delay, ..Gate::at(host) })
    }

    /// Adds a gate of `rank` that `then` waits for, a gate of the same rank; without one, the end
    /// of the rank's round does.
    pub(super) fn gate_before(&mut self, rank: u32, then: Option<GateId>) -> GateId {
        let then = then.or_else(|| self.exit.as_ref().map(|exit| exit[rank as usize]));
        let host = self.config.hosts[rank as usize];
        self.workload.add_gate(Gate { delay: self.config.delay, then, ..Gate::at(host) })
    }

    /// Adds a flow between two ranks. `next` is the gate that counts it; without one, the end of
    /// the receiver's round does.
    pub(super) fn send(
        &mut self,
        ranks: [u32; 2],
        bytes: Bytes,
        begin: Begin,
        next: Option<GateId>,
    ) {
        let [src, dst] = ranks.map(|rank| self.config.hosts[rank as usize]);
        let flow: FlowId = self.workload.add(Flow::new(src, dst, bytes, self.config.start));
        let entry = self.entry.as_ref().map(|entry| entry[ranks[0] as usize]);
        let begins = match begin {
            Begin::WithRound => entry,
            Begin::At(gate) => Some(gate),
        };
        if let Some(gate) = begins {
            self.workload.begin_at(flow, gate);
        }
        let end = self.exit.as_ref().map(|exit| exit[ranks[1] as usize]);
        if let Some(gate) = next.or(end) {
            self.workload.count(flow, gate);
        }
    }
}
