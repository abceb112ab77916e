//! An interval heap: an array whose smallest and largest elements are both at hand.
//!
//! The array is read in pairs; pair `i` is an interval `[2i, 2i + 1]` that contains the intervals
//! of its children `2i + 1` and `2i + 2`. So the lower ends form a min-heap and the upper ends a
//! max-heap over the same elements. The last pair may have one element, which then is both of its
//! ends.
//!
//! Source: the double-ended priority queue of van Leeuwen and Wood ("Interval Heaps", 1993).
//!
//! Complexity: O(log n) for push and for removal at any position, O(1) for the ends. No memory
//! besides the array.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Up to this many elements a pop asks without branches; see [`IntervalHeap::pop`].
const CACHED: usize = 1 << 17;

/// Told where each element of an [`IntervalHeap`] now stands, so that it can be found again by
/// name.
pub(crate) trait Positions<E> {
    /// `element` is now at `index`.
    fn moved(&mut self, element: &E, index: usize);
}

/// Nobody asks where elements stand.
pub(crate) struct Untracked;

impl<E> Positions<E> for Untracked {
    #[inline]
    fn moved(&mut self, _: &E, _: usize) {}
}

/// Elements in a total order with both ends at hand.
#[derive(Clone)]
pub(crate) struct IntervalHeap<E> {
    slots: Vec<E>,
}

/// Which end of the intervals a sift works on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Low,
    High,
}

impl Side {
    #[inline]
    fn other(self) -> Side {
        match self {
            Side::Low => Side::High,
            Side::High => Side::Low,
        }
    }

    /// The place of this side's end in a pair.
    #[inline]
    fn end(self) -> usize {
        usize::from(self == Side::High)
    }

    /// Whether `a` belongs nearer to the root than `b` on this side.
    #[inline]
    fn outer<E: Ord>(self, a: &E, b: &E) -> bool {
        match self {
            Side::Low => a.cmp(b) == Ordering::Less,
            Side::High => a.cmp(b) == Ordering::Greater,
        }
    }

    /// The same, by the comparison that an element may offer without a branch.
    #[inline]
    fn outer_branchless<E: Ord>(self, a: &E, b: &E) -> bool {
        match self {
            Side::Low => a < b,
            Side::High => a > b,
        }
    }
}

