//! Departures: which packets a port selects, and when one is at hand.

use forebay_buffer::PacketState;
use forebay_pifo::TieredQueue;
use forebay_sched::Packet;
use forebay_units::Time;

use super::{Departure, StagingWrites, TrafficManager};

impl<Q: TieredQueue> TrafficManager<Q> {
    /// The next packet of `port`, if its data is at hand; its link is taken to be free at `now`.
    /// `None` if nothing waits, or if the port stalls on the HBM: ask again after the next event.
    #[inline]
    pub fn dequeue(&mut self, now: Time, port: u16) -> Option<Departure> {
        self.losses.clear();
        self.select(now, port);
        let slot = match self.ports.get_mut(usize::from(port))?.pop_ready() {
            Some(slot) => slot,
            None => {
                // The port has just asked for a packet of a batch that was not whole, or for one
                // that nothing under way would bring. (Without lossless classes somebody sends
                // again what did not come, and that begins its read.)
                let waits = self.ports[usize::from(port)].len() > 0;
                let must_come = waits && self.buffer.has_lossless();
                if self.staged_is_due || must_come && self.due() == Time::MAX {
                    self.pump(now);
                }
                self.ports[usize::from(port)].pop_ready()?
            }
        };
        let descriptor = self.buffer.descriptor(slot.id);
        let arrived = descriptor.arrived;
        let from_sram = descriptor.forwarded || descriptor.state != PacketState::Fetched;
        if descriptor.state == PacketState::Sram {
            self.read_port.foreground(now, descriptor.cells.cells());
        }
        let packet = self.buffer.depart(slot.id);
        let tally = if from_sram {
            &mut self.counters.departed_sram
        } else {
            &mut self.counters.departed_hbm
        };
        tally.count(packet.size);
        self.ports[usize::from(port)].bytes -= u64::from(packet.size);
        self.select(now, port);
        self.pump(now);
        Some(Departure { packet, arrived, from_sram })
    }

    /// The packet that would leave `port` next, if its data is at hand. It stays the next, whatever
    /// arrives.
    pub(crate) fn front(&mut self, now: Time, port: u16) -> Option<Packet> {
        self.losses.clear();
        self.select(now, port);
        let id = self.ports.get(usize::from(port))?.ready()?;
        Some(self.buffer.descriptor(id).packet)
    }

    /// Selects packets for departure as far ahead as the port's window allows, and asks for the
    /// data of those in HBM.
    fn select(&mut self, now: Time, port: u16) {
        let index = usize::from(port);
        if index >= self.ports.len() {
            return;
        }
        while let Some(next) = self.buffer.ranked(port).peek_min() {
            let at_hand = self.at_hand(next.id);
            if !self.ports[index].wants(at_hand) {
                return;
            }
            let Some(id) = self.buffer.commit(port) else { return };
            self.counters.selected += 1;
            self.counters.selected_at_hand += u64::from(at_hand);
            self.ports[index].push(id, at_hand);
            match self.buffer.descriptor(id).state {
                PacketState::Hbm => self.request_fetch(now, id),
                PacketState::Staged | PacketState::StagedWriting | PacketState::MovingOut
                    if at_hand =>
                {
                    self.buffer.forward(id);
                }
                PacketState::Staged => {
                    self.staged_is_due |= self.staging_writes == StagingWrites::Whole;
                }
                PacketState::Free
                | PacketState::Sram
                | PacketState::StagedWriting
                | PacketState::MovingOut
                | PacketState::MovingIn
                | PacketState::Fetching
                | PacketState::Fetched => {}
            }
        }
    }

    /// Whether a packet's data can leave at once.
    fn at_hand(&self, id: u32) -> bool {
        match self.buffer.descriptor(id).state {
            PacketState::Sram => true,
            PacketState::Staged | PacketState::StagedWriting | PacketState::MovingOut => {
                self.write_forwarding
            }
            PacketState::Free
            | PacketState::Hbm
            | PacketState::MovingIn
            | PacketState::Fetching
            | PacketState::Fetched => false,
        }
    }
}
