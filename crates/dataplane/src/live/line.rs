//! A way into an interface and out of it, by one of two kinds of sockets.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use super::buffers::Buffers;
use super::ring::{Ring, Taken, XdpRing};
use crate::link::segments::Leaving;

/// By which sockets frames come and leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// AF_PACKET, with large segments.
    #[default]
    Packet,
    /// AF_XDP, in copy mode: without large segments, and with checksums that senders finish.
    Xdp,
}

impl Backend {
    /// Each of them.
    pub const ALL: [Backend; 2] = [Backend::Packet, Backend::Xdp];

    /// Its name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Packet => "packet",
            Backend::Xdp => "xdp",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The frames of one interface.
pub(super) enum Line {
    Packet(Ring),
    Xdp(Box<XdpRing>),
}

impl Line {
    /// Of the interface with this number and MTU, in the namespace of this thread. It takes about
    /// so much `memory`.
    pub(super) fn open(
        backend: Backend,
        interface: u32,
        mtu: u32,
        memory: usize,
    ) -> io::Result<Self> {
        match backend {
            Backend::Packet => Ring::open(interface, mtu, memory).map(Line::Packet),
            Backend::Xdp => XdpRing::open(interface, mtu, memory).map(Box::new).map(Line::Xdp),
        }
    }

    /// Whether large segments can leave.
    pub(super) fn joins(&self) -> bool {
        matches!(self, Line::Packet(_))
    }

    /// How many frames that come there is room for.
    pub(super) fn slots(&self) -> usize {
        match self {
            Line::Packet(ring) => ring.slots(),
            Line::Xdp(ring) => ring.slots(),
        }
    }

    /// The next frame; none if none has come.
    pub(super) fn take(&mut self, buffers: &mut Buffers) -> Option<Taken> {
        match self {
            Line::Packet(ring) => ring.take(buffers),
            Line::Xdp(ring) => ring.take(buffers),
        }
    }

    /// Sends a frame, or several as one segment: now, or with the next [flush](Self::flush).
    ///
    /// # Errors
    /// The interface has no room for it, is down, or does not want it.
    pub(super) fn send(&mut self, leaving: &Leaving<'_>) -> io::Result<()> {
        match self {
            Line::Packet(ring) => ring.send(leaving),
            Line::Xdp(ring) => ring.send(leaving),
        }
    }

    /// Lets go all that was sent.
    pub(super) fn flush(&mut self) {
        if let Line::Xdp(ring) = self {
            ring.flush();
        }
    }

    /// How many frames there was no room for since this was last asked.
    pub(super) fn missed(&mut self) -> io::Result<u32> {
        match self {
            Line::Packet(ring) => ring.missed(),
            Line::Xdp(ring) => ring.missed(),
        }
    }

    /// Forgets that the interface went down: without it, the socket is always ready to say so.
    pub(super) fn clear_error(&self) {
        // What there was to tell is told, whatever it was.
        let _ = rustix::net::sockopt::socket_error(self);
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Line::Packet(ring) => ring.as_fd(),
            Line::Xdp(ring) => ring.as_fd(),
        }
    }
}
