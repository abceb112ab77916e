//! What hosts do: they begin flows, receive packets, answer, and keep timers.

use super::endpoint::{Sink, Source};
use super::fabric::Fabric;
use super::partition::Partition;
use super::states::Slot;
use super::{NetworkRunError, Nic};
use crate::event::EventId;
use crate::fabrics::{held, held_mut};
use crate::flow::Flow;
use crate::packet::Body;
use crate::transport::{Ack, Path, Segment};
use forebay_switch::{FlowId, Handle, SwitchModel};

pub(super) fn sender_timer(fabric: &Fabric, slot: Slot) -> EventId {
    fabric.first_timer() + 2 * slot
}

fn receiver_timer(fabric: &Fabric, slot: Slot) -> EventId {
    fabric.first_timer() + 2 * slot + 1
}

impl<S: SwitchModel> Partition<S> {
    /// A packet has arrived at its host.
    #[inline]
    pub(super) fn deliver(&mut self, fabric: &Fabric, packet: Handle) {
        self.totals.arrived.count(packet.size());
        let flow = packet.flow();
        if held(&self.trails).is_some() {
            self.take_trail(&packet);
        }
        match self.arena.remove(packet.packet()) {
            Body::Data(mut segment) => {
                if packet.is_trimmed() {
                    return self.on_header(fabric, &packet, &segment);
                }
                segment.ecn = packet.ecn();
                self.on_data(fabric, flow, &segment);
            }
            Body::Ack(ack) => {
                if let Some(slot) = self.flows.slot(flow) {
                    let reports = held(&self.trails).map_or(&[][..], |trails| trails.arriving());
                    self.flows.at(slot).source.on_ack(self.now, &ack, reports);
                    self.pump(fabric, slot);
                } else if fabric.config.nic == Nic::Fair {
                    self.take_turn(fabric, flow);
                }
            }
            Body::Pull(number) => self.on_pull(fabric, flow, number),
        }
    }

    fn on_data(&mut self, fabric: &Fabric, flow: FlowId, segment: &Segment) {
        let Flow { bytes, class, .. } = fabric.flows.at(flow);
        let length = bytes.get();
        let delay = self.now.since(segment.sent_at);
        let known = self.flows.slot(flow);
        if known.is_none() && self.flows.finished_at(flow).is_some() {
            // Nothing is left of the receiver here.
            let number = self.number;
            self.flows.arrived_late(flow, delay, || fabric.usual_counts(number, flow));
            let ack = Sink::Complete.on_segment(self.now, segment, length);
            return self.acknowledge(fabric, flow, ack);
        }
        let slot = known.unwrap_or_else(|| self.activate(fabric, flow));
        let ends = self.flows.at(slot);
        ends.arrived_after(delay);
        if matches!(ends.sink, Sink::Untouched) {
            // The transport was checked when the network was built.
            let Ok(sink) = fabric.transport(class).sink() else { return };
            ends.sink = sink;
        }
        let ack = ends.sink.on_segment(self.now, segment, length);
        if !ends.complete && ends.sink.delivered(length) >= length {
            self.flows.finish(slot, self.now);
            self.release(fabric, flow);
            self.tell_finished(flow);
        }
        self.answer(fabric, slot, ack);
        if held(&self.pulls).is_some() {
            self.want_pulls(fabric, slot);
        }
    }

    /// Sends an acknowledgement, and updates the receiver's timer. A receiver that has everything
    /// is dropped once it has acknowledged everything.
    #[inline]
    pub(super) fn answer(&mut self, fabric: &Fabric, slot: Slot, ack: Option<Ack>) {
        let timer = receiver_timer(fabric, slot);
        let ends = self.flows.at(slot);
        let flow = ends.flow;
        match ends.sink.deadline() {
            Some(deadline) => self.events.schedule(timer, deadline),
            None => {
                if ends.complete {
                    ends.sink = Sink::Complete;
                    ends.receives = false;
                }
                self.events.cancel(timer);
                self.retire_if_ended(fabric, slot);
            }
        }
        self.acknowledge(fabric, flow, ack);
    }

    #[inline]
    pub(super) fn acknowledge(&mut self, fabric: &Fabric, flow: FlowId, ack: Option<Ack>) {
        if let Some(ack) = ack {
            let host = fabric.flows.at(flow).dst;
            self.inject(fabric, host, flow, Body::Ack(ack));
        }
    }

    pub(super) fn begin_flow(&mut self, fabric: &Fabric) {
        let Some(flow) = self.upcoming.pop(fabric, self.number) else { return };
        self.begin(fabric, flow);
        self.schedule_next_start(fabric, self.now);
    }

