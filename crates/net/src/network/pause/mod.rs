//! Flow control over links: pause frames, and transmitters that obey them; [credit](credit) in
//! their place.
//!
//! A switch wants a class of a neighbour paused, or resumed. A frame that tells the neighbour goes
//! out over the port, before all packets but the one that is being sent: it takes the link for the
//! time of its bytes, then the cable, and the neighbour obeys it after its response time. A frame
//! tells all classes at once (IEEE 802.1Qbb), as they are wanted when it begins; so while one waits
//! for the end of a packet, what else changes goes with it.
//!
//! A pause lasts until a frame ends it. (On the wire it runs out after at most 65,535 times 512
//! bits unless it is refreshed; the refreshing frames, one every 336 µs at 100 Gb/s, are left out.)
//! When a link fails its pauses end and frames on it are lost; when it is repaired, what is wanted
//! is told again.
//!
//! Nothing of this exists in a network without flow control: no event, no memory, and one
//! comparison where a host sends. 256 bytes a channel and partition otherwise, and 200 more with
//! credit; a frame is two events.

mod credit;
mod cycle;
mod records;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_switch::{FlowControl, Pause, SwitchModel};
use forebay_units::{Duration, Time};

use super::channel::Channel;
use super::fabric::Fabric;
use super::partition::Partition;
use crate::event::EventId;
use crate::route::ChannelId;
use crate::topology::Node;
pub use records::PauseRecord;

/// Classes that a frame tells apart.
const CLASSES: usize = 8;

/// What flow control keeps of a channel, in bytes.
pub(super) const PER_CHANNEL: u64 = (size_of::<Ends>() + size_of::<credit::Account>()) as u64;

/// Classes, a bit for each.
type Mask = u8;

/// What a frame says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    /// The classes that are to be paused; all others may go on.
    Paused(Mask),
    /// What is granted of each lane.
    Granted(credit::Totals),
}

/// A frame under way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// When it is obeyed.
    acts: Time,
    told: Told,
}

/// How long the transmitter of a channel was kept from a class.
#[derive(Clone, Copy, Debug, Default)]
struct Halted {
    /// Since when it is paused, if it is.
    since: Time,
    total: Duration,
    pauses: u64,
}

/// Flow control at both ends of a channel.
#[derive(Clone, Debug, Default)]
struct Ends {
    /// The classes that the channel's sender wants its receiver to pause, in the other direction.
    wanted: Mask,
    /// Whether a frame waits until the transmitter is free.
    frame_waits: bool,
    /// Frames on the channel.
    frames: VecDeque<Frame>,
    /// The classes that the channel's transmitter must not send.
    paused: Mask,
    halted: [Halted; CLASSES],
}

/// Flow control in a partition.
#[derive(Debug)]
pub(super) struct Pauses {
    control: FlowControl,
    ends: Vec<Ends>,
    /// The accounts of credit, if senders need it.
    ledger: Option<credit::Ledger>,
    /// For each switch, the channel that leads from each of its ports.
    ports: Vec<Vec<ChannelId>>,
    /// What a switch wants told during the present call.
    calls: Vec<Pause>,
}

/// The other direction of a link.
const fn reverse(channel: ChannelId) -> ChannelId {
    channel ^ 1
}

fn bit(class: u8) -> Mask {
    1 << (class & 7)
}

impl Pauses {
    /// Lists of a host's packets, one a class.
    pub(super) const LISTS: usize = CLASSES;

    pub(super) fn new(fabric: &Fabric, channels: &[Channel]) -> Option<Self> {
        let control = fabric.config.flow_control?;
        let mut ports = alloc::vec![Vec::new(); fabric.graph.switches as usize];
        for (id, channel) in (0..).zip(channels) {
            if let Node::Switch(switch) = channel.from {
                // Channels are numbered by links, as ports are.
                ports[switch as usize].push(id);
            }
        }
        let ends = alloc::vec![Ends::default(); channels.len()];
        let ledger = credit::Ledger::new(fabric, channels);
        Some(Pauses { control, ends, ledger, ports, calls: Vec::new() })
    }

    /// Whether the transmitter of a channel must not send packets of a class.
    #[inline]
    pub(super) fn holds(&self, channel: ChannelId, class: u8) -> bool {
        let paused = self.ends[channel as usize].paused;
        paused != 0 && paused & bit(self.control.queue(class)) != 0
    }

    /// In which of a host's lists a packet of a class waits.
    pub(super) fn queue(&self, class: u8) -> u8 {
        self.control.queue(class) & 7
    }
}

/// Events of a channel's flow control, counted from the first: a frame begins, or is obeyed.
fn begin_event(fabric: &Fabric, channel: ChannelId) -> EventId {
    fabric.first_pause_event() + 2 * channel
}

fn obey_event(fabric: &Fabric, channel: ChannelId) -> EventId {
    begin_event(fabric, channel) + 1
}

impl<S: SwitchModel> Partition<S> {
    pub(super) fn pause_event(&mut self, fabric: &Fabric, event: EventId) {
        let channel = event / 2;
        if let Some(channel) = event.checked_sub(2 * self.channels.len() as u32) {
            // Room has waited long enough to be granted.
            self.want_frame(fabric, channel);
        } else if event.is_multiple_of(2) {
            if let Some(pauses) = &mut self.pauses {
                pauses.ends[channel as usize].frame_waits = false;
            }
            self.send_frame(fabric, channel);
        } else {
            self.obey(fabric, channel);
        }
    }

