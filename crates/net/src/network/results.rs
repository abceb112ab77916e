//! What can be read from a network during and after a run.

use alloc::vec::Vec;
use core::ops::Range;

use forebay_units::{Bytes, Duration, Rate, Time};

use super::Network;
use super::partition::{Partition, add_loss};
use crate::flow::Flow;
use crate::measure::{
    Completions, FlowRecord, LastLink, LossCount, Measured, PathLink, SizeClasses, Totals, Transit,
    completions, ideal, reach,
};
use crate::topology::Node;
use crate::transport::SenderCounters;
use forebay_switch::{FlowId, SwitchModel};

/// What one direction of a link carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// The node that sends.
    pub from: Node,
    /// The node that receives.
    pub to: Node,
    /// The rate at which the link sends in this direction.
    pub rate: Rate,
    /// Bytes sent, including those being sent.
    pub sent: Bytes,
    /// When the current or last transmission ends; time zero if there was none.
    pub sending_until: Time,
}

impl LinkUse {
    /// The fraction of the first `span` of the run during which the link was sending.
    #[must_use]
    pub fn utilization(&self, span: Duration) -> f64 {
        let later = self.sending_until.since(Time::ZERO + span).as_ps();
        let busy = self.rate.time_for(self.sent).as_ps().saturating_sub(later);
        busy as f64 / span.as_ps().max(1) as f64
    }
}

impl<S: SwitchModel> Network<S> {
    /// The partition of a node.
    pub(super) fn part(&self, node: Node) -> &Partition<S> {
        &self.parts[self.fabric.cut.of(node)]
    }

