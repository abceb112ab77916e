//! ClubHeap, and the clustered ternary and 4-way heaps it is compared with.
//!
//! Source: clubheap §3.1 (levels, B1, B2, S_L), §4.1 (three stages a level, one cycle apart, so an
//! operation may start every cycle and is settled after L + 2), §4.2 and Fig. 6 (a cluster without
//! its minimum, the minima of the children, the difference field of log N + 1 bits), §4.3 (what is
//! compared), §4.4 (dual-port SRAM; pointers where a level or the one below is allocated
//! dynamically; none at the bottom), §6.4 (more ways). The number of nodes on each level is that of
//! [`ClubGeometry`].
//!
//! Assumed, where the paper is silent:
//! - A stored element has a mark that it is there; rank infinity is not a rank.
//! - The minimum of a root, whose parent does not exist, is in a head register of its logical PIFO.
//! - A push or replace compares its element with the K − 1 of the cluster and the minima of the
//!   children at once, while those are compared pair by pair; a selection follows. The root has one
//!   comparator more.
//! - A difference field is only as wide as the subtrees of its level need, with a sign. With w ways
//!   there are w − 1 of them.
//! - The free list of the bottom level is linked through unused elements.

use alloc::vec;
use alloc::vec::Vec;

use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Bank, Memory, Ports, address_bits, counter_bits};
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Sharing, Timing, Tuning, tree};
use forebay_pifo::{ClubGeometry, LevelSize};

/// ClubHeap: two ways.
pub(crate) const CLUB_HEAP: CostModel = CostModel {
    name: "clubheap",
    title: "ClubHeap",
    source: "clubheap §3, §4",
    tuning: Tuning::Cluster,
    note: "",
    formulas: |shape| clustered(shape, 2),
};

/// The clustered ternary heap.
pub(crate) const TERNARY: CostModel = CostModel {
    name: "clustered-ternary",
    title: "clustered 3-way",
    source: "clubheap §6.4",
    formulas: |shape| clustered(shape, 3),
    ..CLUB_HEAP
};

/// The clustered 4-way heap.
pub(crate) const FOUR_WAY: CostModel = CostModel {
    name: "clustered-4-way",
    title: "clustered 4-way",
    source: "clubheap §6.4",
    formulas: |shape| clustered(shape, 4),
    ..CLUB_HEAP
};

fn clustered(shape: &CheckedShape, ways: u128) -> Cost {
    let cluster = u128::from(shape.cluster);
    let levels = tree::levels(shape.n(), ways, cluster);
    let every = Interval::EVERY_CYCLE;
    Cost {
        capacity: tree::capacity(&levels),
        timing: Timing { push: every, pop: every, replace: Some(every) },
        latency: Latency { result: 1, settled: levels.len() as u64 + 2 },
        logic: logic(shape, ways, levels.len() as u128),
        memory: memory(shape, ways, &levels),
        sharing: Sharing::Whole,
    }
}

fn logic(shape: &CheckedShape, ways: u128, levels: u128) -> Logic {
    let (cluster, rank) = (u128::from(shape.cluster), u128::from(shape.rank_bits));
    let pairs = ways * (ways - 1) / 2;
    let within = levels * (cluster - 1) + 1;
    let children = (levels - 1) * (ways + pairs);
    // The sibling is selected, all comparators work at once, their outcomes name the smallest child
    // (pairs and one more), and an element of the cluster or a child's is selected.
    let path = Path {
        broadcast: ways,
        find_first: pairs + 1,
        select: cluster - 1 + ways,
        ..Path::comparing(rank)
    };
    Logic {
        comparators: vec![
            Comparators { what: "rank in the cluster", count: within, width: rank },
            Comparators { what: "rank of children", count: children, width: rank },
        ],
        path,
        span: 1,
    }
}

