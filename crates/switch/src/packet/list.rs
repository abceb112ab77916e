//! First-in first-out lists, in chunks that many lists share.
//!
//! Read and written in order, a list touches one cache line for several entries. A chunk that was
//! emptied is the next one used, so what all lists occupy follows what they hold, not the longest
//! that each has ever been. Constant time; 12 bytes a list; no allocation once the pool has reached
//! its largest size.

use alloc::vec::Vec;

use super::Handle;

const NIL: u32 = u32::MAX;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Chunk<T, const N: usize> {
    items: [T; N],
    /// The chunk behind it in its list, or the next free one.
    next: u32,
}

/// The chunks of some lists, of `N` entries each.
#[derive(Clone, Debug)]
pub struct ListPool<T, const N: usize> {
    chunks: Vec<Chunk<T, N>>,
    free: u32,
}

/// The chunks of lists of handles: four cache lines for 15.
///
/// ```
/// use forebay_switch::{Handle, HandlePool, List};
///
/// let mut pool = HandlePool::default();
/// let (mut one, mut two) = (List::default(), List::default());
/// one.push(&mut pool, Handle::new(1, 1500));
/// two.push(&mut pool, Handle::new(2, 64));
/// assert_eq!(one.pop(&mut pool).map(|handle| handle.flow()), Some(1));
/// assert!(one.is_empty() && !two.is_empty());
/// ```
pub type HandlePool = ListPool<Handle, 15>;

impl<T, const N: usize> Default for ListPool<T, N> {
    fn default() -> Self {
        ListPool { chunks: Vec::new(), free: NIL }
    }
}

impl<T: Copy + Default, const N: usize> ListPool<T, N> {
    /// A free chunk, or a new one if there is none.
    #[inline]
    fn take(&mut self) -> u32 {
        let id = self.free;
        let Some(chunk) = self.chunks.get(id as usize) else { return self.make() };
        self.free = chunk.next;
        id
    }

    #[cold]
    fn make(&mut self) -> u32 {
        if self.chunks.len() == self.chunks.capacity() {
            // By an eighth: doubling would set the run's peak of memory.
            self.chunks.reserve_exact((self.chunks.len() / 8).max(16));
        }
        self.chunks.push(Chunk { items: [T::default(); N], next: NIL });
        self.chunks.len() as u32 - 1
    }

    #[inline]
    fn give(&mut self, id: u32) {
        self.chunks[id as usize].next = core::mem::replace(&mut self.free, id);
    }
}

/// Entries in the order they came. Always used with the same pool.
#[derive(Clone, Debug)]
pub struct List {
    /// The first chunk, or [`NIL`] if the list is empty.
    head: u32,
    tail: u32,
    /// The first entry in the first chunk.
    first: u16,
    /// One past the last entry in the last chunk.
    end: u16,
}

impl Default for List {
    fn default() -> Self {
        List { head: NIL, tail: NIL, first: 0, end: 0 }
    }
}

impl List {
    /// Adds an entry at the end.
    // Always inlined, and room is made without the entry: one handed over in memory is written in
    // words and read in pairs of them, and the processor waits until both are there.
    #[inline(always)]
    pub fn push<T: Copy + Default, const N: usize>(&mut self, pool: &mut ListPool<T, N>, item: T) {
        if self.head == NIL || usize::from(self.end) == N {
            self.add_chunk(pool);
        }
        pool.chunks[self.tail as usize].items[usize::from(self.end)] = item;
        self.end += 1;
    }

    /// Puts an empty chunk at the end.
    fn add_chunk<T: Copy + Default, const N: usize>(&mut self, pool: &mut ListPool<T, N>) {
        let next = pool.take();
        if self.head == NIL {
            (self.head, self.first) = (next, 0);
        } else {
            pool.chunks[self.tail as usize].next = next;
        }
        (self.tail, self.end) = (next, 0);
    }

    /// Takes the first entry.
    #[inline]
    pub fn pop<T: Copy + Default, const N: usize>(
        &mut self,
        pool: &mut ListPool<T, N>,
    ) -> Option<T> {
        let head = self.head;
        let chunk = pool.chunks.get(head as usize)?;
        let item = chunk.items[usize::from(self.first)];
        self.first += 1;
        if head == self.tail {
            if self.first == self.end {
                self.head = NIL;
                pool.give(head);
            }
        } else if usize::from(self.first) == N {
            (self.head, self.first) = (chunk.next, 0);
            pool.give(head);
        }
        Some(item)
    }

    /// The first entry.
    #[must_use]
    #[inline]
    pub fn first<'p, T, const N: usize>(&self, pool: &'p ListPool<T, N>) -> Option<&'p T> {
        pool.chunks.get(self.head as usize)?.items.get(usize::from(self.first))
    }

    /// Whether there is no entry.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.head == NIL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    #[test]
    fn a_chunk_of_handles_is_four_cache_lines() {
        assert_eq!((size_of::<Chunk<Handle, 15>>(), size_of::<List>()), (256, 12));
    }

    proptest! {
        /// Three lists that share a pool, against three queues.
        #[test]
        fn lists_keep_their_order(steps in proptest::collection::vec((0usize..3, 0u32..40), 0..60)) {
            let mut pool = ListPool::<u32, 7>::default();
            let mut lists: [List; 3] = Default::default();
            let mut models: [VecDeque<u32>; 3] = Default::default();
            let (mut count, mut most) = (0, 0);
            for (which, items) in steps {
                let (list, model) = (&mut lists[which], &mut models[which]);
                for step in 0..items {
                    if step % 3 == 2 || items % 2 == 1 {
                        prop_assert_eq!(list.pop(&mut pool), model.pop_front());
                    } else {
                        count += 1;
                        list.push(&mut pool, count);
                        model.push_back(count);
                    }
                    prop_assert_eq!(list.is_empty(), model.is_empty());
                }
                most = most.max(models.iter().map(VecDeque::len).sum());
            }
            // At most two chunks of a list are partly filled.
            prop_assert!(pool.chunks.len() <= most / 7 + 6);
        }
    }
}