impl<E: Ord> IntervalHeap<E> {
    pub(crate) fn with_capacity(elements: usize) -> Self {
        IntervalHeap { slots: Vec::with_capacity(elements) }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, E> {
        self.slots.iter()
    }

    /// The element at `index`, as told to [`Positions`].
    pub(crate) fn get(&self, index: usize) -> Option<&E> {
        self.slots.get(index)
    }

    pub(crate) fn min(&self) -> Option<&E> {
        self.slots.first()
    }

    pub(crate) fn max(&self) -> Option<&E> {
        self.slots.get(1).or(self.slots.first())
    }

    pub(crate) fn push(&mut self, element: E, positions: &mut impl Positions<E>) {
        let index = self.slots.len();
        positions.moved(&element, index);
        self.slots.push(element);
        self.settle(index, positions);
    }

    pub(crate) fn pop_min(&mut self, positions: &mut impl Positions<E>) -> Option<E> {
        self.pop(Side::Low, positions)
    }

    pub(crate) fn pop_max(&mut self, positions: &mut impl Positions<E>) -> Option<E> {
        self.pop(Side::High, positions)
    }

    /// Takes an end. The last element fills the gap, and most likely belongs near the bottom.
    ///
    /// In a heap that the cache holds, the time goes into branches that cannot be foreseen. So the
    /// gap is first moved all the way down, which asks only which child is outer, without a branch,
    /// and the element rises from there, as in Floyd's heapsort. In a larger one the time goes into
    /// waiting for memory, and a branch is welcome: the processor guesses it and fetches the next
    /// level meanwhile.
    #[inline]
    fn pop(&mut self, side: Side, positions: &mut impl Positions<E>) -> Option<E> {
        let len = self.slots.len();
        let mut gap = side.end().min(len.saturating_sub(1));
        if len <= 2 || len > CACHED {
            return self.remove(gap, positions);
        }
        let popped = self.slots.swap_remove(gap);
        while let Some(child) = self.outer_child_branchless(gap / 2, side) {
            self.slots.swap(gap, child);
            positions.moved(&self.slots[gap], gap);
            gap = child;
        }
        positions.moved(&self.slots[gap], gap);
        self.settle(gap, positions);
        Some(popped)
    }

    /// Takes the element at `index`; the last element takes its place and sinks or rises from
    /// there.
    pub(crate) fn remove(&mut self, index: usize, positions: &mut impl Positions<E>) -> Option<E> {
        if index >= self.slots.len() {
            return None;
        }
        let removed = self.slots.swap_remove(index);
        if index < self.slots.len() {
            positions.moved(&self.slots[index], index);
            self.settle(index, positions);
        }
        Some(removed)
    }

    /// Restores the heap after the element at `index` was replaced by any other.
    #[inline]
    fn settle(&mut self, index: usize, positions: &mut impl Positions<E>) {
        let pair = index & !1;
        if pair + 1 >= self.slots.len() {
            // Alone in the last pair: it has no children, and bounds both sides.
            if !self.rise(pair, Side::Low, positions) {
                self.rise(pair, Side::High, positions);
            }
        } else if self.order(pair, positions) {
            // Both ends changed. The upper end can only have grown, the lower end too.
            self.settle_end(pair, Side::Low, positions);
            self.settle_end(pair + 1, Side::High, positions);
        } else {
            self.settle_end(index, if index == pair { Side::Low } else { Side::High }, positions);
        }
    }

    #[inline]
    fn settle_end(&mut self, index: usize, side: Side, positions: &mut impl Positions<E>) {
        if !self.rise(index, side, positions) {
            self.sink(index, side, positions);
        }
    }

    /// Puts the ends of the pair at `pair` in order; tells whether it had to.
    #[inline]
    fn order(&mut self, pair: usize, positions: &mut impl Positions<E>) -> bool {
        let wrong = self.slots[pair] > self.slots[pair + 1];
        if wrong {
            self.swap(pair, pair + 1, positions);
        }
        wrong
    }

    /// Moves the element at `index` towards the root on `side`; tells whether it moved.
    #[inline]
    fn rise(&mut self, mut index: usize, side: Side, positions: &mut impl Positions<E>) -> bool {
        let mut moved = false;
        while index > 1 {
            let parent = (index / 2 - 1) / 2 * 2 + side.end();
            if !side.outer(&self.slots[index], &self.slots[parent]) {
                break;
            }
            self.swap(index, parent, positions);
            (index, moved) = (parent, true);
        }
        moved
    }

    /// Moves the element at `index` away from the root on `side`, handing over to the other end of
    /// a pair's interval wherever the two would be out of order.
    #[inline]
    fn sink(&mut self, mut index: usize, side: Side, positions: &mut impl Positions<E>) {
        while let Some(child) = self.outer_child(index / 2, side) {
            if !side.outer(&self.slots[child], &self.slots[index]) {
                break;
            }
            self.swap(index, child, positions);
            let twin = child ^ 1;
            if twin < self.slots.len() && side.other().outer(&self.slots[child], &self.slots[twin])
            {
                self.swap(child, twin, positions);
            }
            index = child;
        }
    }

    /// The outermost end on `side` among the children of pair number `pair`.
    #[inline]
    fn outer_child(&self, pair: usize, side: Side) -> Option<usize> {
        let last = self.slots.len() - 1;
        let first = 4 * pair + 2; // the lower end of the left child
        if first > last {
            return None;
        }
        // A pair of one element is both its ends.
        let left = (first + side.end()).min(last);
        if first + 2 > last {
            return Some(left);
        }
        let right = (first + 2 + side.end()).min(last);
        Some(if side.outer(&self.slots[right], &self.slots[left]) { right } else { left })
    }

    /// The same; without a branch on the elements where both children are whole.
    #[inline]
    fn outer_child_branchless(&self, pair: usize, side: Side) -> Option<usize> {
        let (left, right) = (4 * pair + 2 + side.end(), 4 * pair + 4 + side.end());
        if right >= self.slots.len() {
            return self.outer_child(pair, side);
        }
        let is_right = side.outer_branchless(&self.slots[right], &self.slots[left]);
        Some(left + 2 * usize::from(is_right))
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize, positions: &mut impl Positions<E>) {
        self.slots.swap(a, b);
        positions.moved(&self.slots[a], a);
        positions.moved(&self.slots[b], b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Move {
        Push(u32),
        PopMin,
        PopMax,
        Remove(usize),
    }

    fn moves() -> impl Strategy<Value = Vec<Move>> {
        let one = prop_oneof![
            4 => (0u32..50).prop_map(Move::Push),
            1 => Just(Move::PopMin),
            1 => Just(Move::PopMax),
            2 => (0usize..64).prop_map(|index| Move::Remove(index / 4)),
        ];
        prop::collection::vec(one, 1..300)
    }

    /// Checks the interval property of every pair.
    fn holds(heap: &IntervalHeap<u32>) -> bool {
        let end = |pair: usize, high: usize| heap.slots.get(2 * pair + high);
        (0..heap.slots.len().div_ceil(2)).all(|pair| {
            let (low, high) = (end(pair, 0), end(pair, 1).or(end(pair, 0)));
            let within = |parent: usize| end(parent, 0) <= low && high <= end(parent, 1);
            low <= high && (pair == 0 || within((pair - 1) / 2))
        })
    }

    proptest! {
        #[test]
        fn both_ends_agree_with_a_sorted_vector(moves in moves()) {
            let mut heap = IntervalHeap::with_capacity(0);
            let mut sorted: Vec<u32> = Vec::new();
            for step in moves {
                match step {
                    Move::Push(x) => {
                        heap.push(x, &mut Untracked);
                        sorted.push(x);
                        sorted.sort_unstable();
                    }
                    Move::PopMin => {
                        let least = (!sorted.is_empty()).then(|| sorted.remove(0));
                        prop_assert_eq!(heap.pop_min(&mut Untracked), least);
                    }
                    Move::PopMax => prop_assert_eq!(heap.pop_max(&mut Untracked), sorted.pop()),
                    Move::Remove(index) => {
                        let removed = heap.remove(index, &mut Untracked);
                        prop_assert_eq!(removed.is_some(), index < sorted.len());
                        if let Some(x) = removed {
                            let at = sorted.binary_search(&x).unwrap();
                            sorted.remove(at);
                        }
                    }
                }
                prop_assert!(holds(&heap));
                prop_assert_eq!(heap.len(), sorted.len());
                prop_assert_eq!(heap.min(), sorted.first());
                prop_assert_eq!(heap.max(), sorted.last());
            }
        }
    }
}
