//! BMW-Tree: an insertion-balanced multi-way tree, in registers (R-BMW) and in SRAM (RPU-BMW).
//!
//! Source: clubheap §1 (RPU-BMW: push every 2 cycles, pop every 3, replace every 3), Table 1
//! (R-BMW: CPR 2), §6.3 (4-way, N = 5,460); thesis §4.4.1 and Fig. 4.8 (a counter per element,
//! partitions are static subtrees), §4.6.2 (1 cycle to enqueue, 2 to dequeue, which we take to be
//! R-BMW).
//!
//! Assumed, where the papers are silent:
//! - R-BMW: a node is registers with comparators of its own, and compares and writes in one cycle.
//!   A pop waits for the level below as well (clubheap §2.3): two levels of one stage.
//! - RPU-BMW: a level is an SRAM, read and then compared with write-back: two stages. A pop waits
//!   for two levels; the read of the lower one runs under the compare of the upper one.
//! - A replace of their own costs what a pop does (clubheap §1 counts both among those that have
//!   one).
//! - A node finds the smallest of its m ranks, and of its m counters, by a tree of m − 1
//!   comparators each, and compares the moving element with the result.

use alloc::vec;
use alloc::vec::Vec;

use crate::logic::{Comparators, Logic, Path};
use crate::memory::{Bank, Memory, Ports, address_bits, counter_bits};
use crate::tree::{self, Level};
use crate::{CheckedShape, Cost, CostModel, Interval, Latency, Sharing, Timing, Tuning};

/// The BMW-Tree in registers.
pub(crate) const REGISTER_BMW: CostModel = CostModel {
    name: "r-bmw",
    title: "R-BMW",
    source: "clubheap Table 1; thesis §4.4.1, §4.6.2",
    tuning: Tuning::Ways,
    note: "",
    formulas: register_bmw,
};

fn register_bmw(shape: &CheckedShape) -> Cost {
    let levels = levels(shape);
    let nodes = levels.iter().map(|level| level.nodes).sum();
    let bits = levels.iter().map(|level| level.nodes * node_bits(shape, level)).sum();
    let pop = Interval::of(2, 1);
    Cost {
        capacity: capacity(shape),
        timing: Timing { push: Interval::EVERY_CYCLE, pop, replace: Some(pop) },
        latency: Latency { result: 1, settled: levels.len() as u64 + 1 },
        logic: logic(shape, nodes),
        memory: Memory { banks: vec![], register_bits: bits },
        sharing: Sharing::Split,
    }
}

/// The BMW-Tree in SRAM, a processing unit per level.
pub(crate) const RPU_BMW: CostModel = CostModel {
    name: "rpu-bmw",
    title: "RPU-BMW",
    source: "clubheap §1, §6.3; thesis §4.4.1",
    tuning: Tuning::Ways,
    note: "",
    formulas: rpu_bmw,
};

fn rpu_bmw(shape: &CheckedShape) -> Cost {
    let levels = levels(shape);
    let bank = |level: &Level| Bank {
        what: "nodes",
        level: Some(level.number),
        words: level.nodes,
        width: node_bits(shape, level),
        ports: Ports::DUAL,
    };
    let pop = Interval { levels: 2, stages: 2, overlapped: 1 };
    Cost {
        capacity: capacity(shape),
        timing: Timing { push: Interval::of(1, 2), pop, replace: Some(pop) },
        latency: Latency { result: 2, settled: 2 * levels.len() as u64 },
        logic: logic(shape, levels.len() as u128),
        memory: Memory { banks: levels.iter().map(bank).collect(), register_bits: 0 },
        sharing: Sharing::Split,
    }
}

/// A tree for M times N elements, since each partition is a subtree that must hold all N.
fn levels(shape: &CheckedShape) -> Vec<Level> {
    let ways = u128::from(shape.ways);
    tree::levels(shape.n() * shape.m(), ways, ways)
}

fn capacity(shape: &CheckedShape) -> u128 {
    let ways = u128::from(shape.ways);
    tree::capacity(&tree::levels(shape.n(), ways, ways))
}

/// m elements, each with a counter of itself and its subtree.
fn node_bits(shape: &CheckedShape, level: &Level) -> u128 {
    let ways = u128::from(shape.ways);
    ways * (shape.element_bits() + counter_bits(level.below / ways))
}

fn logic(shape: &CheckedShape, processors: u128) -> Logic {
    let (ways, rank) = (u128::from(shape.ways), u128::from(shape.rank_bits));
    let counter = levels(shape).first().map_or(0, |root| counter_bits(root.below / ways));
    let rounds = address_bits(ways);
    let smallest = Path { comparators: rounds, select: ways, ..Path::comparing(rank) };
    let emptiest = Path { comparators: rounds, select: ways, ..Path::comparing(counter) };
    Logic {
        comparators: vec![
            Comparators { what: "rank", count: processors * ways, width: rank },
            Comparators { what: "counter", count: processors * (ways - 1), width: counter },
        ],
        path: smallest.or_longer(emptiest),
        span: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn shape(elements: u64, ways: u32) -> CheckedShape {
        Shape { elements, ways, rank_bits: 4, item_bits: 3, ..Shape::default() }.check().unwrap()
    }

    #[test]
    fn two_levels_of_two_counted_by_hand() {
        // Fig. 4.8: a root of two elements, two nodes of two below it: 6 elements. A counter of the
        // root counts to 3, one below to 1.
        let bits = 6 * (4 + 3 + 1) + 2 * 2 + 4;
        let (r, rpu) = (REGISTER_BMW.cost(&shape(6, 2)), RPU_BMW.cost(&shape(6, 2)));
        assert_eq!((r.memory.register_bits, rpu.memory.sram_bits()), (bits, bits));
        assert_eq!((r.capacity, rpu.capacity), (6, 6));
        assert_eq!(r.logic.comparator_count(), 3 * (2 + 1), "every node has its own");
        assert_eq!(rpu.logic.comparator_count(), 2 * (2 + 1), "every level has its own");
    }

    #[test]
    fn cycles_are_those_published() {
        let (r, rpu) = (REGISTER_BMW.cost(&shape(5460, 4)), RPU_BMW.cost(&shape(5460, 4)));
        assert_eq!((r.timing.push.cycles(), r.timing.pop.cycles()), (1, 2), "thesis §4.6.2");
        assert_eq!((rpu.timing.push.cycles(), rpu.timing.pop.cycles()), (2, 3), "clubheap §1");
        assert_eq!((r.timing.cycles_per_replace(), rpu.timing.cycles_per_replace()), (2, 3));
        assert_eq!((rpu.capacity, rpu.memory.banks.len()), (5460, 6), "clubheap §6.3");
    }
}
