//! The slots of a [`SampleQueue`](super::SampleQueue): chains of elements over disjoint, ascending
//! ranges of ranks, told apart by splitters.
//!
//! Slot `i` holds ranks from its splitter up to that of slot `i + 1`; the last has no upper limit.
//! The slots in use are `first ..`; those before it are spare, for the ranges that a split makes.
//! Two adjacent slots with the same splitter isolate one rank that is common: [`Kind::Equal`] holds
//! just that rank, [`Kind::After`] what is above it. So no number of equal ranks makes a slot that
//! cannot be split.
//!
//! Complexity: finding a slot is a binary search without branches on ranks, O(log S) for S slots.

mod dividing;

use alloc::vec::Vec;
use core::{hint, mem};

use super::chain::{Chain, Pool};
use dividing::Division;

/// Which ranks a slot holds, given its splitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The splitter itself and above.
    Range,
    /// The splitter itself only.
    Equal,
    /// Above the splitter; the splitter itself belongs to the slot before.
    After,
}

#[derive(Clone)]
pub(super) struct Slot<E> {
    chain: Chain<E>,
    kind: Kind,
    /// The last split of these elements was lopsided, so the next one looks at all of them.
    lopsided: bool,
}

/// Where a range of ranks begins that a split makes.
#[derive(Clone, Copy)]
pub(super) struct Cut<R> {
    pub(super) splitter: R,
    pub(super) kind: Kind,
}

#[derive(Clone)]
pub(super) struct Slots<R, T, const S: usize> {
    /// Empty until a slot is needed, then `S` long.
    splitters: Vec<R>,
    slots: Vec<Slot<(R, T)>>,
    first: usize,
    /// Slots in use of [`Kind::After`].
    isolated: usize,
    pool: Pool<(R, T)>,
    /// A slot that is being divided before its turn.
    division: Division<R, (R, T)>,
    /// Elements moved from slot to slot.
    #[cfg(test)]
    pub(super) moves: usize,
}

impl<R: Copy + Ord, T, const S: usize> Slots<R, T, S> {
    pub(super) const fn new() -> Self {
        const { assert!(S >= 8 && S.is_power_of_two(), "SLOTS is a power of two, at least 8") };
        Slots {
            splitters: Vec::new(),
            slots: Vec::new(),
            first: S,
            isolated: 0,
            pool: Pool::new(),
            division: Division::Idle,
            #[cfg(test)]
            moves: 0,
        }
    }

    /// The smallest rank that belongs in a slot, if there is any slot in use.
    #[inline]
    pub(super) fn bound(&self) -> Option<R> {
        self.splitters.get(self.first).copied()
    }

    /// Slots that a split may fill: the spare ones and the one that is split.
    pub(super) fn room(&self) -> usize {
        self.first + 1
    }

    /// The first slot in use: its kind, its number of elements and whether its last split was
    /// lopsided.
    pub(super) fn front(&self) -> Option<(Kind, usize, bool)> {
        self.slots.get(self.first).map(|slot| (slot.kind, slot.chain.len(), slot.lopsided))
    }

