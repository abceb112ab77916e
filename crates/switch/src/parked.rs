//! Packets parked in a traffic manager: how a [`Handle`] becomes the packet that a traffic manager knows, and
//! how it is found again when that packet leaves.
//!
//! The traffic manager carries a tag of 32 bits; the handle waits in a slab under that number. A flow has a
//! size, known in advance by whoever ranks by it; the direction back to its source carries no data, so
//! acknowledgements rank as a flow of 0 bytes.
//!
//! O(1), nothing is allocated once the slab has reached its largest size. Memory: 16 bytes a packet, 4 a
//! free place, and 4 a flow where sizes are wanted; sizes from 4 GiB on count as 4 GiB.

use alloc::vec::Vec;

use forebay_sched::Packet;
use forebay_units::Bytes;

use crate::packet::{FlowId, Handle};

/// The number by which traffic managers know one direction of a flow: 2 · flow, and one more for the
/// direction back to its source. Weights of flows are given by this number.
///
/// ```
/// use forebay_switch::flow_number;
///
/// assert_eq!((flow_number(3, false), flow_number(3, true)), (6, 7));
/// ```
#[must_use]
#[inline]
pub const fn flow_number(flow: FlowId, back: bool) -> u32 {
    flow << 1 | back as u32
}

/// Handles by tag, and the sizes of flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parked {
    handles: Vec<Handle>,
    free: Vec<u32>,
    sizes: Vec<u32>,
}

impl Parked {
    /// Remembers a flow's size.
    pub(crate) fn flow_added(&mut self, id: FlowId, bytes: Bytes) {
        let index = id as usize;
        if self.sizes.len() <= index {
            self.sizes.resize(index + 1, 0);
        }
        self.sizes[index] = u32::try_from(bytes.get()).unwrap_or(u32::MAX);
    }

    /// Parks a packet.
    #[inline]
    pub(crate) fn put(&mut self, handle: Handle) -> Packet {
        let tag = match self.free.pop() {
            Some(tag) => {
                self.handles[tag as usize] = handle;
                tag
            }
            None => {
                self.handles.push(handle);
                self.handles.len() as u32 - 1
            }
        };
        let size = if handle.is_back() { None } else { self.sizes.get(handle.flow() as usize) };
        Packet {
            size: handle.size(),
            flow: flow_number(handle.flow(), handle.is_back()),
            input: handle.input(),
            class: handle.class(),
            flow_size: size.map_or(0, |size| u64::from(*size)),
            tag,
        }
    }

    /// Marks a parked packet.
    #[inline]
    pub(crate) fn mark(&mut self, packet: &Packet) {
        self.handles[packet.tag as usize].mark();
    }

    /// Takes a packet that was put here out again.
    #[inline]
    pub(crate) fn take(&mut self, packet: &Packet) -> Handle {
        self.free.push(packet.tag);
        self.handles[packet.tag as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_found_and_places_are_used_again() {
        let mut parked = Parked::default();
        parked.flow_added(1, Bytes::new(5_000_000_000));
        let (one, two) = (Handle::new(1, 1500).with_input(3), Handle::new(2, 64).with_class(5));
        let (a, b) = (parked.put(one), parked.put(two));
        assert_eq!((a.flow, a.size, a.input, a.flow_size), (2, 1500, 3, u64::from(u32::MAX)));
        assert_eq!((b.flow, b.class, b.flow_size), (4, 5, 0));
        assert_eq!(parked.take(&a), one);
        assert_eq!(parked.put(two).tag, a.tag);
        assert_eq!(parked.take(&b), two);
    }
}
