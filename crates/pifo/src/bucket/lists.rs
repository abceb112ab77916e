//! The elements of every bucket: doubly linked lists of small blocks in one arena.
//!
//! Source: BBQ's priority buckets and free list (thesis §4.2.2), with one change for processors: a
//! list links blocks of neighbours, not single elements. A hardware queue reads any element in one
//! cycle; a processor waits for a cache line, so a block is about two lines: sixteen elements of
//! four bytes, one of a hundred. Only the first and the last block of a bucket can be partly used.
//!
//! Complexity: every operation O(1); a push or a pop touches one slot, and a link once per block.
//! Memory: for `n` elements in `k` non-empty buckets and blocks of `b` slots at most `n / b + 2k`
//! blocks (and never more than `n`), a link of eight bytes per block, and eight bytes per bucket.
//! The arena keeps its largest size: once there, nothing is allocated.

use alloc::vec;
use alloc::vec::Vec;

/// What a block should measure: two cache lines. Measured: half costs a quarter more per operation
/// at a million elements, twice costs as much at a thousand.
const BLOCK_BYTES: usize = 128;

/// The most slots in a block.
const MAX_BLOCK: u32 = 16;

/// "No slot" and "no block".
const NIL: u32 = u32::MAX;

/// The most elements an arena can number: the slots of every block of the largest number of buckets
/// stay below [`NIL`].
pub(super) const MAX_ELEMENTS: usize = 1 << 31;

/// A bucket's first and last slot; a slot's block is its number divided by [`BLOCK`].
#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
}

const EMPTY: Ends = Ends { head: NIL, tail: NIL };

/// A block's neighbours in its bucket; those beyond the ends are stale, never read. In the free
/// list, `next` leads on.
#[derive(Clone, Copy)]
struct Link {
    next: u32,
    prev: u32,
}

/// A first-in first-out list, open at both ends, for every bucket.
#[derive(Clone)]
pub(super) struct BucketLists<T> {
    ends: Vec<Ends>,
    /// The slots of all blocks; a slot off its list is `None`.
    slots: Vec<Option<T>>,
    links: Vec<Link>,
    free: u32,
}

impl<T> BucketLists<T> {
    /// Slots per block, a power of two.
    const BLOCK: u32 = {
        let fit = BLOCK_BYTES / size_of::<Option<T>>();
        if fit >= MAX_BLOCK as usize {
            MAX_BLOCK
        } else if fit == 0 {
            1
        } else {
            1 << fit.ilog2()
        }
    };

    pub(super) fn new(buckets: usize) -> Self {
        BucketLists { ends: vec![EMPTY; buckets], slots: Vec::new(), links: Vec::new(), free: NIL }
    }

    #[inline]
    pub(super) fn is_empty(&self, bucket: usize) -> bool {
        self.ends[bucket].head == NIL
    }

    /// The earliest element of `bucket`.
    #[inline]
    pub(super) fn front(&self, bucket: usize) -> Option<&T> {
        self.slot(self.ends[bucket].head)
    }

    /// The latest element of `bucket`.
    #[inline]
    pub(super) fn back(&self, bucket: usize) -> Option<&T> {
        self.slot(self.ends[bucket].tail)
    }

    #[inline]
    pub(super) fn push_back(&mut self, bucket: usize, item: T) {
        let Ends { head, tail } = self.ends[bucket];
        let slot = if head == NIL {
            let slot = self.allocate() * Self::BLOCK;
            self.ends[bucket].head = slot;
            slot
        } else if tail % Self::BLOCK == Self::BLOCK - 1 {
            let block = self.allocate();
            self.links[(tail / Self::BLOCK) as usize].next = block;
            self.links[block as usize].prev = tail / Self::BLOCK;
            block * Self::BLOCK
        } else {
            tail + 1
        };
        self.ends[bucket].tail = slot;
        self.slots[slot as usize] = Some(item);
    }

    /// Takes the earliest element of `bucket`.
    #[inline]
    pub(super) fn pop_front(&mut self, bucket: usize) -> Option<T> {
        let Ends { head, tail } = self.ends[bucket];
        let item = self.take(head)?;
        let block = head / Self::BLOCK;
        if head == tail {
            self.ends[bucket] = EMPTY;
            self.release(block);
        } else if head % Self::BLOCK == Self::BLOCK - 1 {
            self.ends[bucket].head = self.links[block as usize].next * Self::BLOCK;
            self.release(block);
        } else {
            self.ends[bucket].head = head + 1;
        }
        Some(item)
    }

