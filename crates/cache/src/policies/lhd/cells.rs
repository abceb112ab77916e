//! The exact order of LHD: a heap for every class and bin of ages.
//!
//! Objects of one class and bin have one density, so that the lightest of them goes first, whatever
//! the density is: learning changes no heap. Only the first of each of the 600 cells can be the
//! first of all, and what each is worth stands in an array that is looked through. Objects change
//! cell as they age, about twenty times in the life of one that stays a thousand requests, but only
//! when a victim is asked for: those due since are then moved at once.
//!
//! Objects used within the last sixteen requests, of which there are sixteen at most, are in no
//! cell: what each of these is worth is worked out for every victim.
//!
//! Where all weigh the same, they come in the order in which they go: a heap whose root has all
//! others as children, in order, so that the next follows from it at once. It is kept so as long as
//! newcomers fit in near its end.
//!
//! Complexity: a touch O(1), or the pairing heap's O(log n) amortized where weights differ; a
//! victim a look at the cells of the classes that have members, eight at a time, and what is due.
//! Memory: 12 KB a set and about 80 bytes an object.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::densities::{BINS, CLASSES, Densities, bin, start};
use super::{Entry, Victims};
use crate::order::{OrderConfig, Slot};

/// Cells of a class, rounded up so that they can be looked through eight at a time.
const ROW: usize = BINS.next_multiple_of(LANES);
const LANES: usize = 8;
const CELLS: usize = CLASSES * ROW;
/// The bins before this one are the nursery's, whose objects are in no heap. A power of two.
const GROWN: usize = 8;
/// So far from its end a newcomer is put in its place in a cell that is in order.
const NEAR: usize = 16;
/// No slot, no cell.
const NONE: u32 = u32::MAX;

/// An object as it is in its heap: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, 1986).
#[derive(Clone, Copy)]
struct Node {
    weight: f64,
    touched: u64,
    child: u32,
    next: u32,
    /// The one before it among its siblings, or the parent of the first of them.
    previous: u32,
    /// Where it is.
    cell: u32,
}

const OUT: Node =
    Node { weight: 0.0, touched: 0, child: NONE, next: NONE, previous: NONE, cell: NONE };

impl Node {
    #[inline]
    fn before(&self, other: &Node) -> bool {
        (self.weight, self.touched) < (other.weight, other.touched)
    }
}

/// An object that leaves its bin at some age, unless it is used or evicted before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    touched: u64,
    slot: u32,
}

/// The exact `Victims`.
pub struct DensityCells {
    nodes: Vec<Node>,
    /// By cell, the first of its heap.
    roots: [u32; CELLS],
    /// By cell, the last of it, if its root's children are in order.
    lasts: [u32; CELLS],
    /// By cell, what its root is worth.
    worths: [f64; CELLS],
    /// By class, how many it has.
    members: [u32; CLASSES],
    /// By bin, those in it in the order of their ages, the oldest first, and some that have left.
    bins: [VecDeque<Due>; BINS],
    /// The bins whose lines hold something, one bit each.
    waiting: u64,
    /// Those that came to their bin after younger ones, by when they leave it.
    overtaken: BinaryHeap<Reverse<(u64, Due)>>,
}

fn cell(class: usize, bin: usize) -> usize {
    class * ROW + bin
}

