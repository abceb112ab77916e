//! The longest queue of a pool, for the schemes that push out of it.

use forebay_parameters::Word;

use super::{Admission, PoolShape, Victim};
use crate::onchip::occupancy::PoolView;
use crate::tournament::Tournament;

/// From which end of its queue a packet is pushed out.
///
/// The analyses of pushing out treat packets of one size, which cannot tell the ends apart. The
/// tail keeps what has waited longest, and makes "the arriving packet's own queue is the longest"
/// the same as dropping that packet; so it is the default. The head needs no doubly linked list in
/// hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum End {
    /// The oldest packet.
    Head,
    /// The youngest packet.
    #[default]
    Tail,
}

impl End {
    /// The packet at this end of `queue`.
    pub(super) const fn of(self, queue: u32) -> Victim {
        match self {
            End::Head => Victim::Head(queue),
            End::Tail => Victim::Tail(queue),
        }
    }

    /// What to do if the packet arriving for `queue` makes it the longest: it is itself at the
    /// tail.
    pub(super) fn of_own(self, pool: PoolView<'_>, queue: u32) -> Admission {
        match self {
            End::Head if pool.length(queue) > 0 => Admission::PushOut(Victim::Head(queue)),
            End::Head | End::Tail => Admission::Drop,
        }
    }
}

/// Lengths of the queues in a tournament tree: O(log queues) per packet, 8 to 16 bytes a queue.
#[derive(Clone, Debug)]
pub(super) struct LongestQueue {
    lengths: Tournament,
    from: End,
}

impl LongestQueue {
    pub(super) fn new(from: End, shape: &PoolShape) -> Self {
        LongestQueue { lengths: Tournament::new(shape.queues.len() as u32), from }
    }

    /// The length of `queue` has changed.
    #[inline]
    pub(super) fn update(&mut self, pool: PoolView<'_>, queue: u32) {
        self.lengths.set(queue, pool.length(queue));
    }

    /// The length of the longest.
    pub(super) fn max(&self) -> u32 {
        self.lengths.max()
    }

    /// Drops from the longest.
    pub(super) fn push_out(&self) -> Admission {
        Admission::PushOut(self.from.of(self.lengths.longest()))
    }

    /// The packet that is dropped from the longest, if any waits.
    pub(super) fn victim(&self) -> Option<Victim> {
        (self.lengths.max() > 0).then(|| self.from.of(self.lengths.longest()))
    }

    /// Makes room for a packet of `cells` cells for `queue`: out of the longest queue, the arriving
    /// packet counted in its own. If that is the longest, its own end.
    pub(super) fn make_room(&self, pool: PoolView<'_>, queue: u32, cells: u32) -> Admission {
        if pool.length(queue).saturating_add(cells) >= self.lengths.max() {
            return self.from.of_own(pool, queue);
        }
        self.push_out()
    }
}
