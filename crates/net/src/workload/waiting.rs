//! What gates wait for and begin, counted once for a check or a run.
//!
//! O(gates + flows that gates count or begin); 4 bytes each.

use alloc::vec::Vec;

use super::{GateId, Workload};
use forebay_switch::FlowId;

impl Workload {
    /// For each gate, how many flows and gates it waits for.
    pub(crate) fn awaited(&self) -> Vec<u32> {
        let mut awaited = alloc::vec![0; self.gates.len()];
        let flows = self.counted.iter().map(|(_, gate)| *gate);
        for gate in flows.chain(self.gates.iter().filter_map(|gate| gate.then)) {
            awaited[gate as usize] += 1;
        }
        awaited
    }

    /// The flows that each gate begins, in the given order.
    pub(crate) fn begins(&self) -> Begins {
        let mut starts = alloc::vec![0; self.gates.len() + 1];
        for &(_, gate) in &self.begun {
            starts[gate as usize + 1] += 1;
        }
        for gate in 1..starts.len() {
            starts[gate] += starts[gate - 1];
        }
        let (mut next, mut flows) = (starts.clone(), alloc::vec![0; self.begun.len()]);
        for &(flow, gate) in &self.begun {
            flows[next[gate as usize] as usize] = flow;
            next[gate as usize] += 1;
        }
        Begins { starts, flows }
    }
}

/// Which flows each gate begins, as one list cut into pieces.
#[derive(Clone, Debug)]
pub(crate) struct Begins {
    starts: Vec<u32>,
    flows: Vec<FlowId>,
}

impl Begins {
    /// The flows of one gate.
    pub(crate) fn of(&self, gate: GateId) -> &[FlowId] {
        let ends = (self.starts[gate as usize], self.starts[gate as usize + 1]);
        &self.flows[ends.0 as usize..ends.1 as usize]
    }
}