impl DensityCells {
    /// Links two heaps, and says which is the first.
    #[inline]
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        let (first, second) =
            if self.nodes[b as usize].before(&self.nodes[a as usize]) { (b, a) } else { (a, b) };
        let child = self.nodes[first as usize].child;
        let node = &mut self.nodes[second as usize];
        (node.previous, node.next) = (first, child);
        if child != NONE {
            self.nodes[child as usize].previous = second;
        }
        self.nodes[first as usize].child = second;
        first
    }

    /// Makes one heap of the siblings from `first` on: in pairs, and these from the last on.
    fn meld_siblings(&mut self, mut first: u32) -> u32 {
        let mut pairs = NONE;
        while first != NONE {
            let second = self.nodes[first as usize].next;
            let rest = if second == NONE { NONE } else { self.nodes[second as usize].next };
            let pair = if second == NONE { first } else { self.meld(first, second) };
            // Those that are done stand in line by their `next`, the last first.
            self.nodes[pair as usize].next = pairs;
            (pairs, first) = (pair, rest);
        }
        let mut root = NONE;
        while pairs != NONE {
            let next = self.nodes[pairs as usize].next;
            root = if root == NONE { pairs } else { self.meld(root, pairs) };
            pairs = next;
        }
        root
    }

    /// Sets the first of `cell`, and what it is worth.
    #[inline]
    fn set_root(&mut self, cell: usize, root: u32, densities: &Densities) {
        self.roots[cell] = root;
        self.worths[cell] = if root == NONE {
            f64::INFINITY
        } else {
            let node = &mut self.nodes[root as usize];
            (node.previous, node.next) = (NONE, NONE);
            densities.of(cell / ROW, cell % ROW) * node.weight
        };
    }

    /// Puts the node of `slot` into `cell`.
    #[inline]
    fn enter(&mut self, slot: u32, cell: usize, densities: &Densities) {
        self.nodes[slot as usize].cell = cell as u32;
        if cell % ROW < GROWN {
            return;
        }
        self.members[cell / ROW] += 1;
        let (root, last) = (self.roots[cell], self.lasts[cell]);
        if root == NONE {
            self.lasts[cell] = slot;
            self.set_root(cell, slot, densities);
            return;
        }
        if last != NONE && self.follow(slot, root, last, cell) {
            return;
        }
        self.lasts[cell] = NONE;
        let first = self.meld(root, slot);
        if first != root {
            self.set_root(cell, first, densities);
        }
    }

    /// Puts `slot` in its place in a cell that is in order, if that is near its end.
    #[inline]
    fn follow(&mut self, slot: u32, root: u32, last: u32, cell: usize) -> bool {
        let mut before = last;
        for _ in 0..NEAR {
            if self.nodes[before as usize].before(&self.nodes[slot as usize]) {
                let above = &mut self.nodes[before as usize];
                let place = if before == root { &mut above.child } else { &mut above.next };
                let next = std::mem::replace(place, slot);
                let node = &mut self.nodes[slot as usize];
                (node.previous, node.next) = (before, next);
                if next == NONE {
                    self.lasts[cell] = slot;
                } else {
                    self.nodes[next as usize].previous = slot;
                }
                return true;
            }
            if before == root {
                return false;
            }
            before = self.nodes[before as usize].previous;
        }
        false
    }

    /// Takes the node of `slot` out of its cell.
    #[inline]
    fn leave(&mut self, slot: u32, densities: &Densities) {
        let Node { child, next, previous, cell, .. } = self.nodes[slot as usize];
        let cell = cell as usize;
        if cell % ROW < GROWN {
            return;
        }
        self.members[cell / ROW] -= 1;
        self.nodes[slot as usize].child = NONE;
        if self.roots[cell] == slot {
            let first = if self.lasts[cell] == NONE {
                self.meld_siblings(child)
            } else {
                self.promote(child)
            };
            self.set_root(cell, first, densities);
            return;
        }
        if self.lasts[cell] == slot {
            self.lasts[cell] = previous;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        let before = &mut self.nodes[previous as usize];
        if before.child == slot {
            before.child = next;
        } else {
            before.next = next;
        }
        let below = self.meld_siblings(child);
        if below != NONE {
            // It was not before the root, nor is anything below it.
            self.meld(self.roots[cell], below);
        }
    }

    /// Makes the first child of a root in order the root, and its siblings its children.
    #[inline]
    fn promote(&mut self, child: u32) -> u32 {
        if let Some(node) = self.nodes.get_mut(child as usize) {
            node.child = node.next;
        }
        child
    }

    /// Notes when the object leaves `bin`.
    #[inline]
    fn note(&mut self, due: Due, bin: usize) {
        if bin + 1 == BINS {
            return;
        }
        if bin < GROWN {
            // A few steps back at most: no two were used at once.
            let line = &mut self.bins[0];
            let after = line.iter().rev().take_while(|other| other.touched > due.touched).count();
            line.insert(line.len() - after, due);
            self.waiting |= 1;
            return;
        }
        let line = &mut self.bins[bin];
        if line.back().is_none_or(|last| last.touched < due.touched) {
            line.push_back(due);
            self.waiting |= 1 << bin;
        } else {
            self.overtaken.push(Reverse((due.touched + start(bin + 1), due)));
        }
    }

    /// Moves the object to the bin of its age, if it is still there.
    #[inline]
    fn age(&mut self, due: Due, clock: u64, densities: &Densities) {
        let node = &self.nodes[due.slot as usize];
        if node.cell == NONE || node.touched != due.touched {
            return;
        }
        let (class, bin) = (node.cell as usize / ROW, bin(clock - due.touched));
        self.leave(due.slot, densities);
        self.enter(due.slot, cell(class, bin), densities);
        self.note(due, bin);
    }

    /// Moves all whose time has come. The oldest bins first: what leaves a bin is younger than what
    /// is in the next.
    fn age_all(&mut self, clock: u64, densities: &Densities) {
        let mut waiting = self.waiting;
        while let Some(bin) = waiting.checked_ilog2() {
            waiting ^= 1 << bin;
            let bin = bin as usize;
            let until = if bin < GROWN { start(GROWN) } else { start(bin + 1) };
            while let Some(due) = self.bins[bin].front().copied()
                && due.touched + until <= clock
            {
                self.bins[bin].pop_front();
                self.age(due, clock, densities);
            }
            if self.bins[bin].is_empty() {
                self.waiting &= !(1 << bin);
            }
        }
        while let Some(Reverse((at, due))) = self.overtaken.peek().copied()
            && at <= clock
        {
            self.overtaken.pop();
            self.age(due, clock, densities);
        }
    }
}

