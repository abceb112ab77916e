//! The staging buffer: where packets bound for HBM wait for their write.
//!
//! Themis calls it the temporary buffer, "implemented in SRAM or registers with line-rate
//! read/write capability" (themis §4.1, §4.3); the spillover schemes' packets "make only a brief
//! stop in SRAM" (§2.1), which is the same thing. Every scheme gets one of the same size, and it is
//! taken from the SRAM that the scheme has.

use crate::descriptor::{Descriptor, Descriptors, NONE};

/// A bounded FIFO of packets. O(1) operations, but for [`Staging::take_first`].
#[derive(Clone, Debug)]
pub struct Staging {
    capacity: u64,
    used: u64,
    /// Of them, those whose write is under way.
    writing: u64,
    head: u32,
    tail: u32,
}

impl Staging {
    /// An empty buffer of `capacity` bytes.
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        Staging { capacity, used: 0, writing: 0, head: NONE, tail: NONE }
    }

    /// Bytes in use: packets that wait, and packets whose write is under way.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Whether packets are being written to HBM.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.writing > 0
    }

    /// Whether `size` more bytes fit.
    #[must_use]
    pub fn fits(&self, size: u32) -> bool {
        self.used + u64::from(size) <= self.capacity
    }

    /// The packet that has waited longest.
    #[must_use]
    pub fn front(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.head)
    }

    /// Appends a packet, which must fit.
    pub fn push_back(&mut self, descriptors: &mut Descriptors, id: u32) {
        descriptors[id].link = NONE;
        if self.tail == NONE {
            self.head = id;
        } else {
            descriptors[self.tail].link = id;
        }
        self.tail = id;
        self.used += u64::from(descriptors[id].packet.size);
    }

    /// Takes the packet that has waited longest; its bytes stay in use until [`Staging::release`].
    pub fn pop_front(&mut self, descriptors: &mut Descriptors) -> Option<u32> {
        let id = self.front()?;
        self.head = core::mem::replace(&mut descriptors[id].link, NONE);
        if self.head == NONE {
            self.tail = NONE;
        }
        self.writing += u64::from(descriptors[id].packet.size);
        Some(id)
    }

    /// Takes the packet that has waited longest of those that `is_wanted`, from behind others if
    /// need be; its bytes stay in use until [`Staging::release`]. O(packets that wait).
    pub fn take_first(
        &mut self,
        descriptors: &mut Descriptors,
        is_wanted: impl Fn(&Descriptor) -> bool,
    ) -> Option<u32> {
        let (mut before, mut next) = (NONE, self.head);
        while next != NONE && !is_wanted(&descriptors[next]) {
            (before, next) = (next, descriptors[next].link);
        }
        if next == self.head {
            return self.pop_front(descriptors);
        }
        if next == NONE {
            return None;
        }
        let behind = core::mem::replace(&mut descriptors[next].link, NONE);
        descriptors[before].link = behind;
        if behind == NONE {
            self.tail = before;
        }
        self.writing += u64::from(descriptors[next].packet.size);
        Some(next)
    }

    /// A packet's data has been written to HBM (or is no longer needed).
    pub fn release(&mut self, size: u32) {
        self.used -= u64::from(size);
        self.writing -= u64::from(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use forebay_sched::Packet;

    /// Whichever packet is taken from wherever it waits, the others stay in order.
    #[test]
    fn a_packet_is_taken_from_behind_others() {
        for taken in 0..4 {
            let mut descriptors = Descriptors::new(8);
            let mut staging = Staging::new(10_000);
            let ids: Vec<u32> = (0..4)
                .map(|flow| {
                    let packet = Packet { flow, size: 100, ..Packet::default() };
                    let id = descriptors.take(Descriptor { packet, ..Descriptor::default() });
                    staging.push_back(&mut descriptors, id.unwrap());
                    id.unwrap()
                })
                .collect();
            let wanted = |descriptor: &Descriptor| descriptor.packet.flow == taken;
            let id = staging.take_first(&mut descriptors, wanted);
            assert_eq!(id, Some(ids[taken as usize]));
            assert_eq!(staging.take_first(&mut descriptors, wanted), None);
            staging.release(100);
            // One more goes to the end.
            staging.push_back(&mut descriptors, ids[taken as usize]);
            let left = core::iter::from_fn(|| staging.pop_front(&mut descriptors));
            let left: Vec<u32> = left.collect();
            let mut expected = ids.clone();
            expected.retain(|one| *one != ids[taken as usize]);
            expected.push(ids[taken as usize]);
            assert_eq!(left, expected);
        }
    }
}
