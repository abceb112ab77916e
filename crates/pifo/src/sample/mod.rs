//! head

mod chain;
mod slots;

use alloc::vec::Vec;

use crate::ranked::{RankedQueue, Reason, Rejected, Ties};
use slots::{Cut, Kind, Slots};

/// A queue
#[derive(Clone, Debug)]
pub struct SampleQueue<R, T, const NEAR: usize = 32, const SLOTS: usize = 512> {
    /// Descending, the earliest of equal ranks last; nothing in it is above the slots' bound.
    near: Vec<(R, T)>,
    slots: Slots<R, T, SLOTS>,
    len: usize,
    capacity: usize,
    random: u64,
}

impl<R: Copy + Ord, T, const NEAR: usize, const SLOTS: usize> SampleQueue<R, T, NEAR, SLOTS> {
    /// An empty queue for up to `capacity` elements; memory is taken as they arrive.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        const { assert!(NEAR >= 1, "the sorted part holds at least one element") };
        SampleQueue {
            near: Vec::new(),
            slots: Slots::new(),
            len: 0,
            capacity,
            random: 0x9E37_79B9_7F4A_7C15,
        }
    }

    /// Puts an element that is below all slots in its place among the sorted ones.
    #[inline]
    fn insert(&mut self, rank: R, item: T) {
        let at = self.near.partition_point(|waiting| waiting.0 > rank);
        self.near.insert(at, (rank, item));
        if self.near.len() > 4 * NEAR {
            self.spill();
        }
    }

    /// Moves the larger half of the sorted elements to a slot of their own.
    #[cold]
    fn spill(&mut self) {
        if self.slots.room() <= 1 {
            self.slots.pack();
        }
        let half = self.near.len() / 2;
        let splitter = self.near[half - 1].0;
        self.slots.open(splitter);
        for (rank, item) in self.near.drain(..half).rev() {
            self.slots.append_front(rank, item);
        }
    }

    /// Sorts the next elements after the last sorted one was taken.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        while self.near.is_empty()
            && let Some((kind, elements, lopsided)) = self.slots.front()
        {
            if elements == 0 {
                self.slots.close();
            } else if kind == Kind::Equal {
                self.load_block();
            } else if elements <= 3 * NEAR {
                self.load();
            } else {
                self.split(elements, lopsided);
            }
        }
    }

    /// Takes a block of elements of one rank.
    fn load_block(&mut self) {
        if let Some(mut taken) = self.slots.take_block() {
            self.near.extend(taken.elements.drain(..).rev());
            self.slots.recycle(taken);
        }
    }

    fn load(&mut self) {
        while let Some(mut taken) = self.slots.take_block() {
            self.near.append(&mut taken.elements);
            self.slots.recycle(taken);
        }
        self.slots.close();
        self.near.reverse();
        self.near.sort_by(|a, b| b.0.cmp(&a.0));
    }

    /// Divides the first slot into ranges of about `NEAR` elements, or as many as there is room for.
    fn split(&mut self, elements: usize, lopsided: bool) {
        if self.slots.room() <= SLOTS / 4 {
            self.slots.pack();
        }
        let elements = self.slots.front().map_or(elements, |front| front.1);
        let parts = (elements / NEAR + 1).min(self.slots.room() / 2).max(2);
        let stride = if lopsided { 1 } else { (elements / (4 * parts)).max(1) };
        let mut sample = self.sample(stride);
        sample.sort_unstable();
        self.slots.divide(&cuts(&sample, parts));
    }

    /// Ranks of the first slot, one in `stride` on average, at random distances.
    fn sample(&mut self, stride: usize) -> Vec<R> {
        let mut sample = Vec::new();
        let mut skip = 0;
        for block in self.slots.front_blocks() {
            while let Some((rank, _)) = block.get(skip) {
                sample.push(*rank);
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                skip += 1 + (self.random >> 32) as usize % (2 * stride - 1);
            }
            skip -= block.len();
        }
        sample
    }

    fn len_(&self) -> usize {
        self.len
    }
}

/// Where to divide elements of which `sample` is a sorted sample, for about `parts` equal parts. A
/// rank that takes more than a part, or that would leave the first part empty, gets a slot to itself.
fn cuts<R: Copy + Ord>(sample: &[R], parts: usize) -> Vec<Cut<R>> {
    let mut cuts: Vec<Cut<R>> = Vec::with_capacity(2 * parts);
    let mut last = sample.first().copied();
    let mut heavy = false;
    for part in 1..parts {
        let Some(&splitter) = sample.get(part * sample.len() / parts) else { continue };
        if Some(splitter) != last {
            cuts.push(Cut { splitter, kind: Kind::Range });
            heavy = false;
        } else if !heavy {
            if cuts.last().is_some_and(|cut| cut.splitter == splitter) {
                cuts.pop();
            }
            cuts.push(Cut { splitter, kind: Kind::Equal });
            cuts.push(Cut { splitter, kind: Kind::After });
            heavy = true;
        }
        last = Some(splitter);
    }
    cuts
}

impl<R: Copy + Ord, T, const NEAR: usize, const SLOTS: usize> RankedQueue
    for SampleQueue<R, T, NEAR, SLOTS>
{
    type Rank = R;
    type Item = T;
    const TIES: Ties = Ties::Fifo;

    #[inline]
    fn push(&mut self, rank: R, item: T) -> Result<(), Rejected<R, T>> {
        if self.len >= self.capacity {
            let reason = Reason::Full { capacity: self.capacity };
            return Err(Rejected { rank, item, reason });
        }
        self.len += 1;
        match self.slots.bound() {
            Some(bound) if bound <= rank => self.slots.append(rank, item),
            _ => self.insert(rank, item),
        }
        Ok(())
    }

    #[inline]
    fn pop_min(&mut self) -> Option<(R, T)> {
        let popped = self.near.pop()?;
        self.len -= 1;
        if self.near.is_empty() {
            self.refill();
        }
        Some(popped)
    }

    #[inline]
    fn peek_min(&self) -> Option<(R, &T)> {
        self.near.last().map(|(rank, item)| (*rank, item))
    }

    fn len(&self) -> usize {
        self.len_()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn iter(&self) -> impl Iterator<Item = (R, &T)> {
        self.near.iter().chain(self.slots.iter()).map(|(rank, item)| (*rank, item))
    }
}
