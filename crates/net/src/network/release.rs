//! Flows that begin when their host has received others: the gates of workloads, while they run.
//!
//! A gate is touched only when a flow has arrived at the gate's host, and begins only flows of that host,
//! at that instant or later. So its count is kept by the partition of its host, and nothing need be told to
//! others.
//!
//! Constant time per flow that arrives or begins. 32 bytes a gate and 4 more per partition, 16 a flow that
//! one begins, and 4 a flow of a network that has gates at all.

use alloc::vec::Vec;

use forebay_units::{Duration, Time};

use super::fabric::Fabric;
use super::host::sender_timer;
use super::partition::Partition;
use super::{Network, NetworkError};
use crate::flow::Flow;
use crate::workload::{GateId, Workload};
use forebay_switch::{FlowId, SwitchModel};

/// No gate.
const NONE: GateId = GateId::MAX;

#[derive(Clone, Debug)]
struct Gate {
    /// Its flows in the list of flows that wait.
    first: u32,
    count: u32,
    then: GateId,
    delay: Duration,
    until: Time,
}

/// The gates of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Gates {
    /// Per flow, the gate that counts it; may be shorter than there are flows.
    counted_by: Vec<GateId>,
    gates: Vec<Gate>,
    /// Flows that gates begin, gate by gate, and the earliest each may.
    waiting: Vec<(FlowId, Time)>,
}

impl Gates {
    /// Adds the gates of a workload that was checked, whose flows are numbered from `first`.
    fn add(&mut self, workload: &Workload, first: FlowId) {
        let (first_gate, begins) = (self.gates.len() as GateId, workload.begins());
        for (number, gate) in (0..).zip(workload.gates()) {
            let flows = begins.of(number);
            self.gates.push(Gate {
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
}

impl<S: SwitchModel> Network<S> {
    /// Adds the flows of a workload with their gates. Its flow 0 gets the number that is returned, and the
    /// others follow. A flow that waits for a gate has [`Time::MAX`] as its start until that has opened.
    ///
    /// # Errors
    /// [`NetworkError`] names the first flow or gate that is impossible; then nothing is added.
    pub fn add_workload(&mut self, workload: &Workload) -> Result<FlowId, NetworkError> {
        workload.check(self.fabric.graph.hosts).map_err(NetworkError::Workload)?;
        let mut flows: Vec<Flow> = workload.flows().to_vec();
        for &(flow, _) in workload.begun() {
            flows[flow as usize].start = Time::MAX;
        }
        let first = self.fabric.flows.len() as FlowId;
        self.add_flows(&flows)?;
        if !workload.gates().is_empty() {
            self.fabric.gates.add(workload, first);
            let awaited = workload.awaited();
            self.parts.iter_mut().for_each(|part| part.awaited.extend_from_slice(&awaited));
        }
        Ok(first)
    }
}

impl<S: SwitchModel> Partition<S> {
    /// A flow has arrived completely at its host: opens the gates that waited for it alone.
    pub(super) fn release(&mut self, fabric: &Fabric, flow: FlowId) {
        let Gates { counted_by, gates, waiting } = &fabric.gates;
        let mut next = counted_by.get(flow as usize).copied().unwrap_or(NONE);
        while let Some(gate) = gates.get(next as usize) {
            let awaited = &mut self.awaited[next as usize];
            *awaited -= 1;
            let at = self.now + gate.delay;
            if *awaited > 0 || at >= gate.until {
                return;
            }
            for &(flow, earliest) in &waiting[gate.first as usize..][..gate.count as usize] {
                let start = at.max(earliest);
                self.flows[flow as usize].start = start;
                // A flow that has not begun has no other use for its sender's timer.
                self.events.schedule(sender_timer(fabric, flow), start);
            }
            next = gate.then;
        }
    }
}