/// The least of `worths`.
#[inline]
fn least(worths: &[f64]) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    for worths in worths.chunks_exact(LANES) {
        for (least, worth) in least.iter_mut().zip(worths) {
            // Not `min`, which asks whether they are numbers.
            *least = if *worth < *least { *worth } else { *least };
        }
    }
    least.into_iter().fold(f64::INFINITY, f64::min)
}

impl Victims for DensityCells {
    fn new(_: &OrderConfig) -> Self {
        DensityCells {
            nodes: Vec::new(),
            roots: [NONE; CELLS],
            lasts: [NONE; CELLS],
            worths: [f64::INFINITY; CELLS],
            members: [0; CLASSES],
            bins: [const { VecDeque::new() }; BINS],
            waiting: 0,
            overtaken: BinaryHeap::new(),
        }
    }

    fn insert(&mut self, slot: Slot, entry: &Entry, clock: u64, densities: &Densities) {
        if self.nodes.len() <= slot.index() {
            self.nodes.resize(slot.index() + 1, OUT);
        }
        let bin = bin(clock - entry.touched);
        let (weight, touched) = (entry.weight, entry.touched);
        self.nodes[slot.index()] = Node { weight, touched, ..OUT };
        self.enter(slot.0, cell(usize::from(entry.class), bin), densities);
        self.note(Due { touched, slot: slot.0 }, bin);
    }

    fn touch(&mut self, slot: Slot, entry: &Entry, clock: u64, densities: &Densities) {
        self.leave(slot.0, densities);
        self.insert(slot, entry, clock, densities);
    }

    fn remove(&mut self, slot: Slot, densities: &Densities) {
        if self.nodes.get(slot.index()).is_some_and(|node| node.cell != NONE) {
            self.leave(slot.0, densities);
            self.nodes[slot.index()].cell = NONE;
        }
    }

