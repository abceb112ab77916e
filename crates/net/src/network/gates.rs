//! The gates of a network's workloads, and which flows they count and begin.
//!
//! 32 bytes per gate, 16 per flow that a gate begins, and 4 per flow of a network that has gates at
//! all.

use alloc::vec::Vec;

use forebay_switch::FlowId;
use forebay_units::{Duration, Time};

use crate::workload::{GateId, Workload};

/// No gate.
pub(super) const NONE: GateId = GateId::MAX;

#[derive(Clone, Debug)]
pub(super) struct Gate {
    /// Its flows in the list of waiting flows.
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) then: GateId,
    pub(super) delay: Duration,
    pub(super) until: Time,
}

/// The gates of a network.
#[derive(Clone, Debug, Default)]
pub(super) struct Gates {
    /// For each flow, the gate that counts it; may be shorter than the number of flows.
    pub(super) counted_by: Vec<GateId>,
    pub(super) gates: Vec<Gate>,
    /// Flows that gates begin, gate by gate, and the earliest start of each.
    pub(super) waiting: Vec<(FlowId, Time)>,
}

impl Gates {
    /// Adds the gates of a checked workload, whose flows are numbered from `first`.
    pub(super) fn add(&mut self, workload: &Workload, first: FlowId) {
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
