//! A scheduler that holds packets: what every fair queue, calendar queue and scheduling tree looks
//! like to the port it serves.
//!
//! [`PacketScheduler`] is the one trait. Unlike
//! [`port::PortScheduler`](crate::port::PortScheduler), which only says which of a port's queues is
//! next, it owns the packets, so that it may order them by rank, refuse them, and delay them.
//! [`schedulers`] are the built-in ones, each a [`Choice`](forebay_parameters::Choice) with its
//! parameters; a caller's own is one, too.

mod by_rank;
mod choice;
mod limited;
mod registry;
#[cfg(test)]
mod tests;
mod weights;

use core::fmt;

use forebay_units::{Bytes, Time};

use crate::{DropCause, Packet};
pub use by_rank::by_rank;
pub use choice::SchedulerShape;
pub(crate) use choice::{BUCKET_RANKS, weighted};
pub use registry::{schedulers, tree};
pub use weights::{Weights, ZeroWeight};

impl fmt::Debug for dyn PacketScheduler + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketScheduler")
            .field("len", &self.len())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl<S: PacketScheduler + ?Sized> PacketScheduler for alloc::boxed::Box<S> {
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        (**self).enqueue(now, packet)
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        (**self).dequeue(now)
    }

    fn ready_at(&self, now: Time) -> Option<Time> {
        (**self).ready_at(now)
    }

    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        (**self).take_dropped()
    }

    fn reads_class(&self) -> bool {
        (**self).reads_class()
    }

    fn reads_rate(&self) -> bool {
        (**self).reads_rate()
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn bytes(&self) -> Bytes {
        (**self).bytes()
    }
}

/// Holds the packets of one port and decides which leaves next.
///
/// Calls come with a `now` that never decreases; an earlier one counts as the latest seen. Every
/// packet that was enqueued is exactly one of held, dequeued, or dropped with a cause.
pub trait PacketScheduler: Send {
    /// A packet arrives.
    ///
    /// # Errors
    /// Why it was refused; then nothing has changed, and the packet is the caller's again.
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause>;

    /// The packet that leaves at `now`; `None` if none waits or none may leave yet.
    fn dequeue(&mut self, now: Time) -> Option<Packet>;

    /// When a packet may leave if nothing else happens: not after `now` if one may leave at once,
    /// `None` if none waits. Only a scheduler that shapes ever answers with a later time.
    fn ready_at(&self, now: Time) -> Option<Time> {
        (!self.is_empty()).then_some(now)
    }

    /// Takes the next packet that was dropped after it had been accepted, in order.
    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        None
    }

    /// Whether it tells packets of one class from those of another, with its parameters as they
    /// are.
    fn reads_class(&self) -> bool {
        false
    }

    /// Whether it reads how fast its link is.
    fn reads_rate(&self) -> bool {
        false
    }

    /// Packets that wait.
    fn len(&self) -> usize;

    /// The bytes of the packets that wait.
    fn bytes(&self) -> Bytes;

    /// Whether no packet waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
