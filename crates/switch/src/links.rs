//! A switch and its output links: packets arrive, ports send, the switch's own events come due. The event loop
//! of whoever has one switch and no network around it.
//!
//! At one instant, the switch's events come first, then arrivals, then ports, in the order in which
//! they were woken. O(log ports) an event, beside what the switch takes; nothing is allocated on the way.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use forebay_units::{Bytes, Rate, Time};

use crate::{DropCause, Ecn, Handle, Losses, SwitchModel};

/// Where packets come from, in the order of time, and who is told what becomes of them.
pub trait Traffic {
    /// When the next packet arrives; none behind the last.
    fn next_at(&self) -> Option<Time>;

    /// That packet arrives: its port and its handle, whose number names it below. None if it has no port.
    fn arrive(&mut self, now: Time, switch: &mut impl SwitchModel) -> Option<(u16, Handle)>;

    /// A packet's first bit leaves at `begin`, its last at `end`.
    fn sent(&mut self, packet: u32, begin: Time, end: Time, marked: bool);

    /// A packet is lost; an expulsion may have happened before, but not what follows from it.
    fn lost(&mut self, packet: u32, at: Time, cause: DropCause);
}

/// What a port does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// Nothing waits for it.
    Idle,
    /// It sends.
    Busy,
    /// Packets wait, but none can leave before the switch's next event.
    Stalled,
    /// It is to be asked at this instant.
    Ready,
}

/// A switch and its output links on their way through some traffic.
///
/// ```
/// use forebay_switch::{DropCause, Handle, Links, SwitchConfig, SwitchModel, SwitchShape, Traffic};
/// use forebay_units::{Rate, Time};
///
/// /// Two packets of 1250 bytes that arrive at once.
/// #[derive(Default)]
/// struct Two {
///     arrived: u32,
///     ends: Vec<Time>,
/// }
///
/// impl Traffic for Two {
///     fn next_at(&self) -> Option<Time> {
///         (self.arrived < 2).then_some(Time::ZERO)
///     }
///     fn arrive(&mut self, _: Time, _: &mut impl SwitchModel) -> Option<(u16, Handle)> {
///         self.arrived += 1;
///         Some((0, Handle::numbered(self.arrived, 0, 1250)))
///     }
///     fn sent(&mut self, _packet: u32, _begin: Time, end: Time, _marked: bool) {
///         self.ends.push(end);
///     }
///     fn lost(&mut self, _: u32, _: Time, _: DropCause) {}
/// }
///
/// let rates = [Rate::from_gbps(10)];
/// let mut switch = SwitchConfig::named("occamy")?.build(&SwitchShape { index: 0, ports: &rates })?;
/// let mut links = Links::new(&mut switch, &rates, Two::default());
/// while links.step() {}
/// assert_eq!(links.traffic.ends, [Time::from_ps(1_000_000), Time::from_ps(2_000_000)]);
/// # Ok::<(), forebay_switch::SwitchBuildError>(())
/// ```
pub struct Links<'a, S, T> {
    switch: &'a mut S,
    rates: &'a [Rate],
    /// The traffic, as far as it has come.
    pub traffic: T,
    lost: Losses,
    links: Vec<Link>,
    /// When the sending ports will have sent.
    busy: BinaryHeap<Reverse<(Time, u16)>>,
    /// The ports to be asked.
    ready: Vec<u16>,
    now: Time,
}

impl<'a, S: SwitchModel, T: Traffic> Links<'a, S, T> {
    /// Before the first packet; `rates` are those of the switch's ports.
    pub fn new(switch: &'a mut S, rates: &'a [Rate], traffic: T) -> Self {
        let ports = rates.len();
        Links {
            switch,
            rates,
            traffic,
            lost: Losses::default(),
            links: alloc::vec![Link::Idle; ports],
            busy: BinaryHeap::with_capacity(ports),
            ready: Vec::with_capacity(ports),
            now: Time::ZERO,
        }
    }

    /// The time of what happened last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Lets happen what comes next; `false` if nothing is left to happen.
    pub fn step(&mut self) -> bool {
        let arrival = self.traffic.next_at();
        let free = self.busy.peek().map(|Reverse((at, _))| *at);
        let waits = arrival.is_some() || free.is_some() || self.switch.backlog() > Bytes::ZERO;
        let inside = if waits { self.switch.next_event() } else { None };
        let Some(now) = [arrival, free, inside].into_iter().flatten().min() else {
            return false;
        };
        self.now = now;
        if inside == Some(now) {
            self.switch.advance(now, &mut self.lost);
            self.told();
            self.wake_stalled();
        }
        while let Some(Reverse((_, port))) = self.busy.peek().filter(|top| top.0.0 == now).copied()
        {
            self.busy.pop();
            self.links[usize::from(port)] = Link::Idle;
            self.wake(port);
        }
        while self.traffic.next_at() == Some(now) {
            if let Some((port, handle)) = self.traffic.arrive(now, self.switch) {
                self.switch.arrive(now, port, handle, &mut self.lost);
                self.told();
                self.wake(port);
            }
        }
        let mut ready = core::mem::take(&mut self.ready);
        for port in ready.drain(..) {
            self.send(port);
        }
        self.ready = ready;
        true
    }

    /// Asks an idle or stalled port at this instant.
    fn wake(&mut self, port: u16) {
        let link = &mut self.links[usize::from(port)];
        if matches!(link, Link::Idle | Link::Stalled) {
            *link = Link::Ready;
            self.ready.push(port);
        }
    }

    fn wake_stalled(&mut self) {
        for port in 0..self.links.len() as u16 {
            if self.links[usize::from(port)] == Link::Stalled {
                self.wake(port);
            }
        }
    }

    fn send(&mut self, port: u16) {
        let index = usize::from(port);
        let left = self.switch.next(self.now, port, &mut self.lost);
        self.told();
        let Some(packet) = left else {
            let waits = !self.switch.is_empty(port);
            self.links[index] = if waits { Link::Stalled } else { Link::Idle };
            return;
        };
        let size = Bytes::new(packet.size().into());
        let end = self.now + self.rates[index].time_for(size);
        self.links[index] = Link::Busy;
        self.busy.push(Reverse((end, port)));
        let marked = packet.ecn() == Ecn::Experienced;
        self.traffic.sent(packet.packet().get(), self.now, end, marked);
    }

    /// Tells what the last call lost.
    fn told(&mut self) {
        while let Some(lost) = self.lost.pop() {
            self.traffic.lost(lost.packet.packet().get(), self.now, lost.cause);
        }
    }
}
