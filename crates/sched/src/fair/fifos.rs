//! Numbered first-in first-out queues of packets in one memory, each with its bytes.
//!
//! Complexity: O(1) per operation. Memory: 32 bytes per queue and per packet, and the place
//! of a packet that left is used again first. Limits: 2^31 packets, kept by the caller's
//! [`Limits`](super::Limits).

use alloc::vec::Vec;

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

/// Aligned, so that one with a packet lies in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node<T> {
    item: T,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    /// Behind the head. Known before it is needed, so that the head's place in memory was read
    /// before, too: it is out of the cache if packets are many.
    second: u32,
    tail: u32,
    len: u32,
    bytes: u64,
}

const EMPTY: Queue = Queue { head: NONE, second: NONE, tail: NONE, len: 0, bytes: 0 };

/// First-in first-out queues numbered from 0. Numbers given must be below the number of queues.
#[derive(Clone, Debug)]
pub(crate) struct Fifos<T> {
    nodes: Vec<Node<T>>,
    free: u32,
    queues: Vec<Queue>,
}

impl<T: Copy + Sized32> Fifos<T> {
    /// `queues` empty queues.
    pub(crate) fn new(queues: usize) -> Self {
        Fifos { nodes: Vec::new(), free: NONE, queues: alloc::vec![EMPTY; queues] }
    }

    /// Makes queue number `queue` exist.
    #[inline]
    pub(crate) fn reach(&mut self, queue: usize) {
        if queue >= self.queues.len() {
            self.queues.resize(queue + 1, EMPTY);
        }
    }

    pub(crate) fn push(&mut self, queue: usize, item: T) {
        let place = self.place(item);
        let queue = &mut self.queues[queue];
        if queue.tail == NONE {
            queue.head = place;
        } else {
            self.nodes[queue.tail as usize].next = place;
            if queue.second == NONE {
                queue.second = place;
            }
        }
        queue.tail = place;
        queue.len += 1;
        queue.bytes += u64::from(item.size());
    }

    /// A place that holds `item`.
    #[inline]
    fn place(&mut self, item: T) -> u32 {
        let node = Node { item, next: NONE };
        if self.free == NONE {
            self.nodes.push(node);
            return (self.nodes.len() - 1) as u32;
        }
        let place = self.free;
        self.free = self.nodes[place as usize].next;
        self.nodes[place as usize] = node;
        place
    }

    pub(crate) fn pop(&mut self, queue: usize) -> Option<T> {
        let queue = self.queues.get_mut(queue)?;
        let place = queue.head;
        let node = self.nodes.get_mut(place as usize)?;
        queue.head = queue.second;
        if queue.head == NONE {
            queue.tail = NONE;
        }
        queue.len -= 1;
        queue.bytes -= u64::from(node.item.size());
        node.next = self.free;
        self.free = place;
        let item = node.item;
        queue.second = self.nodes.get(queue.head as usize).map_or(NONE, |head| head.next);
        Some(item)
    }

    pub(crate) fn front(&self, queue: usize) -> Option<&T> {
        let head = self.queues.get(queue)?.head;
        self.nodes.get(head as usize).map(|node| &node.item)
    }

    #[inline]
    pub(crate) fn is_empty(&self, queue: usize) -> bool {
        self.queues[queue].head == NONE
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
        let mut fifos: Fifos<Packet> = Fifos::new(3);
        let mut naive = [const { VecDeque::new() }; 3];
        let mut state = 1u32;
        for tag in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let queue = (state >> 8) as usize % 3;
            if state >> 31 == 0 {
                let packet = Packet { size: state >> 20, tag, ..Packet::default() };
                fifos.push(queue, packet);
                naive[queue].push_back(packet);
            } else {
                assert_eq!(fifos.front(queue), naive[queue].front());
                assert_eq!(fifos.pop(queue), naive[queue].pop_front());
            }
            let bytes: u64 = naive[queue].iter().map(|packet| u64::from(packet.size)).sum();
            assert_eq!(fifos.bytes(queue), bytes);
            assert_eq!(fifos.len(queue) as usize, naive[queue].len());
        }
    }
}
