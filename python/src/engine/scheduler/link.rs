//! A trace through a scheduler and an output link.

use forebay_sched::Packet;
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::{Bytes, Rate, Time};

/// What stands for a packet that was dropped.
const NEVER: u64 = u64::MAX;

/// The last departure that can be told from a drop.
const LAST: Time = Time::from_ps(NEVER - 1);

/// An output link behind a scheduler.
pub(super) struct Link<'s> {
    held: &'s mut dyn PacketScheduler,
    rate: Rate,
    /// When it is free again.
    free: Time,
    /// When each packet had left, by tag.
    pub(super) left: Vec<u64>,
}

impl<'s> Link<'s> {
    pub(super) fn new(held: &'s mut dyn PacketScheduler, rate: Rate, packets: usize) -> Self {
        Link { held, rate, free: Time::ZERO, left: vec![NEVER; packets] }
    }

    /// A packet arrives, after all that leaves before.
    #[inline]
    pub(super) fn arrive(&mut self, at: Time, packet: Packet) {
        self.drain(at, usize::MAX);
        // A refusal shows as a packet that never leaves.
        let _ = self.held.enqueue(at, packet);
        self.free = self.free.max(at);
        while self.held.take_dropped().is_some() {}
    }

    /// Sends what starts before `until`, at most so many packets; whether there may be more.
    #[inline]
    pub(super) fn drain(&mut self, until: Time, packets: usize) -> bool {
        for _ in 0..packets {
            let Some(ready) = self.held.ready_at(self.free) else { return false };
            let start = ready.max(self.free);
            if start >= until {
                return false;
            }
            let Some(packet) = self.held.dequeue(start) else { return false };
            while self.held.take_dropped().is_some() {}
            self.free = LAST.min(start + self.rate.time_for(Bytes::new(packet.size.into())));
            if let Some(left) = self.left.get_mut(packet.tag as usize) {
                *left = self.free.as_ps();
            }
        }
        true
    }
}
