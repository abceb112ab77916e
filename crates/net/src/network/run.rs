//! What happens at each event: a packet arrives, a transmitter is free, a timer runs out, a flow begins.
//!
//! Events are numbered so that each can be pending once: two per channel (arrival, transmitter free), one
//! per switch (something inside it), one for the next flow to begin, then two per flow (its sender's and its
//! receiver's timer).

use forebay_units::Time;

use super::endpoint::{Sink, Source};
use super::{Network, RunError};
use crate::event::EventId;
use crate::measure::Loss;
use crate::packet::{Body, FlowId, Handle};
use crate::route::ChannelId;
use crate::switch::{Lost, SwitchModel};
use crate::topology::Node;
use crate::transport::{Ack, Segment};

impl<S: SwitchModel> Network<S> {
    fn first_switch_event(&self) -> EventId {
        2 * self.channels.len() as u32
    }

    fn start_event(&self) -> EventId {
        self.first_switch_event() + self.switches.len() as u32
    }

    pub(super) fn first_timer(&self) -> EventId {
        self.start_event() + 1
    }

    fn sender_timer(&self, flow: FlowId) -> EventId {
        self.first_timer() + 2 * flow
    }

    fn receiver_timer(&self, flow: FlowId) -> EventId {
        self.first_timer() + 2 * flow + 1
    }

    pub(super) fn schedule_next_start(&mut self) {
        let Some(&flow) = self.upcoming.last() else { return };
        let start = self.flows[flow as usize].flow.start;
        self.events.schedule(self.start_event(), start.max(self.now));
    }

    /// Runs until nothing is left to happen.
    ///
    /// # Errors
    /// [`RunError`] if that cannot be; what was measured is kept.
    pub fn run(&mut self) -> Result<(), RunError> {
        self.run_until(Time::MAX)
    }

    /// Runs everything that happens up to `stop`, and perhaps one event more.
    ///
    /// # Errors
    /// [`RunError`] if the run cannot come to an end; what was measured is kept.
    pub fn run_until(&mut self, stop: Time) -> Result<(), RunError> {
        while self.now <= stop {
            let Some((now, event)) = self.events.pop() else { break };
            self.now = now;
            self.totals.events += 1;
            self.handle(event)?;
        }
        Ok(())
    }

    #[inline]
    fn handle(&mut self, event: EventId) -> Result<(), RunError> {
        let switches = self.first_switch_event();
        if event < switches {
            let channel = event / 2;
            if event.is_multiple_of(2) {
                self.arrival(channel);
            } else {
                self.transmit(channel);
            }
            return Ok(());
        }
        let start = self.start_event();
        if event < start {
            self.advance_switch(event - switches);
            return Ok(());
        }
        if event == start {
            self.begin_flow();
            return Ok(());
        }
        let timer = event - start - 1;
        if timer.is_multiple_of(2) {
            return self.sender_deadline(timer / 2);
        }
        self.receiver_deadline(timer / 2);
        Ok(())
    }

    /// The first packet in flight arrives.
    #[inline]
    fn arrival(&mut self, channel: ChannelId) {
        let link = &mut self.channels[channel as usize];
        let Some((arrived, next)) = link.receive() else { return };
        if let Some(due) = next {
            self.events.schedule(2 * channel, due);
        }
        match link.to {
            Node::Host(_) => self.deliver(arrived),
            Node::Switch(switch) => self.forward(switch, arrived),
        }
    }

    #[inline]
    fn forward(&mut self, switch: u32, packet: Handle) {
        let address = &self.addresses[packet.flow() as usize];
        let host = if packet.is_back() { address.src } else { address.dst };
        let hash = address.hash[usize::from(packet.is_back())];
        // Every flow's path was found before it began.
        let Some(channel) = self.routes.next(switch, host, hash) else { return };
        let port = self.channels[channel as usize].port;
        let model = &mut self.switches[switch as usize];
        model.arrive(self.now, port, packet, &mut self.lost);
        if !model.is_empty(port) {
            self.offer(channel);
        }
        self.after_switch(switch);
    }

    /// Something happens inside a switch: ports that stalled may have packets now.
    fn advance_switch(&mut self, switch: u32) {
        self.switches[switch as usize].advance(self.now, &mut self.lost);
        for index in (0..self.stalled.len()).rev() {
            let channel = self.stalled[index];
            if self.channels[channel as usize].from == Node::Switch(switch) {
                self.stalled.swap_remove(index);
                self.offer(channel);
            }
        }
        self.after_switch(switch);
    }

    /// After any call of a switch: takes what it lost, and keeps its event.
    #[inline]
    fn after_switch(&mut self, switch: u32) {
        while let Some(lost) = self.lost.pop() {
            self.lose(Node::Switch(switch), lost);
        }
        if let Some(at) = self.switches[switch as usize].next_event() {
            self.events.schedule(self.first_switch_event() + switch, at);
        }
    }

    #[cold]
    fn lose(&mut self, node: Node, lost: Lost) {
        let Lost { port, cause, packet } = lost;
        self.arena.remove(packet.packet());
        self.totals.dropped.add(packet.size());
        let key = (node, port, cause);
        let found = self.losses.binary_search_by_key(&key, |l| (l.node, l.port, l.cause));
        let index = found.unwrap_or_else(|index| {
            self.losses.insert(index, Loss { node, port, cause, packets: 0, bytes: 0 });
            index
        });
        self.losses[index].packets += 1;
        self.losses[index].bytes += u64::from(packet.size());
    }

    /// Something waits for `channel`: sends it, or sees to it that it is sent when the channel is free.
    #[inline]
    fn offer(&mut self, channel: ChannelId) {
        let free_at = self.channels[channel as usize].free_at;
        if free_at <= self.now {
            self.transmit(channel);
        } else {
            self.events.schedule(2 * channel + 1, free_at);
        }
    }

