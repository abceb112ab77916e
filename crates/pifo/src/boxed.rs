//! Queues chosen at run time: a box of any is one.
//!
//! Complexity: that of the structure, and one indirect call for each operation.

use alloc::boxed::Box;

use crate::indexed::IndexedQueue;
use crate::ranked::{
    DoubleEnded, Elements, FifoTies, RankedQueue, Reason, Rejected, Replaced, Ties,
};
use crate::tiered::PushError;

impl<Q: RankedQueue + ?Sized> RankedQueue for Box<Q> {
    type Rank = Q::Rank;
    type Item = Q::Item;

    fn ties(&self) -> Ties {
        (**self).ties()
    }

    fn push(&mut self, rank: Q::Rank, item: Q::Item) -> Result<(), Rejected<Q::Rank, Q::Item>> {
        (**self).push(rank, item)
    }

    fn check_rank(&self, rank: Q::Rank) -> Result<(), Reason> {
        (**self).check_rank(rank)
    }

    fn pop_min(&mut self) -> Option<(Q::Rank, Q::Item)> {
        (**self).pop_min()
    }

    fn peek_min(&self) -> Option<(Q::Rank, &Q::Item)> {
        (**self).peek_min()
    }

    fn replace(&mut self, rank: Q::Rank, item: Q::Item) -> Replaced<Q::Rank, Q::Item> {
        (**self).replace(rank, item)
    }

    fn len(&self) -> usize {
        (**self).len()
    }

    fn capacity(&self) -> usize {
        (**self).capacity()
    }

    fn iter(&self) -> Elements<'_, Q::Rank, Q::Item> {
        (**self).iter()
    }
}

impl<Q: FifoTies + ?Sized> FifoTies for Box<Q> {}

impl<Q: DoubleEnded + ?Sized> DoubleEnded for Box<Q> {
    fn pop_max(&mut self) -> Option<(Q::Rank, Q::Item)> {
        (**self).pop_max()
    }

    fn peek_max(&self) -> Option<(Q::Rank, &Q::Item)> {
        (**self).peek_max()
    }
}

impl<Q: IndexedQueue + ?Sized> IndexedQueue for Box<Q> {
    type Rank = Q::Rank;

    fn push(&mut self, rank: Q::Rank, id: u32) -> Result<(), PushError> {
        (**self).push(rank, id)
    }

    fn check_rank(&self, rank: Q::Rank) -> Result<(), Reason> {
        (**self).check_rank(rank)
    }

    fn pop_min(&mut self) -> Option<(Q::Rank, u32)> {
        (**self).pop_min()
    }

    fn peek_min(&self) -> Option<(Q::Rank, u32)> {
        (**self).peek_min()
    }

    fn pop_max(&mut self) -> Option<(Q::Rank, u32)> {
        (**self).pop_max()
    }

    fn peek_max(&self) -> Option<(Q::Rank, u32)> {
        (**self).peek_max()
    }

    fn remove(&mut self, id: u32) -> Option<Q::Rank> {
        (**self).remove(id)
    }

    fn rank_of(&self, id: u32) -> Option<Q::Rank> {
        (**self).rank_of(id)
    }

    fn change_rank(&mut self, id: u32, rank: Q::Rank) -> bool {
        (**self).change_rank(id, rank)
    }

    fn len(&self) -> usize {
        (**self).len()
    }
}
