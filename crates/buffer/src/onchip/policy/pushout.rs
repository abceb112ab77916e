//! Pushout: any packet enters while there is room; a full buffer drops from the longest queue to
//! make room (occamy §2.2, its optimal baseline; "drop on demand", Wei, Coyle and Hsiao 1991).
//!
//! The expulsion is not held back by memory bandwidth, as in the paper's comparison, though it uses
//! it. Open in the paper: from which end (see [`End`]), and what happens to a packet that makes its
//! own queue the longest (it pays itself). A large packet may push out several small ones, each
//! from the queue that is longest then.
//!
//! The text says "the longest queue" (§2.2). Under strict priority that may be the urgent queue
//! itself, while packets that wait behind it keep their buffer; there the paper's artifact takes
//! from queues of lower priority only. [`Victims`] has both, and what lies between.
//!
//! O(log queues) per packet by a tournament tree, and O(classes) where classes have one each.
//! Memory: 8 to 16 bytes a queue and tree.

use alloc::vec::Vec;

use forebay_parameters::{Choice, Configure, Word};

use super::longest::{End, LongestQueue};
use super::scheme::choice_of;
use super::{Admission, OnChipPolicy, PoolShape, Removal, Victim};
use crate::descriptor::Descriptor;
use crate::onchip::occupancy::PoolView;

/// Whose packets may be pushed out for an arriving one. A smaller class is a higher priority, as
/// for the port scheduler `strict-priority`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Victims {
    /// Those of the longest queue of all.
    #[default]
    Any,
    /// Those of the longest queue of a lower priority; if there is none, the arriving packet is
    /// dropped.
    Lower,
    /// Those of the longest queue of a lower or of its own priority.
    LowerOrEqual,
}

/// Parameters of [`Pushout`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Configure)]
pub struct PushoutConfig {
    /// From which end of its queue a packet is pushed out.
    #[parameter(name = "push_out", assumed = "keeps what has waited longest")]
    pub from: End,
    /// Whose packets may be pushed out: any, or those of lower, or of lower or equal priority
    /// (class 0 is highest).
    #[parameter(
        paper = "occamy §2.2: the longest queue; its artifact has lower under strict priority"
    )]
    pub victims: Victims,
}

/// A full buffer drops from the longest queue.
#[derive(Clone, Debug)]
pub struct Pushout {
    victims: Victims,
    /// Of each class; of all in one where priorities do not count.
    longest: Vec<LongestQueue>,
}

impl Pushout {
    /// For a pool of this shape.
    #[must_use]
    pub fn new(config: &PushoutConfig, shape: &PoolShape) -> Self {
        let trees = match config.victims {
            Victims::Any => 1,
            Victims::Lower | Victims::LowerOrEqual => usize::from(shape.classes.max(1)),
        };
        let longest = alloc::vec![LongestQueue::new(config.from, shape); trees];
        Pushout { victims: config.victims, longest }
    }

    /// The tree that a queue is in: its class, since queues are numbered port by port.
    #[inline]
    fn tree(&self, queue: u32) -> usize {
        queue as usize % self.longest.len()
    }

    /// Makes room for a packet of `cells` cells for `queue`.
    fn make_room(&self, pool: PoolView<'_>, queue: u32, cells: u32) -> Admission {
        let own = self.tree(queue);
        let longest = |from: usize| self.longest[from..].iter().max_by_key(|tree| tree.max());
        match self.victims {
            Victims::Any | Victims::LowerOrEqual => {
                longest(own).map_or(Admission::Drop, |tree| tree.make_room(pool, queue, cells))
            }
            Victims::Lower => {
                let waiting = longest(own + 1).filter(|tree| tree.max() > 0);
                waiting.map_or(Admission::Drop, LongestQueue::push_out)
            }
        }
    }

    #[inline]
    fn update(&mut self, pool: PoolView<'_>, queue: u32) {
        let tree = self.tree(queue);
        self.longest[tree].update(pool, queue);
    }
}

/// The choice `pushout`.
pub(super) fn choice() -> Choice<dyn OnChipPolicy> {
    choice_of("pushout", "Pushout", "a full buffer drops from the longest queue", Pushout::new)
}

impl OnChipPolicy for Pushout {
    #[inline]
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        if cells <= pool.free() {
            return Admission::Accept;
        }
        self.make_room(pool, arriving.queue, cells)
    }

    fn victim(&self, _pool: PoolView<'_>) -> Option<Victim> {
        self.longest.iter().max_by_key(|tree| tree.max()).and_then(LongestQueue::victim)
    }

    fn enqueued(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor) {
        self.update(pool, packet.queue);
    }

    fn removed(&mut self, pool: PoolView<'_>, _id: u32, packet: &Descriptor, _how: Removal) {
        self.update(pool, packet.queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onchip::{ChipConfig, MemoryConfig, OnChipVerdict, SharedBuffer};
    use alloc::boxed::Box;
    use forebay_sched::{Packet, Rank};
    use forebay_units::{Bytes, Time};

    /// A full pool of ten cells at two ports of two classes: queue 0 (urgent) holds `high` cells,
    /// queue 1 behind it and queue 3 of the other port share the rest.
    fn full(victims: Victims, high: u32, low: u32) -> SharedBuffer {
        let chip = ChipConfig {
            ports: 2,
            classes: 2,
            capacity: Bytes::new(10 * 200),
            memory: MemoryConfig::default(),
            ..ChipConfig::default()
        };
        let config = PushoutConfig { victims, ..PushoutConfig::default() };
        let build = |_: u16, shape: &PoolShape| Ok(Box::new(Pushout::new(&config, shape)) as _);
        let mut buffer = SharedBuffer::with_policies(&chip, build).unwrap();
        for (queue, cells) in [(0, high), (1, low), (3, 10 - high - low)] {
            (0..cells).for_each(|_| put(&mut buffer, queue).0.then_some(()).unwrap());
        }
        buffer
    }

    /// Whether a packet of a cell entered, and whose packet left for it.
    fn put(buffer: &mut SharedBuffer, queue: u32) -> (bool, Option<u32>) {
        let packet = Packet { size: 200, ..Packet::default() };
        let verdict = buffer.enqueue(Time::ZERO, queue, packet, Rank::default());
        (verdict == OnChipVerdict::Queued, buffer.losses().first().map(|loss| loss.queue))
    }

    /// Occamy, Fig. 14: the urgent burst is the longest queue, and takes the buffer of what waits
    /// behind it.
    #[test]
    fn an_urgent_queue_takes_from_lower_priorities_alone() {
        use Victims::{Any, Lower, LowerOrEqual};
        let into = |victims, queue| put(&mut full(victims, 6, 3), queue);
        let dropped = (false, None);
        for blind in [Any, LowerOrEqual] {
            assert_eq!(into(blind, 0), dropped, "its own queue is the longest");
        }
        assert_eq!(into(Lower, 0), (true, Some(1)));
        assert_eq!(into(Any, 1), (true, Some(0)), "the urgent queue is longer");
        assert_eq!(into(Lower, 1), dropped, "nothing is lower");
        assert_eq!(into(LowerOrEqual, 3), (true, Some(1)));
        // With no lower packets left there is nobody to take from.
        let mut buffer = full(Lower, 7, 2);
        let taken: Vec<_> = (0..4).map(|_| put(&mut buffer, 0)).collect();
        assert_eq!(taken, [(true, Some(1)), (true, Some(1)), (true, Some(3)), dropped]);
    }
}
