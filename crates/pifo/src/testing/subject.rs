//! A queue under test, with one end or with both.

use crate::{DoubleEnded, RankedQueue};

/// What the suite drives.
pub trait Subject {
    /// What its queue orders by.
    type Rank: Copy + Ord;
    /// The type of the queue under test.
    type Queue: RankedQueue<Rank = Self::Rank, Item = u32>;

    /// The queue, to look at.
    fn queue(&self) -> &Self::Queue;

    /// The queue, to change.
    fn queue_mut(&mut self) -> &mut Self::Queue;

    /// What `pop_max` takes, if the queue has a large end.
    fn pop_max(&mut self) -> Option<Option<(Self::Rank, u32)>>;

    /// What `peek_max` shows, if the queue has a large end.
    fn peek_max(&self) -> Option<Option<(Self::Rank, u32)>>;
}

/// A queue of which only the small end is tested.
pub struct Smallest<Q>(pub Q);

impl<Q: RankedQueue<Item = u32>> Subject for Smallest<Q> {
    type Rank = Q::Rank;
    type Queue = Q;

    fn queue(&self) -> &Q {
        &self.0
    }

    fn queue_mut(&mut self) -> &mut Q {
        &mut self.0
    }

    fn pop_max(&mut self) -> Option<Option<(Q::Rank, u32)>> {
        None
    }

    fn peek_max(&self) -> Option<Option<(Q::Rank, u32)>> {
        None
    }
}

/// A queue with both ends.
pub struct Both<Q>(pub Q);

impl<Q: DoubleEnded<Item = u32>> Subject for Both<Q> {
    type Rank = Q::Rank;
    type Queue = Q;

    fn queue(&self) -> &Q {
        &self.0
    }

    fn queue_mut(&mut self) -> &mut Q {
        &mut self.0
    }

    fn pop_max(&mut self) -> Option<Option<(Q::Rank, u32)>> {
        Some(self.0.pop_max())
    }

    fn peek_max(&self) -> Option<Option<(Q::Rank, u32)>> {
        Some(self.0.peek_max().map(|(rank, &item)| (rank, item)))
    }
}
