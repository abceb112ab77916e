//! What can be read from a network during and after a run.

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Rate, Time};

use super::Network;
use crate::flow::Flow;
use crate::measure::{FlowRecord, Loss, PathLink, Totals, ideal};
use crate::packet::Arena;
use crate::route::ChannelId;
use crate::switch::SwitchModel;
use crate::topology::Node;

/// What one direction of a link carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// The node that sends.
    pub from: Node,
    /// The node that receives.
    pub to: Node,
    /// Its rate.
    pub rate: Rate,
    /// Bytes sent, with those being sent.
    pub sent: Bytes,
}

impl LinkUse {
    /// The fraction of `span` in which the link was sending.
    #[must_use]
    pub fn utilization(&self, span: Duration) -> f64 {
        self.rate.time_for(self.sent).as_ps() as f64 / span.as_ps().max(1) as f64
    }
}

impl<S: SwitchModel> Network<S> {
    /// What became of every flow so far, in the order the flows were given.
    pub fn records(&self) -> impl Iterator<Item = FlowRecord> + '_ {
        self.flows.iter().zip(0..).map(|(state, id)| {
            let active = state.source.counters();
            FlowRecord {
                flow: state.flow,
                finish: state.finish,
                delivered: Bytes::new(state.sink.delivered(state.flow.bytes.get())),
                ideal: self.ideal(id, &state.flow),
                sender: if active.segments > 0 { active } else { state.counters },
            }
        })
    }

    /// The flow's completion time on the empty network.
    fn ideal(&self, id: u32, flow: &Flow) -> Duration {
        let payload = self.config.transport.payload();
        let packets = flow.bytes.div_ceil(payload);
        let rest = flow.bytes.get() - payload.get() * packets.saturating_sub(1);
        let size = |bytes: u64| bytes as u32 + self.config.wire.headers;
        let path: Vec<_> = self
            .path(id)
            .into_iter()
            .map(|channel| {
                let channel = &self.channels[channel as usize];
                PathLink {
                    full: channel.time_for(size(payload.get())),
                    last: channel.time_for(size(rest)),
                    delay: channel.delay(),
                }
            })
            .collect();
        ideal(packets, &path)
    }

    /// The channels a flow's data takes.
    fn path(&self, id: u32) -> Vec<ChannelId> {
        let address = &self.addresses[id as usize];
        let mut path = alloc::vec![self.routes.uplink(address.src)];
        while let Some(&last) = path.last() {
            let Node::Switch(switch) = self.channels[last as usize].to else { break };
            let Some(next) = self.routes.next(switch, address.dst, address.hash[0]) else { break };
            path.push(next);
        }
        path
    }

    /// Totals so far.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Where packets were lost, ordered by node, port and cause.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// What each link carried, both directions of the first link first.
    pub fn links(&self) -> impl Iterator<Item = LinkUse> + '_ {
        self.channels.iter().map(|channel| LinkUse {
            from: channel.from,
            to: channel.to,
            rate: channel.rate(),
            sent: Bytes::new(channel.sent),
        })
    }

    /// The packets in the network.
    #[must_use]
    pub fn packets(&self) -> &Arena {
        &self.arena
    }

    /// The switches.
    #[must_use]
    pub fn switches(&self) -> &[S] {
        &self.switches
    }

    /// The instant of the last event.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }
}
