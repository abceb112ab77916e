//! The naive model: items in order of arrival under each rank, in an ordered map.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::vec::Vec;

use crate::{RankedQueue, Reason, Rejected, Ties};

use super::{Op, Subject};

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Min,
    Max,
}

/// Everything that should wait.
#[derive(Clone, Debug)]
pub(crate) struct Model<R> {
    by_rank: BTreeMap<R, VecDeque<u32>>,
    len: usize,
    capacity: usize,
    ties: Ties,
}

impl<R: Copy + Ord + Debug> Model<R> {
    pub(crate) fn new(capacity: usize, ties: Ties) -> Self {
        Model { by_rank: BTreeMap::new(), len: 0, capacity, ties }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn push(&mut self, rank: R, item: u32) {
        self.by_rank.entry(rank).or_default().push_back(item);
        self.len += 1;
    }

    /// Asserts that `shown` is what that end may show.
    pub(crate) fn assert_end(&self, end: End, shown: Option<(R, u32)>) {
        let entry = match end {
            End::Min => self.by_rank.first_key_value(),
            End::Max => self.by_rank.last_key_value(),
        };
        let Some((&rank, items)) = entry else {
            assert_eq!(shown, None);
            return;
        };
        let Some((shown_rank, item)) = shown else {
            panic!("nothing shown while {} elements wait", self.len);
        };
        assert_eq!(shown_rank, rank, "{end:?}");
        match (self.ties, end) {
            (Ties::Fifo, End::Min) => assert_eq!(Some(&item), items.front(), "at rank {rank:?}"),
            (Ties::Fifo, End::Max) => assert_eq!(Some(&item), items.back(), "at rank {rank:?}"),
            (Ties::Unspecified, _) => assert!(items.contains(&item), "{item} is not at {rank:?}"),
        }
    }

    /// Asserts that `taken` is right for that end, and removes it here too.
    pub(crate) fn take(&mut self, end: End, taken: Option<(R, u32)>) {
        self.assert_end(end, taken);
        let Some((rank, item)) = taken else { return };
        let items = self.by_rank.get_mut(&rank).expect("just asserted");
        let at = match (self.ties, end) {
            (Ties::Fifo, End::Min) => 0,
            (Ties::Fifo, End::Max) => items.len() - 1,
            (Ties::Unspecified, _) => {
                items.iter().position(|&other| other == item).expect("just asserted")
            }
        };
        items.remove(at);
        if items.is_empty() {
            self.by_rank.remove(&rank);
        }
        self.len -= 1;
    }

    /// Asserts the answer to a push while `others` elements wait elsewhere in the same memory.
    pub(crate) fn pushed(
        &mut self,
        rank: R,
        item: u32,
        answer: Result<(), Rejected<R, u32>>,
        others: usize,
    ) {
        if self.len + others < self.capacity {
            assert_eq!(answer, Ok(()));
            self.push(rank, item);
        } else {
            let reason = Reason::Full { capacity: self.capacity };
            assert_eq!(answer, Err(Rejected { rank, item, reason }));
        }
    }

    /// Does `op` to both and compares the answers and then the ends.
    pub(crate) fn apply<S: Subject<Rank = R>>(&mut self, subject: &mut S, op: Op<R>, item: u32) {
        match op {
            Op::Push(rank) => {
                let answer = subject.queue_mut().push(rank, item);
                self.pushed(rank, item, answer, 0);
            }
            Op::PopMin => self.take(End::Min, subject.queue_mut().pop_min()),
            Op::PopMax => match subject.pop_max() {
                Some(taken) => self.take(End::Max, taken),
                None => self.take(End::Min, subject.queue_mut().pop_min()),
            },
            Op::Replace(rank) => {
                let answer = subject.queue_mut().replace(rank, item);
                self.take(End::Min, answer.popped);
                self.pushed(rank, item, answer.pushed, 0);
            }
        }
        assert_eq!(subject.queue().len(), self.len);
        assert_eq!(subject.queue().is_empty(), self.len == 0);
        let shown = subject.queue().peek_min().map(|(rank, &item)| (rank, item));
        self.assert_end(End::Min, shown);
        if let Some(shown) = subject.peek_max() {
            self.assert_end(End::Max, shown);
        }
    }

    /// Compares every element.
    pub(crate) fn compare_all<S: Subject<Rank = R>>(&self, subject: &S) {
        assert_eq!(subject.queue().capacity(), self.capacity);
        let mut all: Vec<_> = subject.queue().iter().map(|(rank, &item)| (rank, item)).collect();
        all.sort_unstable();
        let expected = self.by_rank.iter().flat_map(|(&rank, items)| {
            let mut items: Vec<_> = items.iter().map(|&item| (rank, item)).collect();
            items.sort_unstable();
            items
        });
        assert!(all.into_iter().eq(expected));
    }

    /// Pops until both are empty.
    pub(crate) fn drain<S: Subject<Rank = R>>(&mut self, subject: &mut S) {
        while self.len > 0 {
            self.take(End::Min, subject.queue_mut().pop_min());
        }
        assert_eq!(subject.queue_mut().pop_min(), None);
        assert!(subject.queue().is_empty());
    }
}
