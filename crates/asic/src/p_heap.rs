//! P-Heap: a binary heap with a processor per level, guided by counts of vacancies.
//!
//! Source: clubheap §2.2 and §4.4 (a level of SRAM and a processor per tree level; static child
//! addresses), footnote 4 (three dependent operations, read, compare and write, make one of its own
//! cycles), §4.2 (counters of the subtrees); thesis §4.4.1 (partitions are static subtrees) and
//! §4.9 (an operation every two of its own cycles).
//!
//! Assumed, where the papers are silent:
//! - The next operation waits for the level below as well, two of its own cycles; push, pop and
//!   replace alike. Two levels of three stages give the 6 cycles of Table 1.
//! - A level compares the two children with each other and the moving element with the smaller.
//! - One counter a node, up to the elements of its subtree.

use alloc::vec;
use alloc::vec::Vec;

use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Bank, Memory, Ports, counter_bits};
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Sharing, Timing, Tuning, tree};

/// P-Heap.
pub(crate) const P_HEAP: CostModel = CostModel {
    name: "p-heap",
    title: "P-Heap",
    source: "clubheap §2.2, §4.2, §4.4; thesis §4.4.1, §4.9",
    tuning: Tuning::Nothing,
    note: "",
    formulas: p_heap,
};

fn p_heap(shape: &CheckedShape) -> Cost {
    let levels = tree::levels(shape.n() * shape.m(), 2, 1);
    let count = levels.len() as u64;
    let rank = u128::from(shape.rank_bits);
    let banks: Vec<Bank> = levels
        .iter()
        .map(|level| Bank {
            what: "nodes",
            level: Some(level.number),
            words: level.nodes,
            width: shape.element_bits() + counter_bits(level.below),
            ports: Ports::DUAL,
        })
        .collect();
    let every = Interval::of(2, 3);
    Cost {
        capacity: tree::capacity(&tree::levels(shape.n(), 2, 1)),
        timing: Timing { push: every, pop: every, replace: Some(every) },
        latency: Latency { result: 1, settled: 3 * count },
        logic: Logic {
            comparators: vec![Comparators {
                what: "rank",
                count: 2 * u128::from(count),
                width: rank,
            }],
            path: Path { comparators: 2, select: 2, ..Path::comparing(rank) },
            span: 1,
        },
        memory: Memory { banks, register_bits: 0 },
        sharing: Sharing::Split,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[test]
    fn seven_nodes_counted_by_hand() {
        let shape = Shape { elements: 7, rank_bits: 4, item_bits: 3, ..Shape::default() };
        let cost = P_HEAP.cost(&shape.check().unwrap());
        // A root that counts to 7, two nodes that count to 3, four that count to 1.
        assert_eq!(cost.memory.bits(), 7 * (4 + 3 + 1) + 3 + 2 * 2 + 4);
        assert_eq!((cost.capacity, cost.timing.cycles_per_replace()), (7, 6));
    }
}
