//! Flows that begin when their host has received others: the gates of workloads during a run.
//!
//! A gate is touched only when a flow has arrived at the gate's host, and begins only flows of that
//! host, at that instant or later. So its count is kept by its host's partition, and no other
//! partition needs to know.
//!
//! Constant time per flow that arrives or begins. 32 bytes per gate and 4 more per partition, 16
//! per flow that a gate begins, and 4 per flow of a network that has gates at all.

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
    /// Its flows in the list of waiting flows.
    first: u32,
    count: u32,
    then: GateId,
    delay: Duration,
    until: Time,
}

/// The gates of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Gates {
    /// For each flow, the gate that counts it; may be shorter than the number of flows.
    counted_by: Vec<GateId>,
    gates: Vec<Gate>,
    /// Flows that gates begin, gate by gate, and the earliest start of each.
    waiting: Vec<(FlowId, Time)>,
}

impl Gates {
    /// Adds the gates of a checked workload, whose flows are numbered from `first`.
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
    /// Adds the flows of a workload with their gates. Its flow 0 gets the returned number, and the
    /// others follow. A flow that waits for a gate has [`Time::MAX`] as its start until the gate
    /// has opened.
    ///
    /// # Errors
    /// [`NetworkError`] names the first impossible flow or gate; then nothing is added.
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
    /// A flow has arrived completely at its host: opens the gates that were waiting only for it.
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
                // A flow that has not begun does not use its sender's timer otherwise.
                self.events.schedule(sender_timer(fabric, flow), start);
            }
            next = gate.then;
        }
    }
}