    fn first(&mut self, clock: u64, densities: &Densities, _: &[Entry]) -> Option<Slot> {
        self.age_all(clock, densities);
        let mut first: Option<(f64, u64, u32)> = None;
        for class in (0..CLASSES).filter(|class| self.members[*class] > 0) {
            let cells = cell(class, 0)..cell(class + 1, 0);
            let worth = least(&self.worths[cells.clone()]);
            if first.is_some_and(|(least, ..)| least < worth) {
                continue;
            }
            for cell in cells.filter(|cell| self.worths[*cell] == worth) {
                let root = self.roots[cell];
                let Some(node) = self.nodes.get(root as usize) else { continue };
                let this = (worth, node.touched, root);
                if first.is_none_or(|first| (this.0, this.1) < (first.0, first.1)) {
                    first = Some(this);
                }
            }
        }
        for due in &self.bins[0] {
            let node = &self.nodes[due.slot as usize];
            if node.cell == NONE || node.touched != due.touched {
                continue;
            }
            let class = node.cell as usize / ROW;
            let worth = densities.of(class, bin(clock - due.touched)) * node.weight;
            let this = (worth, due.touched, due.slot);
            if first.is_none_or(|first| (this.0, this.1) < (first.0, first.1)) {
                first = Some(this);
            }
        }
        first.map(|(.., slot)| Slot(slot))
    }

    fn learnt(&mut self, densities: &Densities) {
        for cell in 0..CELLS {
            if self.roots[cell] != NONE {
                self.set_root(cell, self.roots[cell], densities);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Densities, Entry, Lhd, Victims};
    use super::DensityCells;
    use crate::order::{OrderConfig, Sample};
    use crate::policies::{Mad, MadForm, SetConfig};
    use crate::{
        Associativity, BackingStore, CacheGeometry, Capacity, ObjectId, Request, RequestOutcome,
        Simulation, at_step, steps,
    };

    /// What becomes of requests for `ids`, three time steps apart and of sizes by their ids.
    fn outcomes<V: Victims + 'static>(ids: &[u64], z: u64, mad: bool) -> Vec<RequestOutcome> {
        let geometry = CacheGeometry {
            capacity: Capacity::Bytes(forebay_units::Bytes::new(400)),
            associativity: Associativity::Full,
        };
        // As many draws as there can be objects: all are looked at.
        let build = |set: &SetConfig| -> crate::policies::BoxedPolicy {
            let order = OrderConfig { samples: 1000, ..set.order };
            let lhd = Lhd::<V>::new(&SetConfig { order, ..*set });
            if mad { Box::new(Mad::new(lhd, MadForm::Cached)) } else { Box::new(lhd) }
        };
        let store = BackingStore::Constant(steps(z));
        let mut cache = Simulation::new(geometry, store, build).unwrap();
        let requests = ids.iter().enumerate().map(|(index, id)| {
            let mut request = Request::new(at_step(3 * index as u64), ObjectId(*id));
            request.size = forebay_units::Bytes::new(1 + id % 7);
            request
        });
        requests.map(|request| cache.offer(&request).unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn cells_decide_as_a_look_at_every_object_does(
            seed in any::<u64>(),
            z in prop_oneof![Just(0_u64), 1_u64..2_000],
            mad in any::<bool>(),
        ) {
            // Enough requests that LHD learns twice, and skewed: the least of three draws.
            let mut state = seed;
            let mut draw = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % 400
            };
            let ids: Vec<u64> = (0..9_000).map(|_| draw().min(draw()).min(draw())).collect();
            let exact = outcomes::<DensityCells>(&ids, z, mad);
            prop_assert_eq!(exact, outcomes::<Sample>(&ids, z, mad));
        }
    }

    #[test]
    fn a_slot_that_is_not_there_can_be_removed() {
        let (mut cells, densities) =
            (DensityCells::new(&OrderConfig::default()), Densities::untaught());
        cells.remove(crate::order::Slot(3), &densities);
        let entry = Entry { space: 1, weight: 1.0, ..Entry::default() };
        cells.insert(crate::order::Slot(3), &entry, 0, &densities);
        cells.remove(crate::order::Slot(3), &densities);
        cells.remove(crate::order::Slot(3), &densities);
        assert_eq!(cells.first(10, &densities, &[]), None);
    }
}
