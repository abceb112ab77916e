//! Ranks that can be counted: how many of a changing collection lie below a rank, and what they add
//! up to. The measurement counts inversions with it, AIFO takes the quantile of a rank.
//!
//! Structure: a treap (a search tree that is a heap of random priorities, so that its expected
//! depth is logarithmic), one node per distinct rank, with the count and the sum of each subtree.
//! Priorities come from a fixed sequence, so every run is the same.
//!
//! Complexity: O(log n) expected for `n` distinct ranks. Memory: 80 bytes per distinct rank at the
//! most there were at once.

use alloc::vec::Vec;

/// "No node".
const NIL: usize = usize::MAX;

#[derive(Clone, Copy)]
struct Node {
    rank: u64,
    /// How often the rank is here.
    copies: usize,
    /// Ranks in this subtree, every copy counted, and their sum.
    total: Total,
    priority: u64,
    left: usize,
    right: usize,
}

/// A number of ranks and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) count: usize,
    pub(super) sum: u128,
}

impl Total {
    fn of(rank: u64, copies: usize) -> Self {
        Total { count: copies, sum: u128::from(rank) * copies as u128 }
    }

    fn plus(self, other: Total) -> Self {
        Total { count: self.count + other.count, sum: self.sum + other.sum }
    }
}

/// A collection of ranks, equal ones included.
#[derive(Clone)]
pub(super) struct RankCounts {
    nodes: Vec<Node>,
    free: Vec<usize>,
    root: usize,
    drawn: u64,
}

impl RankCounts {
    pub(super) fn new() -> Self {
        RankCounts { nodes: Vec::new(), free: Vec::new(), root: NIL, drawn: 0 }
    }

    pub(super) fn insert(&mut self, rank: u64) {
        let (low, same, high) = self.cut(rank);
        let same = if same == NIL { self.node(rank) } else { self.recount(same, 1) };
        self.join(low, same, high);
    }

    /// Takes one copy of `rank` out, if there is one.
    pub(super) fn remove(&mut self, rank: u64) {
        let (low, same, high) = self.cut(rank);
        let left = match self.nodes.get(same).map(|node| node.copies) {
            None => NIL,
            Some(1) => {
                self.free.push(same);
                NIL
            }
            Some(_) => self.recount(same, -1),
        };
        self.join(low, left, high);
    }

    /// The ranks smaller than `rank`.
    pub(super) fn below(&self, rank: u64) -> Total {
        let (mut at, mut below) = (self.root, Total::default());
        while let Some(node) = self.nodes.get(at) {
            if node.rank < rank {
                below = below.plus(self.total(node.left)).plus(Total::of(node.rank, node.copies));
                at = node.right;
            } else {
                at = node.left;
            }
        }
        below
    }

    /// The smallest rank.
    pub(super) fn min(&self) -> Option<u64> {
        let (mut at, mut least) = (self.root, None);
        while let Some(node) = self.nodes.get(at) {
            (at, least) = (node.left, Some(node.rank));
        }
        least
    }

    fn total(&self, tree: usize) -> Total {
        self.nodes.get(tree).map_or_else(Total::default, |node| node.total)
    }

