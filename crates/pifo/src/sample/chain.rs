//! Chains of blocks: where elements lie unsorted, in order of arrival, until their turn is near.
//!
//! A chain is a list of blocks of about half a kilobyte, so that a neighbour is read with the element and
//! a chain grows without ever being copied. All chains of a queue share one pool of blocks.
//!
//! Complexity: `append`, `join` and `take_block` are constant. Memory: 32 bytes per block; a block of a
//! chain that is not its last is full, and free blocks are kept for reuse.

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

#[derive(Clone, Debug)]
struct Block<E> {
    elements: Vec<E>,
    next: u32,
}

/// A list of elements, first in first out; a handle into its [`Pool`].
#[derive(Clone, Debug)]
pub(super) struct Chain {
    head: u32,
    tail: u32,
    len: usize,
}

impl Chain {
    pub(super) const EMPTY: Chain = Chain { head: NONE, tail: NONE, len: 0 };

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The blocks of all chains. Block numbers are 32 bits: at half a kilobyte each, two tebibytes.
#[derive(Clone, Debug)]
pub(super) struct Pool<E> {
    blocks: Vec<Block<E>>,
    /// First of the free blocks, which are linked by `next` and empty.
    free: u32,
}

impl<E> Pool<E> {
    pub(super) const fn new() -> Self {
        Pool { blocks: Vec::new(), free: NONE }
    }

    /// Puts `element` at the end of `chain`.
    #[inline]
    pub(super) fn append(&mut self, chain: &mut Chain, element: E) {
        chain.len += 1;
        match self.blocks.get_mut(chain.tail as usize) {
            Some(block) if block.elements.len() < block.elements.capacity() => {
                block.elements.push(element);
            }
            _ => self.append_block(chain, element),
        }
    }

    /// The same where the last block is full or there is none.
    #[cold]
    #[inline(never)]
    fn append_block(&mut self, chain: &mut Chain, element: E) {
        let number = if self.free == NONE {
            let elements = Vec::with_capacity(block_elements::<E>());
            self.blocks.push(Block { elements, next: NONE });
            (self.blocks.len() - 1) as u32
        } else {
            self.free
        };
        let block = &mut self.blocks[number as usize];
        block.elements.push(element);
        if number == self.free {
            self.free = mem::replace(&mut block.next, NONE);
        }
        match self.blocks.get_mut(chain.tail as usize) {
            Some(tail) => tail.next = number,
            None => chain.head = number,
        }
        chain.tail = number;
    }

    /// Detaches the first block of `chain`, for its elements to be drained; see
    /// [`recycle`](Self::recycle).
    pub(super) fn take_block(&mut self, chain: &mut Chain) -> Option<Taken<E>> {
        let number = chain.head;
        let block = self.blocks.get_mut(number as usize)?;
        let elements = mem::take(&mut block.elements);
        chain.len -= elements.len();
        chain.head = mem::replace(&mut block.next, NONE);
        if chain.head == NONE {
            chain.tail = NONE;
        }
        Some(Taken { number, elements })
    }

    /// Frees a block that was taken; what is left in it is dropped.
    pub(super) fn recycle(&mut self, mut taken: Taken<E>) {
        taken.elements.clear();
        if let Some(block) = self.blocks.get_mut(taken.number as usize) {
            block.elements = taken.elements;
            block.next = mem::replace(&mut self.free, taken.number);
        }
    }

    /// Appends all of `back` to `front`, which keeps its blocks as they are.
    pub(super) fn join(&mut self, front: &mut Chain, back: Chain) {
        match self.blocks.get_mut(front.tail as usize) {
            None => *front = back,
            Some(_) if back.is_empty() => {}
            Some(tail) => {
                tail.next = back.head;
                front.tail = back.tail;
                front.len += back.len;
            }
        }
    }

    /// The elements of `chain`, in order of arrival, a block at a time.
    pub(super) fn blocks_of(&self, chain: &Chain) -> impl Iterator<Item = &[E]> {
        let block = |number: u32| self.blocks.get(number as usize);
        core::iter::successors(block(chain.head), move |last| block(last.next))
            .map(|block| block.elements.as_slice())
    }

    /// Every element of every chain.
    pub(super) fn iter(&self) -> impl Iterator<Item = &E> {
        self.blocks.iter().flat_map(|block| &block.elements)
    }
}

#[cfg(test)]
impl<E> Pool<E> {
    /// Blocks taken so far.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }
}

/// A block outside its chain.
pub(super) struct Taken<E> {
    number: u32,
    pub(super) elements: Vec<E>,
}
