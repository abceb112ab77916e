//! A switch and its output links: packets arrive, ports send, the switch's own events come due. The
//! event loop of whoever has one switch and no network around it.
//!
//! At one instant, the switch's events come first, then arrivals and ports in an [`InstantOrder`]
//! of the traffic's; ports are asked in the order in which they were woken. O(log ports) an event,
//! beside what the switch takes; nothing is allocated on the way.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use forebay_units::{Bytes, Rate, Time};

use crate::{Handle, Losses, Lost, Pause, SwitchModel};

/// What happens in which order at one instant, once the switch's own events are over. A port is
/// asked for its next packet if it was freed, if it stalled, or if it is idle and a packet has
/// arrived for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstantOrder {
    /// All packets arrive, then ports are asked: none sends before it knows all that came by then.
    ArrivalsFirst,
    /// One packet arrives, then ports are asked; the instant begins anew for the next one.
    OneArrival,
    /// Freed and stalled ports are asked, then each packet arrives and its port is asked: what
    /// leaves makes room for what comes.
    PortsFirst,
}

/// Where packets come from, in the order of time, and who is told what becomes of them in a switch
/// of type `S` that knows them as `P`.
pub trait Traffic<S, P = Handle> {
    /// The order of what happens at one instant: a property of the traffic, since nothing else says
    /// it.
    const ORDER: InstantOrder = InstantOrder::ArrivalsFirst;

    /// Whether it is told what the switch wants its neighbours to pause.
    const OBEYS: bool = false;

    /// When the next packet arrives; none behind the last.
    fn next_at(&self) -> Option<Time>;

    /// That packet arrives: its port, and what the switch knows it by. None if it has no port.
    fn arrive(&mut self, now: Time, switch: &mut S) -> Option<(u16, P)>;

    /// The switch has taken or refused that packet, and what it lost by it has been told.
    fn arrived(&mut self, packet: &P, switch: &S) {
        let _ = (packet, switch);
    }

    /// When the last of `size` bytes leaves `port`, whose rate is `rate`, if the first does at
    /// `begin`: not before it. For links whose rate changes.
    #[inline]
    fn end(&mut self, port: u16, rate: Rate, begin: Time, size: Bytes) -> Time {
        let _ = port;
        begin + rate.time_for(size)
    }

    /// A packet's first bit leaves at `begin`, its last at `end`.
    fn sent(&mut self, packet: &P, begin: Time, end: Time);

    /// `port` was asked at `at` and has nothing to send: it stalls if packets wait for it, and is
    /// idle otherwise.
    fn unsent(&mut self, port: u16, at: Time, stalls: bool) {
        let _ = (port, at, stalls);
    }

    /// The switch wants a neighbour to pause, or to go on, from `now` on; told if it
    /// [obeys](Traffic::OBEYS), before anything arrives at this instant.
    fn pause(&mut self, now: Time, pause: Pause) {
        let _ = (now, pause);
    }

    /// A packet is lost; an expulsion may have happened before, but not what follows from it.
    fn lost(&mut self, lost: &Lost<P>, at: Time, switch: &S);
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

/// When the sending ports will have sent. The first of them is kept out of the heap, which stays
/// empty where there is one port.
struct Busy {
    first: (Time, u16),
    others: BinaryHeap<Reverse<(Time, u16)>>,
}

impl Busy {
    /// None sends.
    const NONE: (Time, u16) = (Time::MAX, u16::MAX);

    #[inline]
    fn push(&mut self, end: Time, port: u16) {
        let next = (end, port);
        if self.first == Busy::NONE {
            self.first = next;
        } else {
            self.others.push(Reverse(next.max(self.first)));
            self.first = next.min(self.first);
        }
    }

    /// Takes out the first.
    #[inline]
    fn pop(&mut self) -> u16 {
        let (_, port) = self.first;
        self.first = if self.others.is_empty() { Busy::NONE } else { self.pop_other() };
        port
    }

