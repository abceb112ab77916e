//! Where the packets of all trees wait while the queues order their numbers.
//!
//! Complexity: O(1). Memory: 28 bytes a packet, taken as they arrive and kept for reuse.

use alloc::vec::Vec;

use crate::Packet;

/// Packets by number; numbers are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    /// Keeps `packet`; its number. The caller keeps fewer than 2^32.
    #[inline]
    pub(super) fn keep(&mut self, packet: Packet) -> u32 {
        if let Some(number) = self.free.pop() {
            self.slots[number as usize] = packet;
            return number;
        }
        self.slots.push(packet);
        self.slots.len() as u32 - 1
    }

    /// Gives back the packet of this number.
    #[inline]
    pub(super) fn take(&mut self, number: u32) -> Packet {
        self.free.push(number);
        self.slots[number as usize]
    }

    /// How many are kept.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
