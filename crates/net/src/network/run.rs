//! What happens at each event of links and switches; hosts are in `host.rs`, planned transmissions
//! in `plan.rs`.
//!
//! Events are numbered so that each can be pending only once: two per channel (arrival, transmitter
//! free), one per switch (something inside it), with flow control two per channel (a frame begins,
//! one is obeyed) and with credit a third (room has waited to be granted), one per host if flows
//! are pulled, one for the next flow to begin, then two per slot of an active flow (its sender's
//! and its receiver's timer). Of the events at one instant the one with the smallest number comes
//! first, and of timers that of the flow with the smallest number. Devices act on each other only
//! over links, which have a delay, so the order of events at one device does not depend on what
//! else is in its partition.

use forebay_units::{Bytes, Time};

use super::channel::Channel;
use super::fabric::Fabric;
use super::partition::Partition;
use crate::event::EventId;
use crate::fabrics::{held, held_mut};
use crate::route::{Asked, ChannelId, Ways};
use crate::topology::Node;
use forebay_switch::{DropCause, Handle, Lost, SwitchModel};

impl<S: SwitchModel> Partition<S> {
    /// Runs everything up to the limit.
    pub(super) fn run(&mut self, fabric: &Fabric) {
        while let Some((now, event)) = self.events.pop_until(self.limit) {
            self.now = now;
            self.totals.events += 1;
            self.look_ahead(fabric);
            self.handle(fabric, event);
        }
    }

    /// Prefetches what the next events will need.
    #[inline]
    fn look_ahead(&self, fabric: &Fabric) {
        let [next, second] = self.events.soon();
        let channel = |event: EventId| self.channels.get(event as usize / 2);
        if let Some(channel) = second.and_then(channel) {
            channel.approach();
        }
        if let Some(channel) = next.and_then(channel) {
            if second.is_none() {
                channel.approach();
            } else if let (Node::Switch(switch), Some(packet)) = (channel.to, channel.next_packet())
            {
                fabric.approach_route(switch, &packet);
            }
        }
    }

    #[inline]
    fn handle(&mut self, fabric: &Fabric, event: EventId) {
        let switches = fabric.first_switch_event();
        if event < switches {
            let channel = event / 2;
            if event.is_multiple_of(2) {
                self.arrival(fabric, channel);
            } else {
                self.transmit(fabric, channel);
            }
            return;
        }
        let start = fabric.start_event();
        if event < start {
            match (event - switches).checked_sub(fabric.graph.switches) {
                None => self.advance_switch(fabric, event - switches),
                Some(_) if event >= fabric.first_pull_event() => {
                    self.pull(fabric, event - fabric.first_pull_event());
                }
                Some(pause) => self.pause_event(fabric, pause),
            }
        } else if event == start {
            self.begin_flow(fabric);
        } else {
            self.timer(fabric, event - start - 1);
        }
    }

    /// The first packet in flight arrives.
    #[inline]
    fn arrival(&mut self, fabric: &Fabric, channel: ChannelId) {
        let link = &mut self.channels[channel as usize];
        let Some((arrived, next)) = link.receive(&mut self.flights) else { return };
        let to = link.to;
        if let Some(next) = next {
            self.events.schedule(2 * channel, next.due);
        }
        match to {
            Node::Host(_) => {
                if let Some(next) = next {
                    self.arena.touch(next.packet.packet());
                }
                if self.pauses.is_some() {
                    self.hold(fabric, channel, &arrived);
                }
                self.deliver(fabric, arrived);
            }
            Node::Switch(switch) => self.forward(fabric, switch, arrived, channel),
        }
    }

    /// A packet has arrived at a switch `over` a channel.
    #[inline]
    fn forward(&mut self, fabric: &Fabric, switch: u32, packet: Handle, over: ChannelId) {
        let is_controlled = self.pauses.is_some();
        if is_controlled {
            self.hold(fabric, over, &packet);
        }
        let channel = match held(&self.balancer) {
            None => fabric.route(switch, &packet),
            Some(_) => self.balanced(fabric, switch, &packet),
        };
        let Some(channel) = channel else {
            let lost = Lost { port: packet.input(), cause: DropCause::NoRoute, packet };
            return self.lose(fabric, Node::Switch(switch), lost);
        };
        let Channel { port, plans, .. } = self.channels[channel as usize];
        if plans {
            return self.admit(fabric, switch, channel, packet, over);
        }
        let Some(model) = &mut self.switches[switch as usize] else { return };
        if let Some(waiting) = held_mut(&mut self.waiting) {
            waiting.add(channel, packet.size());
        }
        model.arrive(self.now, port, packet, &mut self.lost);
        let waits = !model.is_empty(port);
        if let Some(waiting) = held_mut(&mut self.waiting) {
            waiting.cut(channel, self.lost.take_cut());
        }
        if is_controlled {
            self.weigh(channel, packet.class());
        }
        if waits {
            self.offer(fabric, channel);
        }
        self.after_switch(fabric, switch);
    }

