//! Departures and losses: a packet leaves the order, then the memory that holds it.

use forebay_pifo::TieredQueue;
use forebay_sched::Packet;

use super::Buffer;
use crate::descriptor::{Descriptor, PacketState};

impl<Q: TieredQueue> Buffer<Q> {
    /// Takes the packet with the smallest rank at `port` out of the rank order: it will depart
    /// next.
    pub fn commit(&mut self, port: u16) -> Option<u32> {
        let id = self.ranked[usize::from(port)].pop_min()?.id;
        self.descriptors[id].committed = true;
        if self.descriptors[id].state == PacketState::Sram {
            self.queues.remove(&mut self.descriptors, id);
        }
        Some(id)
    }

    /// Hands a committed packet to its port although its data is on its way to HBM (write
    /// forwarding).
    pub fn forward(&mut self, id: u32) {
        self.descriptors[id].forwarded = true;
    }

    /// Lets a committed packet go. Its memory is free at once, except while its data is being
    /// written to HBM: then at the end of that write.
    pub fn depart(&mut self, id: u32) -> Packet {
        let packet = self.descriptors[id].packet;
        match self.descriptors[id].state {
            PacketState::Sram => {
                self.free_cells(id);
                self.descriptors.give_back(id);
            }
            PacketState::Fetched => self.descriptors.give_back(id),
            PacketState::Free
            | PacketState::Staged
            | PacketState::StagedWriting
            | PacketState::MovingOut
            | PacketState::Hbm
            | PacketState::MovingIn
            | PacketState::Fetching => self.descriptors[id].departed = true,
        }
        packet
    }

    /// Drops the on-chip packet with the largest rank (the latest of them), over all ports. Returns
    /// its port and the packet.
    pub fn drop_largest_sram(&mut self) -> Option<(u16, Packet)> {
        let id = self.largest_sram()?.id;
        let Descriptor { port, packet, .. } = self.descriptors[id];
        self.ranked[usize::from(port)].remove(id);
        if self.descriptors[id].state == PacketState::Sram {
            self.queues.remove(&mut self.descriptors, id);
            self.free_cells(id);
            self.descriptors.give_back(id);
        } else {
            // On its way in from HBM: its cells are filled before they can be freed.
            self.descriptors[id].departed = true;
        }
        Some((port, packet))
    }
}
