//! Flows in 24 bytes each, as a network keeps them: a flow's size needs 50 bits, and its class 8.

use alloc::vec::Vec;

use forebay_units::{Bytes, Time};

use super::{Flow, MAX_FLOW_BYTES};

/// Where the class begins in the word that it shares with the size.
const CLASS_SHIFT: u32 = 56;
const _: () = assert!(MAX_FLOW_BYTES.get() < 1 << CLASS_SHIFT);

#[derive(Clone, Copy, Debug)]
struct Packed {
    src: u32,
    dst: u32,
    bytes_and_class: u64,
    start: Time,
}

/// Checked flows, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedFlows(Vec<Packed>);

impl PackedFlows {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds flows of at most [`MAX_FLOW_BYTES`] each.
    pub(crate) fn add(&mut self, flows: &[Flow]) {
        self.0.reserve_exact(flows.len());
        self.0.extend(flows.iter().map(|flow| Packed {
            src: flow.src,
            dst: flow.dst,
            bytes_and_class: flow.bytes.get() | u64::from(flow.class) << CLASS_SHIFT,
            start: flow.start,
        }));
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
        let most = Flow {
            class: u8::MAX,
            ..Flow::new(u32::MAX, u32::MAX - 1, MAX_FLOW_BYTES, Time::MAX)
        };
        let mut flows = PackedFlows::default();
        flows.add(&[least]);
        flows.add(&[most]);
        assert_eq!((flows.get(0), flows.at(1), flows.get(2)), (Some(least), most, None));
        assert!(flows.from(1).eq([most]));
        assert_eq!((flows.len(), flows.hosts(0)), (2, Some([0, 1])));
    }
}
