//! A list of queue numbers, each in it at most once: the active list of round robin.
//!
//! Complexity: O(1). Memory: 4 bytes per queue, up to the largest number seen.

use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// Queue numbers below 2^32 - 1, in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct ActiveList {
    next: Vec<u32>,
    head: u32,
    tail: u32,
    len: usize,
}

impl Default for ActiveList {
    fn default() -> Self {
        ActiveList { next: Vec::new(), head: NONE, tail: NONE, len: 0 }
    }
}

impl ActiveList {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        (self.head != NONE).then_some(self.head as usize)
    }

    /// The one after `queue`, which must be in the list.
    pub(crate) fn after(&self, queue: usize) -> Option<usize> {
        let next = self.next[queue];
        (next != NONE).then_some(next as usize)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        core::iter::successors(self.first(), |queue| self.after(*queue))
    }

    /// Adds `queue`, which must not be in the list, at the end.
    #[inline]
    pub(crate) fn append(&mut self, queue: usize) {
        if queue >= self.next.len() {
            self.next.resize(queue + 1, NONE);
        }
        self.next[queue] = NONE;
        if self.tail == NONE {
            self.head = queue as u32;
        } else {
            self.next[self.tail as usize] = queue as u32;
        }
        self.tail = queue as u32;
        self.len += 1;
    }

    /// Takes the first.
    #[inline]
    pub(crate) fn remove_first(&mut self) -> Option<usize> {
        let queue = self.first()?;
        self.head = self.next[queue];
        if self.head == NONE {
            self.tail = NONE;
        }
        self.len -= 1;
        Some(queue)
    }

    /// Moves the first to the end.
    #[inline]
    pub(crate) fn rotate(&mut self) {
        if let Some(queue) = self.remove_first() {
            self.append(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::ActiveList;

    #[test]
    fn keeps_the_order_of_arrival() {
        let mut list = ActiveList::default();
        for queue in [5, 0, 3] {
            list.append(queue);
        }
        list.rotate();
        assert_eq!(list.iter().collect::<Vec<_>>(), [0, 3, 5]);
        assert_eq!(list.remove_first(), Some(0));
        list.append(0);
        assert_eq!(list.iter().collect::<Vec<_>>(), [3, 5, 0]);
        for _ in 0..3 {
            list.remove_first();
        }
        assert_eq!((list.first(), list.remove_first(), list.len()), (None, None, 0));
    }
}