    /// A node for one copy of `rank`, alone.
    fn node(&mut self, rank: u64) -> usize {
        self.drawn = self.drawn.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let total = Total::of(rank, 1);
        let priority = scatter(self.drawn);
        let node = Node { rank, copies: 1, total, priority, left: NIL, right: NIL };
        if let Some(at) = self.free.pop() {
            self.nodes[at] = node;
            return at;
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Changes the copies of a node without children.
    fn recount(&mut self, at: usize, change: isize) -> usize {
        let node = &mut self.nodes[at];
        node.copies = node.copies.saturating_add_signed(change);
        node.total = Total::of(node.rank, node.copies);
        at
    }

    /// Splits the tree into what is below `rank`, its node, and what is above.
    fn cut(&mut self, rank: u64) -> (usize, usize, usize) {
        let (low, rest) = self.split(self.root, |other| other < rank);
        let (same, high) = self.split(rest, |other| other == rank);
        (low, same, high)
    }

    fn join(&mut self, low: usize, same: usize, high: usize) {
        let low = self.merge(low, same);
        self.root = self.merge(low, high);
    }

    /// Splits `tree` into the ranks that go left, which are smaller than all others, and those
    /// others.
    fn split(&mut self, tree: usize, goes_left: impl Fn(u64) -> bool + Copy) -> (usize, usize) {
        let Some(&Node { rank, left, right, .. }) = self.nodes.get(tree) else {
            return (NIL, NIL);
        };
        if goes_left(rank) {
            let (low, high) = self.split(right, goes_left);
            (self.adopt(tree, left, low), high)
        } else {
            let (low, high) = self.split(left, goes_left);
            (low, self.adopt(tree, high, right))
        }
    }

    /// Joins two trees, every rank of `low` below every rank of `high`.
    fn merge(&mut self, low: usize, high: usize) -> usize {
        let (Some(&below), Some(&above)) = (self.nodes.get(low), self.nodes.get(high)) else {
            return if low == NIL { high } else { low };
        };
        if below.priority > above.priority {
            let right = self.merge(below.right, high);
            self.adopt(low, below.left, right)
        } else {
            let left = self.merge(low, above.left);
            self.adopt(high, left, above.right)
        }
    }

    /// Gives a node its children and counts its subtree again.
    fn adopt(&mut self, at: usize, left: usize, right: usize) -> usize {
        let children = self.total(left).plus(self.total(right));
        let node = &mut self.nodes[at];
        (node.left, node.right) = (left, right);
        node.total = children.plus(Total::of(node.rank, node.copies));
        at
    }
}

/// Spreads a counter over all 64 bits (the finalizer of splitmix64).
fn scatter(counter: u64) -> u64 {
    let mixed = (counter ^ (counter >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_agree_with_a_list(
            moves in prop::collection::vec(
                (any::<bool>(), prop_oneof![4 => 0u64..20, 1 => any::<u64>(), 1 => Just(u64::MAX)]),
                1..300,
            ),
        ) {
            let (mut counts, mut list) = (RankCounts::new(), Vec::new());
            for (insert, rank) in moves {
                if insert {
                    counts.insert(rank);
                    list.push(rank);
                } else {
                    counts.remove(rank);
                    list.iter().position(|&other| other == rank).map(|at| list.swap_remove(at));
                }
                let smaller = list.iter().filter(|&&other| other < rank);
                let sum = smaller.clone().map(|&other| u128::from(other)).sum();
                prop_assert_eq!(counts.below(rank), Total { count: smaller.count(), sum });
                prop_assert_eq!(counts.min(), list.iter().min().copied());
                prop_assert_eq!(counts.total(counts.root).count, list.len());
            }
        }
    }

    #[test]
    fn ascending_ranks_stay_shallow() {
        let mut counts = RankCounts::new();
        (0..100_000).for_each(|rank| counts.insert(rank));
        let mut deepest = 0;
        let mut open = Vec::from([(counts.root, 1)]);
        while let Some((at, depth)) = open.pop() {
            let Some(node) = counts.nodes.get(at) else { continue };
            deepest = deepest.max(depth);
            open.extend([(node.left, depth + 1), (node.right, depth + 1)]);
        }
        assert!(deepest < 80, "{deepest} levels for 100000 ranks");
    }

    #[test]
    fn nodes_are_used_again() {
        let mut counts = RankCounts::new();
        for rank in 0..1000 {
            counts.insert(rank);
            counts.remove(rank.saturating_sub(9));
        }
        assert!(counts.nodes.len() <= 11, "{} nodes for ten ranks", counts.nodes.len());
    }
}
