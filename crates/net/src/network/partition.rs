//! A partition: some racks or switches, with their own event queue, arena and totals.
//!
//! All vectors are indexed as in the whole network, so nothing is renumbered; a channel between two
//! partitions has its transmitter in one and its packets in flight in the other. A packet that
//! crosses is put into an outbox with its body.

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_units::{Duration, Time};

use super::NetworkRunError;
use super::channel::{Channel, FlightPool, SizePool};
use super::fabric::Fabric;
use super::nic::{Turns, turns};
use super::pause::{Pauses, Told};
use super::pull_queue::Pulls;
use super::states::{Counts, FlowStates, Slot};
use super::upcoming::Upcoming;
use super::waiting::Waiting;
use crate::event::EventQueue;
use crate::fabrics::{held, held_mut};
use crate::measure::{LossCount, Totals};
use crate::packet::{Arena, Body, Trail, Trails};
use crate::route::{Balancer, ChannelId};
use crate::topology::Node;
use forebay_switch::{DropCause, FlowId, Handle, HandlePool, List, Losses, Lost, SwitchModel};

/// A packet or a frame of flow control on its way into another partition.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    /// When it arrives, or is obeyed.
    pub(super) due: Time,
    channel: ChannelId,
    what: Crosses,
}

#[derive(Clone, Debug)]
enum Crosses {
    /// A packet, and what ports have written down on it if a host reads that.
    Packet(Handle, Body, Option<Box<Trail>>),
    /// A frame of flow control.
    Frame(Told),
}

/// Packets without their data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Headers {
    /// Those that switches sent back, each once.
    pub(super) returned: u64,
    /// Those for which a receiver asked again.
    pub(super) asked: u64,
}

/// Flows that have finished while somebody waits for one.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) finished: Vec<FlowId>,
    /// The run ends here.
    pub(super) until: Time,
}

impl Default for Watch {
    fn default() -> Self {
        Watch { finished: Vec::new(), until: Time::MAX }
    }
}

#[derive(Debug)]
pub(super) struct Partition<S> {
    /// The number of the partition.
    pub(super) number: usize,
    pub(super) events: EventQueue,
    pub(super) arena: Arena,
    pub(super) channels: Vec<Channel>,
    pub(super) flights: FlightPool,
    /// The plans of the channels.
    pub(super) sizes: SizePool,
    /// For each host, what waits for its link, if that does not plan; with flow control, eight
    /// lists for each, one a class.
    pub(super) nics: Vec<List>,
    pub(super) nic_pool: HandlePool,
    /// For each host, whose turn it is; empty if flows do not take turns.
    pub(super) turns: Vec<Turns>,
    pub(super) switches: Vec<Option<S>>,
    /// For each switch, its stalled ports.
    pub(super) stalled: Vec<Vec<ChannelId>>,
    /// What a switch dropped during the present call.
    pub(super) lost: Losses,
    /// What chooses among equal paths, where a hash of the flow does not.
    pub(super) balancer: Option<Box<dyn Balancer>>,
    /// What waits at the ports of switches, if that is read.
    pub(super) waiting: Option<Box<Waiting>>,
    /// What ports write down on packets, if a host reads it.
    pub(super) trails: Option<Box<Trails>>,
    /// Flow control, if there is any.
    pub(super) pauses: Option<Box<Pauses>>,
    /// What hosts ask for packet by packet, if any do.
    pub(super) pulls: Option<Box<Pulls>>,
    /// Packets without their data that came to a host, and those that were on their way back.
    pub(super) headers: Headers,
    pub(super) flows: FlowStates,
    /// The flows that have not begun.
    pub(super) upcoming: Upcoming,
    /// For each gate, what it still waits for; counted down in its host's partition.
    pub(super) awaited: Vec<u32>,
    pub(super) totals: Totals,
    pub(super) losses: Vec<LossCount>,
    /// The instant of the last event.
    pub(super) now: Time,
    /// Nothing later than this happens in the current window.
    pub(super) limit: Time,
    /// How long a run continues after a flow is found to be stuck.
    pub(super) grace: Duration,
    /// The first flow found to be stuck.
    pub(super) stuck: Option<NetworkRunError>,
    /// What somebody waits for who runs until a flow finishes.
    pub(super) watch: Option<Watch>,
    /// For each partition, the packets that cross to it.
    pub(super) outboxes: Vec<Vec<Crossing>>,
}

