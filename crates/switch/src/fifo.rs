//! Drop-tail: each port has one first-in first-out queue with a limit in bytes, and may mark.
//!
//! A packet that does not fit entirely is dropped. Marking is that of DCTCP (RFC 8257, §3.1): an
//! arriving packet is marked if the queue, without it, is longer than the threshold. Constant time;
//! 24 bytes a port and 17 a packet that waits, unless the network holds it.

use alloc::vec::Vec;
use forebay_units::{Bytes, Time};

use crate::packet::{Handle, HandlePool, List};
use crate::{DropCause, Gauge, Location, Losses, PortLimits, SwitchModel, SwitchShape};

#[derive(Clone, Debug, Default)]
struct Queue {
    packets: List,
    bytes: u64,
}

/// A switch with a drop-tail queue per port.
///
/// ```
/// use forebay_switch::{DropCause, DropTailSwitch, PortLimits, Handle, Losses, SwitchModel, SwitchShape};
/// use forebay_units::{Bytes, Rate, Time};
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10)] };
/// let config = PortLimits { limit: Bytes::new(2000), mark_above: None };
/// let (mut switch, mut lost) = (DropTailSwitch::new(&shape, &config), Losses::default());
/// let (one, two) = (Handle::new(1, 1500), Handle::new(2, 1500));
///
/// switch.arrive(Time::ZERO, 0, one, &mut lost);
/// assert!(lost.is_empty());
/// switch.arrive(Time::ZERO, 0, two, &mut lost);
/// assert_eq!(lost.pop().map(|l| (l.packet, l.cause)), Some((two, DropCause::QueueFull)));
/// assert_eq!(switch.next(Time::ZERO, 0, &mut lost), Some(one));
/// ```
#[derive(Clone, Debug)]
pub struct DropTailSwitch {
    queues: Vec<Queue>,
    pool: HandlePool,
    limit: u64,
    mark_above: u64,
}

impl DropTailSwitch {
    /// An empty switch.
    #[must_use]
    pub fn new(shape: &SwitchShape<'_>, config: &PortLimits) -> Self {
        DropTailSwitch {
            queues: alloc::vec![Queue::default(); shape.ports.len()],
            pool: HandlePool::default(),
            limit: config.limit.get(),
            mark_above: config.mark_above.map_or(u64::MAX, Bytes::get),
        }
    }
}

impl SwitchModel for DropTailSwitch {
    #[inline]
    fn arrive(&mut self, _now: Time, port: u16, mut packet: Handle, lost: &mut Losses) {
        match self.admit(port, &mut packet) {
            Ok(()) => self.queues[usize::from(port)].packets.push(&mut self.pool, packet),
            Err(cause) => lost.push(port, cause, packet),
        }
    }

    #[inline]
    fn next(&mut self, _now: Time, port: u16, _lost: &mut Losses) -> Option<Handle> {
        let packet = self.queues[usize::from(port)].packets.pop(&mut self.pool)?;
        self.begin(port, packet.size());
        Some(packet)
    }

    #[inline]
    fn is_empty(&self, port: u16) -> bool {
        self.queues[usize::from(port)].packets.is_empty()
    }

    fn backlog(&self) -> Bytes {
        Bytes::new(self.queues.iter().map(|queue| queue.bytes).sum())
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        for (port, queue) in (0..=u16::MAX).zip(&self.queues) {
            let location = Location::Port(port);
            show(Gauge::Level { location, name: "waiting bytes", bytes: queue.bytes });
            show(Gauge::Threshold { location, name: "limit", bytes: self.limit });
        }
    }

    fn is_fifo(&self) -> bool {
        true
    }

    #[inline]
    fn admit(&mut self, port: u16, packet: &mut Handle) -> Result<(), DropCause> {
        let queue = &mut self.queues[usize::from(port)];
        let size = u64::from(packet.size());
        if queue.bytes.saturating_add(size) > self.limit {
            return Err(DropCause::QueueFull);
        }
        if queue.bytes > self.mark_above {
            packet.mark();
        }
        queue.bytes += size;
        Ok(())
    }

    #[inline]
    fn begin(&mut self, port: u16, size: u32) {
        self.queues[usize::from(port)].bytes -= u64::from(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;
    use forebay_units::Rate;

    #[test]
    fn marks_beyond_the_threshold_only() {
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
        let config = PortLimits { limit: Bytes::new(10_000), mark_above: Some(Bytes::new(3000)) };
        let mut switch = DropTailSwitch::new(&shape, &config);
        let mut lost = Losses::default();
        for flow in 0..7 {
            let packet = Handle::new(flow, 1500).with_ecn(Ecn::Capable);
            switch.arrive(Time::ZERO, 1, packet, &mut lost);
        }
        assert_eq!(switch.backlog(), Bytes::new(9000));
        assert_eq!(lost.pop().map(|lost| lost.packet.flow()), Some(6));
        let next = || switch.next(Time::ZERO, 1, &mut lost);
        let left: Vec<_> = core::iter::from_fn(next).map(|p| (p.flow(), p.ecn())).collect();
        let (capable, marked) = (Ecn::Capable, Ecn::Experienced);
        let expected = [capable, capable, capable, marked, marked, marked];
        assert!(left.iter().copied().eq((0..).zip(expected)), "{left:?}");
        assert!(switch.is_empty(0) && switch.is_empty(1));
    }
}
