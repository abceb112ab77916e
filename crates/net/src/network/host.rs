//! What hosts do: they begin flows, receive packets, answer, and keep timers.

use super::endpoint::{Sink, Source};
use super::fabric::Fabric;
use super::partition::Partition;
use super::{Nic, RunError};
use crate::event::EventId;
use crate::flow::Flow;
use crate::packet::Body;
use crate::transport::{Ack, Segment};
use forebay_switch::{FlowId, Handle, SwitchModel};

pub(super) fn sender_timer(fabric: &Fabric, flow: FlowId) -> EventId {
    fabric.first_timer() + 2 * flow
}

fn receiver_timer(fabric: &Fabric, flow: FlowId) -> EventId {
    fabric.first_timer() + 2 * flow + 1
}

impl<S: SwitchModel> Partition<S> {
    /// A packet has arrived at its host.
    #[inline]
    pub(super) fn deliver(&mut self, fabric: &Fabric, packet: Handle) {
        self.totals.arrived.count(packet.size());
        let flow = packet.flow();
        match self.arena.remove(packet.packet()) {
            Body::Data(mut segment) => {
                segment.ecn = packet.ecn();
                let delay = self.now.since(segment.sent_at);
                self.flows[flow as usize].transit.arrived(delay);
                self.on_data(fabric, flow, &segment);
            }
            Body::Ack(ack) => {
                self.flows[flow as usize].source.on_ack(self.now, &ack);
                self.pump(fabric, flow);
            }
        }
    }

    fn on_data(&mut self, fabric: &Fabric, flow: FlowId, segment: &Segment) {
        let Flow { bytes, class, .. } = fabric.flows[flow as usize];
        let length = bytes.get();
        let state = &mut self.flows[flow as usize];
        if matches!(state.sink, Sink::Untouched) {
            // The transport was checked when the network was built.
            let Ok(sink) = fabric.transport(class).sink() else { return };
            state.sink = sink;
        }
        let ack = state.sink.on_segment(self.now, segment, length);
        if state.finish.is_none() && state.sink.delivered(length) >= length {
            state.finish = Some(self.now);
            self.release(fabric, flow);
        }
        self.answer(fabric, flow, ack);
    }

    /// Sends an acknowledgement, and updates the receiver's timer. A receiver that has everything
    /// is dropped once it has acknowledged everything.
    #[inline]
    fn answer(&mut self, fabric: &Fabric, flow: FlowId, ack: Option<Ack>) {
        let timer = receiver_timer(fabric, flow);
        let state = &mut self.flows[flow as usize];
        match state.sink.deadline() {
            Some(deadline) => self.events.schedule(timer, deadline),
            None => {
                if state.finish.is_some() {
                    state.sink = Sink::Complete;
                }
                self.events.cancel(timer);
            }
        }
        if let Some(ack) = ack {
            let host = fabric.addresses[flow as usize].dst;
            self.inject(fabric, host, flow, Body::Ack(ack));
        }
    }

    pub(super) fn begin_flow(&mut self, fabric: &Fabric) {
        let Some(flow) = self.upcoming.pop() else { return };
        self.begin(fabric, flow);
        self.schedule_next_start(fabric, self.now);
    }

    fn begin(&mut self, fabric: &Fabric, flow: FlowId) {
        let Flow { bytes, class, .. } = fabric.flows[flow as usize];
        let source = fabric.transport(class).source(bytes, self.now, fabric.config.wire);
        // The transport was checked when the network was built.
        if let Ok(source) = source {
            self.flows[flow as usize].source = source;
            self.pump(fabric, flow);
        }
    }

    /// A timer expires: that of a flow's sender if its number is even, otherwise its receiver's.
    pub(super) fn timer(&mut self, fabric: &Fabric, timer: u32) {
        let flow = timer / 2;
        if timer.is_multiple_of(2) {
            self.sender_deadline(fabric, flow);
        } else {
            let ack = self.flows[flow as usize].sink.on_deadline(self.now);
            self.answer(fabric, flow, ack);
        }
    }

    fn sender_deadline(&mut self, fabric: &Fabric, flow: FlowId) {
        let source = &mut self.flows[flow as usize].source;
        if matches!(source, Source::Idle) {
            // A finished sender has no timer: this flow was released.
            return self.begin(fabric, flow);
        }
        let late = source.deadline().is_some_and(|deadline| deadline <= self.now);
        if late {
            source.on_deadline(self.now);
        }
        let timeouts = source.backoff();
        self.pump(fabric, flow);
        if late && timeouts >= fabric.config.max_timeouts && self.stuck.is_none() {
            self.stuck = Some(RunError::NoProgress { flow, timeouts, at: self.now });
            self.limit = self.limit.min(self.stop());
        }
    }

    /// Sends what the flow may send now, and updates its timer.
    fn pump(&mut self, fabric: &Fabric, flow: FlowId) {
        if fabric.config.nic == Nic::Fair {
            self.take_turn(fabric, flow);
            return self.keep_sender_timer(fabric, flow);
        }
        let host = fabric.addresses[flow as usize].src;
        while let Some(segment) = self.flows[flow as usize].source.poll(self.now) {
            self.inject(fabric, host, flow, Body::Data(segment));
        }
        self.keep_sender_timer(fabric, flow);
    }

    pub(super) fn keep_sender_timer(&mut self, fabric: &Fabric, flow: FlowId) {
        let timer = sender_timer(fabric, flow);
        let state = &mut self.flows[flow as usize];
        if state.source.is_finished() {
            state.counters = state.source.counters();
            state.source = Source::Idle;
        }
        match (state.source.deadline(), self.events.when(timer)) {
            // A timer that moves later, as with every acknowledgement, is allowed to expire early.
            (Some(deadline), Some(pending)) if pending <= deadline => {}
            (Some(deadline), _) => self.events.schedule(timer, deadline),
            (None, _) => self.events.cancel(timer),
        }
    }

    /// Creates a packet, and sends it when the host's link is free.
    #[inline]
    fn inject(&mut self, fabric: &Fabric, host: u32, flow: FlowId, body: Body) {
        let packet = self.make(fabric, flow, body);
        let channel = fabric.routes.uplink(host);
        if self.channels[channel as usize].plans {
            self.begin_planned(channel, self.now);
            self.plan(channel, packet);
        } else {
            self.nics[host as usize].push(&mut self.nic_pool, packet);
            self.offer(fabric, channel);
        }
    }

    /// Creates a packet.
    #[inline]
    pub(super) fn make(&mut self, fabric: &Fabric, flow: FlowId, body: Body) -> Handle {
        let size = fabric.config.wire.size(&body);
        self.totals.made.count(size);
        let class = fabric.flows[flow as usize].class;
        let packet = Handle::named(self.arena.insert(body), flow, size);
        match body {
            Body::Data(segment) => packet.with_class(class).with_ecn(segment.ecn),
            Body::Ack(_) => packet.with_class(fabric.config.ack_class.unwrap_or(class)).sent_back(),
        }
    }
}
