//! A scheduler from two parts: a rank function and a ranked queue.
//!
//! Source: the PIFO model (clubheap §1): a packet is pushed in by its rank and the smallest leaves.
//! Equal ranks leave in order of arrival. When the queue is full, drop-tail refuses the arrival
//! before it is ranked; drop-largest ranks it and then drops the largest rank of all, the arrival
//! included, as pFabric-like schedulers and SurgeProtector's (thesis §3.5.4) do. The papers leave
//! open whether a dropped packet still counts for its flow's later ranks: here it does. A packet
//! that is refused does not, also where a queue of bounded ranks refuses it for its rank.
//!
//! A limit in bytes counts as fullness too; drop-largest then drops until the arrival fits.
//!
//! Complexity: that of the rank function and of the queue. Memory: 32 bytes and the queue's own per
//! packet, and 32 per dropped packet that the caller has not taken, at most twice as many as the
//! queue's capacity.

mod overflow;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use forebay_pifo::FifoTies;
use forebay_units::{Bytes, Time};

use crate::DropCause;
use crate::scheduler::PacketScheduler;
use crate::{Packet, Quantizer, Rank, RankFunction};
pub use overflow::{DropLargest, Overflow, TailDrop};

/// A packet and the rank it was given, as they wait in the queue of a [`RankQueue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// What waits.
    pub packet: Packet,
    /// Its exact rank, which the queue may order more coarsely.
    pub rank: Rank,
}

/// A [`PacketScheduler`] that orders packets by a rank function in any first-in first-out ranked
/// queue.
///
/// ```
/// use forebay_pifo::ExactQueue;
/// use forebay_sched::rank_queue::RankQueue;
/// use forebay_sched::scheduler::PacketScheduler;
/// use forebay_sched::{Packet, rank_function};
/// use forebay_units::Time;
///
/// let mut queue = RankQueue::new(rank_function("sff")?, ExactQueue::new(1000));
/// for (flow_size, tag) in [(30_000, 1), (2_000, 2)] {
///     let packet = Packet { flow_size, tag, ..Packet::default() };
///     assert_eq!(queue.enqueue(Time::ZERO, packet), Ok(()));
/// }
/// assert_eq!(queue.dequeue(Time::ZERO).map(|packet| packet.tag), Some(2));
/// # Ok::<(), forebay_sched::functions::RankFunctionError>(())
/// ```
pub struct RankQueue<Q, O = TailDrop> {
    function: Box<dyn RankFunction>,
    queue: Q,
    quantizer: Quantizer,
    overflow: O,
    bytes: Bytes,
    byte_limit: Bytes,
    dropped: VecDeque<(Packet, DropCause)>,
    latest: Time,
}

forebay_pifo::debug_in_one_line!(
    [Q: FifoTies<Rank = u64, Item = Ranked> + Send, O: Overflow<Q> + Send] RankQueue<Q, O>,
    |queue| { len: queue.len(), bytes: queue.bytes() }
);

impl<Q: FifoTies<Rank = u64, Item = Ranked>> RankQueue<Q> {
    /// Drop-tail, with ranks as they are. `queue` should be empty; its capacity is the scheduler's.
    #[must_use]
    pub fn new(function: Box<dyn RankFunction>, queue: Q) -> Self {
        RankQueue::with_overflow(function, queue, Quantizer::Identity, TailDrop)
    }
}

impl<Q: FifoTies<Rank = u64, Item = Ranked>, O: Overflow<Q>> RankQueue<Q, O> {
    /// With a rule for a full queue, and a quantizer for queues whose ranks are bounded. `queue`
    /// should be empty; its capacity is the scheduler's.
    #[must_use]
    pub fn with_overflow(
        function: Box<dyn RankFunction>,
        queue: Q,
        quantizer: Quantizer,
        overflow: O,
    ) -> Self {
        RankQueue {
            function,
            queue,
            quantizer,
            overflow,
            bytes: Bytes::ZERO,
            byte_limit: Bytes::new(u64::MAX),
            dropped: VecDeque::new(),
            latest: Time::ZERO,
        }
    }

