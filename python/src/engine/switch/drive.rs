//! A trace through a switch and its output links: packets arrive, ports send, the switch's own events come due.
//!
//! At one instant the switch's events come first, then arrivals, then ports, as in `forebay replay`. O(log
//! ports) an event, beside what the switch takes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_net::flow::Flow;
use forebay_net::packet::Handle;
use forebay_net::switch::{AnySwitch, Losses, SwitchModel};
use forebay_net::transport::Ecn;
use forebay_units::{Bytes, Rate, Time};

use crate::rows::Rows;

/// What stands for a packet that never left, and the last departure that can be told from it.
const NEVER: u64 = u64::MAX;
const LAST: Time = Time::from_ps(NEVER - 1);

/// The columns of a trace, by place: times, ports, sizes, flows, classes, inputs, flow sizes.
pub(super) const COLUMNS: [&str; 7] =
    ["times", "ports", "sizes", "flows", "classes", "inputs", "flow_sizes"];

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

/// What became of the packets: when each had left, why not, and which are marked.
pub(super) struct Fates {
    pub(super) left: Vec<u64>,
    pub(super) causes: Vec<u8>,
    pub(super) marked: Vec<bool>,
}

/// A switch and its links on their way through a trace.
pub(super) struct Drive<'a> {
    switch: &'a mut AnySwitch,
    rates: &'a [Rate],
    rows: Rows<'a, 7>,
    markable: bool,
    /// The next packet to arrive.
    pub(super) next: usize,
    lost: Losses,
    links: Vec<Link>,
    /// When the sending ports will have sent.
    busy: BinaryHeap<Reverse<(Time, u16)>>,
    /// The ports to be asked.
    ready: Vec<u16>,
    pub(super) now: Time,
    pub(super) fates: Fates,
}

impl<'a> Drive<'a> {
    /// Before the first packet of rows that were checked.
    pub(super) fn new(
        switch: &'a mut AnySwitch,
        rates: &'a [Rate],
        rows: Rows<'a, 7>,
        markable: bool,
    ) -> Self {
        let packets = rows.len();
        Drive {
            switch,
            rates,
            rows,
            markable,
            next: 0,
            lost: Losses::default(),
            links: vec![Link::Idle; rates.len()],
            busy: BinaryHeap::with_capacity(rates.len()),
            ready: Vec::with_capacity(rates.len()),
            now: Time::ZERO,
            fates: Fates {
                left: vec![NEVER; packets],
                causes: vec![0; packets],
                marked: vec![false; packets],
            },
        }
    }

    /// The time of the next arrival.
    fn arrival(&self) -> Option<Time> {
        (self.next < self.rows.len()).then(|| Time::from_ps(self.rows.at(0, self.next, 0)))
    }

    /// Lets happen what comes next; `false` if nothing is left to happen.
    pub(super) fn step(&mut self) -> bool {
        let arrival = self.arrival();
        let free = self.busy.peek().map(|Reverse((at, _))| *at);
        let waits = arrival.is_some() || free.is_some() || self.switch.backlog() > Bytes::ZERO;
        let inside = if waits { self.switch.next_event() } else { None };
        let Some(now) = [arrival, free, inside].into_iter().flatten().min() else { return false };
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
        while self.arrival() == Some(now) {
            self.arrive();
        }
        let mut ready = std::mem::take(&mut self.ready);
        for port in ready.drain(..) {
            self.send(port);
        }
        self.ready = ready;
        true
    }

    fn arrive(&mut self) {
        let (rows, row) = (&self.rows, self.next);
        self.next += 1;
        let (port, flow) = (rows.at(1, row, 0) as u16, rows.at(3, row, 0) as u32);
        if rows.has(6) {
            tell_size(self.switch, flow, rows.at(6, row, 0));
        }
        let handle = Handle::numbered(row as u32, flow, rows.at(2, row, 0) as u32)
            .with_class(rows.at(4, row, 0) as u8)
            .with_input(rows.at(5, row, 0) as u16)
            .with_ecn(if self.markable { Ecn::Capable } else { Ecn::NotCapable });
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
        let end = LAST.min(self.now + self.rates[index].time_for(size));
        self.links[index] = Link::Busy;
        self.busy.push(Reverse((end, port)));
        let row = packet.packet().get() as usize;
        self.fates.left[row] = end.as_ps();
        self.fates.marked[row] = packet.ecn() == Ecn::Experienced;
    }

    /// Notes what the last call lost.
    fn told(&mut self) {
        while let Some(lost) = self.lost.pop() {
            let row = lost.packet.packet().get() as usize;
            self.fates.causes[row] = 1 + lost.cause.index() as u8;
        }
    }
}

/// Whoever ranks by the size of a flow is told it as it is now.
pub(super) fn tell_size(switch: &mut AnySwitch, flow: u32, bytes: u64) {
    let bytes = Bytes::new(bytes);
    switch.flow_added(flow, &Flow::new(0, 1, bytes, Time::ZERO), bytes);
}