impl<S: SwitchModel> Partition<S> {
    pub(super) fn new(fabric: &Fabric, number: usize, channels: Vec<Channel>) -> Self {
        let mut switches = Vec::new();
        switches.resize_with(fabric.graph.switches as usize, || None);
        let mut outboxes = Vec::new();
        outboxes.resize_with(fabric.cut.parts, Vec::new);
        let pauses = Pauses::new(fabric, &channels).map(Box::new);
        let balance = &fabric.config.balance;
        let balancer = balance.balancer(fabric.graph.switches, fabric.config.ecmp_seed);
        let trails = fabric.reads_telemetry().then(Box::<Trails>::default);
        let balances = balancer.as_ref().is_some_and(|balancer| balancer.reads_loads());
        let watches = balances || trails.is_some();
        let waiting = watches.then(|| Box::new(Waiting::new(fabric, &channels)));
        let lists = if pauses.is_some() { Pauses::LISTS } else { 1 };
        Partition {
            number,
            events: EventQueue::new(fabric.first_timer()),
            arena: Arena::default(),
            channels,
            flights: FlightPool::default(),
            sizes: SizePool::default(),
            nics: alloc::vec![List::default(); fabric.graph.hosts as usize * lists],
            nic_pool: HandlePool::default(),
            turns: turns(fabric.config.nic, fabric.graph.hosts),
            switches,
            stalled: alloc::vec![Vec::new(); fabric.graph.switches as usize],
            lost: Losses::default(),
            balancer,
            waiting,
            trails,
            pauses,
            pulls: fabric.config.pulls().then(|| Box::new(Pulls::new(fabric.graph.hosts))),
            headers: Headers::default(),
            flows: FlowStates::default(),
            upcoming: Upcoming::default(),
            awaited: Vec::new(),
            totals: Totals::default(),
            losses: Vec::new(),
            now: Time::ZERO,
            limit: Time::ZERO,
            grace: fabric.longest_delay(),
            stuck: None,
            watch: None,
            outboxes,
        }
    }

    /// Makes room for the added flows, and begins those that begin here.
    pub(super) fn flows_added(&mut self, fabric: &Fabric, now: Time) {
        let first = self.flows.len();
        self.flows.grow(fabric.flows.len(), fabric.config.transits);
        for (flow, id) in fabric.flows.from(first).zip(first as FlowId..) {
            let on_wire = fabric.bytes_on_wire(&flow);
            let switches = self.switches.iter_mut().flatten();
            switches.for_each(|switch| switch.flow_added(id, flow.bytes, on_wire));
        }
        self.upcoming.add(fabric, self.number, first as FlowId);
        self.schedule_next_start(fabric, now);
    }

    /// The slot of a flow, which gets one if it has none.
    pub(super) fn activate(&mut self, fabric: &Fabric, flow: FlowId) -> Slot {
        if let Some(slot) = self.flows.slot(flow) {
            return slot;
        }
        let [sends, receives] = fabric.ends_in(self.number, flow);
        let slot = self.flows.activate(flow, sends, receives);
        let timers = fabric.first_timer();
        for side in [0, 1] {
            self.events.lend(timers + 2 * slot + side, timers + 2 * flow + side);
        }
        slot
    }

    /// Frees the slot of a flow that has ended here.
    #[inline]
    pub(super) fn retire_if_ended(&mut self, fabric: &Fabric, slot: Slot) {
        let ends = self.flows.at(slot);
        if !ends.sends && !ends.receives && !ends.has_turn {
            let usual = fabric.usual_counts(self.number, ends.flow);
            self.flows.retire(slot, &usual);
        }
    }

    /// What is counted of a flow here so far.
    pub(super) fn counts(&self, fabric: &Fabric, flow: FlowId) -> Counts {
        self.flows.counts(flow, || fabric.usual_counts(self.number, flow))
    }

