//! Flows that begin when their host has received others: the gates of workloads, while they run.
//!
//! A gate is touched only when a flow has arrived at the gate's host, and begins only flows of that host,
//! at that instant or later. So a network that is cut between hosts can hold each gate where its host is,
//! and nothing need be told across the cut.
//!
//! Constant time per flow that arrives or begins. 32 bytes a gate, 16 a flow that one begins, and 4 a flow
//! of a network that has gates at all.

use alloc::vec::Vec;

use forebay_units::{Duration, Time};

use super::{Network, NetworkError};
use crate::flow::Flow;
use crate::packet::FlowId;
use crate::switch::SwitchModel;
use crate::workload::{GateId, Workload};

/// No gate.
const NONE: GateId = GateId::MAX;

#[derive(Clone, Debug)]
struct GateState {
    /// How many flows and gates it still waits for.
    missing: u32,
    /// Its flows in the list of flows that wait.
    first: u32,
    count: u32,
    then: GateId,
    delay: Duration,
    until: Time,
}

/// The gates of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Releases {
    /// Per flow, the gate that counts it; may be shorter than there are flows.
    counted_by: Vec<GateId>,
    gates: Vec<GateState>,
    /// Flows that gates begin, gate by gate, and the earliest each may.
    waiting: Vec<(FlowId, Time)>,
}

impl Releases {
    /// Adds the gates of a workload that was checked, whose flows are numbered from `first`.
    fn add(&mut self, workload: &Workload, first: FlowId) {
        if workload.gates().is_empty() {
            return;
        }
        let first_gate = self.gates.len() as GateId;
        let (awaited, begins) = (workload.awaited(), workload.begins());
        for ((number, gate), missing) in (0..).zip(workload.gates()).zip(awaited) {
            let flows = begins.of(number);
            self.gates.push(GateState {
                missing,
                first: self.waiting.len() as u32,
                count: flows.len() as u32,
                then: gate.then.map_or(NONE, |then| first_gate + then),
                delay: gate.delay,
                until: gate.until,
            });
            let earliest = |flow: FlowId| workload.flows()[flow as usize].start;
            self.waiting.extend(flows.iter().map(|&flow| (first + flow, earliest(flow))));
        }
        self.counted_by.resize(first as usize + workload.flows().len(), NONE);
        for &(flow, gate) in workload.counted() {
            self.counted_by[(first + flow) as usize] = first_gate + gate;
        }
    }

    /// `flow` has arrived completely: counts it, and says which flows begin when.
    #[inline]
    fn arrived(&mut self, flow: FlowId, now: Time, mut begin: impl FnMut(FlowId, Time)) {
        let mut next = self.counted_by.get(flow as usize).copied().unwrap_or(NONE);
        while let Some(gate) = self.gates.get_mut(next as usize) {
            gate.missing -= 1;
            let at = now + gate.delay;
            if gate.missing > 0 || at >= gate.until {
                return;
            }
            let flows = gate.first as usize..(gate.first + gate.count) as usize;
            next = gate.then;
            for &(flow, earliest) in &self.waiting[flows] {
                begin(flow, at.max(earliest));
            }
        }
    }
}

impl<S: SwitchModel> Network<S> {
    /// Adds the flows of a workload with their gates. Its flow 0 gets the number that is returned, and the
    /// others follow. A flow that waits for a gate has [`Time::MAX`] as its start until that has opened.
    ///
    /// # Errors
    /// [`NetworkError`] names the first flow or gate that is impossible; then nothing is added.
    pub fn add_workload(&mut self, workload: &Workload) -> Result<FlowId, NetworkError> {
        workload.check(self.nics.len() as u32).map_err(NetworkError::Workload)?;
        let mut flows: Vec<Flow> = workload.flows().to_vec();
        for &(flow, _) in workload.begun() {
            flows[flow as usize].start = Time::MAX;
        }
        let first = self.flows.len() as FlowId;
        self.add_flows(&flows)?;
        self.releases.add(workload, first);
        Ok(first)
    }

    /// A flow has arrived completely at its host.
    pub(super) fn release(&mut self, flow: FlowId) {
        let (timer, flows, events) = (self.first_timer(), &mut self.flows, &mut self.events);
        self.releases.arrived(flow, self.now, |next, start| {
            flows[next as usize].flow.start = start;
            // A flow that has not begun has no other use for its sender's timer.
            events.schedule(timer + 2 * next, start);
        });
    }
}