fn memory(shape: &CheckedShape, ways: u128, levels: &[tree::Level]) -> Memory {
    let sizes = level_sizes(shape, ways);
    let pointer_of = |size: Option<&LevelSize>| {
        let dynamic = size.filter(|size| size.dynamic);
        dynamic.map_or(0, |size| u128::from(address_bits(size.groups as u128 + 1)))
    };
    let mut banks = Vec::new();
    let mut free_list_heads = 0;
    for (place, (size, level)) in sizes.iter().zip(levels).enumerate() {
        let mut node = (u128::from(shape.cluster) - 1) * shape.element_bits();
        if let Some(below) = levels.get(place + 1) {
            let difference = counter_bits(below.below) + 1;
            node += ways * shape.element_bits() + (ways - 1) * difference;
            node += pointer_of(sizes.get(place + 1)).max(pointer_of(Some(size)));
        }
        free_list_heads += pointer_of(Some(size));
        banks.push(Bank {
            what: "nodes",
            level: Some(level.number),
            words: size.groups as u128,
            width: size.siblings as u128 * node,
            ports: Ports::DUAL,
        });
    }
    Memory { banks, register_bits: shape.m() * shape.element_bits() + free_list_heads }
}

/// The nodes of each level. A checked shape is within the limits of the geometry.
fn level_sizes(shape: &CheckedShape, ways: u128) -> Vec<LevelSize> {
    let (cluster, partitions) = (shape.cluster as usize, shape.partitions as usize);
    ClubGeometry::new(cluster, shape.elements as usize, partitions, ways as usize)
        .map(|geometry| geometry.level_sizes())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn shape(elements: u64, cluster: u32, partitions: u64) -> CheckedShape {
        Shape { elements, cluster, partitions, rank_bits: 4, item_bits: 3, ..Shape::default() }
            .check()
            .unwrap()
    }

    #[test]
    fn two_levels_counted_by_hand() {
        // K = 3 and two levels: 9 elements of 8 bits. The head has one, the root two of its own and
        // the two minima of its children, and each child two more: all nine.
        let cost = CLUB_HEAP.cost(&shape(9, 3, 1));
        let difference = 2 + 1; // a child holds 3
        assert_eq!(cost.memory.bits(), 9 * 8 + difference);
        assert_eq!(cost.capacity, 9);
        // Two levels compare with two of the cluster each, the root also with its head, with both
        // minima and these with each other.
        assert_eq!(cost.logic.comparator_count(), 2 * 2 + 1 + 2 + 1);
        assert_eq!(cost.latency.settled, 4, "clubheap §4.1: cycles 1 to 4 for two levels");
        assert_eq!(cost.timing.cycles_per_replace(), 1);
    }

    #[test]
    fn every_shape_within_limits_has_levels() {
        for (elements, cluster, partitions) in
            [(1, 2, 1), (1 << 26, 2, 1 << 16), (1 << 26, 1 << 10, 1 << 16), (1, 1 << 10, 1 << 16)]
        {
            for heap in [&CLUB_HEAP, &TERNARY, &FOUR_WAY] {
                let cost = heap.cost(&shape(elements, cluster, partitions));
                assert!(!cost.memory.banks.is_empty() && cost.capacity >= elements.into());
            }
        }
    }

    #[test]
    fn partitions_do_not_multiply_the_memory() {
        // 16 partitions need 22.9 % of the nodes of 16 trees (Fig. 3(b)), in whole pairs and with
        // pointers.
        let bits = |partitions| {
            let shape = Shape { elements: 65_534, partitions, ..Shape::default() };
            CLUB_HEAP.cost(&shape.check().unwrap()).memory.bits()
        };
        let grown = [16, 256].map(|partitions| bits(partitions) * 10 / bits(1));
        assert_eq!(grown, [59, 114], "5.9 and 11.4 times one tree, not 16 and 256");
    }

    #[test]
    fn more_ways_lengthen_the_path() {
        let path = |heap: &CostModel| heap.cost(&shape(4094, 2, 1)).logic.path.gate_levels();
        assert!(
            path(&CLUB_HEAP) < path(&TERNARY) && path(&TERNARY) <= path(&FOUR_WAY),
            "clubheap §6.4"
        );
    }

    #[test]
    fn blocks_of_ram_are_near_those_of_the_published_hardware() {
        // The authors' sources, K = 2, 11 levels, 16-bit ranks, 32-bit data, synthesized with yosys
        // for UltraScale+: 2 RAMB36 and 20 RAMB18 with M = 1, 90 RAMB18 with M = 16.
        let blocks = |partitions| {
            let shape = Shape { elements: 4094, partitions, ..Shape::default() };
            CLUB_HEAP.cost(&shape.check().unwrap()).memory.blocks()
        };
        assert_eq!((blocks(1), blocks(16)), (21, 88), "12 % and 2 % fewer than 24 and 90");
    }
}
