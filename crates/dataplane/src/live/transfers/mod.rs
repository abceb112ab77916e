//! Real TCP between the hosts of a [`Lab`]: some bytes from one host to another, each over a
//! connection of its own, begun at an instant or when asked for.
//!
//! What is chosen: all connections are made before the clock starts, so that no handshake is part
//! of what is measured and every sender knows the round trip of the idle lab; they are fresh, so
//! that each begins with its first window. The kernel's stack sends, loses and resends; one thread
//! only gives it bytes when they are due and takes what has come. A transfer is complete when its
//! last byte is read.
//!
//! O(log events) an event; two file descriptors a transfer.

mod connect;
mod exchange;
mod tune;

use std::ops::Range;

use forebay_units::{Bytes, Duration, Time};

pub use connect::Connections;
pub use tune::controls;

use super::error::LiveError;
use super::lab::Lab;

/// Some bytes from one host to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The host that sends, from 0.
    pub from: usize,
    /// The host that receives.
    pub to: usize,
    /// How many bytes.
    pub bytes: Bytes,
    /// When the sender begins or, with a request, when the receiver asks; since the beginning.
    pub at: Time,
    /// The bytes of the receiver's request, at most what an empty socket takes at once (4 KB): the
    /// sender begins when it has read them.
    pub request: Option<Bytes>,
    /// The differentiated services code point of its packets, both ways.
    pub code_point: u8,
    /// The kernel's name of the congestion control, one of [`controls`].
    pub control: String,
}

/// How the TCP stacks of a lab's hosts are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpSettings {
    /// First window, in segments.
    pub initial_window: u32,
    /// Shortest retransmission timeout.
    pub min_rto: Duration,
    /// The most that a receiver lets be on its way, and does not change; `None` leaves it to the
    /// kernel.
    pub receive_window: Option<Bytes>,
    /// Selective acknowledgements.
    pub sack: bool,
    /// Tail loss probes and recovery by time (RFC 8985), as Linux has them.
    pub loss_by_time: bool,
}

/// When transfers end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Once it is over, all ends when those that began in it are complete.
    pub measured: Range<Time>,
    /// All ends then at the latest.
    pub give_up: Time,
}

/// What became of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transferred {
    /// When the sender began, if it did.
    pub begun: Option<Time>,
    /// When the last byte was read, if it was.
    pub finish: Option<Time>,
    /// Bytes that were read.
    pub delivered: Bytes,
    /// Expirations of the sender's retransmission timer; `None` if the kernel does not say (it has
    /// since Linux 6.7).
    pub timeouts: Option<u32>,
    /// Segments that the sender sent again.
    pub resent: u32,
}

/// What became of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchanged {
    /// In the order in which they were given.
    pub transfers: Vec<Transferred>,
    /// Bytes read by the end of the measured span.
    pub delivered: Bytes,
    /// Whether it was told to stop.
    pub is_stopped: bool,
}

impl Lab {
    /// Sets the TCP stacks of all hosts.
    ///
    /// # Errors
    /// The step that failed.
    pub fn tune(&self, settings: &TcpSettings) -> Result<(), LiveError> {
        tune::all(self.hosts(), settings).map_err(LiveError::at("set up the hosts' TCP"))
    }
}
