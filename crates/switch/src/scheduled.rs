//! A switch whose ports each have a scheduler that holds the packets: a PIFO, a fair queue, a tree.
//!
//! Any `forebay_sched::scheduler::PacketScheduler` will do. In front of it stands a limit in bytes,
//! the same at every port: a packet that does not fit entirely is dropped (drop-tail; a scheduler
//! may drop of its own accord as well). Marking is that of DCTCP, as in
//! [`DropTailSwitch`](super::DropTailSwitch), by the bytes that wait for the port.
//!
//! A scheduler that shapes may hold packets that cannot leave yet. The port then stalls until
//! `PacketScheduler::ready_at`, which is the switch's next event. A switch none of whose ports
//! stalls has none and pays one comparison for it.
//!
//! Each call costs what the scheduler takes; `next_event` and `advance` O(ports) while a port
//! stalls. Memory: 8 bytes a flow, 16 a port, and the schedulers.

use alloc::vec::Vec;

use forebay_parameters::Configure;
use forebay_sched::scheduler::PacketScheduler;
use forebay_units::{Bytes, Duration, Rate, Time};

use crate::flows::{Flows, handle};
use crate::packet::{FlowId, Handle};
use crate::{DropCause, Gauge, Location, Losses, SwitchModel, SwitchShape};

/// The limits of a [`Scheduled`] switch, the same at every port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct PortLimits {
    /// The most bytes that may wait at a port; what is being sent does not count.
    #[parameter(assumed = "the drop-tail of the speed comparison", default = Bytes::new(1_000_000))]
    pub limit: Bytes,
    /// Packets are marked beyond so many bytes of their queue (ECN, for DCTCP); 0 B: never.
    #[parameter(paper = "occamy §6.4", default = None)]
    pub mark_above: Option<Bytes>,
}

/// Until when a port that does not stall waits.
const READY: Time = Time::MAX;

/// A switch with a scheduler per port.
///
/// ```
/// use forebay_switch::{Handle, Losses, PortLimits, Scheduled, SwitchModel, SwitchShape};
/// use forebay_sched::scheduler::{SchedulerShape, schedulers};
/// use forebay_units::{Rate, Time};
///
/// let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
/// let priorities = schedulers().named("strict-priority")?.clone();
/// let priorities = |_port, rate| priorities.build(&SchedulerShape::of_link(rate));
/// let mut switch = Scheduled::new(&shape, PortLimits::default(), priorities)?;
/// let mut lost = Losses::default();
/// switch.arrive(Time::ZERO, 1, Handle::new(1, 1500).with_class(3), &mut lost);
/// switch.arrive(Time::ZERO, 1, Handle::new(2, 1500).with_class(0), &mut lost);
/// let left = switch.next(Time::ZERO, 1, &mut lost);
/// assert_eq!(left.map(|packet| packet.flow()), Some(2));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct Scheduled<P> {
    ports: Vec<P>,
    flows: Flows,
    limit: u64,
    mark_above: u64,
    /// When each stalled port has a packet that may leave, [`READY`] for the others.
    ready: Vec<Time>,
    stalled: u16,
}

impl<P: PacketScheduler> Scheduled<P> {
    /// An empty switch; `scheduler` makes that of each port, which has this rate.
    ///
    /// # Errors
    /// The first that `scheduler` makes.
    pub fn new<E>(
        shape: &SwitchShape<'_>,
        limits: PortLimits,
        mut scheduler: impl FnMut(u16, Rate) -> Result<P, E>,
    ) -> Result<Self, E> {
        let ports = (0..=u16::MAX).zip(shape.ports).map(|(port, rate)| scheduler(port, *rate));
        Ok(Scheduled {
            ports: ports.collect::<Result<_, _>>()?,
            flows: Flows::default(),
            limit: limits.limit.get(),
            mark_above: limits.mark_above.map_or(u64::MAX, Bytes::get),
            ready: alloc::vec![READY; shape.ports.len()],
            stalled: 0,
        })
    }

    /// The schedulers, to look at.
    #[must_use]
    pub fn ports(&self) -> &[P] {
        &self.ports
    }

    /// Hands over what the scheduler of `port` gave up of what it had accepted.
    #[inline]
    fn report(&mut self, port: u16, lost: &mut Losses) {
        while let Some((packet, cause)) = self.ports[usize::from(port)].take_dropped() {
            lost.push(port, cause, handle(&packet));
        }
    }

    /// Remembers until when `port` stalls.
    #[inline]
    fn stall(&mut self, port: u16, until: Time) {
        let ready = &mut self.ready[usize::from(port)];
        self.stalled -= u16::from(*ready != READY);
        self.stalled += u16::from(until != READY);
        *ready = until;
    }
}

impl<P: PacketScheduler> SwitchModel for Scheduled<P> {
    #[inline]
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        let scheduler = &mut self.ports[usize::from(port)];
        let waiting = scheduler.bytes().get();
        if waiting.saturating_add(packet.size().into()) > self.limit {
            return lost.push(port, DropCause::QueueFull, packet);
        }
        let mut entering = self.flows.packet(packet);
        if waiting > self.mark_above {
            entering.ecn = entering.ecn.marked();
        }
        if let Err(cause) = scheduler.enqueue(now, entering) {
            lost.push(port, cause, packet);
        }
        self.report(port, lost);
    }

    #[inline]
    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        let left = self.ports[usize::from(port)].dequeue(now);
        self.report(port, lost);
        let until = match left {
            Some(_) => READY,
            // Later than now: it has just answered that nothing may leave now.
            None => self.ports[usize::from(port)]
                .ready_at(now)
                .map_or(READY, |ready| ready.max(now + Duration::from_ps(1))),
        };
        if self.stalled > 0 || until != READY {
            self.stall(port, until);
        }
        left.map(|packet| handle(&packet))
    }

    #[inline]
    fn is_empty(&self, port: u16) -> bool {
        self.ports[usize::from(port)].is_empty()
    }

    fn backlog(&self) -> Bytes {
        Bytes::new(self.ports.iter().map(|port| port.bytes().get()).sum())
    }

    #[inline]
    fn next_event(&mut self) -> Option<Time> {
        if self.stalled == 0 {
            return None;
        }
        self.ready.iter().copied().min()
    }

    fn advance(&mut self, now: Time, _lost: &mut Losses) {
        for port in 0..self.ready.len() {
            if self.ready[port] <= now {
                self.stall(port as u16, READY);
            }
        }
    }

    fn gauges(&self, show: &mut dyn FnMut(Gauge)) {
        for (port, scheduler) in (0..=u16::MAX).zip(&self.ports) {
            let bytes = scheduler.bytes().get();
            show(Gauge::Level { location: Location::Port(port), name: "waiting bytes", bytes });
        }
    }

    fn flow_added(&mut self, id: FlowId, _data: Bytes, on_wire: Bytes) {
        self.flows.add(id, on_wire);
    }
}