    #[inline(never)]
    fn pop_other(&mut self) -> (Time, u16) {
        self.others.pop().map_or(Busy::NONE, |Reverse(next)| next)
    }
}

/// How many events of its own a switch has to give out what waits in it, when another takes its
/// place: more than any built-in switch needs.
pub const MOST_EVENTS: u32 = 1 << 20;

/// The last instant at which something happens.
const LAST: Time = Time::from_ps(Time::MAX.as_ps() - 1);

/// A switch and its output links on their way through some traffic.
///
/// ```
/// use forebay_switch::{Handle, Links, Lost, SwitchConfig, SwitchShape, Traffic};
/// use forebay_units::{Rate, Time};
///
/// /// Two packets of 1250 bytes that arrive at once.
/// #[derive(Default)]
/// struct Two {
///     arrived: u32,
///     ends: Vec<Time>,
/// }
///
/// impl<S> Traffic<S> for Two {
///     fn next_at(&self) -> Option<Time> {
///         (self.arrived < 2).then_some(Time::ZERO)
///     }
///     fn arrive(&mut self, _: Time, _: &mut S) -> Option<(u16, Handle)> {
///         self.arrived += 1;
///         Some((0, Handle::numbered(self.arrived, 0, 1250)))
///     }
///     fn sent(&mut self, _: &Handle, _begin: Time, end: Time) {
///         self.ends.push(end);
///     }
///     fn lost(&mut self, _: &Lost, _: Time, _: &S) {}
/// }
///
/// let rates = [Rate::from_gbps(10)];
/// let mut switch = SwitchConfig::named("occamy")?.build(&SwitchShape { index: 0, ports: &rates })?;
/// let mut links = Links::new(&mut switch, &rates, Two::default());
/// while links.step() {}
/// assert_eq!(links.traffic.ends, [Time::from_ps(1_000_000), Time::from_ps(2_000_000)]);
/// # Ok::<(), forebay_switch::SwitchBuildError>(())
/// ```
pub struct Links<'a, S, T, P = Handle> {
    switch: &'a mut S,
    rates: &'a [Rate],
    /// The traffic, as far as it has come.
    pub traffic: T,
    lost: Losses<P>,
    links: Vec<Link>,
    /// How many of them stall.
    stalled: u16,
    busy: Busy,
    /// The port to be asked first, and those behind it.
    ready: Option<u16>,
    others_ready: Vec<u16>,
    now: Time,
}

impl<'a, P: Copy + Into<Handle>, S: SwitchModel<P>, T: Traffic<S, P>> Links<'a, S, T, P> {
    /// Before the first packet; `rates` are those of the switch's ports.
    pub fn new(switch: &'a mut S, rates: &'a [Rate], traffic: T) -> Self {
        let ports = rates.len();
        Links {
            switch,
            rates,
            traffic,
            lost: Losses::default(),
            links: alloc::vec![Link::Idle; ports],
            stalled: 0,
            busy: Busy { first: Busy::NONE, others: BinaryHeap::with_capacity(ports) },
            ready: None,
            others_ready: Vec::with_capacity(ports),
            now: Time::ZERO,
        }
    }

    /// The time of what happened last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The switch, to look at.
    pub fn switch(&self) -> &S {
        self.switch
    }

    /// When something will happen to packets that have arrived, for whoever sleeps until then;
    /// `None` if nothing will. An arrival that the traffic knows of counts.
    pub fn due(&mut self) -> Option<Time> {
        let (free, arrival) = (self.busy.first.0, self.arrival());
        let waits = self.switch.backlog() > Bytes::ZERO;
        let inside = if waits { self.inside() } else { Time::MAX };
        Some(inside.min(free).min(arrival)).filter(|at| *at <= LAST)
    }

    /// Lets happen what comes next; `false` if nothing is left to happen to packets.
    pub fn step(&mut self) -> bool {
        let (free, arrival) = (self.busy.first.0, self.arrival());
        let waits = free.min(arrival) < Time::MAX || self.switch.backlog() > Bytes::ZERO;
        let inside = if waits { self.inside() } else { Time::MAX };
        self.happen(inside, free, arrival, LAST)
    }

    /// Lets happen what comes next, unless it is later than `end`: then all is as at `end`, and
    /// `false`.
    #[inline]
    pub fn step_until(&mut self, end: Time) -> bool {
        let (inside, free, arrival) = (self.inside(), self.busy.first.0, self.arrival());
        if self.happen(inside, free, arrival, end.min(LAST)) {
            return true;
        }
        self.now = end;
        self.switch.settle(end, &mut self.lost);
        self.told();
        false
    }

    /// Puts another switch of the same ports in the place of this one, at the present. What waited
    /// is handed to `moved`, port by port in the order in which each would have served it, for the
    /// caller to let arrive again; what the old switch gives up meanwhile is told as lost. A packet
    /// that is being sent goes on. The old switch is given back: it is empty, but for what it could
    /// not give out within [`MOST_EVENTS`] of its events, which is then lost with it.
    ///
    /// A packet that could not leave yet (a shaper held it, or a memory had to be read) is waited
    /// for inside the old switch, in a time of its own that ends with it. O(packets) events.
    pub fn exchange(&mut self, switch: S, mut moved: impl FnMut(u16, P)) -> S
    where
        S: Sized,
    {
        self.switch.settle(self.now, &mut self.lost);
        self.told();
        let mut old = core::mem::replace(self.switch, switch);
        let (mut inside, mut events) = (self.now, 0);
        loop {
            let mut waits = false;
            for port in 0..self.links.len() as u16 {
                while let Some(packet) = old.next(inside, port, &mut self.lost) {
                    moved(port, packet);
                }
                waits |= !old.is_empty(port);
            }
            self.told();
            let Some(next) = old.next_event().filter(|_| waits && events < MOST_EVENTS) else {
                break;
            };
            events += 1;
            inside = inside.max(next);
            old.advance(inside, &mut self.lost);
            self.told();
        }
        for link in &mut self.links {
            if *link == Link::Stalled {
                *link = Link::Idle;
            }
        }
        self.stalled = 0;
        old
    }

