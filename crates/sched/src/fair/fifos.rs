//! Numbered first-in first-out queues of packets in one memory, each with its bytes.
//!
//! A queue is a list of blocks of `BLOCK` packets. With many short queues, one for each flow, a
//! block holds one packet. A few long queues have larger blocks: what comes next then lies beside
//! what goes, and can be looked at before it is needed.
//!
//! Complexity: O(1) per operation. Memory: 32 bytes per queue, and per packet with blocks of one;
//! larger blocks take 24 bytes a packet, and a queue that is not empty has two at most that are
//! used in part. The place of what left is used again first. Limits: 2^31 packets, kept by the
//! caller's [`Limits`](super::Limits).

use alloc::vec::Vec;

use forebay_pifo::prefetch;

use crate::Packet;

const NONE: u32 = u32::MAX;

/// What waits in a [`Fifos`].
pub(crate) trait Sized32 {
    /// Its length in bytes.
    fn size(&self) -> u32;
}

impl Sized32 for Packet {
    #[inline]
    fn size(&self) -> u32 {
        self.size
    }
}

/// Aligned, so that one with a single packet lies in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Block<T, const BLOCK: usize> {
    items: [T; BLOCK],
    next: u32,
}

/// A place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    block: u32,
    index: u32,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    head: Place,
    /// The block behind the head's. Known before it is needed, so that the next head's place in
    /// memory was read before, too: it is out of the cache if packets are many.
    after: u32,
    tail: Place,
    len: u32,
    bytes: u64,
}

const NOWHERE: Place = Place { block: NONE, index: 0 };
const EMPTY: Queue = Queue { head: NOWHERE, after: NONE, tail: NOWHERE, len: 0, bytes: 0 };

/// First-in first-out queues numbered from 0. Numbers given must be below the number of queues.
#[derive(Clone, Debug)]
pub(crate) struct Fifos<T, const BLOCK: usize = 1> {
    blocks: Vec<Block<T, BLOCK>>,
    free: u32,
    queues: Vec<Queue>,
}

impl<T: Copy + Sized32, const BLOCK: usize> Fifos<T, BLOCK> {
    /// `queues` empty queues.
    pub(crate) fn new(queues: usize) -> Self {
        Fifos { blocks: Vec::new(), free: NONE, queues: alloc::vec![EMPTY; queues] }
    }

    /// Makes queue number `queue` exist.
    #[inline]
    pub(crate) fn reach(&mut self, queue: usize) {
        if queue >= self.queues.len() {
            self.queues.resize(queue + 1, EMPTY);
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, number: usize, item: T) {
        let Place { block, index } = self.queues[number].tail;
        let tail = if block == NONE {
            let place = Place { block: self.block(item), index: 0 };
            self.queues[number].head = place;
            place
        } else if index as usize + 1 == BLOCK {
            let place = Place { block: self.block(item), index: 0 };
            self.blocks[block as usize].next = place.block;
            let queue = &mut self.queues[number];
            if queue.head.block == block {
                queue.after = place.block;
            }
            place
        } else {
            self.blocks[block as usize].items[index as usize + 1] = item;
            Place { block, index: index + 1 }
        };
        let queue = &mut self.queues[number];
        queue.tail = tail;
        queue.len += 1;
        queue.bytes += u64::from(item.size());
    }

    /// A block that begins with `item`.
    #[inline]
    fn block(&mut self, item: T) -> u32 {
        let Some(free) = self.blocks.get_mut(self.free as usize) else {
            self.blocks.push(Block { items: [item; BLOCK], next: NONE });
            return (self.blocks.len() - 1) as u32;
        };
        let block = self.free;
        self.free = core::mem::replace(&mut free.next, NONE);
        free.items[0] = item;
        block
    }

    #[inline]
    pub(crate) fn pop(&mut self, number: usize) -> Option<T> {
        let queue = self.queues.get_mut(number)?;
        let Place { block, index } = queue.head;
        let first = self.blocks.get_mut(block as usize)?;
        let item = *first.items.get(index as usize)?;
        queue.len -= 1;
        queue.bytes -= u64::from(item.size());
        if queue.len > 0 && (index as usize) + 1 < BLOCK {
            queue.head.index += 1;
            return Some(item);
        }
        first.next = self.free;
        self.free = block;
        if queue.len == 0 {
            (queue.head, queue.tail, queue.after) = (NOWHERE, NOWHERE, NONE);
        } else {
            queue.head = Place { block: queue.after, index: 0 };
            queue.after = self.blocks.get(queue.after as usize).map_or(NONE, |head| head.next);
            if BLOCK > 1
                && let Some(after) = self.blocks.get(queue.after as usize)
            {
                // Two are less than a cache line.
                after.items.iter().step_by(2).for_each(prefetch);
            }
        }
        Some(item)
    }

    #[inline]
    pub(crate) fn front(&self, queue: usize) -> Option<&T> {
        let Place { block, index } = self.queues.get(queue)?.head;
        self.blocks.get(block as usize)?.items.get(index as usize)
    }

    /// What goes `steps` after the first of the queue, if it is not far away: `steps` is less than
    /// a block.
    #[inline]
    pub(crate) fn ahead(&self, queue: usize, steps: u32) -> Option<&T> {
        let queue = self.queues.get(queue)?;
        if queue.len <= steps {
            return None;
        }
        let index = (queue.head.index + steps) as usize;
        if index < BLOCK {
            self.blocks.get(queue.head.block as usize)?.items.get(index)
        } else {
            self.blocks.get(queue.after as usize)?.items.get(index - BLOCK)
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self, queue: usize) -> bool {
        self.queues[queue].len == 0
    }

    #[inline]
    pub(crate) fn len(&self, queue: usize) -> u32 {
        self.queues[queue].len
    }

    #[inline]
    pub(crate) fn bytes(&self, queue: usize) -> u64 {
        self.queues[queue].bytes
    }

    /// The number of queues.
    pub(crate) fn queues(&self) -> usize {
        self.queues.len()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::VecDeque;

    use super::*;

    #[test]
    fn agrees_with_separate_queues() {
        agrees::<1>();
        agrees::<3>();
        agrees::<16>();
    }

    fn agrees<const BLOCK: usize>() {
        let mut fifos: Fifos<Packet, BLOCK> = Fifos::new(3);
        let mut naive = [const { VecDeque::new() }; 3];
        let mut state = 1u32;
        for tag in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let queue = (state >> 8) as usize % 3;
            // Long runs of either, so that queues fill and empty.
            if (state >> 31 == 0) == (tag / 500 % 2 == 0) || state >> 29 == 0 {
                let packet = Packet { size: state >> 20, tag, ..Packet::default() };
                fifos.push(queue, packet);
                naive[queue].push_back(packet);
            } else {
                assert_eq!(fifos.front(queue), naive[queue].front());
                assert_eq!(fifos.pop(queue), naive[queue].pop_front());
            }
            for steps in 0..BLOCK {
                assert_eq!(fifos.ahead(queue, steps as u32), naive[queue].get(steps));
            }
            let bytes: u64 = naive[queue].iter().map(|packet| u64::from(packet.size)).sum();
            assert_eq!(fifos.bytes(queue), bytes);
            assert_eq!(fifos.len(queue) as usize, naive[queue].len());
            assert_eq!(fifos.is_empty(queue), naive[queue].is_empty());
        }
        let most = 2 * 10_000_usize.div_ceil(BLOCK);
        assert!(fifos.blocks.len() <= most, "blocks are used again");
    }
}
