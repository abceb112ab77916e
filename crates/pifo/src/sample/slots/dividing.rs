//! Dividing a large slot before its turn, a little at a time, so that no single pop has to divide
//! it whole.
//!
//! First ranks are taken from the slot, a few blocks at a time; then its ranges get slots of their
//! own, and its elements are moved there a few blocks at a time. What is pushed meanwhile goes to
//! the new slots at once. It came later than what is still to be moved, so a range keeps both apart
//! until all are moved, and joins them then.
//!
//! Complexity: a step is linear in what it is given to do; beginning and ending are O(S), and the
//! ranks taken are sorted, about four for each part.

use alloc::vec::Vec;
use core::mem;

use super::{Cut, Kind, Slots, search};
use crate::sample::chain::Chain;
use crate::sample::cuts::cuts;

/// What has been done of a division ahead.
#[derive(Clone)]
pub(super) enum Division<R, E> {
    /// None is under way.
    Idle,
    /// Ranks are being taken.
    Sampling(Sampling<R>),
    /// Elements are being moved.
    Moving(Moving<E>),
}

/// Ranks of a slot, one in `stride` on average.
#[derive(Clone)]
pub(super) struct Sampling<R> {
    at: usize,
    parts: usize,
    stride: usize,
    sample: Vec<R>,
    /// The block that is looked at next, and how many elements of it are passed over.
    block: u32,
    skip: usize,
}

/// The elements of a slot on their way to the slots `begin .. end`, its ranges.
#[derive(Clone)]
pub(super) struct Moving<E> {
    begin: usize,
    end: usize,
    /// How many there were.
    elements: usize,
    /// Those that are still to be moved.
    whole: Chain<E>,
    /// Those that were, by range: each goes before what its slot holds.
    moved: Vec<Chain<E>>,
}

impl<R: Copy + Ord, T, const S: usize> Slots<R, T, S> {
    /// Whether a slot is being divided before its turn.
    pub(in crate::sample) fn divides_ahead(&self) -> bool {
        !matches!(self.division, Division::Idle)
    }

    /// Begins to divide the first slot behind the front that holds more than `large` elements, in
    /// parts of about `part`, if no more are served before it than it holds. O(S).
    pub(in crate::sample) fn begin_ahead(&mut self, large: usize, part: usize) {
        let mut before = 0;
        for at in self.first..S {
            let slot = &self.slots[at];
            let elements = slot.chain.len();
            // One whose last division misled is looked at whole when its turn has come.
            let divisible = slot.kind != Kind::Equal && !slot.lopsided;
            if at > self.first && elements > large && before <= elements && divisible {
                // Enough stays spare for the divisions at the front.
                let spare = self.room().saturating_sub(S / 4 + S / 16 + 1);
                let parts = (elements / part + 1).min(self.room() / 2).min(spare);
                if parts >= 2 {
                    let stride = (elements / (4 * parts)).max(1);
                    let (sample, block) = (Vec::with_capacity(8 * parts), slot.chain.first());
                    let sampling = Sampling { at, parts, stride, sample, block, skip: 0 };
                    self.division = Division::Sampling(sampling);
                }
                return;
            }
            before += elements;
        }
    }

    /// Goes on with a division ahead: looks at so many elements' blocks, or moves about so many.
    pub(in crate::sample) fn divide_ahead(&mut self, elements: usize, random: &mut u64) {
        match mem::replace(&mut self.division, Division::Idle) {
            Division::Idle => {}
            Division::Sampling(sampling) => self.sample_ahead(sampling, elements / 2, random),
            Division::Moving(moving) => self.move_ahead(moving, elements),
        }
    }

    /// What is at the front must be whole: ends a division whose turn has come.
    #[inline]
    pub(in crate::sample) fn settle_front(&mut self) {
        let begins = match &self.division {
            Division::Idle => return,
            Division::Sampling(sampling) => sampling.at,
            Division::Moving(moving) => moving.begin,
        };
        if begins <= self.first {
            self.settle();
        }
    }