    /// The same with at most so many bytes waiting as well.
    ///
    /// ```
    /// use forebay_pifo::ExactQueue;
    /// use forebay_sched::rank_queue::RankQueue;
    /// use forebay_sched::scheduler::PacketScheduler;
    /// use forebay_sched::{Packet, rank_function};
    /// use forebay_units::{Bytes, Time};
    ///
    /// let queue = RankQueue::new(rank_function("fifo")?, ExactQueue::new(1000));
    /// let mut queue = queue.with_byte_limit(Bytes::new(2000));
    /// let packet = Packet { size: 1500, ..Packet::default() };
    /// assert!(queue.enqueue(Time::ZERO, packet).is_ok());
    /// assert!(queue.enqueue(Time::ZERO, packet).is_err());
    /// # Ok::<(), forebay_sched::functions::RankFunctionError>(())
    /// ```
    #[must_use]
    pub fn with_byte_limit(self, byte_limit: Bytes) -> Self {
        RankQueue { byte_limit, ..self }
    }

    /// Whether a packet more, of so many bytes, is too much.
    fn is_full_for(&self, more: Bytes) -> bool {
        let bytes = self.bytes.get().saturating_add(more.get());
        self.queue.len() >= self.queue.capacity() || bytes > self.byte_limit.get()
    }

    fn drop_later(&mut self, victim: Ranked) {
        self.function.dropped(&victim.packet, victim.rank);
        self.bytes -= size(&victim.packet);
        self.dropped.push_back((victim.packet, DropCause::QueueFull));
    }
}

fn size(packet: &Packet) -> Bytes {
    Bytes::new(u64::from(packet.size))
}

impl<Q, O> PacketScheduler for RankQueue<Q, O>
where
    Q: FifoTies<Rank = u64, Item = Ranked> + Send,
    O: Overflow<Q> + Send,
{
    fn enqueue(&mut self, now: Time, packet: Packet) -> Result<(), DropCause> {
        self.latest = self.latest.max(now);
        let arriving = size(&packet);
        let may_drop = O::DROPS_WAITING
            && self.dropped.len() < self.queue.capacity()
            && arriving <= self.byte_limit;
        if self.is_full_for(arriving) && !may_drop {
            return Err(DropCause::QueueFull);
        }
        let rank = self.function.rank(self.latest, &packet);
        let bucket = self.quantizer.bucket(rank);
        let arrival = Ranked { packet, rank };
        while self.is_full_for(arriving) {
            let Some(victim) = self.overflow.make_room(&mut self.queue, bucket) else {
                self.bytes += arriving;
                self.drop_later(arrival);
                return Ok(());
            };
            self.drop_later(victim);
        }
        self.bytes += arriving;
        if let Err(rejected) = self.queue.push(bucket, arrival) {
            self.function.refused(&packet, rank);
            self.bytes -= size(&packet);
            return Err(rejected.reason.into());
        }
        Ok(())
    }

    fn reads_class(&self) -> bool {
        self.function.reads_class()
    }

    fn reads_rate(&self) -> bool {
        self.function.reads_rate()
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        self.latest = self.latest.max(now);
        let (_, head) = self.queue.peek_min()?;
        if self.function.may_leave_at(head.rank) > self.latest {
            return None;
        }
        let (_, head) = self.queue.pop_min()?;
        self.function.departed(self.latest, &head.packet, head.rank);
        self.bytes -= size(&head.packet);
        Some(head.packet)
    }

    fn ready_at(&self, now: Time) -> Option<Time> {
        let (_, head) = self.queue.peek_min()?;
        Some(self.function.may_leave_at(head.rank).max(now))
    }

    fn take_dropped(&mut self) -> Option<(Packet, DropCause)> {
        self.dropped.pop_front()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }
}
