//! Objects dealt into parts, which answer prices side by side.
//!
//! There are always as many parts, however many threads, so that sums are the same to the last bit.
//! O(n) an answer for n nodes. Memory: 8 bytes a row and part, and the walk of one object.

use std::ops::Range;

use super::program::Program;
use super::walks::{Flow, Smooth, Visit, send, visit};

/// Into how many parts objects are dealt.
pub(super) const PARTS: u32 = 4;

/// Some of the objects, and what they say to prices.
#[derive(Debug)]
pub(super) struct Part {
    objects: Range<usize>,
    /// How many slots are wanted beyond those given back, at each running sum: the slope.
    pub(super) surplus: Vec<f64>,
    /// Their share of the smoothed dual.
    pub(super) value: f64,
    visits: Vec<Visit<f64>>,
    flows: Vec<Flow>,
}

impl Part {
    /// Leaves the value and the slope at `sums`, whose minima are smoothed by `rule`.
    pub(super) fn answer(&mut self, program: &Program, sums: &[f64], rule: Smooth) {
        self.surplus.fill(0.0);
        self.value = 0.0;
        for object in self.objects.clone() {
            let nodes = program.object(object);
            visit(rule, nodes, sums, &mut self.visits);
            send(nodes, &self.visits, &mut self.flows, &mut self.surplus);
            self.value += self.visits.first().map_or(0.0, |first| first.miss);
        }
    }
}

/// Deals objects into parts of about as many nodes.
pub(super) fn parts(program: &Program) -> Vec<Part> {
    let rows = program.rows as usize + 1;
    let nodes = program.nodes.len() as u64;
    let border = |part: u32| {
        let node = nodes * u64::from(part) / u64::from(PARTS);
        program.starts.partition_point(|start| u64::from(*start) < node).min(program.objects())
    };
    let part = |index| Part {
        objects: border(index)..if index + 1 == PARTS {
            program.objects()
        } else {
            border(index + 1)
        },
        surplus: vec![0.0; rows],
        value: 0.0,
        visits: Vec::new(),
        flows: Vec::new(),
    };
    (0..PARTS).map(part).collect()
}