    /// The transmitter is free: sends what is next, if anything is.
    #[inline]
    fn transmit(&mut self, channel: ChannelId) {
        let link = &self.channels[channel as usize];
        match link.from {
            Node::Host(host) => {
                let nic = &mut self.nics[host as usize];
                let packet = nic.pop(&mut self.nic_pool);
                let more = !nic.is_empty();
                self.send(channel, packet, more);
            }
            Node::Switch(switch) => {
                let (model, port) = (&mut self.switches[switch as usize], link.port);
                let packet = model.next(self.now, port, &mut self.lost);
                let more = !model.is_empty(port);
                if packet.is_none() && more && !self.stalled.contains(&channel) {
                    self.stalled.push(channel);
                }
                self.send(channel, packet, more);
                self.after_switch(switch);
            }
        }
    }

    #[inline]
    fn send(&mut self, channel: ChannelId, packet: Option<Handle>, more: bool) {
        let Some(packet) = packet else { return };
        let link = &mut self.channels[channel as usize];
        self.totals.packet_hops += 1;
        if let Some(due) = link.send(self.now, packet) {
            self.events.schedule(2 * channel, due);
        }
        if more {
            self.events.schedule(2 * channel + 1, link.free_at);
        }
    }

    /// A packet has arrived at its host.
    #[inline]
    fn deliver(&mut self, packet: Handle) {
        self.totals.arrived.add(packet.size());
        let flow = packet.flow();
        match self.arena.remove(packet.packet()) {
            Body::Data(mut segment) => {
                segment.ecn = packet.ecn();
                self.on_data(flow, &segment);
            }
            Body::Ack(ack) => {
                self.flows[flow as usize].source.on_ack(self.now, &ack);
                self.pump(flow);
            }
        }
    }

    fn on_data(&mut self, flow: FlowId, segment: &Segment) {
        let state = &mut self.flows[flow as usize];
        let length = state.flow.bytes.get();
        if matches!(state.sink, Sink::Untouched) {
            // The transport was checked when the network was made.
            let Ok(sink) = self.config.transport.sink() else { return };
            state.sink = sink;
        }
        let ack = state.sink.on_segment(self.now, segment, length);
        if state.finish.is_none() && state.sink.delivered(length) >= length {
            state.finish = Some(self.now);
            state.sink = Sink::Complete;
        }
        self.answer(flow, ack);
    }

    /// Sends an acknowledgement, and keeps the receiver's timer.
    #[inline]
    fn answer(&mut self, flow: FlowId, ack: Option<Ack>) {
        let (timer, deadline) =
            (self.receiver_timer(flow), self.flows[flow as usize].sink.deadline());
        match deadline {
            Some(deadline) => self.events.schedule(timer, deadline),
            None => self.events.cancel(timer),
        }
        if let Some(ack) = ack {
            let host = self.addresses[flow as usize].dst;
            self.inject(host, flow, Body::Ack(ack));
            self.offer(self.routes.uplink(host));
        }
    }

    fn receiver_deadline(&mut self, flow: FlowId) {
        let ack = self.flows[flow as usize].sink.on_deadline(self.now);
        self.answer(flow, ack);
    }

    fn begin_flow(&mut self) {
        let Some(flow) = self.upcoming.pop() else { return };
        let state = &mut self.flows[flow as usize];
        let source = self.config.transport.source(state.flow.bytes, self.now, self.config.wire);
        // The transport was checked when the network was made.
        if let Ok(source) = source {
            state.source = source;
            self.pump(flow);
        }
        self.schedule_next_start();
    }

    fn sender_deadline(&mut self, flow: FlowId) -> Result<(), RunError> {
        let source = &mut self.flows[flow as usize].source;
        if source.deadline().is_some_and(|deadline| deadline <= self.now) {
            source.on_deadline(self.now);
        }
        let timeouts = source.backoff();
        self.pump(flow);
        if timeouts >= self.config.max_timeouts {
            return Err(RunError::NoProgress { flow, timeouts, at: self.now });
        }
        Ok(())
    }

    /// Sends what the flow may send now, and keeps its timer.
    fn pump(&mut self, flow: FlowId) {
        let host = self.addresses[flow as usize].src;
        let mut sent = false;
        while let Some(segment) = self.flows[flow as usize].source.poll(self.now) {
            self.inject(host, flow, Body::Data(segment));
            sent = true;
        }
        if sent {
            self.offer(self.routes.uplink(host));
        }
        self.keep_sender_timer(flow);
    }

    fn keep_sender_timer(&mut self, flow: FlowId) {
        let timer = self.sender_timer(flow);
        let state = &mut self.flows[flow as usize];
        if state.source.is_finished() {
            state.counters = state.source.counters();
            state.source = Source::Idle;
        }
        match (state.source.deadline(), self.events.when(timer)) {
            // A timer that moves later, as with every acknowledgement, is left to run out early.
            (Some(deadline), Some(pending)) if pending <= deadline => {}
            (Some(deadline), _) => self.events.schedule(timer, deadline),
            (None, _) => self.events.cancel(timer),
        }
    }

    /// Puts a new packet into a host's queue.
    #[inline]
    fn inject(&mut self, host: u32, flow: FlowId, body: Body) {
        let size = self.config.wire.size(&body);
        self.totals.made.add(size);
        let class = self.flows[flow as usize].flow.class;
        let packet = Handle::of(self.arena.insert(body), flow, class, size, &body);
        self.nics[host as usize].push(&mut self.nic_pool, packet);
    }
}
