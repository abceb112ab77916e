//! Credit of links: what receivers grant, and transmitters that send no more.
//!
//! The accounts are those of InfiniBand (IBA volume 1, §7.9), in cells and as totals that wrap
//! around. A transmitter counts what it has *sent* of a lane (FCTBS) and what it has been *granted*
//! (FCCL), and sends a packet only if both leave room for it. A receiver counts what it has
//! *received* (ABR) and *holds*: it grants what it has received and has room for. A frame tells the
//! grants of all lanes at once, as they are when it begins; being totals, they say all that frames
//! before them said.
//!
//! A switch holds a packet from when it has arrived until it begins to leave, or is lost; a host
//! takes it at once. What leaves is granted again as soon as it is
//! [enough](forebay_switch::Credits::return_after), or has waited
//! [too long](forebay_switch::Credits::return_within).
//!
//! A lane whose next packet has no credit is *paused*: to a switch that is the same as if its
//! neighbour had asked for it. When a link fails, the pauses of its transmitters end, and what they
//! send is lost; when it is repaired all totals begin at zero, as InfiniBand's do while a link is
//! initialized, and each end grants what it has room for.

#[cfg(test)]
mod audit;

use alloc::vec::Vec;

use forebay_switch::{Credits, Handle, SwitchModel};

use super::{CLASSES, Mask, Pauses, Told, bit, reverse};
use crate::event::EventId;
use crate::network::channel::Channel;
use crate::network::fabric::Fabric;
use crate::network::partition::Partition;
use crate::route::ChannelId;
use crate::topology::Node;

/// Cells by lane, as totals that wrap around.
pub(super) type Totals = [u32; CLASSES];

/// The accounts at the transmitting end of a channel: of what is sent on it, and of what is
/// received in the other direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    sent: Totals,
    granted: Totals,
    /// Cells of the packet that waits for credit; 0 if none does.
    lacking: Totals,
    received: Totals,
    held: Totals,
    /// What the last frame granted.
    told: Totals,
    /// Cells of the buffer of each lane.
    room: u32,
    /// Whether the link is down: what is sent is lost, and needs no credit.
    down: bool,
}

impl Account {
    /// That of a link both of whose ends have so much room.
    fn new(room: u32) -> Self {
        Account { granted: [room; CLASSES], told: [room; CLASSES], room, ..Account::default() }
    }

    /// Cells that may still be sent.
    fn left(&self, lane: usize) -> u32 {
        self.granted[lane].wrapping_sub(self.sent[lane])
    }

    /// What it grants its neighbour now.
    fn grants(&self, lane: usize) -> u32 {
        self.received[lane].wrapping_add(self.room - self.held[lane].min(self.room))
    }
}

/// The accounts of all channels.
#[derive(Debug)]
pub(super) struct Ledger {
    credits: Credits,
    accounts: Vec<Account>,
    /// Frames that began.
    pub(super) frames: u64,
}

impl Ledger {
    pub(super) fn new(fabric: &Fabric, channels: &[Channel]) -> Option<Self> {
        let control = fabric.config.flow_control?;
        let credits = control.credits?;
        let room = |link: &Channel| credits.room(link.rate(), link.delay(), control.response);
        let accounts = channels.iter().map(|link| Account::new(room(link))).collect();
        Some(Ledger { credits, accounts, frames: 0 })
    }

    fn at(&mut self, channel: ChannelId) -> &mut Account {
        &mut self.accounts[channel as usize]
    }

    /// What a frame on a channel grants: it is told from now on.
    fn tell(&mut self, channel: ChannelId) -> Totals {
        self.frames += 1;
        let account = self.at(channel);
        account.told = core::array::from_fn(|lane| account.grants(lane));
        account.told
    }

    /// Whether the packet that waits on a channel finds no credit even if all that its receiver, on
    /// the other end, has room for were granted.
    pub(super) fn is_full(&self, channel: ChannelId, lane: u8, other_end: &Ledger) -> bool {
        let lane = usize::from(lane & 7);
        let account = &self.accounts[channel as usize];
        let grants = other_end.accounts[reverse(channel) as usize].grants(lane);
        account.lacking[lane] > grants.wrapping_sub(account.sent[lane])
    }
}

impl Pauses {
    /// The lane of a packet, and the cells that it takes of it; `None` if it needs no credit.
    fn lane(&self, packet: &Handle) -> Option<(u8, u32)> {
        let lane = self.queue(packet.class());
        let credits = &self.ledger.as_ref()?.credits;
        credits.covers(lane).then(|| (lane, credits.cells(packet.size())))
    }

    /// Whether a channel's transmitter lacks credit for a packet.
    pub(in super::super) fn lacks(&self, channel: ChannelId, packet: &Handle) -> bool {
        let (Some((lane, cells)), Some(ledger)) = (self.lane(packet), &self.ledger) else {
            return false;
        };
        let account = &ledger.accounts[channel as usize];
        !account.down && cells > account.left(usize::from(lane))
    }

    /// A packet is sent on a channel.
    pub(in super::super) fn spend(&mut self, channel: ChannelId, packet: &Handle) {
        let (Some((lane, cells)), Some(ledger)) = (self.lane(packet), &mut self.ledger) else {
            return;
        };
        let sent = &mut ledger.at(channel).sent[usize::from(lane)];
        *sent = sent.wrapping_add(cells);
    }
}

/// The event of a channel's end that has waited too long to grant room.
fn grant_event(fabric: &Fabric, channel: ChannelId) -> EventId {
    fabric.first_grant_event() + channel
}

