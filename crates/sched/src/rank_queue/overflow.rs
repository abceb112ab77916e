//! What happens to an arrival at a full [`RankQueue`](super::RankQueue).

use forebay_pifo::{DoubleEnded, RankedQueue};

use super::Ranked;

/// Who gives way when the queue is full.
pub trait Overflow<Q> {
    /// Whether packets that wait may be dropped. If not, arrivals are refused.
    const DROPS_WAITING: bool;

    /// Takes the packet out of the full queue that gives way to an arrival of `rank`; `None` if the
    /// arrival is the one to go.
    fn make_room(&mut self, queue: &mut Q, rank: u64) -> Option<Ranked>;
}

/// The arrival is refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct TailDrop;

impl<Q> Overflow<Q> for TailDrop {
    const DROPS_WAITING: bool = false;

    fn make_room(&mut self, _queue: &mut Q, _rank: u64) -> Option<Ranked> {
        None
    }
}

/// The packet with the largest rank is dropped, of several the latest; the arrival counts as the
/// latest of all.
///
/// ```
/// use forebay_pifo::ExactQueue;
/// use forebay_sched::rank_queue::{DropLargest, RankQueue};
/// use forebay_sched::{DropCause, Packet, Quantizer, rank_function};
/// use forebay_sched::scheduler::PacketScheduler;
/// use forebay_units::Time;
///
/// let (function, queue) = (rank_function("sff")?, ExactQueue::new(1));
/// let mut queue = RankQueue::with_overflow(function, queue, Quantizer::Identity, DropLargest);
/// let [long, short] = [9_000, 100].map(|flow_size| Packet { flow_size, ..Packet::default() });
/// assert_eq!(queue.enqueue(Time::ZERO, long), Ok(()));
/// assert_eq!(queue.enqueue(Time::ZERO, short), Ok(()));
/// assert_eq!(queue.take_dropped(), Some((long, DropCause::QueueFull)));
/// assert_eq!(queue.dequeue(Time::ZERO), Some(short));
/// # Ok::<(), forebay_sched::functions::RankFunctionError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct DropLargest;

impl<Q: DoubleEnded + RankedQueue<Rank = u64, Item = Ranked>> Overflow<Q> for DropLargest {
    const DROPS_WAITING: bool = true;

    fn make_room(&mut self, queue: &mut Q, rank: u64) -> Option<Ranked> {
        let (largest, _) = queue.peek_max()?;
        if largest > rank { queue.pop_max().map(|(_, victim)| victim) } else { None }
    }
}
