//! What ports wrote down on a packet's way: in-band telemetry.
//!
//! Kept beside the arena, by the packet's number, in networks in which some host reads it: 328
//! bytes a packet there, none elsewhere.

use alloc::vec::Vec;

use forebay_switch::PacketId;

use crate::transport::{MAX_REPORTS, PortReport};

/// The reports of one packet, in the order of its way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trail {
    reports: [PortReport; MAX_REPORTS],
    count: u8,
}

impl Trail {
    fn reports(&self) -> &[PortReport] {
        self.reports.get(..usize::from(self.count)).unwrap_or_default()
    }

    fn push(&mut self, report: PortReport) {
        if let Some(place) = self.reports.get_mut(usize::from(self.count)) {
            *place = report;
            self.count += 1;
        }
    }
}

/// The trails of all packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trails {
    of: Vec<Trail>,
    /// That of the packet which a host takes in now: its answer brings it back.
    arriving: Trail,
}

impl Trails {
    /// A packet is made: an answer has the trail of what it answers, data has none yet.
    pub(crate) fn make(&mut self, packet: PacketId, answers: bool) {
        let trail = if answers { self.arriving } else { Trail::default() };
        self.put(packet, trail);
    }

    /// A packet has come with a trail from elsewhere.
    pub(crate) fn put(&mut self, packet: PacketId, trail: Trail) {
        let place = packet.get() as usize;
        if self.of.len() <= place {
            self.of.resize(place + 1, Trail::default());
        }
        self.of[place] = trail;
    }

    /// A port writes something down.
    pub(crate) fn write(&mut self, packet: PacketId, report: PortReport) {
        if let Some(trail) = self.of.get_mut(packet.get() as usize) {
            trail.push(report);
        }
    }

    /// The trail of a packet.
    pub(crate) fn of(&self, packet: PacketId) -> Trail {
        self.of.get(packet.get() as usize).copied().unwrap_or_default()
    }

    /// A host takes a packet in.
    pub(crate) fn arrive(&mut self, packet: PacketId) {
        self.arriving = self.of(packet);
    }

    /// What was written down on the packet that a host takes in now.
    pub(crate) fn arriving(&self) -> &[PortReport] {
        self.arriving.reports()
    }
}