    /// What became of every flow so far, in the given order.
    pub fn records(&self) -> impl Iterator<Item = FlowRecord> + '_ {
        (0..self.flow_count()).filter_map(|id| self.record(id))
    }

    /// What became of a flow so far; `None` if there is no such flow. O(links of its path).
    #[must_use]
    pub fn record(&self, id: FlowId) -> Option<FlowRecord> {
        let flow = self.fabric.flows.get(id)?;
        let (start, finish) = self.times(id);
        let (ideal, last_link) = self.ideal(id, &flow);
        Some(FlowRecord {
            flow: Flow { start, ..flow },
            finish,
            delivered: self.delivered(id),
            ideal,
            last_link,
            sender: self.part(Node::Host(flow.src)).counts(&self.fabric, id).sender,
            transit: self.transit(id),
        })
    }

    /// What became of a flow's data packets: they may be lost in any partition.
    fn transit(&self, id: FlowId) -> Transit {
        if !self.fabric.config.transits {
            return Transit::default();
        }
        let here = |part: &Partition<S>| part.flows.transit(id, &part.counts(&self.fabric, id));
        self.parts.iter().map(here).fold(Transit::default(), |sum, transit| sum + transit)
    }

    /// The counters of every flow's sender so far, in the given order: faster than
    /// [`Network::records`], which have them too.
    pub fn senders(&self) -> impl Iterator<Item = SenderCounters> + '_ {
        (0..self.flow_count()).map(|id| {
            let flow = self.fabric.flows.at(id);
            self.part(Node::Host(flow.src)).counts(&self.fabric, id).sender
        })
    }

    /// FCT and slowdown of the flows that began in `window` (its end excluded), by class of size
    /// and of all together: what [`by_class`](crate::measure::by_class) tells of their records,
    /// without having these. O(flows log flows); 8 bytes per flow of the window that has finished.
    #[must_use]
    pub fn completions(
        &self,
        window: &Range<Time>,
        classes: &SizeClasses,
    ) -> (Vec<Completions>, Completions) {
        let began = (0..self.flow_count()).filter_map(|id| {
            let (start, finish) = self.times(id);
            let fct = finish.map(|finish| finish.since(start));
            let measured = Measured { id, bytes: self.fabric.flows.at(id).bytes, fct };
            window.contains(&start).then_some(measured)
        });
        let ideal = |id| self.ideal(id, &self.fabric.flows.at(id)).0;
        completions(classes, &began, ideal)
    }

    /// The number of flows that have completed.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.parts.iter().map(|part| part.flows.finished()).sum()
    }

    /// When the next thing happens, apart from link failures; `None` if nothing is left to happen.
    #[must_use]
    pub fn next_event(&self) -> Option<Time> {
        self.parts.iter().map(Partition::next).min().filter(|at| *at < Time::MAX)
    }

    /// The number of flows, begun or not.
    #[must_use]
    pub fn flow_count(&self) -> FlowId {
        self.fabric.flows.len() as FlowId
    }

    /// Bytes of a flow that have arrived, each counted once; zero if there is no such flow.
    #[must_use]
    pub fn delivered(&self, flow: FlowId) -> Bytes {
        let Some(given) = self.fabric.flows.get(flow) else { return Bytes::ZERO };
        let to = &self.part(Node::Host(given.dst)).flows;
        match (to.finished_at(flow), to.ends(flow)) {
            (Some(_), _) => given.bytes,
            (None, Some(ends)) => Bytes::new(ends.sink.delivered(given.bytes.get())),
            (None, None) => Bytes::ZERO,
        }
    }

    /// When a flow begins, if that is known, and when it finished.
    pub(super) fn times(&self, id: FlowId) -> (Time, Option<Time>) {
        let Flow { src, dst, start, .. } = self.fabric.flows.at(id);
        let states = |host| &self.part(Node::Host(host)).flows;
        // A flow without a start waits for a gate.
        let start = if start == Time::MAX { states(src).released_at(id) } else { start };
        (start, states(dst).finished_at(id))
    }

    /// The flow's completion time in an empty network, with every link up, and its use of its last
    /// link.
    fn ideal(&self, id: u32, flow: &Flow) -> (Duration, LastLink) {
        let payload = self.fabric.transport(flow.class).payload();
        let packets = flow.bytes.div_ceil(payload);
        let rest = flow.bytes.get() - payload.get() * packets.saturating_sub(1);
        let size = |bytes: u64| bytes as u32 + self.fabric.wire(flow.class).headers;
        let channels = &self.parts[0].channels;
        let path = self.fabric.path(id, channels);
        let links = path.into_iter().map(|channel| {
            let channel = &channels[channel as usize];
            PathLink {
                full: channel.time_for(size(payload.get())),
                last: channel.time_for(size(rest)),
                delay: channel.delay(),
            }
        });
        let path: Vec<PathLink> = links.collect();
        let last_link = path.last().map(|link| LastLink {
            reach: reach(&path, packets == 1),
            busy: link.full * packets.saturating_sub(1) + link.last,
            delay: link.delay,
        });
        (ideal(packets, &path), last_link.unwrap_or_default())
    }

    /// Totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.parts.iter().fold(Totals::default(), |sum, part| sum + part.totals)
    }

    /// Where packets were lost, ordered by node, port and cause.
    #[must_use]
    pub fn losses(&self) -> Vec<LossCount> {
        let mut losses = self.parts[0].losses.clone();
        for loss in self.parts[1..].iter().flat_map(|part| &part.losses) {
            add_loss(&mut losses, loss);
        }
        losses
    }

    /// What each link carried, both directions of the first link first.
    pub fn links(&self) -> impl Iterator<Item = LinkUse> + '_ {
        (0..self.parts[0].channels.len()).map(|index| {
            let from = self.parts[0].channels[index].from;
            let channel = &self.part(from).channels[index];
            LinkUse {
                from,
                to: channel.to,
                rate: channel.rate(),
                sent: Bytes::new(channel.sent),
                sending_until: channel.sending_until(),
            }
        })
    }

    /// Packets in the network now.
    #[must_use]
    pub fn live_packets(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.arena.live())).sum()
    }

    /// The most packets that were in the network at once; with several partitions, the sum over
    /// them.
    #[must_use]
    pub fn peak_packets(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.arena.peak())).sum()
    }

    /// The switches, in their order.
    pub fn switches(&self) -> impl Iterator<Item = &S> + '_ {
        let part = |index| self.part(Node::Switch(index));
        (0..self.fabric.graph.switches).filter_map(move |i| part(i).switches[i as usize].as_ref())
    }

    /// The instant of the last event.
    #[must_use]
    pub fn now(&self) -> Time {
        self.parts.iter().map(|part| part.now).max().unwrap_or(Time::ZERO)
    }
}
