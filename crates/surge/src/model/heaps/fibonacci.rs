//! A Fibonacci heap with handles, which counts the nodes it touches.
//!
//! Source: Fredman and Tarjan 1987, the heap of thesis §3.6.3; the arena is ours. Push O(1); pop
//! and remove O(log n) amortized, O(n) at worst. 48 bytes an element.

/// No node.
const NONE: u32 = u32::MAX;

/// More than the largest degree of a heap of 2^32 nodes.
const DEGREES: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Node {
    key: u128,
    parent: u32,
    child: u32,
    left: u32,
    right: u32,
    degree: u8,
    marked: bool,
    /// Whether it is in the heap.
    inside: bool,
}

/// A heap of keys under handles that the caller chooses, small numbers.
///
/// ```
/// use forebay_surge::model::heaps::FibonacciHeap;
///
/// let mut heap = FibonacciHeap::default();
/// heap.push(0, 30);
/// heap.push(1, 10);
/// heap.push(2, 20);
/// heap.remove(1);
/// assert_eq!(heap.pop(), Some(2));
/// ```
#[derive(Clone, Default)]
pub struct FibonacciHeap {
    nodes: Vec<Node>,
    /// The smallest, if there is one.
    first: Option<u32>,
    roots: Vec<u32>,
    accesses: u64,
}

forebay_pifo::debug_in_one_line!(
    [] FibonacciHeap, |heap| { nodes: heap.nodes.len(), roots: heap.roots.len() }
);

impl FibonacciHeap {
    /// Nodes read or written so far.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    fn at(&mut self, node: u32) -> &mut Node {
        self.accesses += 1;
        &mut self.nodes[node as usize]
    }

    /// Adds a key under a handle; a handle that is in use keeps its key.
    pub fn push(&mut self, handle: u32, key: u128) {
        let alone = Node {
            key,
            parent: NONE,
            child: NONE,
            left: handle,
            right: handle,
            degree: 0,
            marked: false,
            inside: true,
        };
        let place = handle as usize;
        if place >= self.nodes.len() {
            self.nodes.resize(place + 1, Node { inside: false, ..alone });
        }
        if self.nodes[place].inside {
            return;
        }
        *self.at(handle) = alone;
        match self.first {
            None => self.first = Some(handle),
            Some(first) => {
                self.join(handle, first);
                if key < self.at(first).key {
                    self.first = Some(handle);
                }
            }
        }
    }

    /// Takes the handle of the smallest key out.
    pub fn pop(&mut self) -> Option<u32> {
        let first = self.first?;
        let Node { child, degree, .. } = *self.at(first);
        let mut next = child;
        for _ in 0..degree {
            let node = next;
            next = self.at(node).right;
            self.leave(node);
            self.at(node).parent = NONE;
            self.join(node, first);
        }
        let next = self.at(first).right;
        self.leave(first);
        self.at(first).inside = false;
        self.first = None;
        if next != first {
            self.consolidate(next);
        }
        Some(first)
    }

    /// Takes a handle out, wherever its key is.
    pub fn remove(&mut self, handle: u32) {
        if !self.nodes.get(handle as usize).is_some_and(|node| node.inside) {
            return;
        }
        self.cut(handle);
        // As if its key were the smallest.
        self.first = Some(handle);
        self.pop();
    }

    /// Makes a node a root, and every marked one above it.
    fn cut(&mut self, handle: u32) {
        let mut node = handle;
        loop {
            let parent = self.at(node).parent;
            let Some(first) = self.first.filter(|_| parent != NONE) else { return };
            let right = self.at(node).right;
            self.leave(node);
            let above = self.at(parent);
            above.degree -= 1;
            if above.child == node {
                above.child = if above.degree == 0 { NONE } else { right };
            }
            let (marked, has_parent) = (above.marked, above.parent != NONE);
            above.marked |= has_parent;
            let cut = self.at(node);
            (cut.parent, cut.marked) = (NONE, false);
            self.join(node, first);
            if !(marked && has_parent) {
                return;
            }
            node = parent;
        }
    }

    /// Makes roots of equal degree parent and child until all differ, and finds the smallest.
    fn consolidate(&mut self, start: u32) {
        let mut roots = std::mem::take(&mut self.roots);
        roots.clear();
        let mut node = start;
        loop {
            roots.push(node);
            node = self.at(node).right;
            if node == start {
                break;
            }
        }
        let mut by_degree = [NONE; DEGREES];
        for root in roots.drain(..) {
            let mut winner = root;
            let mut degree = self.at(winner).degree;
            while by_degree[usize::from(degree)] != NONE {
                let other = by_degree[usize::from(degree)];
                by_degree[usize::from(degree)] = NONE;
                let (parent, child) = if self.at(other).key < self.at(winner).key {
                    (other, winner)
                } else {
                    (winner, other)
                };
                self.adopt(parent, child);
                (winner, degree) = (parent, degree + 1);
            }
            by_degree[usize::from(degree)] = winner;
        }
        self.roots = roots;
        let mut least: Option<(u128, u32)> = None;
        for root in by_degree.into_iter().filter(|root| *root != NONE) {
            let key = self.at(root).key;
            if least.is_none_or(|(other, _)| key < other) {
                least = Some((key, root));
            }
        }
        self.first = least.map(|(_, root)| root);
    }

    fn adopt(&mut self, parent: u32, child: u32) {
        self.leave(child);
        let above = self.at(parent);
        let sibling = above.child;
        above.degree += 1;
        if sibling == NONE {
            above.child = child;
        } else {
            self.join(child, sibling);
        }
        let below = self.at(child);
        (below.parent, below.marked) = (parent, false);
    }

    /// Puts a node that is alone into the ring of another.
    fn join(&mut self, node: u32, ring: u32) {
        let right = self.at(ring).right;
        self.at(ring).right = node;
        let joined = self.at(node);
        (joined.left, joined.right) = (ring, right);
        self.at(right).left = node;
    }

    fn leave(&mut self, node: u32) {
        let Node { left, right, .. } = *self.at(node);
        self.at(left).right = right;
        self.at(right).left = left;
        let alone = self.at(node);
        (alone.left, alone.right) = (node, node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_agrees_with_a_map(steps in prop::collection::vec((0u8..4, 0u32..60, any::<u16>()), 1..400)) {
            let mut heap = FibonacciHeap::default();
            let mut model: BTreeMap<u32, u128> = BTreeMap::new();
            for (step, handle, key) in steps {
                let key = u128::from(key);
                match step {
                    0 | 1 => {
                        heap.push(handle, key);
                        model.entry(handle).or_insert(key);
                    }
                    2 => {
                        heap.remove(handle);
                        model.remove(&handle);
                    }
                    _ => {
                        let least = model.values().min().copied();
                        let popped = heap.pop();
                        prop_assert_eq!(popped.and_then(|handle| model.remove(&handle)), least);
                    }
                }
            }
            while let Some(handle) = heap.pop() {
                prop_assert_eq!(model.values().min().copied(), model.get(&handle).copied());
                model.remove(&handle);
            }
            prop_assert!(model.is_empty());
        }
    }
}
