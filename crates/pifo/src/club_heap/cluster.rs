//! The part of a cluster that its node stores: elements in order of rank.
//!
//! Source: clubheap §4.2 (2). A cluster's outer elements are kept in the parent; here is the rest.
//! Complexity: O(log K) comparisons and a shift of less than `K` elements; the ends are at hand.

/// An element: its rank, and what waits.
#[derive(Clone, Copy)]
pub(super) struct Element<R, T> {
    pub rank: R,
    pub item: T,
}

/// A place that holds an element or nothing, which is what the paper calls the rank +∞.
pub(super) type Slot<R, T> = Option<Element<R, T>>;

/// A node's sorted slots, of which the first `filled` hold something.
pub(super) struct Cluster<'a, R, T> {
    pub slots: &'a mut [Slot<R, T>],
    pub filled: &'a mut u32,
}

impl<R: Copy + Ord, T> Cluster<'_, R, T> {
    #[inline]
    pub(super) fn len(&self) -> usize {
        *self.filled as usize
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len() == self.slots.len()
    }

    /// The rank at place `at`; nothing beyond the last element.
    #[inline]
    pub(super) fn rank(&self, at: usize) -> Option<R> {
        self.slots.get(at)?.as_ref().map(|element| element.rank)
    }

    /// Adds an element behind those of its rank. There must be room.
    #[inline]
    pub(super) fn insert(&mut self, element: Element<R, T>) {
        let len = self.len();
        let at = self.slots[..len]
            .partition_point(|slot| slot.as_ref().is_some_and(|held| held.rank <= element.rank));
        self.slots[len] = Some(element);
        self.slots[at..=len].rotate_right(1);
        *self.filled += 1;
    }

    /// Takes the element at place `at`, if there is one.
    #[inline]
    pub(super) fn remove(&mut self, at: usize) -> Slot<R, T> {
        let len = self.len();
        let element = self.slots.get_mut(at)?.take()?;
        self.slots[at..len].rotate_left(1);
        *self.filled -= 1;
        Some(element)
    }

    /// Takes the smallest.
    #[inline]
    pub(super) fn remove_first(&mut self) -> Slot<R, T> {
        self.remove(0)
    }

    /// Takes the largest.
    #[inline]
    pub(super) fn remove_last(&mut self) -> Slot<R, T> {
        self.remove(self.len().wrapping_sub(1))
    }

    /// Adds an element and gives back the smallest, which may be the same.
    #[inline]
    pub(super) fn exchange_first(&mut self, element: Element<R, T>) -> Element<R, T> {
        match self.rank(0) {
            Some(first) if first <= element.rank => self.exchange(0, element),
            _ => element,
        }
    }

    /// Adds an element in place of that at `at`, and gives that back.
    #[inline]
    pub(super) fn exchange(&mut self, at: usize, element: Element<R, T>) -> Element<R, T> {
        match self.remove(at) {
            Some(removed) => {
                self.insert(element);
                removed
            }
            None => element,
        }
    }
}