    /// Every element, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(R, T)> {
        let used = self.slots.get(self.first..).unwrap_or_default();
        let settled = used.iter().flat_map(|slot| self.pool.blocks_of(&slot.chain)).flatten();
        settled.chain(self.on_their_way())
    }

    /// Keeps count of elements moved, for tests.
    #[inline]
    fn count_moves(&mut self, _elements: usize) {
        #[cfg(test)]
        {
            self.moves += _elements;
        }
    }

    /// Adds an element whose rank is not below the [`bound`](Self::bound).
    #[inline]
    pub(super) fn append(&mut self, rank: R, item: T) {
        match (self.splitters.last(), self.slots.last_mut()) {
            // Ranks that advance are mostly beyond all splitters, and need no search.
            (Some(splitter), Some(slot)) if *splitter < rank => {
                self.pool.append(&mut slot.chain, (rank, item));
            }
            _ => self.append_before(S, rank, item),
        }
    }

    /// Adds an element to the slot of its rank among those in use before `end`.
    #[inline]
    fn append_before(&mut self, end: usize, rank: R, item: T) {
        let mut at = search::<R, S>(&self.splitters, self.first, end, rank);
        if self.isolated > 0 {
            // A slot that was divided beside one that isolates the same rank leaves two in a row.
            while self.slots[at].kind == Kind::After && self.splitters[at] == rank {
                at -= 1; // stops: the first slot in use is of another kind
            }
        }
        self.pool.append(&mut self.slots[at].chain, (rank, item));
    }

    /// Opens a slot in front of all others, for ranks from `splitter` on. The caller has seen to a
    /// spare one.
    pub(super) fn open(&mut self, splitter: R) {
        if self.slots.is_empty() {
            self.splitters.resize(S, splitter);
            let unused = || Slot { chain: Chain::EMPTY, kind: Kind::Range, lopsided: false };
            self.slots.resize_with(S, unused);
        }
        if self.splitters[self.first - 1] > splitter {
            self.lower_spare(splitter);
        }
        self.first -= 1;
        self.place(self.first, Cut { splitter, kind: Kind::Range });
    }

    /// Adds an element to the first slot, whatever its rank.
    pub(super) fn append_front(&mut self, rank: R, item: T) {
        self.pool.append(&mut self.slots[self.first].chain, (rank, item));
    }

    /// The search reads the splitters of spare slots too, so none may be above those in use.
    fn lower_spare(&mut self, splitter: R) {
        self.splitters[..self.first].fill(splitter);
    }

    fn place(&mut self, at: usize, cut: Cut<R>) {
        self.splitters[at] = cut.splitter;
        self.slots[at] = Slot { chain: Chain::EMPTY, kind: cut.kind, lopsided: false };
    }

    /// Closes the first slot, which is empty. The rank of its splitter then has no slot of its own.
    pub(super) fn close(&mut self) {
        self.first += 1;
        if let Some(slot) = self.slots.get_mut(self.first)
            && slot.kind == Kind::After
        {
            slot.kind = Kind::Range;
            self.isolated -= 1;
        }
    }

    /// Takes the first block of the first slot; see [`Pool::take_block`].
    pub(super) fn take_block(&mut self) -> Option<Vec<(R, T)>> {
        self.pool.take_block(&mut self.slots.get_mut(self.first)?.chain)
    }

    pub(super) fn recycle(&mut self, block: Vec<(R, T)>) {
        self.pool.recycle(block);
    }

    /// The elements of the first slot, a block at a time.
    pub(super) fn front_blocks(&self) -> impl Iterator<Item = &[(R, T)]> {
        let front = self.slots.get(self.first);
        front.into_iter().flat_map(|slot| self.pool.blocks_of(&slot.chain))
    }

    /// Divides the first slot at `cuts`, which ascend, lie above its splitter or at it, and number
    /// less than the [`room`](Self::room).
    pub(super) fn divide(&mut self, cuts: &[Cut<R>]) {
        let end = self.first + 1;
        let mut whole = mem::replace(&mut self.slots[self.first].chain, Chain::EMPTY);
        let elements = whole.len();
        let begin = Cut { splitter: self.splitters[self.first], kind: Kind::Range };
        self.first -= cuts.len();
        self.place(self.first, begin);
        for (at, cut) in (self.first + 1..).zip(cuts) {
            self.place(at, *cut);
            self.isolated += usize::from(cut.kind == Kind::After);
        }
        self.count_moves(elements);
        while let Some(mut block) = self.pool.take_block(&mut whole) {
            for (rank, item) in block.drain(..) {
                self.append_before(end, rank, item);
            }
            self.pool.recycle(block);
        }
        for slot in &mut self.slots[self.first..end] {
            slot.lopsided = slot.chain.len() > elements / 2;
        }
    }

    /// Joins neighbours, from the largest ranks down, until half of all slots are spare. The first
    /// slot stays as it is, so that to split it always gains something.
    ///
    /// No slot grows beyond four times the mean: of two neighbours that are not joined, one holds
    /// at least twice the mean, so that at most half of the slots and one remain.
    pub(super) fn pack(&mut self) {
        self.settle();
        let total: usize = self.slots[self.first..].iter().map(|slot| slot.chain.len()).sum();
        let most = total / (S / 4) + 1;
        let mut to = S - 1;
        for from in (self.first..S - 1).rev() {
            let waiting = from - self.first + 1;
            let lower = mem::replace(&mut self.slots[from].chain, Chain::EMPTY);
            let cut = Cut { splitter: self.splitters[from], kind: self.slots[from].kind };
            let together = lower.len() + self.slots[to].chain.len();
            if from > self.first && to < S / 2 + waiting && together <= most {
                let upper = mem::replace(&mut self.slots[to].chain, lower);
                self.pool.join(&mut self.slots[to].chain, upper);
                // Joined with what holds the splitter itself, even `After` becomes a range from it
                // on.
                let holds_it =
                    cut.splitter == self.splitters[to] && self.slots[to].kind != Kind::After;
                let after = cut.kind == Kind::After && !holds_it;
                let kind = if after { Kind::After } else { Kind::Range };
                (self.splitters[to], self.slots[to].kind) = (cut.splitter, kind);
            } else {
                to -= 1;
                self.place(to, cut);
                self.slots[to].chain = lower;
            }
        }
        self.first = to;
        let used = &self.slots[to..];
        self.isolated = used.iter().filter(|slot| slot.kind == Kind::After).count();
        self.lower_spare(self.splitters[to]);
    }
}

