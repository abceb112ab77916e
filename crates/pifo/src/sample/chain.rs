//! Chains of blocks: where elements lie unsorted, in order of arrival, until their turn is near.
//!
//! A chain is a list of blocks of about half a kilobyte, so that a neighbour is read with the
//! element and a chain grows without ever being copied. The block that is being filled belongs to
//! the chain itself, the others to a pool that all chains of a queue share.
//!
//! Complexity: `append`, `join` and `take_block` are constant. Memory: 32 bytes per block in the
//! pool; empty blocks are kept for reuse.

use alloc::vec::Vec;
use core::mem;

/// No block.
const NONE: u32 = u32::MAX;

/// The elements of a block that holds `E`s: about half a kilobyte of them.
const fn block_elements<E>() -> usize {
    let bytes = if mem::size_of::<E>() == 0 { 1 } else { mem::size_of::<E>() };
    let elements = 512 / bytes;
    if elements < 4 { 4 } else { elements }
}

#[derive(Clone)]
struct Block<E> {
    elements: Vec<E>,
    next: u32,
}

/// A list of elements, first in first out; its blocks but the last lie in a [`Pool`].
#[derive(Clone)]
pub(super) struct Chain<E> {
    head: u32,
    tail: u32,
    /// Elements in the pool's blocks.
    stored: usize,
    /// What comes after those.
    last: Vec<E>,
}

impl<E> Chain<E> {
    pub(super) const EMPTY: Chain<E> =
        Chain { head: NONE, tail: NONE, stored: 0, last: Vec::new() };

    pub(super) fn len(&self) -> usize {
        self.stored + self.last.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of its first block; see [`Pool::block`].
    pub(super) fn first(&self) -> u32 {
        self.head
    }
}

/// The blocks of all chains but the last of each. Block numbers are 32 bits: at half a kilobyte
/// each, two tebibytes.
#[derive(Clone)]
pub(super) struct Pool<E> {
    blocks: Vec<Block<E>>,
    /// First of the unused places among the blocks, which are linked by `next`.
    free: u32,
    /// Empty blocks.
    spare: Vec<Vec<E>>,
}

impl<E> Pool<E> {
    pub(super) const fn new() -> Self {
        Pool { blocks: Vec::new(), free: NONE, spare: Vec::new() }
    }

    /// Puts `element` at the end of `chain`.
    #[inline]
    pub(super) fn append(&mut self, chain: &mut Chain<E>, element: E) {
        if chain.last.len() == chain.last.capacity() {
            self.begin_block(chain);
        }
        chain.last.push(element);
    }

    /// Stores the last block, which is full or was never there, and begins another.
    #[cold]
    #[inline(never)]
    fn begin_block(&mut self, chain: &mut Chain<E>) {
        let block = self.spare.pop();
        let block = block.unwrap_or_else(|| Vec::with_capacity(block_elements::<E>()));
        let full = mem::replace(&mut chain.last, block);
        self.store(chain, full);
    }

    /// Adds a block after those that are stored.
    fn store(&mut self, chain: &mut Chain<E>, elements: Vec<E>) {
        if elements.is_empty() {
            return self.recycle(elements);
        }
        chain.stored += elements.len();
        let block = Block { elements, next: NONE };
        let number = match self.blocks.get_mut(self.free as usize) {
            Some(unused) => {
                let next_free = mem::replace(unused, block).next;
                mem::replace(&mut self.free, next_free)
            }
            None => {
                self.blocks.push(block);
                (self.blocks.len() - 1) as u32
            }
        };
        match self.blocks.get_mut(chain.tail as usize) {
            Some(tail) => tail.next = number,
            None => chain.head = number,
        }
        chain.tail = number;
    }

    /// Detaches the first block of `chain`, for its elements to be drained; see
    /// [`recycle`](Self::recycle).
    pub(super) fn take_block(&mut self, chain: &mut Chain<E>) -> Option<Vec<E>> {
        let Some(block) = self.blocks.get_mut(chain.head as usize) else {
            return (!chain.last.is_empty()).then(|| mem::take(&mut chain.last));
        };
        let elements = mem::take(&mut block.elements);
        chain.stored -= elements.len();
        let next = mem::replace(&mut block.next, self.free);
        self.free = mem::replace(&mut chain.head, next);
        if next == NONE {
            chain.tail = NONE;
        }
        Some(elements)
    }

    /// Keeps the memory of a block that was taken; what is left in it is dropped.
    pub(super) fn recycle(&mut self, mut block: Vec<E>) {
        block.clear();
        if block.capacity() > 0 {
            self.spare.push(block);
        }
    }

    /// Appends all of `back` to `front`.
    pub(super) fn join(&mut self, front: &mut Chain<E>, back: Chain<E>) {
        if back.is_empty() {
            return self.recycle(back.last);
        }
        let last = mem::replace(&mut front.last, back.last);
        self.store(front, last);
        if back.head == NONE {
            return;
        }
        match self.blocks.get_mut(front.tail as usize) {
            Some(tail) => tail.next = back.head,
            None => front.head = back.head,
        }
        front.tail = back.tail;
        front.stored += back.stored;
    }

    /// The elements of a stored block, and the number of the one behind it in its chain.
    pub(super) fn block(&self, number: u32) -> Option<(&[E], u32)> {
        self.blocks.get(number as usize).map(|block| (block.elements.as_slice(), block.next))
    }

    /// The elements of `chain`, in order of arrival, a block at a time.
    pub(super) fn blocks_of<'a>(&'a self, chain: &'a Chain<E>) -> impl Iterator<Item = &'a [E]> {
        let block = |number: u32| self.blocks.get(number as usize);
        core::iter::successors(block(chain.head), move |last| block(last.next))
            .map(|block| block.elements.as_slice())
            .chain(core::iter::once(chain.last.as_slice()))
    }
}

#[cfg(test)]
impl<E> Pool<E> {
    /// Blocks that no chain is filling: stored or spare.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len() + self.spare.len()
    }
}
