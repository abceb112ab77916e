//! A tournament tree of maxima over the queues: which is the longest, and which is the next one, in
//! round-robin order, above a threshold (occamy §4.3: the comparators and the round-robin arbiter
//! of the head-drop selector).
//!
//! The threshold may move with every cell; nothing is stored per threshold, so moving it is free.
//! Complexity: `set`, `longest`, `next_above` O(log queues); `max` O(1). Memory: 8 to 16 bytes a
//! queue.

use alloc::vec;
use alloc::vec::Vec;

/// A key per queue and the maximum of every subtree.
///
/// ```
/// use forebay_buffer::Tournament;
///
/// let mut lengths = Tournament::new(8);
/// lengths.set(2, 10);
/// lengths.set(5, 30);
/// assert_eq!((lengths.max(), lengths.longest()), (30, 5));
/// assert_eq!(lengths.next_above(9, 3), Some(5));
/// assert_eq!(lengths.next_above(9, 6), Some(2)); // around the end
/// assert_eq!(lengths.next_above(30, 0), None);
/// ```
#[derive(Clone, Debug)]
pub struct Tournament {
    /// A complete binary tree in heap order; leaf `leaves + q` is the key of queue q.
    maxima: Vec<u32>,
    leaves: usize,
    queues: usize,
}

impl Tournament {
    /// `queues` keys of zero (at least one).
    #[must_use]
    pub fn new(queues: u32) -> Self {
        let queues = queues.max(1) as usize;
        let leaves = queues.next_power_of_two();
        Tournament { maxima: vec![0; 2 * leaves], leaves, queues }
    }

    /// The key of `queue`.
    #[must_use]
    #[inline]
    pub fn get(&self, queue: u32) -> u32 {
        self.maxima[self.leaves + queue as usize]
    }

    /// The largest key.
    #[must_use]
    #[inline]
    pub fn max(&self) -> u32 {
        self.maxima[1]
    }

    /// The first queue with the largest key.
    #[must_use]
    pub fn longest(&self) -> u32 {
        let max = self.maxima[1];
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            node += usize::from(self.maxima[node] != max);
        }
        (node - self.leaves) as u32
    }

    /// The first queue at or after `from` whose key is above `threshold`, wrapping around.
    #[must_use]
    #[inline]
    pub fn next_above(&self, threshold: u32, from: u32) -> Option<u32> {
        if self.maxima[1] <= threshold {
            return None;
        }
        let from = from as usize % self.queues;
        self.first_above_from(threshold, from)
            .or_else(|| self.first_above_from(threshold, 0))
            .map(|queue| queue as u32)
    }

    /// The first queue at or after `from` above `threshold`, without wrapping.
    fn first_above_from(&self, threshold: u32, from: usize) -> Option<usize> {
        let mut node = self.leaves + from;
        // Climb until a subtree to the right (or the leaf itself) holds a larger key.
        while self.maxima[node] <= threshold {
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
            if self.maxima[node] <= threshold {
                node += 1;
            }
        }
        Some(node - self.leaves)
    }

    /// Gives `queue` the key `key`.
    #[inline]
    pub fn set(&mut self, queue: u32, key: u32) {
        let mut node = self.leaves + queue as usize;
        self.maxima[node] = key;
        while node > 1 {
            let max = self.maxima[node].max(self.maxima[node ^ 1]);
            node >>= 1;
            if self.maxima[node] == max {
                break;
            }
            self.maxima[node] = max;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_agree_with_a_scan() {
        let mut state = 12345u32;
        let mut draw = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for count in [1u32, 2, 3, 5, 8, 13, 64, 100] {
            let mut tree = Tournament::new(count);
            let mut keys = vec![0u32; count as usize];
            for _ in 0..400 {
                let (queue, key) = (draw(count), draw(6));
                keys[queue as usize] = key;
                tree.set(queue, key);
                let (threshold, from) = (draw(6), draw(count));
                let scan = (0..count)
                    .map(|step| (from + step) % count)
                    .find(|queue| keys[*queue as usize] > threshold);
                assert_eq!(tree.next_above(threshold, from), scan);
                let max = keys.iter().copied().max().unwrap();
                assert_eq!(tree.max(), max);
                let first = keys.iter().position(|key| *key == max).unwrap();
                assert_eq!(tree.longest() as usize, first);
            }
        }
    }
}
