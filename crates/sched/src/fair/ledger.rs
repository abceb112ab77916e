//! What a scheduler holds, and what it dropped after it had accepted it.
//!
//! O(1). Memory: 48 bytes for each dropped packet that the caller has not taken.

use alloc::collections::VecDeque;

use super::room::{Limits, Room};
use crate::DropCause;
use crate::Packet;

#[derive(Clone, Debug)]
pub(super) struct Ledger {
    limits: Limits,
    pub(super) room: Room,
    dropped: VecDeque<(Packet, DropCause)>,
}

impl Ledger {
    pub(super) fn new(limits: Limits) -> Self {
        Ledger { limits, room: Room::new(limits), dropped: VecDeque::new() }
    }

    /// Whether `packet` may come in, if others may be dropped for it. While the caller leaves as
    /// many dropped packets as may wait, nothing may.
    ///
    /// # Errors
    /// Nothing that is dropped could make room.
    pub(super) fn admit(&self, packet: &Packet) -> Result<(), DropCause> {
        let untaken = self.dropped.len() >= self.limits.packets as usize;
        if untaken || u64::from(packet.size) > self.limits.bytes.get() {
            return Err(DropCause::QueueFull);
        }
        Ok(())
    }

    /// A packet that was held is lost.
    pub(super) fn drop(&mut self, packet: Packet, cause: DropCause) {
        self.room.leave(&packet);
        self.dropped.push_back((packet, cause));
    }

    pub(super) fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        self.dropped.pop_front()
    }
}