    pub(super) fn schedule_next_start(&mut self, fabric: &Fabric, now: Time) {
        let Some(flow) = self.upcoming.next() else { return };
        let start = fabric.flows.at(flow).start;
        self.events.schedule(fabric.start_event(), start.max(now));
    }

    /// When the next thing happens here, or arrives elsewhere from here.
    pub(super) fn next(&self) -> Time {
        let outgoing = self.outboxes.iter().flatten().map(|crossing| crossing.due);
        outgoing.chain(self.events.next()).min().unwrap_or(Time::MAX)
    }

    /// When a run must end because a flow is stuck, or one has finished that is waited for.
    pub(super) fn stop(&self) -> Time {
        let stuck =
            self.stuck.map_or(Time::MAX, |NetworkRunError::NoProgress { at, .. }| at + self.grace);
        self.watch.as_ref().map_or(stuck, |watch| stuck.min(watch.until))
    }

    /// A flow has finished here; if that is waited for, nothing later happens, but for what other
    /// partitions do in the same window.
    #[inline]
    pub(super) fn tell_finished(&mut self, flow: FlowId) {
        let Some(watch) = &mut self.watch else { return };
        watch.finished.push(flow);
        if self.outboxes.len() == 1 {
            self.limit = self.now;
        }
        watch.until = self.limit;
    }

    /// Puts a packet that leaves the partition into the outbox.
    #[inline(never)] // or nothing else of what sends a packet is inlined
    pub(super) fn send_out(&mut self, to: usize, channel: ChannelId, due: Time, packet: Handle) {
        let body = self.arena.remove(packet.packet());
        let trail = held(&self.trails).map(|trails| Box::new(trails.of(packet.packet())));
        self.outboxes[to].push(Crossing {
            due,
            channel,
            what: Crosses::Packet(packet, body, trail),
        });
    }

    /// Puts a frame that leaves the partition into the outbox.
    pub(super) fn send_frame_out(&mut self, to: usize, channel: ChannelId, due: Time, told: Told) {
        self.outboxes[to].push(Crossing { due, channel, what: Crosses::Frame(told) });
    }

    /// Takes in what other partitions have sent.
    pub(super) fn accept(&mut self, fabric: &Fabric, crossings: &mut Vec<Crossing>) {
        for Crossing { due, channel, what } in crossings.drain(..) {
            match what {
                Crosses::Packet(packet, body, trail) => {
                    let packet = packet.renamed(self.arena.insert(body));
                    if let (Some(trails), Some(trail)) = (held_mut(&mut self.trails), trail) {
                        trails.put(packet.packet(), *trail);
                    }
                    self.fly(channel, due, packet);
                }
                Crosses::Frame(told) => self.frame_under_way(fabric, channel, due, told),
            }
        }
    }

    /// Counts a packet as lost and removes it from the network.
    #[cold]
    pub(super) fn lose(&mut self, fabric: &Fabric, node: Node, lost: Lost) {
        let Lost { port, cause, packet } = lost;
        let body = self.arena.remove(packet.packet());
        if let (Some(waiting), Node::Switch(switch)) = (held_mut(&mut self.waiting), node) {
            waiting.lose(switch, &lost);
        }
        if let (Node::Switch(switch), true) = (node, self.pauses.is_some())
            && cause != DropCause::LinkDown
        {
            self.let_go(fabric, switch, &packet);
        }
        let loss = LossCount { node, port, cause, packets: 1, bytes: packet.size().into() };
        self.totals.dropped.count(packet.size());
        // A packet that was sent back for want of room is one of data, too.
        if matches!(body, Body::Data(_)) {
            let (number, flow) = (self.number, packet.flow());
            self.flows.counts_mut(flow, || fabric.usual_counts(number, flow)).lost += 1;
        }
        add_loss(&mut self.losses, &loss);
    }
}

/// Adds to losses ordered by node, port and cause.
pub(super) fn add_loss(losses: &mut Vec<LossCount>, loss: &LossCount) {
    let key = |loss: &LossCount| (loss.node, loss.port, loss.cause);
    match losses.binary_search_by_key(&key(loss), key) {
        Ok(index) => {
            losses[index].packets += loss.packets;
            losses[index].bytes += loss.bytes;
        }
        Err(index) => losses.insert(index, *loss),
    }
}