#[cfg(test)]
impl<R: Copy + Ord + core::fmt::Debug, T, const S: usize> Slots<R, T, S> {
    /// Asserts that splitters ascend, spare ones included, and that every slot holds ranks of its
    /// range. (What a slot held when it became the neighbour of a new one may equal that one's
    /// splitter.)
    pub(super) fn assert_ordered(&self) {
        assert!(self.splitters.is_sorted());
        for at in self.first..S {
            let slot = &self.slots[at];
            let elements = || self.pool.blocks_of(&slot.chain).flatten().map(|element| element.0);
            assert_eq!(elements().count(), slot.chain.len());
            let (low, high) = (self.splitters[at], self.splitters.get(at + 1));
            assert!(elements().all(|rank| low <= rank && high.is_none_or(|high| rank <= *high)));
            assert!(slot.kind != Kind::Equal || elements().all(|rank| rank == low));
            assert!(slot.kind != Kind::After || elements().all(|rank| rank > low));
        }
    }

    /// Blocks of memory taken so far.
    pub(super) fn blocks(&self) -> usize {
        self.pool.blocks()
    }
}

/// The last of the splitters in `first .. end` that is not above `rank`, if `first` is not and none
/// before it is. There are `S`, and `end` is at most that.
#[inline]
fn search<R: Copy + Ord, const S: usize>(
    splitters: &[R],
    first: usize,
    end: usize,
    rank: R,
) -> usize {
    // Few widths, each with steps that the compiler lays out; which one is the same for long.
    let found = match end - first {
        1 => first,
        ..=8 => search_before::<R, 8>(splitters, end, rank),
        ..=64 if S >= 64 => search_before::<R, 64>(splitters, end, rank),
        ..=256 if S >= 256 => search_before::<R, 256>(splitters, end, rank),
        _ => search_before::<R, S>(splitters, end, rank),
    };
    found.min(end - 1)
}

/// The last that is not above `rank` of the `W` splitters before `end`, a power of two, or of the
/// first `W` if that is more; the first of those if all are above.
#[inline]
fn search_before<R: Copy + Ord, const W: usize>(splitters: &[R], end: usize, rank: R) -> usize {
    let begin = end.saturating_sub(W);
    let window = splitters.get(begin..).and_then(<[R]>::first_chunk::<W>);
    let Some(window) = window else { return begin };
    let (mut at, mut step) = (0, W / 2);
    while step > 0 {
        // Which way cannot be foreseen, so it must not be a branch.
        at = hint::select_unpredictable(window[at | step] <= rank, at | step, at);
        step /= 2;
    }
    begin + at
}
