//! What a switch does with packets between their arrival and their departure.
//!
//! [`SwitchModel`] is the one trait. The network routes; a model stores, drops, marks and schedules.

mod fifo;

use alloc::boxed::Box;
use forebay_units::{Bytes, Rate, Time};

pub use fifo::{DropTail, DropTailConfig};

use crate::packet::{Arena, PacketId};

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DropCause {
    /// Its queue was full.
    QueueFull,
}

/// What became of a packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It waits.
    Queued,
    /// It is lost; the network takes it out of the arena.
    Dropped(DropCause),
}

/// A switch as its model sees it when it is made.
#[derive(Clone, Copy, Debug)]
pub struct SwitchShape<'a> {
    /// Which switch.
    pub index: u32,
    /// The rate of each of its ports.
    pub ports: &'a [Rate],
}

/// A switch: packets arrive for an output port, and leave when that port asks.
///
/// Ports are those of [`SwitchShape`]. A model keeps packets by their names; it may keep them on lists
/// through the arena, but only the network makes and removes them.
pub trait SwitchModel {
    /// A packet has arrived completely and is to leave through `port`.
    fn arrive(&mut self, now: Time, port: u16, packet: PacketId, arena: &mut Arena) -> Verdict;

    /// `port` is free: the packet it sends next.
    fn next(&mut self, now: Time, port: u16, arena: &mut Arena) -> Option<PacketId>;

    /// Whether `port` has nothing to send now.
    fn is_empty(&self, port: u16) -> bool;

    /// Bytes that wait, over all ports.
    fn backlog(&self) -> Bytes;
}

impl<S: SwitchModel + ?Sized> SwitchModel for Box<S> {
    fn arrive(&mut self, now: Time, port: u16, packet: PacketId, arena: &mut Arena) -> Verdict {
        (**self).arrive(now, port, packet, arena)
    }

    fn next(&mut self, now: Time, port: u16, arena: &mut Arena) -> Option<PacketId> {
        (**self).next(now, port, arena)
    }

    fn is_empty(&self, port: u16) -> bool {
        (**self).is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        (**self).backlog()
    }
}
