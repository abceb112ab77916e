//! Whether a workload can run: hosts exist, gates wait at the right host, and none waits for ever.
//!
//! O(flows + gates), 12 bytes a flow and 8 a gate while it runs.

use alloc::vec::Vec;
use core::fmt;

use super::{GateId, Workload};
use crate::flow::FlowProblem;
use crate::packet::FlowId;

/// What is wrong with a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadProblem {
    /// A flow is impossible.
    Flow {
        /// Which.
        flow: FlowId,
        /// Why.
        problem: FlowProblem,
    },
    /// A gate names a flow or a gate that is not in the workload.
    Unknown {
        /// The gate.
        gate: GateId,
    },
    /// A gate counts a flow that its host does not receive.
    NotReceived {
        /// The gate.
        gate: GateId,
        /// The flow.
        flow: FlowId,
    },
    /// A gate begins a flow that its host does not send.
    NotSent {
        /// The gate.
        gate: GateId,
        /// The flow.
        flow: FlowId,
    },
    /// A gate is followed by a gate of another host.
    OtherHost {
        /// The gate.
        gate: GateId,
    },
    /// Two gates count the same flow, or begin it.
    Twice {
        /// The flow.
        flow: FlowId,
    },
    /// A gate waits for nothing, or for what waits for it.
    NeverOpens {
        /// The gate.
        gate: GateId,
    },
}

impl fmt::Display for WorkloadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkloadProblem::Flow { flow, problem } => write!(f, "flow {flow}: {problem}"),
            WorkloadProblem::Unknown { gate } => {
                write!(f, "gate {gate} is not there, or names what is not: add it first")
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
            WorkloadProblem::Twice { flow } => {
                write!(
                    f,
                    "flow {flow} is counted or begun twice: one gate may count it, one begin it"
                )
            }
            WorkloadProblem::NeverOpens { gate } => write!(
                f,
                "gate {gate} waits for nothing or for itself: let it count a flow that begins without it"
            ),
        }
    }
}

impl core::error::Error for WorkloadProblem {}

/// No gate.
const NONE: GateId = GateId::MAX;

impl Workload {
    /// Whether the workload is possible among `hosts` hosts; it does not look for paths. O(size).
    ///
    /// # Errors
    /// [`WorkloadProblem`] names the first flow or gate that is not.
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
            if there.dst != at.host {
                return Err(WorkloadProblem::NotReceived { gate, flow });
            }
        }
        for &(flow, gate) in &self.begun {
            let (there, at) = place(flow, gate)?;
            if there.src != at.host {
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

    /// Per flow, its gate in `pairs`.
    fn one_gate_each(&self, pairs: &[(FlowId, GateId)]) -> Result<Vec<GateId>, WorkloadProblem> {
        let mut gate_of = alloc::vec![NONE; self.flows.len()];
        for &(flow, gate) in pairs {
            if core::mem::replace(&mut gate_of[flow as usize], gate) != NONE {
                return Err(WorkloadProblem::Twice { flow });
            }
        }
        Ok(gate_of)
    }

    /// Opens gates as if every flow arrived at once, and looks whether all open.
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
mod tests {
    use super::*;
    use crate::flow::Flow;
    use crate::workload::Gate;
    use alloc::string::ToString;
    use forebay_units::{Bytes, Time};

    fn flow(src: u32, dst: u32) -> Flow {
        Flow::new(src, dst, Bytes::new(1), Time::ZERO)
    }

    /// Flow 0 from host 0 to 1, counted by gate 0, which begins flow 1 back.
    fn answer() -> Workload {
        let mut workload = Workload::from(alloc::vec![flow(0, 1), flow(1, 0)]);
        let gate = workload.add_gate(Gate::at(1));
        workload.count(0, gate);
        workload.begin_at(1, gate);
        workload
    }

    #[test]
    fn what_cannot_run_is_named() {
        let message = |change: fn(&mut Workload)| {
            let mut workload = answer();
            assert_eq!(workload.check(2), Ok(()));
            change(&mut workload);
            workload.check(2).unwrap_err().to_string()
        };
        let text = message(|w| w.flows[1].dst = 1);
        assert_eq!(text, "flow 1: the flow leads from host 1 to itself: name two hosts");
        let text = message(|w| w.flows[1].dst = 2);
        assert!(text.starts_with("flow 1: host 2 is not in the topology"), "{text}");
        let text = message(|w| w.count(7, 0));
        assert!(text.starts_with("gate 0 is not there, or names what is not"), "{text}");
        let text = message(|w| w.begin_at(1, 9));
        assert!(text.starts_with("gate 9 is not there"), "{text}");
        let text = message(|w| w.gates[0].then = Some(5));
        assert!(text.starts_with("gate 0 is not there, or"), "{text}");
        let text = message(|w| w.count(1, 0));
        assert!(text.starts_with("gate 0 counts flow 1, which its host does not"), "{text}");
        let text = message(|w| w.begin_at(0, 0));
        assert!(text.starts_with("gate 0 begins flow 0, which its host does not"), "{text}");
        let text = message(|w| w.count(0, 0));
        assert!(text.starts_with("flow 0 is counted or begun twice"), "{text}");
        let text = message(|w| w.gates[0].then = Some(w.gates.len() as u32 - 1));
        assert!(text.starts_with("gate 0 waits for nothing or for itself"), "{text}");
        let text = message(|w| {
            w.add_gate(Gate::at(0));
        });
        assert!(text.starts_with("gate 1 waits for nothing"), "{text}");
        let text = message(|w| {
            w.gates[0].then = Some(1);
            w.add_gate(Gate::at(0));
        });
        assert!(text.starts_with("gate 0 is followed by a gate of another host"), "{text}");
    }

    #[test]
    fn circles_are_found() {
        let mut workload = answer();
        let back = workload.add_gate(Gate::at(0));
        workload.count(1, back);
        assert_eq!(workload.check(2), Ok(()));
        workload.begin_at(0, back);
        assert_eq!(workload.check(2), Err(WorkloadProblem::NeverOpens { gate: 0 }));
    }

    #[test]
    fn what_is_appended_keeps_its_gates() {
        let mut all = answer();
        assert_eq!(all.append(answer()), 2..4);
        assert_eq!(all.check(2), Ok(()));
        assert_eq!((all.counted(), all.begun()), (&[(0, 0), (2, 1)][..], &[(1, 0), (3, 1)][..]));
        assert_eq!(all.awaited(), [1, 1]);
        assert_eq!((all.begins().of(0), all.begins().of(1)), (&[1][..], &[3][..]));
    }
}
