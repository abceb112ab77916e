//! Whether a workload can run: hosts exist, gates wait at the right host, and none waits for ever.
//!
//! O(flows + gates); 12 bytes per flow and 8 per gate while it runs.

use alloc::vec::Vec;
use core::fmt;

use super::{GateId, Workload};
use crate::flow::FlowProblem;
use forebay_switch::FlowId;

/// An error in a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadProblem {
    /// A flow that the network cannot carry.
    Flow {
        /// The flow's number in the workload.
        flow: FlowId,
        /// What is wrong with the flow.
        problem: FlowProblem,
    },
    /// A gate names a flow or a gate that is not in the workload.
    Unknown {
        /// The gate's number in the workload.
        gate: GateId,
    },
    /// A gate counts a flow that its host does not receive.
    NotReceived {
        /// The gate's number in the workload.
        gate: GateId,
        /// The flow's number in the workload.
        flow: FlowId,
    },
    /// A gate begins a flow that its host does not send.
    NotSent {
        /// The gate's number in the workload.
        gate: GateId,
        /// The flow's number in the workload.
        flow: FlowId,
    },
    /// A gate is followed by a gate of another host.
    OtherHost {
        /// The gate's number in the workload.
        gate: GateId,
    },
    /// Two gates count the same flow, or begin it.
    Twice {
        /// The flow's number in the workload.
        flow: FlowId,
    },
    /// A barrier in a network that is cut into partitions, which could not know of it at once.
    Barrier {
        /// The gate's number in the workload.
        gate: GateId,
    },
    /// A gate waits for nothing, or for what waits for it.
    NeverOpens {
        /// The gate's number in the workload.
        gate: GateId,
    },
}

impl fmt::Display for WorkloadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkloadProblem::Flow { flow, problem } => write!(f, "flow {flow}: {problem}"),
            WorkloadProblem::Unknown { gate } => {
                write!(
                    f,
                    "gate {gate} does not exist, or names a flow or gate that does not: add it \
                     first"
                )
            }
            WorkloadProblem::NotReceived { gate, flow } => write!(
                f,
                "gate {gate} counts flow {flow}, which its host does not receive: put the gate at \
                 the flow's destination"
            ),
            WorkloadProblem::NotSent { gate, flow } => write!(
                f,
                "gate {gate} begins flow {flow}, which its host does not send: put the gate at the \
                 flow's source"
            ),
            WorkloadProblem::OtherHost { gate } => write!(
                f,
                "gate {gate} is followed by a gate of another host: only flows lead to other hosts"
            ),
            WorkloadProblem::Barrier { gate } => write!(
                f,
                "gate {gate} is a barrier, which all hosts know of at once: run the network in one \
                 partition"
            ),
            WorkloadProblem::Twice { flow } => {
                write!(
                    f,
                    "flow {flow} is counted or begun twice: one gate may count it, one begin it"
                )
            }
            WorkloadProblem::NeverOpens { gate } => write!(
                f,
                "gate {gate} waits for nothing or for itself: let it count a flow that begins \
                 without it"
            ),
        }
    }
}

impl core::error::Error for WorkloadProblem {}

/// No gate.
const NONE: GateId = GateId::MAX;

impl Workload {
    /// Whether the workload is possible among `hosts` hosts; paths are not checked. O(size).
    ///
    /// # Errors
    /// [`WorkloadProblem`] names the first impossible flow or gate.
    pub fn check(&self, hosts: u32) -> Result<(), WorkloadProblem> {
        for (flow, checked) in (0..).zip(&self.flows) {
            checked.check(hosts).map_err(|problem| WorkloadProblem::Flow { flow, problem })?;
        }
        if self.gates.is_empty() && self.counted.is_empty() && self.begun.is_empty() {
            return Ok(());
        }
        self.check_places()?;
        let counted_by = self.one_gate_each(&self.counted)?;
        let begun_by = self.one_gate_each(&self.begun)?;
        self.check_order(&counted_by, &begun_by)
    }

    fn check_places(&self) -> Result<(), WorkloadProblem> {
        let place = |flow: FlowId, gate: GateId| {
            let (flow, gate_at) = (self.flows.get(flow as usize), self.gates.get(gate as usize));
            flow.zip(gate_at).ok_or(WorkloadProblem::Unknown { gate })
        };
        for &(flow, gate) in &self.counted {
            let (there, at) = place(flow, gate)?;
            if at.host.is_some_and(|host| host != there.dst) {
                return Err(WorkloadProblem::NotReceived { gate, flow });
            }
        }
        for &(flow, gate) in &self.begun {
            let (there, at) = place(flow, gate)?;
            if at.host.is_some_and(|host| host != there.src) {
                return Err(WorkloadProblem::NotSent { gate, flow });
            }
        }
        for (gate, at) in (0..).zip(&self.gates) {
            let Some(then) = at.then else { continue };
            let next = self.gates.get(then as usize).ok_or(WorkloadProblem::Unknown { gate })?;
            if next.host != at.host {
                return Err(WorkloadProblem::OtherHost { gate });
            }
        }
        Ok(())
    }

    /// For each flow, its gate in `pairs`.
    fn one_gate_each(&self, pairs: &[(FlowId, GateId)]) -> Result<Vec<GateId>, WorkloadProblem> {
        let mut gate_of = alloc::vec![NONE; self.flows.len()];
        for &(flow, gate) in pairs {
            if core::mem::replace(&mut gate_of[flow as usize], gate) != NONE {
                return Err(WorkloadProblem::Twice { flow });
            }
        }
        Ok(gate_of)
    }

    /// Opens gates as if every flow arrived at once, and checks that all open.
    fn check_order(
        &self,
        counted_by: &[GateId],
        begun_by: &[GateId],
    ) -> Result<(), WorkloadProblem> {
        let mut missing = self.awaited();
        let nothing = missing.iter().position(|&count| count == 0);
        if let Some(gate) = nothing {
            return Err(WorkloadProblem::NeverOpens { gate: gate as GateId });
        }
        let begins = self.begins();
        let free = (0..).zip(begun_by).filter(|(_, gate)| **gate == NONE);
        let mut arriving: Vec<FlowId> = free.map(|(flow, _)| flow).collect();
        while let Some(flow) = arriving.pop() {
            let mut gate = counted_by[flow as usize];
            while gate != NONE {
                missing[gate as usize] -= 1;
                if missing[gate as usize] > 0 {
                    break;
                }
                arriving.extend(begins.of(gate));
                gate = self.gates[gate as usize].then.unwrap_or(NONE);
            }
        }
        match missing.iter().position(|&count| count > 0) {
            Some(gate) => Err(WorkloadProblem::NeverOpens { gate: gate as GateId }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