    /// The channel on which `packet` leaves `switch`, where a hash does not say.
    #[cold]
    pub(super) fn balanced(
        &mut self,
        fabric: &Fabric,
        switch: u32,
        packet: &Handle,
    ) -> Option<ChannelId> {
        let (ways, hash) = fabric.ways(switch, packet)?;
        match (ways, held_mut(&mut self.balancer)) {
            (Ways::One(channel), _) => Some(channel),
            (Ways::Several { channels, .. }, None) => channels.first().copied(),
            (Ways::Several { set, channels }, Some(balancer)) => {
                let (links, now) = (&self.channels, self.now);
                // Of two empty queues, that of an idle link is shorter.
                let load = |channel: ChannelId| {
                    let waiting = held(&self.waiting).map_or(0, |waiting| waiting.of(channel));
                    waiting + u64::from(links[channel as usize].free_at > now)
                };
                let back = packet.is_back();
                Some(balancer.pick(&Asked { now, switch, hash, back, set, channels }, &load))
            }
        }
    }

    /// Something happens inside a switch: stalled ports may have packets now.
    fn advance_switch(&mut self, fabric: &Fabric, switch: u32) {
        let Some(model) = &mut self.switches[switch as usize] else { return };
        model.advance(self.now, &mut self.lost);
        if self.pauses.is_some() {
            self.tell_neighbours(fabric, switch);
        }
        let index = switch as usize;
        for place in (0..self.stalled[index].len()).rev() {
            // Ports that still have nothing return at the end, behind this position.
            let channel = self.stalled[index].swap_remove(place);
            self.offer(fabric, channel);
        }
        self.after_switch(fabric, switch);
    }

    /// After any call of a switch: collects what it lost, and updates its event.
    #[inline]
    pub(super) fn after_switch(&mut self, fabric: &Fabric, switch: u32) {
        while let Some(lost) = self.lost.pop() {
            if fabric.config.returns_headers && self.send_back(fabric, switch, &lost) {
                continue;
            }
            self.lose(fabric, Node::Switch(switch), lost);
        }
        let Some(model) = &mut self.switches[switch as usize] else { return };
        if let Some(at) = model.next_event() {
            self.events.schedule(fabric.first_switch_event() + switch, at);
        }
    }

    /// Something waits for `channel`: sends it, or arranges that it is sent when the channel is
    /// free.
    #[inline]
    pub(super) fn offer(&mut self, fabric: &Fabric, channel: ChannelId) {
        let free_at = self.channels[channel as usize].free_at;
        if free_at <= self.now {
            self.transmit(fabric, channel);
        } else {
            self.events.schedule(2 * channel + 1, free_at);
        }
    }

    /// The transmitter is free: sends the next packet, if there is one.
    #[inline]
    fn transmit(&mut self, fabric: &Fabric, channel: ChannelId) {
        let link = &self.channels[channel as usize];
        match link.from {
            Node::Host(host) => {
                let (packet, more) = self.next_of_host(fabric, host);
                if let (Some(pauses), Some(packet)) = (&mut self.pauses, &packet) {
                    pauses.spend(channel, packet);
                }
                self.send(fabric, channel, packet, more);
            }
            Node::Switch(switch) => {
                let Some(model) = &mut self.switches[switch as usize] else { return };
                let packet = model.next(self.now, link.port, &mut self.lost);
                let more = !model.is_empty(link.port);
                if let (Some(waiting), Some(packet)) = (held_mut(&mut self.waiting), &packet) {
                    waiting.leave(channel, packet.size());
                    if let Some(trails) = held_mut(&mut self.trails)
                        && !packet.is_back()
                    {
                        let queue = Bytes::new(waiting.of(channel));
                        trails
                            .write(packet.packet(), link.report(channel, self.now, queue, packet));
                    }
                }
                let stalled = &mut self.stalled[switch as usize];
                if packet.is_none() && more && !stalled.contains(&channel) {
                    stalled.push(channel);
                }
                self.send(fabric, channel, packet, more);
                if let (Some(pauses), Some(packet)) = (&mut self.pauses, &packet) {
                    pauses.spend(channel, packet);
                    self.weigh(channel, packet.class());
                    self.let_go(fabric, switch, packet);
                }
                self.after_switch(fabric, switch);
            }
        }
    }

    #[inline]
    fn send(&mut self, fabric: &Fabric, channel: ChannelId, packet: Option<Handle>, more: bool) {
        let Some(packet) = packet else { return };
        self.totals.packet_hops += 1;
        let link = &mut self.channels[channel as usize];
        let due = link.send(self.now, packet.size());
        if more {
            self.events.schedule(2 * channel + 1, link.free_at);
        }
        if link.up {
            self.launch(channel, due, packet);
        } else {
            self.lose_on_link(fabric, channel, packet);
        }
    }

    /// A packet is in flight, or will be.
    #[inline]
    pub(super) fn launch(&mut self, channel: ChannelId, due: Time, packet: Handle) {
        let into = usize::from(self.channels[channel as usize].into);
        if into == self.number {
            self.fly(channel, due, packet);
        } else {
            self.send_out(into, channel, due, packet);
        }
    }

    /// A packet is in flight and arrives in this partition.
    #[inline]
    pub(super) fn fly(&mut self, channel: ChannelId, due: Time, packet: Handle) {
        if self.channels[channel as usize].fly(&mut self.flights, due, packet) {
            self.events.schedule(2 * channel, due);
        }
    }

    /// The link is down: what was sent on it does not arrive.
    #[cold]
    pub(super) fn lose_on_link(&mut self, fabric: &Fabric, channel: ChannelId, packet: Handle) {
        let link = &self.channels[channel as usize];
        let (from, port) = (link.from, link.port);
        self.lose(fabric, from, Lost { port, cause: DropCause::LinkDown, packet });
    }
}
