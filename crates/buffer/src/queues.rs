//! Per-queue accounting of on-chip occupancy: the lengths that threshold policies compare, and the
//! packets of each queue in arrival order, so that its head can be expelled (occamy §4.3).

use alloc::vec;
use alloc::vec::Vec;

use crate::descriptor::{Descriptors, NONE};

#[derive(Clone, Copy, Debug)]
struct Ends {
    head: u32,
    tail: u32,
}

/// The accounting queues: length in cells and FIFO list of the on-chip packets of each.
///
/// Lengths are kept in a tournament tree of maxima so that "the next queue, in round-robin order,
/// longer than T" is O(log queues), as the hardware's comparators and round-robin arbiter answer it in
/// a cycle.
#[derive(Clone, Debug)]
pub struct Queues {
    ends: Vec<Ends>,
    /// A complete binary tree in heap order; leaf `leaves + q` is the length of queue q in cells.
    longest: Vec<u32>,
    leaves: usize,
}

impl Queues {
    /// `queues` empty queues (at least one).
    #[must_use]
    pub fn new(queues: u32) -> Self {
        let queues = queues.max(1) as usize;
        let leaves = queues.next_power_of_two();
        Queues {
            ends: vec![Ends { head: NONE, tail: NONE }; queues],
            longest: vec![0; 2 * leaves],
            leaves,
        }
    }

    /// How many queues there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Length of `queue` in cells.
    #[must_use]
    pub fn length(&self, queue: u32) -> u32 {
        self.longest[self.leaves + queue as usize]
    }

    /// The oldest on-chip packet of `queue`.
    #[must_use]
    pub fn head(&self, queue: u32) -> Option<u32> {
        let head = self.ends[queue as usize].head;
        (head != NONE).then_some(head)
    }

    /// The first queue longer than `threshold` cells at or after `from`, wrapping around.
    #[must_use]
    pub fn next_longer(&self, threshold: u32, from: u32) -> Option<u32> {
        if self.longest[1] <= threshold {
            return None;
        }
        let from = from as usize % self.ends.len();
        self.first_longer_from(threshold, from)
            .or_else(|| self.first_longer_from(threshold, 0))
            .map(|queue| queue as u32)
    }

    /// The first queue at or after `from` longer than `threshold`, without wrapping.
    fn first_longer_from(&self, threshold: u32, from: usize) -> Option<usize> {
        let mut node = self.leaves + from;
        // Climb until a subtree to the right (or the leaf itself) holds a longer queue.
        while self.longest[node] <= threshold {
            while node & 1 == 1 {
                node >>= 1;
            }
            if node == 0 {
                return None;
            }
            node += 1;
        }
        while node < self.leaves {
            node *= 2;
            if self.longest[node] <= threshold {
                node += 1;
            }
        }
        Some(node - self.leaves)
    }

    fn set_length(&mut self, queue: u32, cells: u32) {
        let mut node = self.leaves + queue as usize;
        self.longest[node] = cells;
        while node > 1 {
            node >>= 1;
            let longest = self.longest[2 * node].max(self.longest[2 * node + 1]);
            if self.longest[node] == longest {
                break;
            }
            self.longest[node] = longest;
        }
    }

    /// Appends the on-chip packet `id` to its queue.
    pub fn push_back(&mut self, descriptors: &mut Descriptors, id: u32) {
        let (queue, cells) = (descriptors[id].queue, descriptors[id].cells.cells());
        let tail = self.ends[queue as usize].tail;
        descriptors[id].prev = tail;
        descriptors[id].next = NONE;
        if tail == NONE {
            self.ends[queue as usize].head = id;
        } else {
            descriptors[tail].next = id;
        }
        self.ends[queue as usize].tail = id;
        self.set_length(queue, self.length(queue) + cells);
    }

    /// Takes the on-chip packet `id` out of its queue, wherever it stands. O(log queues).
    pub fn remove(&mut self, descriptors: &mut Descriptors, id: u32) {
        let (queue, cells) = (descriptors[id].queue, descriptors[id].cells.cells());
        let (prev, next) = (descriptors[id].prev, descriptors[id].next);
        match prev {
            NONE => self.ends[queue as usize].head = next,
            _ => descriptors[prev].next = next,
        }
        match next {
            NONE => self.ends[queue as usize].tail = prev,
            _ => descriptors[next].prev = prev,
        }
        descriptors[id].prev = NONE;
        descriptors[id].next = NONE;
        self.set_length(queue, self.length(queue) - cells);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_longer_agrees_with_a_scan() {
        let mut state = 12345u32;
        let mut draw = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for count in [1u32, 2, 3, 5, 8, 13, 64, 100] {
            let mut queues = Queues::new(count);
            let mut lengths = vec![0u32; count as usize];
            for _ in 0..400 {
                let queue = draw(count);
                let length = draw(6);
                lengths[queue as usize] = length;
                queues.set_length(queue, length);
                let (threshold, from) = (draw(6), draw(count));
                let scan = (0..count)
                    .map(|step| (from + step) % count)
                    .find(|queue| lengths[*queue as usize] > threshold);
                assert_eq!(queues.next_longer(threshold, from), scan);
            }
        }
    }
}
