//! The pulls of hosts: each host has one queue of them for all flows to it (NDP).
//!
//! Source: Handley et al., SIGCOMM 2017, by its authors' public overview. Flows take turns in the
//! queue, one pull each; pulls leave as far apart as full packets are on the host's link, so that
//! what they ask for arrives as fast as the link takes it. Chosen here: the queue holds flows with
//! a count each, and a flow that has ended loses what it had. Constant time a pull; 48 bytes a host
//! and 4 a flow that pulls, where any flow does.

use forebay_switch::SwitchModel;

use super::fabric::Fabric;
use super::partition::Partition;
use super::pull_queue::HostPulls;
use super::states::Slot;
use crate::fabrics::held_mut;
use crate::flow::Flow;
use crate::packet::Body;

impl<S: SwitchModel> Partition<S> {
    /// A packet of a flow has arrived, or what is left of one: the flow may have something to pull.
    #[cold]
    pub(super) fn want_pulls(&mut self, fabric: &Fabric, slot: Slot) {
        let ends = self.flows.at(slot);
        let flow = ends.flow;
        let Some(receiver) = ends.sink.pulling() else { return };
        if !receiver.is_due() || core::mem::replace(&mut receiver.has_turn, true) {
            return;
        }
        let host = fabric.flows.at(flow).dst;
        if let Some(pulls) = held_mut(&mut self.pulls) {
            pulls.hosts[host as usize].turns.push_back(flow);
        }
        self.pull(fabric, host);
    }

    /// Sends the next pull of a host, if one may leave now, and arranges for the one after it.
    #[cold]
    pub(super) fn pull(&mut self, fabric: &Fabric, host: u32) {
        let uplink = fabric.routes.uplink(host);
        let event = fabric.first_pull_event() + host;
        let Some(pulls) = held_mut(&mut self.pulls) else { return };
        let HostPulls { turns, free_at } = &mut pulls.hosts[host as usize];
        let mut sent = None;
        while *free_at <= self.now
            && let Some(flow) = turns.pop_front()
        {
            // Of a flow that has ended nothing is pulled.
            let Some(slot) = self.flows.slot(flow) else { continue };
            let Some(receiver) = self.flows.at(slot).sink.pulling() else { continue };
            let number = receiver.pull();
            receiver.has_turn = receiver.is_due();
            if receiver.has_turn {
                turns.push_back(flow);
            }
            if let Some(number) = number {
                let Flow { class, .. } = fabric.flows.at(flow);
                let payload = fabric.transport(class).payload().get() as u32;
                let packet = payload.saturating_add(fabric.wire(class).headers);
                *free_at = self.now + self.channels[uplink as usize].time_for(packet);
                pulls.sent += 1;
                sent = Some((flow, number));
            }
        }
        if !turns.is_empty() {
            self.events.schedule(event, *free_at);
        }
        if let Some((flow, number)) = sent {
            self.inject(fabric, host, flow, Body::Pull(number));
        }
    }
}