impl<S: SwitchModel> Partition<S> {
    /// A packet has arrived over a channel; a host takes it at once.
    pub(in super::super) fn hold(&mut self, fabric: &Fabric, over: ChannelId, packet: &Handle) {
        let Some(pauses) = &mut self.pauses else { return };
        let (Some((lane, cells)), Some(ledger)) = (pauses.lane(packet), &mut pauses.ledger) else {
            return;
        };
        let account = ledger.at(reverse(over));
        let lane = usize::from(lane);
        account.received[lane] = account.received[lane].wrapping_add(cells);
        match self.channels[over as usize].to {
            Node::Switch(_) => account.held[lane] += cells,
            Node::Host(_) => self.grant(fabric, reverse(over), lane),
        }
    }

    /// A packet has left a switch: what it held of its input's buffer is free.
    pub(in super::super) fn let_go(&mut self, fabric: &Fabric, switch: u32, packet: &Handle) {
        let Some(pauses) = &mut self.pauses else { return };
        let (Some((lane, cells)), Some(ledger)) = (pauses.lane(packet), &mut pauses.ledger) else {
            return;
        };
        let ports = &pauses.ports[switch as usize];
        let Some(&channel) = ports.get(usize::from(packet.input())) else { return };
        let lane = usize::from(lane);
        ledger.at(channel).held[lane] -= cells;
        self.grant(fabric, channel, lane);
    }

    /// The sender in the other direction of a channel may have more: tells it now, or later.
    fn grant(&mut self, fabric: &Fabric, channel: ChannelId, lane: usize) {
        let Some(ledger) = self.pauses.as_mut().and_then(|pauses| pauses.ledger.as_mut()) else {
            return;
        };
        let Credits { return_after, return_within, .. } = ledger.credits;
        let account = ledger.at(channel);
        let untold = account.grants(lane).wrapping_sub(account.told[lane]);
        let due = grant_event(fabric, channel);
        if untold >= return_after.max(1) {
            self.want_frame(fabric, channel);
        } else if self.events.when(due).is_none() {
            self.events.schedule(due, self.now + return_within);
        }
    }

    /// What a frame that begins on a channel grants.
    pub(super) fn granted(&mut self, fabric: &Fabric, channel: ChannelId) -> Option<Told> {
        let ledger = self.pauses.as_mut()?.ledger.as_mut()?;
        let totals = ledger.tell(channel);
        self.events.cancel(grant_event(fabric, channel));
        Some(Told::Granted(totals))
    }

    /// The transmitter of a channel has been granted so much: lanes go on whose next packet now has
    /// credit.
    pub(super) fn obtain(&mut self, fabric: &Fabric, channel: ChannelId, totals: Totals) {
        let Some(pauses) = &mut self.pauses else { return };
        let Some(ledger) = &mut pauses.ledger else { return };
        let account = ledger.at(channel);
        account.granted = totals;
        let mut paused = pauses.ends[channel as usize].paused;
        for lane in 0..CLASSES {
            if account.lacking[lane] > 0 && account.lacking[lane] <= account.left(lane) {
                account.lacking[lane] = 0;
                paused &= !bit(lane as u8);
            }
        }
        self.halt(fabric, channel, paused);
    }

    /// The next packet of a class at a switch's port may be another: pauses the class if that has
    /// no credit.
    pub(in super::super) fn weigh(&mut self, channel: ChannelId, class: u8) {
        let Some(pauses) = &self.pauses else { return };
        if pauses.ledger.is_none() {
            return;
        }
        let lane = pauses.queue(class);
        let link = &self.channels[channel as usize];
        let Node::Switch(switch) = link.from else { return };
        let Some(model) = &self.switches[switch as usize] else { return };
        let Some(size) = model.head_size(link.port, lane) else { return };
        self.lack(channel, &Handle::new(0, size).with_class(lane));
    }

    /// Pauses the lane of a packet that waits for a channel, if it has no credit.
    pub(in super::super) fn lack(&mut self, channel: ChannelId, packet: &Handle) -> bool {
        let Some(pauses) = &mut self.pauses else { return false };
        if !pauses.lacks(channel, packet) {
            return false;
        }
        let (Some((lane, cells)), Some(ledger)) = (pauses.lane(packet), &mut pauses.ledger) else {
            return false;
        };
        ledger.at(channel).lacking[usize::from(lane)] = cells;
        let paused: Mask = pauses.ends[channel as usize].paused | bit(lane);
        self.set_paused(channel, paused);
        true
    }

    /// A link has failed or is repaired: the accounts of one of its ends begin anew.
    pub(super) fn renew(&mut self, fabric: &Fabric, channel: ChannelId, up: bool) {
        let Some(ledger) = self.pauses.as_mut().and_then(|pauses| pauses.ledger.as_mut()) else {
            return;
        };
        let account = ledger.at(channel);
        if core::mem::replace(&mut account.down, !up) != up {
            return;
        }
        account.lacking = [0; CLASSES];
        self.events.cancel(grant_event(fabric, channel));
        if !up {
            return;
        }
        let account = ledger.at(channel);
        (account.sent, account.granted) = Default::default();
        (account.received, account.told) = Default::default();
        if fabric.cut.of(self.channels[channel as usize].from) == self.number {
            self.want_frame(fabric, channel);
            (0..CLASSES as u8).for_each(|class| self.weigh(channel, class));
        }
    }
}
