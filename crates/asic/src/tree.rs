//! Complete trees: how many levels hold a number of elements. Shared by all heaps.

use alloc::vec::Vec;

/// One level of a complete tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// From 1 at the root.
    pub(crate) number: u32,
    /// Nodes on it.
    pub(crate) nodes: u128,
    /// Elements in the subtree of one of its nodes, its own included.
    pub(crate) below: u128,
}

/// The levels of the smallest complete `ways`-ary tree with `per_node` elements a node that holds
/// `elements`, root first. `ways` is at least 2 and `per_node` at least 1.
pub(crate) fn levels(elements: u128, ways: u128, per_node: u128) -> Vec<Level> {
    let mut levels = Vec::new();
    let (mut nodes, mut held, mut number) = (1u128, 0u128, 0u32);
    loop {
        number += 1;
        levels.push(Level { number, nodes, below: 0 });
        held = held.saturating_add(nodes.saturating_mul(per_node));
        if held >= elements {
            break;
        }
        nodes = nodes.saturating_mul(ways);
    }
    let mut below = 0u128;
    for level in levels.iter_mut().rev() {
        below = below.saturating_mul(ways).saturating_add(per_node);
        level.below = below;
    }
    levels
}

/// The elements that a tree of these levels holds.
pub(crate) fn capacity(levels: &[Level]) -> u128 {
    levels.first().map_or(0, |root| root.below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_count_the_nodes_of_a_real_tree() {
        let binary = levels(7, 2, 1);
        assert_eq!(binary.iter().map(|level| level.nodes).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(binary.iter().map(|level| level.below).collect::<Vec<_>>(), [7, 3, 1]);
        assert_eq!(levels(8, 2, 1).len(), 4);
        let four_way = levels(5460, 4, 4);
        assert_eq!((four_way.len(), capacity(&four_way)), (6, 5460), "clubheap §6.3: N = 5,460");
    }
}
