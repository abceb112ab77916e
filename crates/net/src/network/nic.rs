//! What waits at a host for its link.
//!
//! No paper says how its hosts do this, and it matters: with a deep switch buffer a window grows
//! without limit, and in a single queue a flow of a few packets then waits behind megabytes of its
//! neighbour. Real hosts keep a few packets of each connection below the transport and serve
//! connections in turn (Linux: TCP small queues under the fq discipline); simulators mostly have
//! one queue.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::Nic;
use super::fabric::Fabric;
use super::partition::Partition;
use super::pause::Pauses;
use crate::packet::Body;
use forebay_switch::{FlowId, Handle, SwitchModel};

/// The flows of a host that may have something to send, in turn. Each occurs once.
pub(super) type Turns = VecDeque<FlowId>;

/// No turns yet for `hosts` hosts, or none at all if flows do not take turns.
pub(super) fn turns(nic: Nic, hosts: u32) -> Vec<Turns> {
    match nic {
        Nic::Fifo => Vec::new(),
        Nic::Fair => alloc::vec![Turns::new(); hosts as usize],
    }
}

impl<S: SwitchModel> Partition<S> {
    /// A flow may have something to send: gives it a turn.
    pub(super) fn take_turn(&mut self, fabric: &Fabric, flow: FlowId) {
        // A flow that has ended gets a turn when an acknowledgement is late, as any other, and
        // loses it.
        if let Some(slot) = self.flows.slot(flow)
            && core::mem::replace(&mut self.flows.at(slot).has_turn, true)
        {
            return;
        }
        let host = fabric.flows.at(flow).src;
        self.turns[host as usize].push_back(flow);
        self.offer(fabric, fabric.routes.uplink(host));
    }

    /// The packet that a host sends next, and whether more may wait.
    #[inline]
    pub(super) fn next_of_host(&mut self, fabric: &Fabric, host: u32) -> (Option<Handle>, bool) {
        if self.pauses.is_some() {
            return self.next_unpaused(fabric, host);
        }
        let nic = &mut self.nics[host as usize];
        let mut packet = nic.pop(&mut self.nic_pool);
        let waiting = !nic.is_empty();
        if self.turns.is_empty() {
            return (packet, waiting);
        }
        while packet.is_none()
            && let Some(flow) = self.turns[host as usize].pop_front()
        {
            packet = self.turn_of(fabric, host, flow);
        }
        (packet, waiting || !self.turns[host as usize].is_empty())
    }

    /// The same where classes may be paused, or need credit: acknowledgements first, class by
    /// class, then flows in turn. A packet whose turn has come, but not its credit, waits among the
    /// acknowledgements of its class. O(flows in turn) while some are paused.
    #[cold]
    fn next_unpaused(&mut self, fabric: &Fabric, host: u32) -> (Option<Handle>, bool) {
        let uplink = fabric.routes.uplink(host);
        let first = host as usize * Pauses::LISTS;
        let (mut packet, mut more) = (None, false);
        for (class, list) in (0..).zip(first..first + Pauses::LISTS) {
            if self.pauses.as_ref().is_some_and(|pauses| pauses.holds(uplink, class)) {
                continue;
            }
            if packet.is_none()
                && let Some(head) = self.nics[list].first(&self.nic_pool).copied()
                && !self.lack(uplink, &head)
            {
                packet = self.nics[list].pop(&mut self.nic_pool);
            }
            more |= !self.nics[list].is_empty();
        }
        for _ in 0..self.turns[host as usize].len() {
            let Some(flow) = self.turns[host as usize].front().copied() else { break };
            if packet.is_some() {
                break;
            }
            self.turns[host as usize].pop_front();
            let class = fabric.flows.at(flow).class;
            if self.pauses.as_ref().is_some_and(|pauses| pauses.holds(uplink, class)) {
                self.turns[host as usize].push_back(flow);
                continue;
            }
            packet = self.turn_of(fabric, host, flow);
            if let Some(made) = packet.take_if(|made| self.lack(uplink, made)) {
                let list = self.list_of(host, &made);
                self.nics[list].push(&mut self.nic_pool, made);
            }
        }
        (packet, more || !self.turns[host as usize].is_empty())
    }

    /// The list in which a packet of a host waits for its link.
    #[inline]
    pub(super) fn list_of(&self, host: u32, packet: &Handle) -> usize {
        match &self.pauses {
            None => host as usize,
            Some(pauses) => {
                host as usize * Pauses::LISTS + usize::from(pauses.queue(packet.class()))
            }
        }
    }

    /// The packet of the flow whose turn it is; a flow without one loses its turn.
    fn turn_of(&mut self, fabric: &Fabric, host: u32, flow: FlowId) -> Option<Handle> {
        let slot = self.flows.slot(flow)?;
        let ends = self.flows.at(slot);
        let Some(segment) = ends.source.poll(self.now) else {
            ends.has_turn = false;
            if ends.source.needs_timer() {
                self.keep_sender_timer(fabric, flow);
            } else {
                self.retire_if_ended(fabric, slot);
            }
            return None;
        };
        self.turns[host as usize].push_back(flow);
        let packet = self.make(fabric, flow, Body::Data(segment));
        self.keep_sender_timer(fabric, flow);
        Some(packet)
    }
}
