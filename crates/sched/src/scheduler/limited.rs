//! A limit in bytes in front of a scheduler that has none: what does not fit entirely is refused.
//!
//! O(1) on top of the scheduler; no memory of its own.

use forebay_units::{Bytes, Time};

use super::PacketScheduler;
use crate::DropCause;
use crate::Packet;

/// `S` with at most so many bytes waiting.
#[derive(Clone, Debug)]
pub(super) struct Limited<S> {
    inner: S,
    limit: u64,
}

impl<S> Limited<S> {
    pub(super) fn new(inner: S, limit: Bytes) -> Self {
        Limited { inner, limit: limit.get() }
    }
}

impl<S: PacketScheduler> PacketScheduler for Limited<S> {
    #[inline]
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        if self.inner.bytes().get().saturating_add(packet.size.into()) > self.limit {
            return Err(DropCause::QueueFull);
        }
        self.inner.enqueue(now, packet)
    }

    #[inline]
    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.inner.dequeue(now)
    }

    fn ready_at(&self, now: Time) -> Option<Time> {
        self.inner.ready_at(now)
    }

    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        self.inner.take_dropped()
    }

    fn reads_class(&self) -> bool {
        self.inner.reads_class()
    }

    fn reads_rate(&self) -> bool {
        self.inner.reads_rate()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn bytes(&self) -> Bytes {
        self.inner.bytes()
    }
}