    /// Collects what a switch wants its neighbours told, and tells them.
    #[cold]
    pub(super) fn tell_neighbours(&mut self, fabric: &Fabric, switch: u32) {
        let Some(pauses) = &mut self.pauses else { return };
        let Some(model) = &mut self.switches[switch as usize] else { return };
        let mut calls = core::mem::take(&mut pauses.calls);
        model.pauses(&mut |pause| calls.push(pause));
        for &Pause { port, class, on } in &calls {
            let Some(pauses) = &mut self.pauses else { break };
            let ports = &pauses.ports[switch as usize];
            let Some(&channel) = ports.get(usize::from(port)) else { continue };
            let wanted = &mut pauses.ends[channel as usize].wanted;
            *wanted = if on { *wanted | bit(class) } else { *wanted & !bit(class) };
            self.want_frame(fabric, channel);
        }
        calls.clear();
        if let Some(pauses) = &mut self.pauses {
            pauses.calls = calls;
        }
    }

    /// Sends a frame as soon as the transmitter is free, before everything else that waits for it.
    fn want_frame(&mut self, fabric: &Fabric, channel: ChannelId) {
        let Some(pauses) = &mut self.pauses else { return };
        let ends = &mut pauses.ends[channel as usize];
        if ends.frame_waits {
            return;
        }
        let link = &mut self.channels[channel as usize];
        let begin = link.free_at.max(self.now);
        link.send(begin, FlowControl::FRAME);
        let free_at = link.free_at;
        if self.events.when(2 * channel + 1).is_some() {
            self.events.schedule(2 * channel + 1, free_at);
        }
        if begin > self.now {
            ends.frame_waits = true;
            self.events.schedule(begin_event(fabric, channel), begin);
        } else {
            self.send_frame(fabric, channel);
        }
    }

    /// A frame begins on a channel; its time there is taken already.
    fn send_frame(&mut self, fabric: &Fabric, channel: ChannelId) {
        if !self.channels[channel as usize].up {
            return;
        }
        let granted = self.granted(fabric, channel);
        let Some(pauses) = &self.pauses else { return };
        let told = granted.unwrap_or(Told::Paused(pauses.ends[channel as usize].wanted));
        let link = &self.channels[channel as usize];
        let arrives = self.now + link.time_for(FlowControl::FRAME) + link.delay();
        let acts = arrives + pauses.control.response;
        let into = usize::from(link.into);
        if into == self.number {
            self.frame_under_way(fabric, channel, acts, told);
        } else {
            self.send_frame_out(into, channel, acts, told);
        }
    }

    /// A frame is on its way and acts in this partition.
    pub(super) fn frame_under_way(
        &mut self,
        fabric: &Fabric,
        channel: ChannelId,
        acts: Time,
        told: Told,
    ) {
        let Some(pauses) = &mut self.pauses else { return };
        let frames = &mut pauses.ends[channel as usize].frames;
        frames.push_back(Frame { acts, told });
        if frames.len() == 1 {
            self.events.schedule(obey_event(fabric, channel), acts);
        }
    }

    /// The first frame on a channel is obeyed by whoever it has reached.
    fn obey(&mut self, fabric: &Fabric, channel: ChannelId) {
        let Some(pauses) = &mut self.pauses else { return };
        let frames = &mut pauses.ends[channel as usize].frames;
        let Some(Frame { told, .. }) = frames.pop_front() else { return };
        if let Some(next) = frames.front() {
            self.events.schedule(obey_event(fabric, channel), next.acts);
        }
        match told {
            Told::Paused(paused) => self.halt(fabric, reverse(channel), paused),
            Told::Granted(totals) => self.obtain(fabric, reverse(channel), totals),
        }
    }

    /// The transmitter of a channel must not send these classes from now on, and may send all
    /// others.
    fn halt(&mut self, fabric: &Fabric, channel: ChannelId, paused: Mask) {
        let changed = self.set_paused(channel, paused);
        if changed & !paused != 0 {
            self.offer(fabric, channel);
        }
        if let Node::Switch(switch) = self.channels[channel as usize].from {
            self.after_switch(fabric, switch);
        }
    }

    /// Notes which classes the transmitter of a channel must not send from now on, and tells its
    /// switch. Returns those that change.
    fn set_paused(&mut self, channel: ChannelId, paused: Mask) -> Mask {
        let Some(pauses) = &mut self.pauses else { return 0 };
        let ends = &mut pauses.ends[channel as usize];
        let changed = core::mem::replace(&mut ends.paused, paused) ^ paused;
        let link = &self.channels[channel as usize];
        let (from, port) = (link.from, link.port);
        for class in (0..CLASSES as u8).filter(|class| changed & bit(*class) != 0) {
            let on = paused & bit(class) != 0;
            let halted = &mut ends.halted[usize::from(class)];
            if on {
                halted.since = self.now;
                halted.pauses += 1;
            } else {
                halted.total += self.now.since(halted.since);
            }
            if let Node::Switch(switch) = from
                && let Some(model) = &mut self.switches[switch as usize]
            {
                model.pause(self.now, Pause { port, class, on });
            }
        }
        changed
    }

    /// A link has failed or is repaired at `now`.
    pub(super) fn set_pauses(&mut self, fabric: &Fabric, now: Time, channel: ChannelId, up: bool) {
        let Some(pauses) = &mut self.pauses else { return };
        self.now = self.now.max(now);
        let ends = &mut pauses.ends[channel as usize];
        let (wanted, was_paused) = (ends.wanted, ends.paused != 0);
        if !up {
            ends.frames.clear();
            self.events.cancel(obey_event(fabric, channel));
        }
        self.renew(fabric, channel, up);
        if up && wanted != 0 {
            self.want_frame(fabric, channel);
        } else if !up && was_paused {
            self.halt(fabric, channel, 0);
        }
    }
}