    /// Ends a division: moves all that is left, or forgets the ranks that were taken.
    pub(super) fn settle(&mut self) {
        match mem::replace(&mut self.division, Division::Idle) {
            Division::Idle | Division::Sampling(_) => {}
            Division::Moving(moving) => self.move_ahead(moving, usize::MAX),
        }
    }

    /// Every element on its way.
    pub(super) fn on_their_way(&self) -> impl Iterator<Item = &(R, T)> {
        let (whole, moved) = match &self.division {
            Division::Idle | Division::Sampling(_) => (None, [].as_slice()),
            Division::Moving(moving) => (Some(&moving.whole), moving.moved.as_slice()),
        };
        let chains = whole.into_iter().chain(moved);
        chains.flat_map(|chain| self.pool.blocks_of(chain)).flatten()
    }

    fn sample_ahead(&mut self, mut sampling: Sampling<R>, blocks: usize, random: &mut u64) {
        for _ in 0..blocks {
            let Some((elements, next)) = self.pool.block(sampling.block) else {
                return self.begin_moving(sampling);
            };
            while let Some((rank, _)) = elements.get(sampling.skip) {
                sampling.sample.push(*rank);
                *random ^= *random << 13;
                *random ^= *random >> 7;
                *random ^= *random << 17;
                let distance = (*random >> 32) as usize % (2 * sampling.stride - 1);
                sampling.skip += 1 + distance;
            }
            sampling.skip -= elements.len();
            sampling.block = next;
        }
        self.division = Division::Sampling(sampling);
    }

    /// Gives the ranges of a slot their own: what lies before it makes room.
    fn begin_moving(&mut self, sampling: Sampling<R>) {
        let Sampling { at, parts, mut sample, .. } = sampling;
        sample.sort_unstable();
        let cuts = cuts(&sample, parts);
        if cuts.is_empty() || cuts.len() > self.first {
            return;
        }
        self.first -= cuts.len();
        self.slots[self.first..at].rotate_left(cuts.len());
        self.splitters[self.first..at].rotate_left(cuts.len());
        let (begin, end) = (at - cuts.len(), at + 1);
        let whole = mem::replace(&mut self.slots[at].chain, Chain::EMPTY);
        let own = Cut { splitter: self.splitters[at], kind: self.slots[at].kind };
        self.place(begin, own);
        for (at, cut) in (begin + 1..).zip(&cuts) {
            self.place(at, *cut);
            self.isolated += usize::from(cut.kind == Kind::After);
        }
        let (elements, mut moved) = (whole.len(), Vec::new());
        moved.resize_with(end - begin, || Chain::EMPTY);
        self.division = Division::Moving(Moving { begin, end, elements, whole, moved });
    }

    fn move_ahead(&mut self, mut moving: Moving<(R, T)>, elements: usize) {
        let Moving { begin, end, .. } = moving;
        let mut left = elements;
        while left > 0 {
            let Some(mut block) = self.pool.take_block(&mut moving.whole) else {
                return self.end_moving(moving);
            };
            left = left.saturating_sub(block.len());
            self.count_moves(block.len());
            for (rank, item) in block.drain(..) {
                let mut at = search::<R, S>(&self.splitters, begin, end, rank);
                if self.isolated > 0 {
                    // As in `append_before`; stops at `begin`, whose range holds the rank.
                    while self.slots[at].kind == Kind::After && self.splitters[at] == rank {
                        at -= 1;
                    }
                }
                self.pool.append(&mut moving.moved[at - begin], (rank, item));
            }
            self.pool.recycle(block);
        }
        self.division = Division::Moving(moving);
    }

    fn end_moving(&mut self, moving: Moving<(R, T)>) {
        let slots = self.slots[moving.begin..moving.end].iter_mut();
        for (slot, mut chain) in slots.zip(moving.moved) {
            slot.lopsided = chain.len() > moving.elements / 2;
            let newer = mem::replace(&mut slot.chain, Chain::EMPTY);
            self.pool.join(&mut chain, newer);
            slot.chain = chain;
        }
    }
}
