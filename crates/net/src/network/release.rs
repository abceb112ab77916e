//! Flows that begin when their host has received others: the gates of workloads during a run.
//!
//! A gate is touched only when a flow has arrived at the gate's host, and begins only flows of that
//! host, at that instant or later. So its count is kept by its host's partition, and no other
//! partition needs to know. A barrier is of no host, so it needs a network that is one partition.
//!
//! Constant time per flow that arrives or begins. 4 bytes per gate and partition.

use alloc::vec::Vec;

use forebay_units::Time;

use super::fabric::Fabric;
use super::gates::{Gates, NONE};
use super::host::sender_timer;
use super::partition::Partition;
use super::{Network, NetworkError};
use crate::flow::Flow;
use crate::workload::{Workload, WorkloadProblem};
use forebay_switch::{FlowId, SwitchModel};

impl<S: SwitchModel> Network<S> {
    /// Adds the flows of a workload with their gates. Its flow 0 gets the returned number, and the
    /// others follow. A flow that waits for a gate has [`Time::MAX`] as its start until the gate
    /// has opened.
    ///
    /// # Errors
    /// [`NetworkError`] names the first impossible flow or gate; then nothing is added.
    pub fn add_workload(&mut self, workload: &Workload) -> Result<FlowId, NetworkError> {
        workload.check(self.fabric.graph.hosts).map_err(NetworkError::Workload)?;
        let barrier = (0..).zip(workload.gates()).find(|(_, gate)| gate.host.is_none());
        if let (Some((gate, _)), 2..) = (barrier, self.parts.len()) {
            return Err(NetworkError::Workload(WorkloadProblem::Barrier { gate }));
        }
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
                self.flows.release(flow, start);
                // A flow that has not begun does not use its sender's timer otherwise.
                let slot = self.activate(fabric, flow);
                self.events.schedule(sender_timer(fabric, slot), start);
            }
            next = gate.then;
        }
    }
}
