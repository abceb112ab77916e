//! First-in first-out lists of handles, in chunks that many lists share.
//!
//! A list that is read and written in order touches one cache line for four packets. A chunk that was
//! emptied is the next one used, so what all lists occupy follows what they hold, not the longest that
//! each has ever been. Constant time; 256 bytes per 15 handles, 12 a list; no allocation once the pool has
//! reached its largest size.

use alloc::vec::Vec;

use super::Handle;

const NIL: u32 = u32::MAX;
/// What fills four cache lines beside the link.
const HANDLES: usize = 15;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Chunk {
    handles: [Handle; HANDLES],
    /// The chunk behind it in its list, or the next free one.
    next: u32,
}

/// The chunks of some lists.
///
/// ```
/// use forebay_net::packet::{Handle, HandleList, HandlePool};
///
/// let mut pool = HandlePool::default();
/// let (mut one, mut two) = (HandleList::default(), HandleList::default());
/// one.push(&mut pool, Handle::new(1, 1500));
/// two.push(&mut pool, Handle::new(2, 64));
/// assert_eq!(one.pop(&mut pool).map(|handle| handle.flow()), Some(1));
/// assert!(one.is_empty() && !two.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct HandlePool {
    chunks: Vec<Chunk>,
    free: u32,
}

impl Default for HandlePool {
    fn default() -> Self {
        HandlePool { chunks: Vec::new(), free: NIL }
    }
}

impl HandlePool {
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
            // By an eighth, as the packets' arena.
            self.chunks.reserve_exact((self.chunks.len() / 8).max(16));
        }
        self.chunks.push(Chunk { handles: [Handle::new(0, 0); HANDLES], next: NIL });
        self.chunks.len() as u32 - 1
    }

    #[inline]
    fn give(&mut self, id: u32) {
        self.chunks[id as usize].next = core::mem::replace(&mut self.free, id);
    }
}

/// Handles in the order they came. Always used with the same pool.
#[derive(Clone, Debug)]
pub struct HandleList {
    /// The first chunk, or [`NIL`] if the list is empty.
    head: u32,
    tail: u32,
    /// The first handle in the first chunk.
    first: u8,
    /// One past the last handle in the last chunk.
    end: u8,
}

impl Default for HandleList {
    fn default() -> Self {
        HandleList { head: NIL, tail: NIL, first: 0, end: 0 }
    }
}

impl HandleList {
    /// Adds a handle at the end.
    #[inline]
    pub fn push(&mut self, pool: &mut HandlePool, handle: Handle) {
        if self.head == NIL {
            self.head = pool.take();
            (self.tail, self.first, self.end) = (self.head, 0, 0);
        } else if usize::from(self.end) == HANDLES {
            let next = pool.take();
            pool.chunks[self.tail as usize].next = next;
            (self.tail, self.end) = (next, 0);
        }
        pool.chunks[self.tail as usize].handles[usize::from(self.end)] = handle;
        self.end += 1;
    }

    /// Takes the first handle.
    #[inline]
    pub fn pop(&mut self, pool: &mut HandlePool) -> Option<Handle> {
        let head = self.head;
        let chunk = pool.chunks.get(head as usize)?;
        let (handle, next) = (chunk.handles[usize::from(self.first)], chunk.next);
        self.first += 1;
        if head == self.tail {
            if self.first == self.end {
                self.head = NIL;
                pool.give(head);
            }
        } else if usize::from(self.first) == HANDLES {
            (self.head, self.first) = (next, 0);
            pool.give(head);
        }
        Some(handle)
    }

    /// The first handle.
    #[must_use]
    #[inline]
    pub fn first<'a>(&self, pool: &'a HandlePool) -> Option<&'a Handle> {
        pool.chunks.get(self.head as usize).map(|chunk| &chunk.handles[usize::from(self.first)])
    }

    /// Whether there is no handle.
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
    fn a_chunk_is_four_cache_lines() {
        assert_eq!((size_of::<Chunk>(), size_of::<HandleList>()), (256, 12));
    }

    proptest! {
        /// Three lists that share a pool, against three queues.
        #[test]
        fn lists_keep_their_order(steps in proptest::collection::vec((0usize..3, 0u32..40), 0..60)) {
            let mut pool = HandlePool::default();
            let mut lists: [HandleList; 3] = Default::default();
            let mut models: [VecDeque<Handle>; 3] = Default::default();
            let (mut count, mut most) = (0, 0);
            for (which, handles) in steps {
                let (list, model) = (&mut lists[which], &mut models[which]);
                for step in 0..handles {
                    if step % 3 == 2 || handles % 2 == 1 {
                        prop_assert_eq!(list.first(&pool), model.front());
                        prop_assert_eq!(list.pop(&mut pool), model.pop_front());
                    } else {
                        let handle = Handle::new(count, count ^ 77);
                        count += 1;
                        list.push(&mut pool, handle);
                        model.push_back(handle);
                    }
                    prop_assert_eq!(list.is_empty(), model.is_empty());
                }
                most = most.max(models.iter().map(VecDeque::len).sum());
            }
            // At most two chunks of a list are partly filled.
            prop_assert!(pool.chunks.len() <= most / HANDLES + 6);
        }
    }
}