    /// Takes the latest element of `bucket`.
    #[inline]
    pub(super) fn pop_back(&mut self, bucket: usize) -> Option<T> {
        let Ends { head, tail } = self.ends[bucket];
        let item = self.take(tail)?;
        let block = tail / Self::BLOCK;
        if head == tail {
            self.ends[bucket] = EMPTY;
            self.release(block);
        } else if tail.is_multiple_of(Self::BLOCK) {
            // Every block but the last is used up to its end.
            self.ends[bucket].tail =
                self.links[block as usize].prev * Self::BLOCK + Self::BLOCK - 1;
            self.release(block);
        } else {
            self.ends[bucket].tail = tail - 1;
        }
        Some(item)
    }

    /// The elements of `bucket` in order of arrival.
    pub(super) fn iter(&self, bucket: usize) -> impl Iterator<Item = &T> {
        let Ends { head, tail } = self.ends[bucket];
        let mut next = Some(head).filter(|&slot| slot != NIL);
        core::iter::from_fn(move || {
            let slot = next?;
            next = match slot {
                last if last == tail => None,
                full if full % Self::BLOCK == Self::BLOCK - 1 => {
                    Some(self.links[(full / Self::BLOCK) as usize].next * Self::BLOCK)
                }
                inner => Some(inner + 1),
            };
            self.slot(slot)
        })
    }

    #[inline]
    fn slot(&self, slot: u32) -> Option<&T> {
        // NIL lies beyond the arena.
        self.slots.get(slot as usize)?.as_ref()
    }

    #[inline]
    fn take(&mut self, slot: u32) -> Option<T> {
        self.slots.get_mut(slot as usize)?.take()
    }

    /// A block from the free list, or a new one.
    #[inline]
    fn allocate(&mut self) -> u32 {
        let block = self.free;
        match self.links.get(block as usize) {
            Some(link) => {
                self.free = link.next;
                block
            }
            None => self.grow(),
        }
    }

    #[cold]
    fn grow(&mut self) -> u32 {
        let block = self.links.len() as u32; // fits: see MAX_ELEMENTS
        self.slots.extend((0..Self::BLOCK).map(|_| None));
        self.links.push(Link { next: NIL, prev: NIL });
        block
    }

    #[inline]
    fn release(&mut self, block: u32) {
        self.links[block as usize].next = self.free;
        self.free = block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    proptest! {
        /// Three lists share the arena; long runs of one operation cross many block borders.
        #[test]
        fn lists_agree_with_deques(
            runs in prop::collection::vec((0usize..3, 0u8..3, 1usize..40), 1..60),
        ) {
            agree(&runs, |number| number)?; // sixteen to a block
            agree(&runs, |number| [number; 5])?; // four
            agree(&runs, |number| [number; 50])?; // one
        }
    }

    fn agree<T: Clone + PartialEq + core::fmt::Debug>(
        runs: &[(usize, u8, usize)],
        item: impl Fn(u32) -> T,
    ) -> Result<(), TestCaseError> {
        let mut lists = BucketLists::new(3);
        let mut deques = [const { VecDeque::new() }; 3];
        let mut next = 0u32;
        for &(bucket, op, times) in runs {
            for _ in 0..times {
                next += 1;
                match op {
                    0 => {
                        lists.push_back(bucket, item(next));
                        deques[bucket].push_back(item(next));
                    }
                    1 => prop_assert_eq!(lists.pop_front(bucket), deques[bucket].pop_front()),
                    _ => prop_assert_eq!(lists.pop_back(bucket), deques[bucket].pop_back()),
                }
                prop_assert_eq!(lists.front(bucket), deques[bucket].front());
                prop_assert_eq!(lists.back(bucket), deques[bucket].back());
                prop_assert_eq!(lists.is_empty(bucket), deques[bucket].is_empty());
            }
            for (bucket, deque) in deques.iter().enumerate() {
                prop_assert!(lists.iter(bucket).eq(deque.iter()));
            }
        }
        Ok(())
    }

    #[test]
    fn blocks_are_used_again() {
        let mut lists = BucketLists::new(4);
        for round in 0..1_000u32 {
            for item in 0..30 {
                lists.push_back((round % 4) as usize, item);
            }
            while lists.pop_front((round % 4) as usize).is_some() {}
        }
        assert_eq!(lists.links.len(), 2);
    }
}
