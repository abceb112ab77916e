//! The event loop: packets arrive, ports send, the switch's own events come due.
//!
//! At one instant, the switch's events come first, then arrivals, then ports, in the order in which
//! they were woken. O(log ports) an event, beside what the switch takes; nothing is allocated on the way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_net::flow::Flow;
use forebay_net::packet::Handle;
use forebay_net::switch::{DropCause, Losses, SwitchModel};
use forebay_net::transport::Ecn;
use forebay_units::{Bytes, Time};

use crate::plan::{Offered, Plan};

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its port sent it.
    Sent {
        /// When its first bit left.
        begin: Time,
        /// When its last bit left.
        end: Time,
        /// Whether the switch marked it.
        marked: bool,
    },
    /// It was lost.
    Lost {
        /// When the switch told; an expulsion may have happened before, but not what follows from it.
        at: Time,
        /// Why.
        cause: DropCause,
    },
}

/// Who is told what became of every packet, in the order in which that is decided.
pub trait Witness {
    /// The fate of a packet.
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate);
}

impl<W: Witness + ?Sized> Witness for &mut W {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        (**self).see(packet, fate);
    }
}

/// All are told.
impl<W: Witness> Witness for Vec<W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        self.iter_mut().for_each(|witness| witness.see(packet, fate));
    }
}

impl<W: Witness + ?Sized> Witness for Box<W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        (**self).see(packet, fate);
    }
}

/// How a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every packet was sent or lost.
    Finished,
    /// The flag was raised: some packets have not arrived, others still wait.
    Stopped,
}

/// When and how a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// When the last bit had left, or the replay was stopped.
    pub at: Time,
    /// How.
    pub how: Ended,
}

/// Between so many events, the stop flag is looked at.
const LOOK: u64 = 4096;

/// Drives `switch` with the packets of `plan` until all are gone, or `stop` is raised.
pub fn replay<S: SwitchModel>(
    plan: &Plan<'_>,
    switch: &mut S,
    witness: &mut impl Witness,
    stop: &AtomicBool,
) -> End {
    for (id, bytes) in (0..).zip(plan.recording().flow_bytes()) {
        // What a capture has is on the wire.
        switch.flow_added(id, &flow(*bytes), Bytes::new(*bytes));
    }
    let ports = plan.ports().len();
    let mut drive = Drive {
        plan,
        switch,
        witness,
        lost: Losses::default(),
        next: plan.offered(0),
        links: vec![Link::Idle; ports],
        busy: BinaryHeap::with_capacity(ports),
        ready: Vec::with_capacity(ports),
        now: Time::ZERO,
        last: Time::ZERO,
    };
    for event in 0u64.. {
        if event.is_multiple_of(LOOK) && stop.load(Ordering::Relaxed) {
            return End { at: drive.now, how: Ended::Stopped };
        }
        if !drive.step() {
            break;
        }
    }
    End { at: drive.last, how: Ended::Finished }
}

/// A flow as switches want to know it: its size.
fn flow(bytes: u64) -> Flow {
    Flow::new(0, 1, Bytes::new(bytes), Time::ZERO)
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

struct Drive<'a, 'r, S, W> {
    plan: &'a Plan<'r>,
    switch: &'a mut S,
    witness: &'a mut W,
    lost: Losses,
    next: Option<Offered<'r>>,
    links: Vec<Link>,
    /// When the sending ports will have sent.
    busy: BinaryHeap<Reverse<(Time, u16)>>,
    /// The ports to be asked.
    ready: Vec<u16>,
    now: Time,
    /// When the last bit so far leaves.
    last: Time,
}

impl<S: SwitchModel, W: Witness> Drive<'_, '_, S, W> {
    /// Lets happen what comes next; `false` if nothing is left to happen.
    fn step(&mut self) -> bool {
        let arrival = self.next.map(|offered| offered.at);
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
        while let Some(offered) = self.next.filter(|offered| offered.at == now) {
            self.next = self.plan.offered(offered.index + 1);
            self.arrive(&offered);
        }
        let mut ready = std::mem::take(&mut self.ready);
        for port in ready.drain(..) {
            self.send(port);
        }
        self.ready = ready;
        true
    }

    fn arrive(&mut self, offered: &Offered<'_>) {
        let Some(port) = offered.port else {
            let fate = Fate::Lost { at: self.now, cause: DropCause::NoRoute };
            return self.witness.see(offered, &fate);
        };
        let recorded = offered.recorded;
        if let Some(rank) = offered.rank {
            // Whoever ranks by the size of a flow ranks the packet so.
            let rank = u64::from(rank);
            self.switch.flow_added(recorded.flow, &flow(rank), Bytes::new(rank));
        }
        let ecn = if recorded.ecn() == 0 { Ecn::NotCapable } else { Ecn::Capable };
        let inputs = self.links.len() as u32;
        let handle = Handle::numbered(offered.index, recorded.flow, recorded.bytes)
            .with_class(offered.class)
            .with_input((recorded.source % inputs) as u16)
            .with_ecn(ecn);
        self.switch.arrive(self.now, port, handle, &mut self.lost);
        self.told();
        self.wake(port);
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
        let end = self.now + self.plan.ports()[index].time_for(size);
        self.links[index] = Link::Busy;
        self.busy.push(Reverse((end, port)));
        self.last = self.last.max(end);
        let marked = packet.ecn() == Ecn::Experienced;
        self.see(packet.packet().get(), &Fate::Sent { begin: self.now, end, marked });
    }

    /// Tells what the last call lost.
    fn told(&mut self) {
        while let Some(lost) = self.lost.pop() {
            self.last = self.last.max(self.now);
            let fate = Fate::Lost { at: self.now, cause: lost.cause };
            self.see(lost.packet.packet().get(), &fate);
        }
    }

    fn see(&mut self, index: u32, fate: &Fate) {
        if let Some(offered) = self.plan.offered(index) {
            self.witness.see(&offered, fate);
        }
    }
}

#[cfg(test)]
mod tests;