    /// The next arrival, [`Time::MAX`] for none.
    #[inline]
    fn arrival(&self) -> Time {
        self.traffic.next_at().unwrap_or(Time::MAX)
    }

    /// The switch's next event, [`Time::MAX`] for none.
    #[inline]
    fn inside(&mut self) -> Time {
        self.switch.next_event().unwrap_or(Time::MAX)
    }

    /// Lets happen what is next inside the switch, at the ports or outside, whichever is first, if
    /// that is not later than `end`.
    #[inline]
    fn happen(&mut self, inside: Time, free: Time, arrival: Time, end: Time) -> bool {
        let now = inside.min(free).min(arrival);
        if now > end {
            return false;
        }
        self.now = now;
        if inside == now {
            self.switch.advance(now, &mut self.lost);
            self.told();
            if T::OBEYS {
                let (switch, traffic) = (&mut *self.switch, &mut self.traffic);
                switch.pauses(&mut |pause| traffic.pause(now, pause));
            }
            self.wake_stalled();
        }
        while self.busy.first.0 == now {
            let port = self.busy.pop();
            self.links[usize::from(port)] = Link::Ready;
            self.make_ready(port);
        }
        if T::ORDER == InstantOrder::PortsFirst {
            self.ask_ready();
        }
        if arrival == now {
            self.arrive();
            while T::ORDER != InstantOrder::OneArrival && self.arrival() == now {
                if T::ORDER == InstantOrder::PortsFirst {
                    self.ask_ready();
                }
                self.arrive();
            }
        }
        self.ask_ready();
        true
    }

    #[inline]
    fn arrive(&mut self) {
        let Some((port, packet)) = self.traffic.arrive(self.now, self.switch) else { return };
        self.switch.arrive(self.now, port, packet, &mut self.lost);
        self.told();
        self.traffic.arrived(&packet, self.switch);
        self.wake(port);
    }

    #[inline]
    fn ask_ready(&mut self) {
        if self.ready.is_none() {
            return;
        }
        let mut next = self.ready.take();
        let mut behind = 0;
        // None is woken by another.
        while let Some(port) = next {
            self.send(port);
            next = self.others_ready.get(behind).copied();
            behind += 1;
        }
        self.others_ready.clear();
    }

    /// Asks an idle or stalled port at this instant.
    #[inline]
    fn wake(&mut self, port: u16) {
        let link = &mut self.links[usize::from(port)];
        if matches!(link, Link::Idle | Link::Stalled) {
            self.stalled -= u16::from(*link == Link::Stalled);
            *link = Link::Ready;
            self.make_ready(port);
        }
    }

    #[inline]
    fn make_ready(&mut self, port: u16) {
        match self.ready {
            None => self.ready = Some(port),
            Some(_) => self.others_ready.push(port),
        }
    }

    #[inline]
    fn wake_stalled(&mut self) {
        if self.stalled == 0 {
            return;
        }
        for port in 0..self.links.len() as u16 {
            if self.links[usize::from(port)] == Link::Stalled {
                self.wake(port);
            }
        }
    }

    #[inline]
    fn send(&mut self, port: u16) {
        let index = usize::from(port);
        let left = self.switch.next(self.now, port, &mut self.lost);
        self.told();
        let Some(packet) = &left else {
            let waits = !self.switch.is_empty(port);
            self.links[index] = if waits { Link::Stalled } else { Link::Idle };
            self.stalled += u16::from(waits);
            return self.traffic.unsent(port, self.now, waits);
        };
        let size = Bytes::new((*packet).into().size().into());
        let end = self.traffic.end(port, self.rates[index], self.now, size);
        self.links[index] = Link::Busy;
        self.busy.push(end, port);
        self.traffic.sent(packet, self.now, end);
    }

    /// Tells what the last call lost: mostly nothing.
    #[inline]
    fn told(&mut self) {
        if !self.lost.is_empty() {
            self.tell();
        }
    }

    #[inline(never)]
    fn tell(&mut self) {
        while let Some(lost) = self.lost.pop() {
            self.traffic.lost(&lost, self.now, self.switch);
        }
    }
}
