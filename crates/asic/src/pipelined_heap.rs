//! Pipelined heap: a complete binary heap with a processor per level and a bus across all of them.
//!
//! Source: clubheap §2.2 (complete binary heap; the global bus that connects all levels limits the
//! clock and with it the number of elements), §1 (it replaces in one operation), Table 1 (CPR 2);
//! thesis §4.4.1 (partitions are static subtrees, as in P-Heap).
//!
//! The papers disagree on partitions: clubheap marks them as supported, the thesis counts them as
//! split. A complete heap is compact, so its levels could be shared out as ClubHeap's are, but no
//! source describes the pointers that this takes. The thesis's static split is followed.
//!
//! Assumed, where the papers are silent:
//! - Bypasses hide reading and writing, so a level takes one dependent stage; the next operation
//!   waits for the level below as well (clubheap §2.3). That gives the 2 cycles of Table 1, for all
//!   three operations.
//! - A level compares the two children with each other and the moving element with the smaller.
//! - The bus takes the last element, on whichever level it is, to the root in one cycle.
//! - A register per logical queue counts its elements; nodes need no counters.

use alloc::vec;

use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Bank, Memory, Ports, counter_bits};
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Sharing, Timing, Tuning, tree};

/// Pipelined heap.
pub(crate) const PIPELINED_HEAP: CostModel = CostModel {
    name: "pipelined-heap",
    title: "Pipelined Heap",
    source: "clubheap §1, §2.2; thesis §4.4.1",
    tuning: Tuning::Nothing,
    note: "The papers disagree on its partitions: clubheap §2.2 marks them as supported, thesis \
           §4.4.1 says that each is a static subtree, and that is what is counted here.",
    formulas: pipelined_heap,
};

fn pipelined_heap(shape: &CheckedShape) -> Cost {
    let levels = tree::levels(shape.n() * shape.m(), 2, 1);
    let (count, rank) = (levels.len() as u32, u128::from(shape.rank_bits));
    let bank = |level: &tree::Level| Bank {
        what: "nodes",
        level: Some(level.number),
        words: level.nodes,
        width: shape.element_bits(),
        ports: Ports::DUAL,
    };
    let every = Interval::of(2, 1);
    Cost {
        capacity: tree::capacity(&tree::levels(shape.n(), 2, 1)),
        timing: Timing { push: every, pop: every, replace: Some(every) },
        latency: Latency { result: 1, settled: u64::from(count) + 2 },
        logic: Logic {
            comparators: vec![Comparators {
                what: "rank",
                count: 2 * u128::from(count),
                width: rank,
            }],
            path: Path { comparators: 2, select: count.into(), ..Path::comparing(rank) },
            span: count,
        },
        memory: Memory {
            banks: levels.iter().map(bank).collect(),
            register_bits: shape.m() * counter_bits(shape.n()),
        },
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
        let cost = PIPELINED_HEAP.cost(&shape.check().unwrap());
        assert_eq!(cost.memory.sram_bits(), 7 * (4 + 3 + 1));
        assert_eq!(cost.memory.register_bits, 3, "a counter to 7");
        assert_eq!((cost.logic.span, cost.timing.cycles_per_replace()), (3, 2));
    }
}
