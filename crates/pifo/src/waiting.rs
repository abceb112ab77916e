//! An element as the comparison-based queues keep it: its rank, and the arrival number that makes
//! the order total, and with it stable.

use core::cmp::Ordering;

/// An element, ordered by rank and then by arrival; the item has no say.
#[derive(Clone, Copy)]
pub(crate) struct Waiting<R, T> {
    pub rank: R,
    pub arrival: u64,
    pub item: T,
}

impl<R: Ord, T> Ord for Waiting<R, T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank).then(self.arrival.cmp(&other.arrival))
    }
}

impl<R: Ord, T> PartialOrd for Waiting<R, T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    // Without a branch: which of two children is smaller cannot be foreseen.
    #[inline]
    fn lt(&self, other: &Self) -> bool {
        (self.rank < other.rank) | ((self.rank == other.rank) & (self.arrival < other.arrival))
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        other.lt(self)
    }
}

impl<R: Ord, T> PartialEq for Waiting<R, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<R: Ord, T> Eq for Waiting<R, T> {}
