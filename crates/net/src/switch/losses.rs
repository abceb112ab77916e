//! Packets that a switch gave up, and why.

use core::fmt;

use alloc::vec::Vec;

use crate::packet::Handle;

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DropCause {
    /// Its queue was at its own fixed limit.
    QueueFull,
    /// Its queue was at its share of the memory, although the memory had room.
    Threshold,
    /// The memory that it should have gone to was full; in a hybrid buffer, the SRAM.
    MemoryFull,
    /// The second memory of a hybrid buffer was full.
    FarMemoryFull,
    /// What waits to be moved to the second memory of a hybrid buffer was full: its bandwidth is exhausted.
    StagingFull,
    /// All descriptors were in use.
    NoDescriptor,
    /// It is larger than what the switch can hold, or is for a queue that the switch does not have.
    Impossible,
    /// It was pushed out to make room for another packet.
    PushedOut,
    /// It was expelled from a queue that held more than its share.
    Expelled,
    /// It would leave later than the scheduler can look ahead.
    Horizon,
    /// Active queue management dropped it.
    Early,
    /// The link was down while it was on its way.
    LinkDown,
    /// No path led to its host.
    NoRoute,
}

impl DropCause {
    /// Every cause, in the order of its index.
    pub const ALL: [DropCause; 13] = [
        DropCause::QueueFull,
        DropCause::Threshold,
        DropCause::MemoryFull,
        DropCause::FarMemoryFull,
        DropCause::StagingFull,
        DropCause::NoDescriptor,
        DropCause::Impossible,
        DropCause::PushedOut,
        DropCause::Expelled,
        DropCause::Horizon,
        DropCause::Early,
        DropCause::LinkDown,
        DropCause::NoRoute,
    ];

    /// Its index in [`DropCause::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DropCause::QueueFull => "queue-full",
            DropCause::Threshold => "threshold",
            DropCause::MemoryFull => "memory-full",
            DropCause::FarMemoryFull => "far-memory-full",
            DropCause::StagingFull => "staging-full",
            DropCause::NoDescriptor => "no-descriptor",
            DropCause::Impossible => "impossible",
            DropCause::PushedOut => "pushed-out",
            DropCause::Expelled => "expelled",
            DropCause::Horizon => "horizon",
            DropCause::Early => "early",
            DropCause::LinkDown => "link-down",
            DropCause::NoRoute => "no-route",
        }
    }
}

impl fmt::Display for DropCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A packet that a switch gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The output port that it waited for, or was to wait for.
    pub port: u16,
    /// Why.
    pub cause: DropCause,
    /// The packet.
    pub packet: Handle,
}

/// Where a switch puts the packets that it gives up. The network empties it after every call.
///
/// ```
/// use forebay_net::packet::Handle;
/// use forebay_net::switch::{DropCause, Losses};
///
/// let mut losses = Losses::default();
/// losses.push(3, DropCause::Expelled, Handle::new(7, 1500));
/// assert_eq!(losses.pop().map(|lost| (lost.port, lost.packet.flow())), Some((3, 7)));
/// assert!(losses.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Losses(Vec<Lost>);

impl Losses {
    /// A packet for `port` is given up.
    #[inline]
    pub fn push(&mut self, port: u16, cause: DropCause, packet: Handle) {
        self.0.push(Lost { port, cause, packet });
    }

    /// Takes one out, in no particular order.
    #[inline]
    pub fn pop(&mut self) -> Option<Lost> {
        self.0.pop()
    }

    /// All of them, in no particular order.
    pub fn iter(&self) -> core::slice::Iter<'_, Lost> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_at_its_index() {
        for (index, cause) in DropCause::ALL.iter().enumerate() {
            assert_eq!(cause.index(), index, "{cause}");
        }
        assert_eq!(DropCause::NoRoute.index() + 1, DropCause::ALL.len());
    }
}
