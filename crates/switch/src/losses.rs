//! Packets that a switch gave up, and why.

use alloc::vec::Vec;

use forebay_sched::DropCause;

use crate::packet::Handle;

/// A packet that a switch gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost<P = Handle> {
    /// The output port that it waited for, or was to wait for.
    pub port: u16,
    /// Why.
    pub cause: DropCause,
    /// What the switch knew the packet by.
    pub packet: P,
}

/// Where a switch puts the packets that it gives up. The network empties it after every call.
///
/// ```
/// use forebay_switch::{DropCause, Handle, Losses};
///
/// let mut losses = Losses::default();
/// losses.push(3, DropCause::Expelled, Handle::new(7, 1500));
/// assert_eq!(losses.pop().map(|lost| (lost.port, lost.packet.flow())), Some((3, 7)));
/// assert!(losses.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Losses<P = Handle> {
    packets: Vec<Lost<P>>,
    cut: u64,
}

impl<P> Default for Losses<P> {
    fn default() -> Self {
        Losses { packets: Vec::new(), cut: 0 }
    }
}

impl<P> Losses<P> {
    /// A packet for `port` is given up.
    #[inline]
    pub fn push(&mut self, port: u16, cause: DropCause, packet: P) {
        self.packets.push(Lost { port, cause, packet });
    }

    /// Takes one out, in no particular order.
    #[inline]
    pub fn pop(&mut self) -> Option<Lost<P>> {
        self.packets.pop()
    }

    /// So many bytes were cut off packets of the port that the call was about, which go on as
    /// headers or are given up as such.
    pub fn cut(&mut self, bytes: u64) {
        self.cut += bytes;
    }

    /// Takes the number of bytes that were cut off.
    pub fn take_cut(&mut self) -> u64 {
        core::mem::take(&mut self.cut)
    }

    /// All of them, in no particular order.
    pub fn iter(&self) -> core::slice::Iter<'_, Lost<P>> {
        self.packets.iter()
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}
