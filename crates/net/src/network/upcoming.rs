//! The flows that have not begun, in the order in which they will.
//!
//! Generators and most files list flows as they begin: then a number tells all. Otherwise their
//! numbers are sorted, 4 bytes each.

use alloc::vec::Vec;
use core::cmp::Reverse;

use forebay_units::Time;

use super::fabric::Fabric;
use crate::flow::Flow;
use crate::topology::Node;
use forebay_switch::FlowId;

/// Flows that will begin.
#[derive(Debug)]
pub(super) enum Upcoming {
    /// All that belong here from this one on, up to the other.
    InOrder { next: FlowId, end: FlowId },
    /// These, the next one last.
    Sorted(Vec<FlowId>),
}

impl Default for Upcoming {
    fn default() -> Self {
        Upcoming::InOrder { next: 0, end: 0 }
    }
}

impl Upcoming {
    /// Adds the flows from `first` on that begin in a partition. O(flows), or O(flows log flows) if
    /// they are not in order.
    pub(super) fn add(&mut self, fabric: &Fabric, part: usize, first: FlowId) {
        let end = fabric.flows.len() as FlowId;
        let from = match *self {
            Upcoming::InOrder { next, end } if next < end => next,
            Upcoming::Sorted(ref flows) if !flows.is_empty() => FlowId::MAX,
            Upcoming::InOrder { .. } | Upcoming::Sorted(_) => first,
        };
        let begins = |flow: &Flow| flow.start < Time::MAX;
        let in_order =
            || fabric.flows.from(from as usize).filter(begins).is_sorted_by_key(|flow| flow.start);
        if from <= end && in_order() {
            let next = first_of(fabric, part, from, end);
            *self = Upcoming::InOrder { next, end };
            return;
        }
        let mut flows = match core::mem::take(self) {
            Upcoming::Sorted(flows) => flows,
            Upcoming::InOrder { next, end } => all_of(fabric, part, next, end).collect(),
        };
        flows.extend(all_of(fabric, part, first, end));
        flows.shrink_to_fit();
        flows.sort_unstable_by_key(|&id| Reverse((fabric.flows.at(id).start, id)));
        *self = Upcoming::Sorted(flows);
    }

    /// The flow that begins next.
    pub(super) fn next(&self) -> Option<FlowId> {
        match self {
            Upcoming::InOrder { next, end } => (next < end).then_some(*next),
            Upcoming::Sorted(flows) => flows.last().copied(),
        }
    }

    /// Takes the flow that begins next.
    pub(super) fn pop(&mut self, fabric: &Fabric, part: usize) -> Option<FlowId> {
        match self {
            Upcoming::InOrder { next, end } => {
                let flow = (*next < *end).then_some(*next)?;
                *next = first_of(fabric, part, flow + 1, *end);
                Some(flow)
            }
            Upcoming::Sorted(flows) => flows.pop(),
        }
    }
}

/// The flows of a range that begin in a partition, if any time is known at which they do.
fn all_of(
    fabric: &Fabric,
    part: usize,
    from: FlowId,
    end: FlowId,
) -> impl Iterator<Item = FlowId> + '_ {
    (from..end).filter(move |&id| {
        let Flow { src, start, .. } = fabric.flows.at(id);
        start < Time::MAX && fabric.cut.of(Node::Host(src)) == part
    })
}

/// The first of these, or the end.
fn first_of(fabric: &Fabric, part: usize, from: FlowId, end: FlowId) -> FlowId {
    all_of(fabric, part, from, end).next().unwrap_or(end)
}