    fn begin(&mut self, fabric: &Fabric, flow: FlowId) {
        let Flow { src, bytes, class, .. } = fabric.flows.at(flow);
        let transport = fabric.transport(class);
        let path = match transport.reads_path() {
            true => fabric.empty_path(flow, &self.channels),
            false => Path::of_line(self.channels[fabric.routes.uplink(src) as usize].rate()),
        };
        let source = transport.source(bytes, self.now, fabric.wire(class), &path);
        // The transport was checked when the network was built.
        if let Ok(source) = source {
            let slot = self.activate(fabric, flow);
            self.flows.at(slot).source = source;
            self.pump(fabric, slot);
        }
    }

    /// A timer expires: that of a flow's sender if its number is even, otherwise its receiver's.
    pub(super) fn timer(&mut self, fabric: &Fabric, timer: u32) {
        let slot = timer / 2;
        if timer.is_multiple_of(2) {
            self.sender_deadline(fabric, slot);
        } else {
            let ack = self.flows.at(slot).sink.on_deadline(self.now);
            self.answer(fabric, slot, ack);
        }
    }

    fn sender_deadline(&mut self, fabric: &Fabric, slot: Slot) {
        let ends = self.flows.at(slot);
        let flow = ends.flow;
        if matches!(ends.source, Source::Idle) {
            // A finished sender has no timer: this flow was released.
            return self.begin(fabric, flow);
        }
        let late = ends.source.deadline().is_some_and(|deadline| deadline <= self.now);
        if late {
            ends.source.on_deadline(self.now);
        }
        let timeouts = ends.source.backoff();
        self.pump(fabric, slot);
        if late && timeouts >= fabric.config.max_timeouts && self.stuck.is_none() {
            self.stuck = Some(NetworkRunError::NoProgress { flow, timeouts, at: self.now });
            self.limit = self.limit.min(self.stop());
        }
    }

    /// Sends what the flow may send now, and updates its timer.
    pub(super) fn pump(&mut self, fabric: &Fabric, slot: Slot) {
        let flow = self.flows.at(slot).flow;
        if fabric.config.nic == Nic::Fair {
            self.take_turn(fabric, flow);
        } else {
            let host = fabric.flows.at(flow).src;
            while let Some(segment) = self.flows.at(slot).source.poll(self.now) {
                self.inject(fabric, host, flow, Body::Data(segment));
            }
        }
        self.keep_sender_timer(fabric, flow);
    }

    pub(super) fn keep_sender_timer(&mut self, fabric: &Fabric, flow: FlowId) {
        // Its turn may have come already, and have been its last.
        let Some(slot) = self.flows.slot(flow) else { return };
        let timer = sender_timer(fabric, slot);
        let ends = self.flows.at(slot);
        if ends.source.is_finished() {
            ends.counts.sender = ends.source.counters();
            ends.source = Source::Idle;
            ends.sends = false;
        }
        match (ends.source.deadline(), self.events.when(timer)) {
            // A timer that moves later, as with every acknowledgement, is allowed to expire early.
            (Some(deadline), Some(pending)) if pending <= deadline => {}
            // Asking again and again would not bring its turn.
            (Some(_), _) if ends.has_turn && ends.source.waits_for_turn(self.now) => {}
            (Some(deadline), _) => self.events.schedule(timer, deadline),
            (None, _) => {
                self.events.cancel(timer);
                self.retire_if_ended(fabric, slot);
            }
        }
    }

    /// Creates a packet, and sends it when the host's link is free.
    #[inline]
    pub(super) fn inject(&mut self, fabric: &Fabric, host: u32, flow: FlowId, body: Body) {
        let packet = self.make(fabric, flow, body);
        let channel = fabric.routes.uplink(host);
        if self.channels[channel as usize].plans {
            self.begin_planned(channel, self.now);
            self.plan(channel, packet);
        } else {
            let list = self.list_of(host, &packet);
            self.nics[list].push(&mut self.nic_pool, packet);
            self.offer(fabric, channel);
        }
    }

    /// What ports have written down on a packet that has arrived.
    #[cold]
    fn take_trail(&mut self, packet: &Handle) {
        if let Some(trails) = held_mut(&mut self.trails) {
            trails.arrive(packet.packet());
        }
    }

    /// What ports have written down on a packet that is made.
    #[cold]
    fn make_trail(&mut self, packet: &Handle, body: &Body) {
        if let Some(trails) = held_mut(&mut self.trails) {
            trails.make(packet.packet(), matches!(body, Body::Ack(_)));
        }
    }

    /// Creates a packet.
    #[inline]
    pub(super) fn make(&mut self, fabric: &Fabric, flow: FlowId, body: Body) -> Handle {
        let class = fabric.flows.at(flow).class;
        let size = fabric.wire(class).size(&body);
        self.totals.made.count(size);
        let packet = Handle::named(self.arena.insert(body), flow, size);
        if held(&self.trails).is_some() {
            self.make_trail(&packet, &body);
        }
        match body {
            Body::Data(segment) => packet.with_class(class).with_ecn(segment.ecn),
            Body::Ack(_) | Body::Pull(_) => {
                packet.with_class(fabric.config.ack_class.unwrap_or(class)).sent_back()
            }
        }
    }
}
