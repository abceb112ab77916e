//! One level of the wheel: 4,096 buckets, each a doubly linked list, under two levels of bitmaps.

use alloc::boxed::Box;

/// Buckets per level, as a power of two: a word of words of bits.
pub(super) const BUCKET_BITS: u32 = 12;
const BUCKETS: usize = 1 << BUCKET_BITS;
const WORDS: usize = BUCKETS / 64;

/// No event: the end of a list.
pub(super) const NIL: u32 = u32::MAX;

/// An event's time, and its neighbours in its list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) at: u64,
    pub(super) next: u32,
    pub(super) prev: u32,
}

impl Slot {
    /// Not pending.
    pub(super) const IDLE: Slot = Slot { at: u64::MAX, next: NIL, prev: NIL };

    pub(super) fn is_pending(&self) -> bool {
        self.at != u64::MAX
    }
}

/// The bucket of a time in units of a bucket's span.
pub(super) fn bucket(units: u64) -> usize {
    units as usize % BUCKETS
}

/// Puts `id` at the head of a list.
#[inline]
pub(super) fn link(slots: &mut [Slot], head: &mut u32, id: u32) {
    let old = core::mem::replace(head, id);
    (slots[id as usize].next, slots[id as usize].prev) = (old, NIL);
    if old != NIL {
        slots[old as usize].prev = id;
    }
}

/// Takes `id` out of the list with this head.
#[inline]
pub(super) fn unlink(slots: &mut [Slot], head: &mut u32, id: u32) {
    let Slot { next, prev, .. } = slots[id as usize];
    if prev == NIL {
        *head = next;
    } else {
        slots[prev as usize].next = next;
    }
    if next != NIL {
        slots[next as usize].prev = prev;
    }
}

#[derive(Clone, Debug)]
pub(super) struct Level {
    heads: Box<[u32; BUCKETS]>,
    /// A bit per bucket: it holds something.
    words: [u64; WORDS],
    /// A bit per word: it is not zero.
    top: u64,
}

impl Level {
    pub(super) fn new() -> Self {
        Level { heads: Box::new([NIL; BUCKETS]), words: [0; WORDS], top: 0 }
    }

    /// The first bucket that holds something.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        if self.top == 0 {
            return None;
        }
        let word = self.top.trailing_zeros() as usize;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }

    /// The head of a bucket's list.
    pub(super) fn head(&self, bucket: usize) -> u32 {
        self.heads[bucket]
    }

    /// Empties a bucket and gives the head of its list.
    #[inline]
    pub(super) fn take(&mut self, bucket: usize) -> u32 {
        self.clear(bucket);
        core::mem::replace(&mut self.heads[bucket], NIL)
    }

    #[inline]
    pub(super) fn link(&mut self, slots: &mut [Slot], id: u32, bucket: usize) {
        link(slots, &mut self.heads[bucket], id);
        self.words[bucket / 64] |= 1 << (bucket % 64);
        self.top |= 1 << (bucket / 64);
    }

    #[inline]
    pub(super) fn unlink(&mut self, slots: &mut [Slot], id: u32, bucket: usize) {
        unlink(slots, &mut self.heads[bucket], id);
        if self.heads[bucket] == NIL {
            self.clear(bucket);
        }
    }

    fn clear(&mut self, bucket: usize) {
        let word = &mut self.words[bucket / 64];
        *word &= !(1 << (bucket % 64));
        if *word == 0 {
            self.top &= !(1 << (bucket / 64));
        }
    }
}
