//! Drop-tail: each port has one first-in first-out queue with a limit in bytes, and may mark.
//!
//! A packet that does not fit entirely is dropped. Marking is that of DCTCP (RFC 8257, §3.1): an arriving
//! packet is marked if the queue, without it, is longer than the threshold. Constant time; 16 bytes a port.

use alloc::vec::Vec;
use forebay_units::{Bytes, Time};

use super::{DropCause, SwitchModel, SwitchShape, Verdict};
use crate::packet::{Arena, PacketId, PacketList};

/// The limits of a [`DropTail`] switch, the same at every port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropTailConfig {
    /// The most bytes that may wait at a port; what is being sent does not count. Default 1 MB.
    pub limit: Bytes,
    /// Mark beyond so many bytes. Default: never.
    pub mark_above: Option<Bytes>,
}

impl Default for DropTailConfig {
    fn default() -> Self {
        DropTailConfig { limit: Bytes::new(1_000_000), mark_above: None }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    packets: PacketList,
    bytes: u64,
}

/// A switch with a drop-tail queue per port.
///
/// ```
/// use forebay_net::packet::{Arena, Body, Wire};
/// use forebay_net::switch::{DropCause, DropTail, DropTailConfig, SwitchModel, SwitchShape, Verdict};
/// use forebay_net::transport::Segment;
/// use forebay_units::{Bytes, Rate, Time};
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10)] };
/// let config = DropTailConfig { limit: Bytes::new(2000), mark_above: None };
/// let (mut switch, mut arena) = (DropTail::new(&shape, &config), Arena::new(Wire::default()));
/// let body = Body::Data(Segment { len: 1448, ..Segment::default() });
/// let (one, two) = (arena.insert(0, body), arena.insert(0, body));
///
/// assert_eq!(switch.arrive(Time::ZERO, 0, one, &mut arena), Verdict::Queued);
/// let full = Verdict::Dropped(DropCause::QueueFull);
/// assert_eq!(switch.arrive(Time::ZERO, 0, two, &mut arena), full);
/// assert_eq!(switch.next(Time::ZERO, 0, &mut arena), Some(one));
/// ```
#[derive(Clone, Debug)]
pub struct DropTail {
    queues: Vec<Queue>,
    limit: u64,
    mark_above: u64,
}

impl DropTail {
    /// An empty switch.
    #[must_use]
    pub fn new(shape: &SwitchShape<'_>, config: &DropTailConfig) -> Self {
        DropTail {
            queues: alloc::vec![Queue::default(); shape.ports.len()],
            limit: config.limit.get(),
            mark_above: config.mark_above.map_or(u64::MAX, Bytes::get),
        }
    }
}

impl SwitchModel for DropTail {
    #[inline]
    fn arrive(&mut self, _now: Time, port: u16, packet: PacketId, arena: &mut Arena) -> Verdict {
        let queue = &mut self.queues[usize::from(port)];
        let size = u64::from(arena.size(packet));
        if queue.bytes.saturating_add(size) > self.limit {
            return Verdict::Dropped(DropCause::QueueFull);
        }
        if queue.bytes > self.mark_above {
            arena.mark(packet);
        }
        queue.bytes += size;
        queue.packets.push(arena, packet);
        Verdict::Queued
    }

    #[inline]
    fn next(&mut self, _now: Time, port: u16, arena: &mut Arena) -> Option<PacketId> {
        let queue = &mut self.queues[usize::from(port)];
        let packet = queue.packets.pop(arena)?;
        queue.bytes -= u64::from(arena.size(packet));
        Some(packet)
    }

    #[inline]
    fn is_empty(&self, port: u16) -> bool {
        self.queues[usize::from(port)].packets.is_empty()
    }

    fn backlog(&self) -> Bytes {
        Bytes::new(self.queues.iter().map(|queue| queue.bytes).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Body, Wire};
    use crate::transport::{Ecn, Segment};
    use forebay_units::Rate;

    #[test]
    fn marks_beyond_the_threshold_only() {
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
        let config =
            DropTailConfig { limit: Bytes::new(10_000), mark_above: Some(Bytes::new(3000)) };
        let mut switch = DropTail::new(&shape, &config);
        let mut arena = Arena::new(Wire::default());
        let markable = Body::Data(Segment { len: 1448, ecn: Ecn::Capable, ..Segment::default() });
        for _ in 0..7 {
            let packet = arena.insert(0, markable);
            switch.arrive(Time::ZERO, 1, packet, &mut arena);
        }
        assert_eq!(switch.backlog(), Bytes::new(9000));
        let mut marks = Vec::new();
        while let Some(packet) = switch.next(Time::ZERO, 1, &mut arena) {
            let Body::Data(segment) = arena.get(packet).body else { continue };
            marks.push(segment.ecn == Ecn::Experienced);
        }
        assert_eq!(marks, [false, false, false, true, true, true]);
        assert!(switch.is_empty(0) && switch.is_empty(1));
    }
}
