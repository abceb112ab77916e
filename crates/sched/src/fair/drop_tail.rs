//! One first-in first-out queue that refuses what arrives when it is full: no scheduling at all.
//!
//! Source: gearbox §4.1.1 ("a simple drop tail queue"). Complexity: O(1). Memory: 40 bytes a
//! packet.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use forebay_parameters::Choice;
use forebay_units::{Bytes, Time};

use super::room::{Limits, Room};
use crate::DropCause;
use crate::Packet;
use crate::scheduler::{PacketScheduler, SchedulerShape};

/// Arrival order.
///
/// ```
/// use forebay_sched::{DropCause, Packet};
/// use forebay_sched::fair::{DropTailScheduler, Limits};
/// use forebay_sched::scheduler::PacketScheduler;
/// use forebay_units::Time;
///
/// let mut queue = DropTailScheduler::new(Limits { packets: 1, ..Limits::default() });
/// assert_eq!(queue.enqueue(Time::ZERO, Packet::default()), Ok(()));
/// assert_eq!(queue.enqueue(Time::ZERO, Packet::default()), Err(DropCause::QueueFull));
/// ```
#[derive(Clone)]
pub struct DropTailScheduler {
    packets: VecDeque<Packet>,
    room: Room,
}

forebay_pifo::debug_in_one_line!([] DropTailScheduler, |queue| { len: queue.len(), bytes: queue.bytes() });

/// The choice `drop-tail`.
pub(super) fn choice() -> Choice<dyn PacketScheduler> {
    Choice::new(
        "drop-tail",
        "arrival order; when full, the arriving packet is dropped",
        Limits::default(),
        |limits: &Limits, shape: &SchedulerShape| {
            Ok(Box::new(DropTailScheduler::new(limits.within(shape.buffer)?)) as _)
        },
    )
    .labelled("Drop-tail")
}

impl DropTailScheduler {
    /// An empty queue.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        DropTailScheduler { packets: VecDeque::new(), room: Room::new(limits) }
    }
}

impl PacketScheduler for DropTailScheduler {
    fn enqueue(&mut self, _now: Time, packet: Packet) -> Result<(), DropCause> {
        self.room.check(&packet)?;
        self.packets.push_back(packet);
        self.room.enter(&packet);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.room.leave(&packet);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.room.len()
    }

    fn bytes(&self) -> Bytes {
        self.room.bytes()
    }
}
