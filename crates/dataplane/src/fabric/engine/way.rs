//! A frame's way through the devices, event by event.

use std::cmp::Reverse;

use forebay_switch::{DropCause, Ecn, Handle, Tally};
use forebay_units::Time;

use super::{Event, Exit, Fabric, Place};
use crate::fabric::config::Peer;
use crate::fabric::counts::DeviceCounts;
use crate::fabric::decision::HopDecision;
use crate::fabric::forwarding::Way;
use crate::link::{Frame, FrameFate, LinkLoss, Outcome};

impl Fabric<'_> {
    /// Says where a frame of the store is.
    pub(super) fn put(&mut self, number: u32, place: Place) {
        let index = number as usize;
        if self.on_the_way.len() <= index {
            self.on_the_way.resize(index + 1, Place::default());
        }
        self.on_the_way[index] = place;
    }

    pub(super) fn place(&self, number: u32) -> Place {
        self.on_the_way.get(number as usize).copied().unwrap_or_default()
    }

    pub(super) fn decide(
        &mut self,
        device: u32,
        Place { frame, port, .. }: Place,
        fate: FrameFate,
    ) {
        if let Some(decisions) = &mut self.decisions {
            decisions.push(HopDecision { frame, device, port, fate });
        }
    }

    /// A frame that came into a device is lost for a cause that is not its switch's.
    pub(super) fn lose(&mut self, device: u32, place: Place, cause: LinkLoss, size: u32, at: Time) {
        self.devices[device as usize].counts.all.lose(cause, 1, size.into());
        self.decide(device, place, FrameFate::Lost { at, cause: cause.name() });
    }

    /// A frame is given up by a switch, or by what stands in front of it.
    pub(super) fn drop(&mut self, device: u32, number: u32, cause: DropCause, size: u32, at: Time) {
        let lost = self.store.take(number);
        if let (Some(meter), Some(lost)) = (&mut self.meter, lost) {
            meter.lost(&lost);
        }
        self.devices[device as usize].counts.all.dropped.count(cause, size);
        self.decide(device, self.place(number), FrameFate::Lost { at, cause: cause.name() });
    }

    /// A frame has come to the end of the wire behind a port.
    pub(super) fn arrives(&mut self, device: u32, port: u16) {
        let wire = &mut self.devices[device as usize].ports[usize::from(port)];
        let Some((at, number)) = wire.wire.arrived(self.now) else { return };
        self.on_wires -= 1;
        match wire.peer {
            Peer::Port { device, port } => self.come(device, port, number),
            Peer::Edge(edge) => {
                if let Some(frame) = self.store.take(number) {
                    if let Some(meter) = &mut self.meter {
                        let came = self.on_the_way.get(number as usize).map_or(at, |way| way.came);
                        meter.left(&frame, at.since(came));
                    }
                    self.exits.push_back(Exit { at, edge, frame });
                }
            }
        }
    }

    /// A frame has come into a device, through a port, at the present.
    pub(super) fn come(&mut self, index: u32, port: u16, number: u32) {
        let device = &mut self.devices[index as usize];
        let Some(frame) = self.store.get_mut(number) else { return };
        let size = frame.size();
        device.counts.all.arrived.count(size);
        if let Some(received) = device.counts.received.get_mut(usize::from(port)) {
            received.count(size);
        }
        match device.forwarding.way(self.now, port, frame) {
            Way::To(out) => self.enqueue(index, port, out, number),
            Way::Everywhere => self.flood(index, port, number),
            Way::NoRoute => self.drop(index, number, DropCause::NoRoute, size, self.now),
            Way::Lost(cause) => {
                self.store.take(number);
                let place = Place { port: None, ..self.place(number) };
                self.lose(index, place, cause, size, self.now);
            }
        }
    }

    /// Sends a frame out of every port but the one that it came through: itself out of the last,
    /// copies before.
    fn flood(&mut self, index: u32, port: u16, number: u32) {
        let ports = self.devices[index as usize].ports.len() as u16;
        let mut others = (0..ports).filter(|other| *other != port);
        let Some(last) = others.next_back() else {
            let frame = self.store.take(number);
            let size = frame.map_or(0, |frame| frame.size());
            let place = Place { port: None, ..self.place(number) };
            return self.lose(index, place, LinkLoss::Filtered, size, self.now);
        };
        let original = self.place(number);
        for other in others {
            let Some(copy) = self.store.get_mut(number).cloned() else { return };
            let size = copy.size();
            let counts = &mut self.devices[index as usize].counts;
            counts.copies += Tally { packets: 1, bytes: size.into() };
            let place = Place { port: Some(other), ..original };
            match self.store.put(copy) {
                Ok(copy) => {
                    self.put(copy, place);
                    self.enqueue(index, port, other, copy);
                }
                Err(_) => self.lose(index, place, LinkLoss::NoMemory, size, self.now),
            }
        }
        self.enqueue(index, port, last, number);
    }

    /// A frame arrives at its device's switch for the port `out`.
    fn enqueue(&mut self, index: u32, input: u16, out: u16, number: u32) {
        let device = &mut self.devices[index as usize];
        let Some(frame) = self.store.get_mut(number) else { return };
        let (size, read) = (frame.size(), frame.read());
        let flow = self.flows.number(read.flow);
        device.arrivals += 1;
        let (class, rank) = device.rules.apply(self.now, device.arrivals, size, flow, &read);
        let handle = Handle::numbered(number, flow, size)
            .with_ecn(read.ecn)
            .with_class(class)
            .with_input(input);
        if let Some(place) = self.on_the_way.get_mut(number as usize) {
            place.port = Some(out);
            place.arrived = self.now;
            place.waits_in = Some(index);
        }
        device.node.arrive(self.now, out, handle, rank);
        self.schedule(index);
    }

    /// Something is due inside a device at `at`, unless it was done already.
    pub(super) fn due(&mut self, index: u32, at: Time) {
        let device = &mut self.devices[index as usize];
        if device.scheduled != at {
            return;
        }
        device.scheduled = Time::MAX;
        device.node.advance(at);
        self.outcomes(index);
        self.schedule(index);
    }

    /// Keeps the device's next event in the queue of events.
    pub(super) fn schedule(&mut self, index: u32) {
        let device = &mut self.devices[index as usize];
        if let Some(due) = device.node.due()
            && due < device.scheduled
        {
            device.scheduled = due;
            self.events.push(Reverse((due, Event::Due(index))));
        }
    }

    /// Carries out what a device has decided.
    pub(super) fn outcomes(&mut self, index: u32) {
        while let Some(outcome) = self.devices[index as usize].node.outcome() {
            match outcome {
                Outcome::Sent { packet, end } => self.sent(index, packet, end),
                Outcome::Lost { packet, at, cause } => {
                    self.drop(index, packet.packet().get(), cause, packet.size(), at);
                }
            }
        }
    }

    /// A frame's last bit leaves its device at `end`, and begins its way along the wire.
    fn sent(&mut self, index: u32, packet: Handle, end: Time) {
        let number = packet.packet().get();
        let place = self.place(number);
        let port = place.port.unwrap_or_default();
        if let Some(place) = self.on_the_way.get_mut(number as usize) {
            place.waits_in = None;
        }
        let sequence = self.next();
        let device = &mut self.devices[index as usize];
        let marked =
            packet.ecn() == Ecn::Experienced && self.store.get_mut(number).is_some_and(Frame::mark);
        device.counts.all.marked += u64::from(marked);
        if let Some(meter) = &mut self.meter {
            meter.sent(index, port, packet, marked, end.since(place.arrived));
        }
        let Some(at) = device.ports[usize::from(port)].wire.send(end, number) else {
            self.store.take(number);
            return self.lose(index, place, LinkLoss::Wire, packet.size(), end);
        };
        self.on_wires += 1;
        device.counts.all.left.count(packet.size());
        device.counts.sent[usize::from(port)].count(packet.size());
        self.events.push(Reverse((at, Event::Arrives(sequence, index, port))));
        self.decide(index, place, FrameFate::Left { end, at, marked });
    }
}

impl DeviceCounts {
    /// A frame came through `port`, and is refused at once.
    pub(super) fn refuse(&mut self, port: u16, size: u32) {
        self.all.arrived.count(size);
        if let Some(received) = self.received.get_mut(usize::from(port)) {
            received.count(size);
        }
    }
}
