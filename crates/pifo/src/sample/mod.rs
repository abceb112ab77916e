//! The fast ranked queue for ranks of any width: one end, exact, first-in first-out within a rank.
//!
//! It sorts lazily. Ranks are divided among slots by splitters, and an element is only appended to
//! the slot of its rank. The slot of the smallest ranks alone is sorted, and served from there.
//! When that is used up, the next slot takes its place; if it is large, it is first divided among
//! the slots that have become spare, at splitters taken from a sample of it. So an element is
//! compared with about log2(S) splitters once for each time that it moves, without a branch, and it
//! moves about log(n / NEAR) / log(S) times, each time from one run of memory to another. A heap
//! instead waits for a cache miss at every level.
//!
//! Source: our own. It keeps ClubHeap's idea that every element of one cluster is at most any of
//! the next (clubheap §3.1), but sorts only the cluster that is served; a processor needs neither a
//! constant number of cycles per operation nor the minimum of a cluster in its parent (§4.2), which
//! are there for a pipeline. The parts are well known: splitters from a sample and slots for common
//! ranks from samplesort, lazy sorting from quickheaps, a sorted part before unsorted ones from
//! ladder queues.
//!
//! Complexity: push and pop O(log n) amortized, over the random positions of the sample, for a
//! number of slots that grows with n; with S fixed as here, one more pass for each factor of S / 4.
//! One push is O(log S), or O(NEAR + S) if it spills or packs. One pop is O(1) in all but one of
//! about NEAR. That one sorts or divides a slot of some tens of NEAR elements; a larger slot is
//! divided before its turn, a part at each such pop, if a fifth as many pops are left until then as
//! it holds elements. Where its turn comes sooner, as after a flood of ranks beyond all others, or
//! where the spare slots run out, one pop divides it whole: O(n), or O(n log n) if its last
//! division misled and every rank is looked at. Who needs a promise takes a bucket queue or
//! `ExactQueue`. A sample that misleads costs one more pass, since the next looks at every rank;
//! whoever foresees the sample gains no more than that. Pushes in descending order that alternate
//! with draining divide the same elements again, at most 4 n / S of them for every S · NEAR
//! operations.
//!
//! Memory: an element's size and 1/16 of it, one partly filled block of half a kilobyte per slot in
//! use, a few more where slots were joined, 50 bytes and a rank per slot, and during a division a
//! sample of at most n ranks. Blocks are kept for reuse. Elements move, so an item of more than a
//! few words is better kept elsewhere and named by number.

mod chain;
mod cuts;
mod slots;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::ranked::{Elements, FifoTies, RankedQueue, Reason, Rejected, Ties};
use cuts::cuts;
use slots::{Kind, Slots};

/// A slot of more than so many times `NEAR` elements is divided before its turn.
const LARGE: usize = 32;

/// So many times `NEAR` elements of it are moved at a refill, of which there is one in about `NEAR`
/// pops: it is divided before the elements are served that are fewer than its own.
const AHEAD: usize = 8;

/// Refills between two looks for such a slot, which pass over all slots.
const LOOK: u8 = 8;

/// A [`RankedQueue`] over any rank that has an order: exact, stable, and made for large queues
/// whose ranks need more than the buckets of [`BucketQueue`](crate::BucketQueue) or a window.
///
/// `NEAR` is the number of elements that are sorted at a time, more or less; `SLOTS` how many
/// ranges the others are kept in, a power of two from 8 up.
///
/// ```
/// use forebay_pifo::{RankedQueue, SampleQueue};
///
/// let mut queue: SampleQueue<u64, &str> = SampleQueue::new(1_000);
/// queue.push(u64::MAX, "last")?;
/// queue.push(1 << 40, "first")?;
/// queue.push(1 << 40, "second")?;
/// assert_eq!(queue.pop_min(), Some((1 << 40, "first")));
/// assert_eq!(queue.peek_min(), Some((1 << 40, &"second")));
/// # Ok::<(), forebay_pifo::Rejected<u64, &str>>(())
/// ```
#[derive(Clone)]
pub struct SampleQueue<R, T, const NEAR: usize = 128, const SLOTS: usize = 512> {
    /// What is served next: descending, the earliest of equal ranks last. Nothing in it is above
    /// the slots' bound, and it is empty only if they are.
    near: Vec<(R, T)>,
    slots: Slots<R, T, SLOTS>,
    len: usize,
    capacity: usize,
    /// Refills since the last that looked for a slot to divide ahead.
    refills: u8,
    /// A xorshift generator for the positions of samples. No result depends on it.
    random: u64,
}

crate::debug_in_one_line!(
    [R: Copy + Ord + core::fmt::Debug, T, const NEAR: usize, const SLOTS: usize] SampleQueue<R, T, NEAR, SLOTS> as RankedQueue
);

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
            refills: 0,
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
        let mut divided = false;
        while self.near.is_empty() {
            self.slots.settle_front();
            let Some((kind, elements, lopsided)) = self.slots.front() else { return };
            if elements == 0 {
                self.slots.close();
            } else if kind == Kind::Equal {
                self.load_block();
            } else if elements <= 3 * NEAR {
                self.load();
            } else {
                self.split(elements, lopsided);
                divided = true;
            }
        }
        if !divided && self.len > 2 * LARGE * NEAR {
            self.divide_ahead();
        }
    }

    /// Does a part of dividing a large slot before its turn.
    fn divide_ahead(&mut self) {
        if self.slots.divides_ahead() {
            self.slots.divide_ahead(AHEAD * NEAR, &mut self.random);
        } else if self.refills < LOOK {
            self.refills += 1;
        } else {
            self.refills = 0;
            self.slots.begin_ahead(LARGE * NEAR, NEAR);
        }
    }

    /// Takes a block of elements of one rank.
    fn load_block(&mut self) {
        if let Some(mut block) = self.slots.take_block() {
            self.near.extend(block.drain(..).rev());
            self.slots.recycle(block);
        }
    }

    /// Takes and sorts all of the first slot.
    fn load(&mut self) {
        while let Some(mut block) = self.slots.take_block() {
            self.near.append(&mut block);
            self.slots.recycle(block);
        }
        self.slots.close();
        // Reversed, a stable sort leaves the earliest of equal ranks last.
        self.near.reverse();
        self.near.sort_by_key(|waiting| Reverse(waiting.0));
    }

    /// Divides the first slot into ranges of about `NEAR` elements, or as many as there is room
    /// for.
    fn split(&mut self, elements: usize, lopsided: bool) {
        if self.slots.room() <= SLOTS / 4 {
            self.slots.pack();
        }
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
}

impl<R: Copy + Ord, T, const NEAR: usize, const SLOTS: usize> RankedQueue
    for SampleQueue<R, T, NEAR, SLOTS>
{
    type Rank = R;
    type Item = T;

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
        self.len
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn iter(&self) -> Elements<'_, R, T> {
        Box::new(self.near.iter().chain(self.slots.iter()).map(|(rank, item)| (*rank, item)))
    }

    fn ties(&self) -> Ties {
        Ties::Fifo
    }
}

impl<R: Copy + Ord, T, const NEAR: usize, const SLOTS: usize> FifoTies
    for SampleQueue<R, T, NEAR, SLOTS>
{
}
