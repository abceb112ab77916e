//! Packets: what hosts exchange, in an arena.
//!
//! A [`Handle`](forebay_switch::Handle) is all that queues, links and switches see of a packet,
//! copied from one to the next. What the packet carries, half a cache line in the [`Arena`], is
//! touched twice: when a host makes it and when a host takes it. Nothing is allocated once the
//! arena and the pools have reached their largest size. 32 bytes a packet. Limit: 2^32 - 1 packets
//! at once.

mod arena;
mod trail;

pub(crate) use trail::{Trail, Trails};

pub use arena::Arena;

use crate::transport::{Ack, Segment};

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Data, towards the flow's destination.
    Data(Segment),
    /// An acknowledgement, towards the flow's source.
    Ack(Ack),
    /// The number of a pull, towards the flow's source: one more packet may be sent (NDP).
    Pull(u64),
}

/// How many bytes packets are on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Bytes that a data packet has beside its payload. Default 52: IP, TCP and timestamps, so that
    /// 1448 bytes of payload make 1500 (Themis §6.3.2 counts so).
    pub headers: u32,
    /// Bytes of an acknowledgement, or of a pull. Default 64.
    pub ack: u32,
}

impl Default for Wire {
    fn default() -> Self {
        Wire { headers: 52, ack: 64 }
    }
}

impl Wire {
    /// Bytes on the wire of a packet that carries `body`.
    #[inline]
    #[must_use]
    pub const fn size(&self, body: &Body) -> u32 {
        match body {
            Body::Data(segment) => segment.len.saturating_add(self.headers),
            Body::Ack(_) | Body::Pull(_) => self.ack,
        }
    }
}
