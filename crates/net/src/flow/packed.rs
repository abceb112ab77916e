//! Flows in 24 bytes each: a flow's size needs 50 bits, and its class 8.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use forebay_units::{Bytes, Time};

use super::{Flow, FlowProblem, MAX_FLOW_BYTES};

/// Where the class begins in the word that it shares with the size.
const CLASS_SHIFT: u32 = 56;
const _: () = assert!(MAX_FLOW_BYTES.get() < 1 << CLASS_SHIFT);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed {
    src: u32,
    dst: u32,
    bytes_and_class: u64,
    start: Time,
}

/// Flows, numbered from 0, in three quarters of the memory that a `Vec` of them takes.
///
/// ```
/// use forebay_net::flow::{Flow, FlowList};
/// use forebay_units::{Bytes, Time};
///
/// let flow = Flow::new(0, 1, Bytes::new(1500), Time::ZERO);
/// let mut flows = FlowList::default();
/// flows.push(&flow)?;
/// assert!(flows.iter().eq([flow]));
/// assert!(flows.push(&Flow::new(0, 1, Bytes::new(1 << 60), Time::ZERO)).is_err());
/// # Ok::<(), forebay_net::flow::FlowProblem>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowList(Vec<Packed>);

impl FlowList {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a flow behind the others.
    ///
    /// # Errors
    /// [`FlowProblem::Size`] if it is larger than [`MAX_FLOW_BYTES`].
    pub fn push(&mut self, flow: &Flow) -> Result<(), FlowProblem> {
        if flow.bytes > MAX_FLOW_BYTES {
            return Err(FlowProblem::Size(flow.bytes));
        }
        self.0.push(Packed::of(flow));
        Ok(())
    }

    /// The flows in their order.
    pub fn iter(&self) -> impl Iterator<Item = Flow> + '_ {
        self.from(0)
    }

    /// Gives each flow the class that `class` finds for its number and itself.
    pub fn classify(&mut self, mut class: impl FnMut(usize, &Flow) -> u8) {
        for (number, packed) in self.0.iter_mut().enumerate() {
            let flow = packed.flow();
            *packed = Packed::of(&Flow { class: class(number, &flow), ..flow });
        }
    }

    /// Makes room for some more, if there is memory.
    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.0.try_reserve(more)
    }

    /// Gives back the room for more.
    pub(super) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Adds flows of at most [`MAX_FLOW_BYTES`] each.
    pub(crate) fn extend(&mut self, flows: impl ExactSizeIterator<Item = Flow>) {
        self.0.reserve_exact(flows.len());
        self.0.extend(flows.map(|flow| Packed::of(&flow)));
    }

    /// Adds the flows of another list.
    pub(crate) fn append(&mut self, mut other: FlowList) {
        if self.is_empty() {
            *self = other;
        } else {
            self.0.append(&mut other.0);
        }
    }

    /// The flow of a number that was given out.
    #[inline]
    pub(crate) fn at(&self, id: u32) -> Flow {
        self.0[id as usize].flow()
    }

    pub(crate) fn get(&self, id: u32) -> Option<Flow> {
        self.0.get(id as usize).map(Packed::flow)
    }

    /// The host that sends, and the one that receives.
    #[inline]
    pub(crate) fn hosts(&self, id: u32) -> Option<[u32; 2]> {
        self.0.get(id as usize).map(|packed| [packed.src, packed.dst])
    }

    /// The flows from a number on.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = Flow> + '_ {
        self.0[first..].iter().map(Packed::flow)
    }
}

impl Packed {
    fn of(flow: &Flow) -> Self {
        Packed {
            src: flow.src,
            dst: flow.dst,
            bytes_and_class: flow.bytes.get() | u64::from(flow.class) << CLASS_SHIFT,
            start: flow.start,
        }
    }

    #[inline]
    fn flow(&self) -> Flow {
        Flow {
            src: self.src,
            dst: self.dst,
            bytes: Bytes::new(self.bytes_and_class & ((1 << CLASS_SHIFT) - 1)),
            start: self.start,
            class: (self.bytes_and_class >> CLASS_SHIFT) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        assert_eq!(size_of::<Packed>(), 24);
        let least = Flow::new(0, 1, Bytes::new(1), Time::ZERO);
        let most =
            Flow { class: u8::MAX, ..Flow::new(u32::MAX, u32::MAX - 1, MAX_FLOW_BYTES, Time::MAX) };
        let mut flows = FlowList::default();
        flows.push(&least).unwrap();
        flows.extend([most].into_iter());
        assert_eq!((flows.get(0), flows.at(1), flows.get(2)), (Some(least), most, None));
        assert!(flows.from(1).eq([most]));
        assert_eq!((flows.len(), flows.hosts(0)), (2, Some([0, 1])));
        let mut twice = flows.clone();
        twice.append(flows);
        twice.classify(|number, flow| number as u8 + flow.class % 2);
        let classes: Vec<u8> = twice.iter().map(|flow| flow.class).collect();
        assert_eq!(classes, [0, 2, 2, 4]);
        let large = MAX_FLOW_BYTES + Bytes::new(1);
        let problem = twice.push(&Flow { bytes: large, ..least });
        assert_eq!((problem, twice.len()), (Err(FlowProblem::Size(large)), 4));
    }
}
