//! Transmissions planned when a packet arrives, so that no event is needed when a transmitter
//! becomes free.
//!
//! A host's queue and the ports of a first-in first-out switch allow this: what is ahead of a
//! packet is known when it arrives, so its departure is known as well, and its arrival at the other
//! end is the only event needed. What waits for a port is needed only when the next packet arrives;
//! packets that have begun by then are counted out first. The results are bit-identical to those
//! with the events: of two things at one instant, the one whose event has the smaller number comes
//! first.
//!
//! Only a link's failure undoes a plan. A network in which a link will fail or be repaired stops
//! planning: packets that have not begun go back into their queue. Constant time per packet.

use alloc::vec::Vec;

use forebay_units::Time;

use super::channel::InFlight;
use super::fabric::Fabric;
use super::partition::Partition;
use super::{Network, Nic};
use crate::fabrics::held;
use crate::route::ChannelId;
use crate::topology::Node;
use forebay_switch::{Handle, Lost, SwitchModel};

impl<S: SwitchModel> Partition<S> {
    /// A packet has arrived at a first-in first-out switch `over` a channel and leaves on another.
    #[inline]
    pub(super) fn admit(
        &mut self,
        fabric: &Fabric,
        switch: u32,
        channel: ChannelId,
        mut packet: Handle,
        over: ChannelId,
    ) {
        // What begins at this very instant does so before arrivals with larger numbers.
        let tie = u64::from(channel >= over);
        self.begin_planned(channel, Time::from_ps(self.now.as_ps().saturating_sub(tie)));
        let port = self.channels[channel as usize].port;
        let Some(model) = &mut self.switches[switch as usize] else { return };
        match model.admit(port, &mut packet) {
            Ok(()) => self.plan(channel, packet),
            Err(cause) => self.lose(fabric, Node::Switch(switch), Lost { port, cause, packet }),
        }
        self.begin_planned(channel, self.now);
    }

    /// Sends a packet as soon as the transmitter is free.
    #[inline]
    pub(super) fn plan(&mut self, channel: ChannelId, packet: Handle) {
        let link = &mut self.channels[channel as usize];
        let (due, waits) = link.plan(&mut self.sizes, self.now, packet.size());
        if !waits {
            self.count_begun(channel, packet.size());
        }
        self.launch(channel, due, packet);
    }

    /// Lets everything begin that is planned to by `until`.
    #[inline]
    pub(super) fn begin_planned(&mut self, channel: ChannelId, until: Time) {
        let index = channel as usize;
        while let Some(size) = self.channels[index].begin(&mut self.sizes, until) {
            self.count_begun(channel, size);
        }
    }

    #[inline]
    fn count_begun(&mut self, channel: ChannelId, size: u32) {
        self.totals.packet_hops += 1;
        let link = &self.channels[channel as usize];
        if let Node::Switch(switch) = link.from
            && let Some(model) = &mut self.switches[switch as usize]
        {
            model.begin(link.port, size);
        }
    }

    /// Counts what has begun by `until`, for whoever inspects the network.
    pub(super) fn settle(&mut self, until: Time) {
        for channel in 0..self.channels.len() as ChannelId {
            self.begin_planned(channel, until);
        }
    }

    /// Puts the packets that have not begun by `now` back into the queue in front of a channel.
    fn requeue(&mut self, channel: ChannelId, now: Time, packets: Vec<Handle>) {
        let link = &self.channels[channel as usize];
        let (from, port, free_at) = (link.from, link.port, link.free_at);
        if packets.is_empty() {
            return;
        }
        self.events.schedule(2 * channel + 1, free_at);
        match from {
            Node::Host(host) => {
                let nic = &mut self.nics[host as usize];
                packets.into_iter().for_each(|packet| nic.push(&mut self.nic_pool, packet));
            }
            Node::Switch(switch) => {
                let Some(model) = &mut self.switches[switch as usize] else { return };
                packets.iter().for_each(|packet| model.begin(port, packet.size()));
                // None is lost or marked that was not before: fewer packets are ahead of it than
                // when it arrived.
                for packet in packets {
                    model.arrive(now, port, packet, &mut self.lost);
                }
            }
        }
    }
}

impl<S: SwitchModel> Network<S> {
    /// Plans transmissions from now on wherever possible.
    pub(super) fn start_planning(&mut self) {
        if self.fabric.config.flow_control.is_some() {
            // Nobody knows when a paused transmitter goes on.
            return;
        }
        for index in 0..self.parts[0].channels.len() {
            let plans = match self.parts[0].channels[index].from {
                Node::Host(_) => self.fabric.config.nic == Nic::Fifo,
                Node::Switch(switch) => {
                    let part = &self.parts[self.fabric.cut.of(Node::Switch(switch))];
                    // What waits is counted as it comes and goes.
                    held(&part.waiting).is_none()
                        && part.switches[switch as usize].as_ref().is_some_and(SwitchModel::is_fifo)
                }
            };
            self.parts.iter_mut().for_each(|part| part.channels[index].plans = plans);
        }
    }

    /// Plans nothing from now on.
    pub(super) fn stop_planning(&mut self) {
        for index in 0..self.parts[0].channels.len() {
            if self.parts[0].channels[index].plans {
                self.parts.iter_mut().for_each(|part| part.channels[index].plans = false);
                self.undo_plan(index);
            }
        }
    }

    /// Removes the packets that have not begun from those in flight.
    fn undo_plan(&mut self, index: usize) {
        let channel = index as ChannelId;
        let from = self.fabric.cut.of(self.parts[0].channels[index].from);
        let part = &mut self.parts[from];
        let (number, into) = (part.number, usize::from(part.channels[index].into));
        let count = part.channels[index].forget_plan(&mut part.sizes);
        if count == 0 {
            return;
        }
        let end = &mut self.parts[into];
        let mut flights = end.channels[index].take_flights(&mut end.flights);
        let unbegun = flights.split_off(flights.len() - count);
        if flights.is_empty() {
            end.events.cancel(2 * channel);
        }
        for InFlight { due, packet } in flights {
            end.channels[index].fly(&mut end.flights, due, packet);
        }
        let unbegun = unbegun.into_iter().map(|flight| flight.packet);
        let packets: Vec<Handle> = if number == into {
            unbegun.collect()
        } else {
            let bodies: Vec<_> = unbegun.map(|p| (p, end.arena.remove(p.packet()))).collect();
            let part = &mut self.parts[number];
            bodies.into_iter().map(|(p, body)| p.renamed(part.arena.insert(body))).collect()
        };
        self.parts[number].requeue(channel, self.ran_until, packets);
    }
}
