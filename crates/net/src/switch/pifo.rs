//! A PIFO port: packets leave by rank, smallest first, and in order of arrival within a rank.
//!
//! A rank function by name over the exact ranked queue of `forebay_pifo`: the model of programmable
//! scheduling (clubheap §2.1), whatever hardware builds it. O(log n) per packet; memory 48 bytes a packet.

use alloc::boxed::Box;

use forebay_pifo::{ExactQueue, RankedQueue};
use forebay_sched::scheduler::{DropCause, PacketScheduler};
use forebay_sched::{Packet, Rank, RankFunction, UnknownRankFunction, rank_function};
use forebay_units::{Bytes, Time};

/// The packets of one port by rank.
///
/// ```
/// use forebay_net::switch::Pifo;
/// use forebay_sched::{Packet, scheduler::PacketScheduler};
/// use forebay_units::Time;
///
/// let mut port = Pifo::new("sff")?;
/// for (flow, flow_size) in [(1, 90_000), (2, 3_000)] {
///     let packet = Packet { flow, flow_size, size: 1500, ..Packet::default() };
///     assert!(port.enqueue(Time::ZERO, packet).is_ok());
/// }
/// assert_eq!(port.dequeue(Time::ZERO).map(|packet| packet.flow), Some(2));
/// # Ok::<(), forebay_sched::UnknownRankFunction>(())
/// ```
pub struct Pifo {
    queue: ExactQueue<Rank, Packet>,
    rank: Box<dyn RankFunction>,
    bytes: u64,
}

impl Pifo {
    /// An empty queue that orders by the rank function called `rank`.
    ///
    /// # Errors
    /// If no rank function has that name.
    pub fn new(rank: &str) -> Result<Self, UnknownRankFunction> {
        let rank = rank_function(rank)?;
        Ok(Pifo { queue: ExactQueue::new(usize::MAX), rank, bytes: 0 })
    }
}

impl PacketScheduler for Pifo {
    #[inline]
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        let rank = self.rank.rank(now, &packet);
        self.queue.push(rank, packet).map_err(|_| DropCause::Full)?;
        self.bytes += u64::from(packet.size);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time) -> Option<Packet> {
        let (_, packet) = self.queue.pop_min()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }
}
