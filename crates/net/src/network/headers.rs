//! What becomes of packets that switches have trimmed: at their hosts, and where a header finds no
//! room either.
//!
//! Source: as of [`TrimSwitch`](forebay_switch::TrimSwitch). A header that was sent back and finds
//! no room again is lost. Constant time.

use forebay_switch::{DropCause, FlowId, Handle, Lost, SwitchModel, Tally, TrimCounts};

use super::endpoint::Sink;
use super::fabric::Fabric;
use super::partition::{Headers, Partition};
use super::{Network, Nic};
use crate::fabrics::{held, held_mut};
use crate::flow::Flow;
use crate::transport::Segment;

/// What trimming did in a network, and what its receivers asked for.
///
/// ```
/// use forebay_net::flow::Flow;
/// use forebay_net::network::{Network, NetworkConfig, Nic, Transport};
/// use forebay_net::topology::{Graph, LinkConfig};
/// use forebay_net::transport::{SenderConfig, congestion_controls};
/// use forebay_parameters::set;
/// use forebay_switch::SwitchConfig;
/// use forebay_units::{Bytes, Duration, Rate, Time};
///
/// let sender = SenderConfig { mss: Bytes::new(8948), ..SenderConfig::default() };
/// let transport = Transport::window(sender, congestion_controls().named("ndp")?)?;
/// let config = NetworkConfig { nic: Nic::Fair, ..NetworkConfig::new(transport) };
/// let mut switch = SwitchConfig::named("drop-tail")?.with_buffer(Bytes::new(72_000));
/// set(&mut switch, &[("trim", "true")])?;
/// let link = LinkConfig { rate: Rate::from_gbps(100), delay: Duration::from_us(1) };
/// let mut network = Network::of(&switch, &Graph::star(9, link), config)?;
/// let flow = |src| Flow::new(src, 8, Bytes::new(450_000), Time::ZERO);
/// network.add_flows((0..8).map(flow).collect::<Vec<_>>())?;
/// network.run()?;
/// let trimming = network.trimming().ok_or("switches trim")?;
/// assert!(trimming.trimmed.packets > 100);
/// // Each was asked for again, and the link was never idle for want of pulls.
/// assert_eq!(trimming.nacks, trimming.trimmed.packets);
/// let last = network.records().filter_map(|record| record.finish).max();
/// let busy = Rate::from_gbps(100).time_for(Bytes::new(8 * (450_000 + 51 * 52)));
/// assert!(last < Some(Time::ZERO + busy + busy / 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trimming {
    /// Packets whose data switches cut off, and the bytes that this was.
    pub trimmed: Tally,
    /// How many of them waited already, and made room for another.
    pub waiting: u64,
    /// How many found no room as headers either, and were sent back.
    pub returned: u64,
    /// Headers that reached a receiver, which asked for the packet again.
    pub nacks: u64,
    /// Pulls that receivers sent.
    pub pulls: u64,
}

impl<S: SwitchModel> Network<S> {
    /// What trimming did, and what receivers asked for, if switches trim or receivers pull.
    /// O(switches).
    #[must_use]
    pub fn trimming(&self) -> Option<Trimming> {
        let config = &self.fabric.config;
        if !config.trims && !config.pulls() {
            return None;
        }
        let mut counts = TrimCounts::default();
        self.switches().filter_map(SwitchModel::trim_counts).for_each(|of| counts += of);
        let sum = |of: fn(&Headers) -> u64| self.parts.iter().map(|part| of(&part.headers)).sum();
        let pulls = self.parts.iter().filter_map(|part| held(&part.pulls)).map(|one| one.sent);
        Some(Trimming {
            trimmed: counts.trimmed,
            waiting: counts.waiting,
            returned: sum(|headers| headers.returned),
            nacks: sum(|headers| headers.asked),
            pulls: pulls.sum(),
        })
    }
}

impl<S: SwitchModel> Partition<S> {
    /// A packet without its data has come to a host: to its receiver, or back to its sender.
    #[cold]
    pub(super) fn on_header(&mut self, fabric: &Fabric, packet: &Handle, segment: &Segment) {
        let (flow, number) = (packet.flow(), self.number);
        self.flows.counts_mut(flow, || fabric.usual_counts(number, flow)).lost += 1;
        if packet.is_back() {
            if let Some(slot) = self.flows.slot(flow) {
                self.flows.at(slot).source.on_returned(self.now, segment);
                self.pump(fabric, slot);
            }
            return;
        }
        let Flow { bytes, class, .. } = fabric.flows.at(flow);
        let known = self.flows.slot(flow);
        if known.is_none() && self.flows.finished_at(flow).is_some() {
            let ack = Sink::Complete.on_header(segment, bytes.get());
            return self.acknowledge(fabric, flow, ack);
        }
        let slot = known.unwrap_or_else(|| self.activate(fabric, flow));
        let ends = self.flows.at(slot);
        if matches!(ends.sink, Sink::Untouched) {
            // The transport was checked when the network was built.
            let Ok(sink) = fabric.transport(class).sink() else { return };
            ends.sink = sink;
        }
        let ack = ends.sink.on_header(segment, bytes.get());
        self.headers.asked += u64::from(ack.is_some_and(|ack| ack.nack));
        if ack.is_some() {
            self.answer(fabric, slot, ack);
            self.want_pulls(fabric, slot);
        }
    }

    /// A pull has come to its flow's sender.
    #[cold]
    pub(super) fn on_pull(&mut self, fabric: &Fabric, flow: FlowId, number: u64) {
        if let Some(slot) = self.flows.slot(flow) {
            self.flows.at(slot).source.on_pull(self.now, number);
            self.pump(fabric, slot);
        } else if fabric.config.nic == Nic::Fair {
            self.take_turn(fabric, flow);
        }
    }

    /// Sends a header that found no room back to where it came from. Returns whether it was one,
    /// on its way to its receiver, and there is a way back.
    #[cold]
    pub(super) fn send_back(&mut self, fabric: &Fabric, switch: u32, lost: &Lost) -> bool {
        let packet = lost.packet.sent_back();
        let is_forward = lost.packet.is_trimmed() && !lost.packet.is_back();
        if lost.cause != DropCause::QueueFull || !is_forward {
            return false;
        }
        let channel = match held(&self.balancer) {
            None => fabric.route(switch, &packet),
            Some(_) => self.balanced(fabric, switch, &packet),
        };
        let Some(channel) = channel else { return false };
        if let Some(waiting) = held_mut(&mut self.waiting) {
            waiting.lose(switch, lost);
            waiting.add(channel, packet.size());
        }
        let port = self.channels[channel as usize].port;
        let Some(model) = &mut self.switches[switch as usize] else { return false };
        self.headers.returned += 1;
        // One that finds no room on its way back is among what is lost, too.
        model.arrive(self.now, port, packet, &mut self.lost);
        if !model.is_empty(port) {
            self.offer(fabric, channel);
        }
        true
    }
}
